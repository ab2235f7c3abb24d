// SPDX-License-Identifier: Apache-2.0
// One system in two sets of coordinates: the same motion (CONTRIBUTING.md, Tests). Where one of the two is reduced by hand to one
// coordinate (minimal_coordinates.h), it is integrated by extrapolation as well, so that nothing but the model file's
// numbers is shared.
//
// Tolerance: both runs are asked for rtol = 1e-11; over a few hundred steps, and growing at most linearly in time,
// errors stay below 1e-8 of the sizes of the motion.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "systems/minimal_coordinates.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using oracles::extrapolate;
using oracles::Jet;

constexpr double kRtol = 1e-11, kAgreement = 1e-8;

Trajectory run(const System& system, const State& start, double until, double output_step) {
  const Trajectory path =
      integrate(system.dynamics, start, {.until = until, .rtol = kRtol, .atol = 1e-13, .output_step = output_step});
  EXPECT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  return path;
}

void expect_same(const Trajectory& path, std::size_t i, std::size_t row, double q, double v) {
  EXPECT_NEAR(path.q[i][row], q, kAgreement * (1 + std::abs(q))) << path.names.coordinates[i] << " " << path.time[row];
  EXPECT_NEAR(path.v[i][row], v, 10 * kAgreement * (1 + std::abs(v)))
      << path.names.coordinates[i] << "' " << path.time[row];
}

TEST(ConstrainedAndMinimal, SliderCrank) {
  const System system = shipped("slider-crank", {"theta'=10 rad/s", "tau=0.1*sin(2*t)", "f=0.3*cos(5*t)"});
  const State start = system.start();
  const Trajectory path = run(system, start, 4, 0.5);
  ASSERT_EQ(path.size(), 9u);
  oracles::Vector y{start.q[0], start.v[0]};
  for (std::size_t row = 1; row < path.size(); ++row) {
    y = extrapolate(
        [](double t, const oracles::Vector& at) -> oracles::Vector {
          return {at[1],
                  oracles::ReducedSliderCrank(at[0]).acceleration(at[1], 0.1 * std::sin(2 * t), 0.3 * std::cos(5 * t))};
        },
        y, path.time[row - 1], path.time[row], 160);
    const oracles::ReducedSliderCrank at(y[0]);
    expect_same(path, 0, row, y[0], y[1]);
    expect_same(path, 1, row, at.phi.f, at.phi.rate(y[1]));
    expect_same(path, 2, row, at.x.f, at.x.rate(y[1]));
  }
  EXPECT_GT(y[0], 30) << "it turns";
}

TEST(ConstrainedAndMinimal, FourBar) {
  const System system = shipped("four-bar", {"tau=0.2*sin(3*t)"});
  const State start = system.start();
  const Trajectory path = run(system, start, 2, 0.25);
  ASSERT_EQ(path.size(), 9u);
  oracles::Vector y{start.q[2], start.v[2]};
  for (std::size_t row = 0; row < path.size(); ++row) {
    if (row > 0)
      y = extrapolate(
          [](double t, const oracles::Vector& at) -> oracles::Vector {
            return {at[1], oracles::ReducedFourBar(at[0]).acceleration(at[1], 0.2 * std::sin(3 * t))};
          },
          y, path.time[row - 1], path.time[row], 200);
    const oracles::ReducedFourBar at(y[0]);
    for (std::size_t bar = 0; bar < 3; ++bar) {
      const auto& body = at.bodies[bar];
      expect_same(path, 3 * bar, row, body.x.f, body.x.rate(y[1]));
      expect_same(path, 3 * bar + 1, row, body.y.f, body.y.rate(y[1]));
      expect_same(path, 3 * bar + 2, row, body.angle.f, body.angle.rate(y[1]));
    }
  }
  // The assembled start, as closed_forms.md has it.
  EXPECT_NEAR(start.q[5], 0.44126888, 5e-9);
  EXPECT_NEAR(start.q[8], 1.31267653, 5e-9);
  EXPECT_NEAR(start.v[5], -1.37145428, 5e-9);
  EXPECT_NEAR(start.v[8], 3.72124259, 5e-9);
}

// Five links from an angle each, let go: x and y of the maximal chain follow from the minimal one's angles. Double
// pendulums and longer are chaotic; over half a second errors grow by less than a factor 100.
TEST(ConstrainedAndMinimal, Chain) {
  constexpr std::size_t N = 5;
  std::vector<std::string> set{"N=5"};
  for (std::size_t i = 1; i <= N; ++i)
    set.push_back("theta" + std::to_string(i) + "=" + std::to_string(-60 + 10 * int(i)) + " deg");
  const System minimal = shipped("n-link-chain", set), maximal = shipped("n-link-chain-maximal", set);
  const Trajectory a = run(minimal, minimal.start(), 0.5, 0.1), b = run(maximal, maximal.start(), 0.5, 0.1);
  ASSERT_EQ(a.size(), 6u);
  EXPECT_EQ(b.verdict.min_rank, int{2 * N});
  for (std::size_t row = 0; row < a.size(); ++row) {
    double x = 0, y = 0, xd = 0, yd = 0;
    for (std::size_t i = 0; i < N; ++i) {
      const double th = a.q[i][row], w = a.v[i][row], c = 0.1 * std::cos(th), s = 0.1 * std::sin(th);
      expect_same(b, 2 * N + i, row, th, w);
      expect_same(b, i, row, x + c, xd - s * w);
      expect_same(b, N + i, row, y + s, yd + c * w);
      x += 2 * c, y += 2 * s, xd -= 2 * s * w, yd += 2 * c * w;
    }
    EXPECT_NEAR(a.total[row], b.total[row], kAgreement);
  }
  EXPECT_GT(std::abs(a.q[N - 1].back() - a.q[N - 1].front()), 0.5) << "it moves";
}

// x = r sin θ, y = −r cos θ, with the same mass and length; λ is the same force, since h = r − L in both.
TEST(ConstrainedAndMinimal, CartesianAndPolarPendulum) {
  const System polar = shipped("polar-pendulum", {"m=1 kg", "L=1 m", "theta=-90 deg", "theta'=0 rad/s"});
  const System cartesian = shipped("cartesian-pendulum");
  const Trajectory a = run(polar, polar.start(), 5, 0.25), b = run(cartesian, cartesian.start(), 5, 0.25);
  ASSERT_EQ(a.size(), 21u);
  for (std::size_t row = 0; row < a.size(); ++row) {
    const double s = std::sin(a.q[1][row]), c = std::cos(a.q[1][row]), w = a.v[1][row];
    expect_same(b, 0, row, s, w * c);
    expect_same(b, 1, row, -c, w * s);
    EXPECT_NEAR(b.lambda[0][row], a.lambda[0][row], 30 * kAgreement);
    EXPECT_NEAR(b.series("tension")[row], a.series("tension")[row], 30 * kAgreement);
  }
}

// The centre of mass lies b ahead of the contact point; the shipped starts are those of one sleigh. Until 0.7 s, when
// the contact form nears its singularity at θ = 90°.
TEST(ConstrainedAndMinimal, BothSleighs) {
  const System centre = shipped("chaplygin-sleigh"), contact = shipped("chaplygin-sleigh-contact");
  const Trajectory a = run(centre, centre.start(), 0.7, 0.1), b = run(contact, contact.start(), 0.7, 0.1);
  ASSERT_EQ(a.size(), 8u);
  for (std::size_t row = 0; row < a.size(); ++row) {
    const double th = a.q[2][row], w = a.v[2][row], s = 0.4 * std::sin(th), c = 0.4 * std::cos(th);
    expect_same(b, 0, row, a.q[0][row] - c, a.v[0][row] + s * w);
    expect_same(b, 1, row, a.q[1][row] - s, a.v[1][row] - c * w);
    expect_same(b, 2, row, th, w);
    EXPECT_NEAR(b.series("speed")[row], a.series("speed")[row], kAgreement);
    EXPECT_NEAR(b.series("blade_force")[row], a.series("blade_force")[row], 10 * kAgreement);
  }
}

}  // namespace
}  // namespace dalembert
