// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/integrate.h"

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/project.h"
#include "oracles/hand_kernels.h"

namespace {
std::atomic<long> allocations{0};
}  // namespace

// Counts what the inner loop allocates.
__attribute__((noinline)) void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete(void* memory) noexcept { std::free(memory); }
__attribute__((noinline)) void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace dalembert {
namespace {

using namespace oracles;
using testing::HasSubstr;

Dynamics pendulum(int copies = 1) {
  std::vector<std::string> rows;
  for (int k = 1; k <= copies; ++k) rows.push_back(copies == 1 ? "rod" : "rod[" + std::to_string(k) + "]");
  return make_dynamics<CartesianPendulum>({"x", "y"}, rows, 1.0, 1.0, 9.81, copies);
}
Dynamics slider_crank(bool redundant = false) {
  return redundant ? make_dynamics<SliderCrank>({"theta", "phi", "x"}, {"pin[1]", "pin[2]", "again"}, true)
                   : make_dynamics<SliderCrank>({"theta", "phi", "x"}, {"pin[1]", "pin[2]"});
}
Dynamics andrews() {
  std::vector<std::string> rows;
  for (int r = 1; r <= 6; ++r) rows.push_back("loop[" + std::to_string(r) + "]");
  return make_dynamics<Andrews>({"beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"}, rows);
}
State at_x_minus_one() { return {0, {-1, 0}, {0, 0}}; }

// Truth: IFToMM/LIM benchmark A01 by Jacobi's elliptic functions, 18 digits (cases §05). Errors grow linearly in time at
// most: rtol · (steps up to t) with a constant of order 1 allows 1e-9 at 10 s for rtol = 1e-12.
TEST(Integrate, PendulumA01IsExact) {
  const Trajectory path = integrate(pendulum(), at_x_minus_one(),
                                    {.until = 10, .rtol = 1e-12, .atol = 1e-14, .output_times = {1, 2, 5, 9.99, 10}});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  ASSERT_EQ(path.size(), 5u);
  const double x[] = {0.986291751131875319, -0.793566195343321747, -0.942305435043757335, -0.316436469913032,
                      -0.27508746257611686};
  const double y[] = {-0.165010853125541169, -0.608483930443791515, -0.334754338414000581, -0.948613704575777,
                      -0.961419205099125064};
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_NEAR(path.q[0][k], x[k], 2e-11) << path.time[k];
    EXPECT_NEAR(path.q[1][k], y[k], 2e-11) << path.time[k];
    // λ = m(g y − v²)/L² with v² = −2 g y from rest at y = 0: λ = 3 m g y.
    EXPECT_NEAR(path.lambda[0][k], 3 * 9.81 * path.q[1][k], 1e-10) << path.time[k];
    EXPECT_NEAR(path.outputs[0][k], -path.lambda[0][k], 1e-13);
  }
  EXPECT_LE(path.verdict.max_position_residual, 1e-15);
  EXPECT_LE(path.verdict.max_velocity_residual, 1e-14);
  EXPECT_LE(path.verdict.energy_drift, 1e-11);
  EXPECT_TRUE(path.verdict.holds);
}

TEST(Integrate, StepsTooShortBesideTheEndAreSaidToBe) {
  const Trajectory path = integrate(pendulum(), {0, {1, 0}, {0, 0}}, {.until = 1e300});
  EXPECT_EQ(path.status, RunStatus::kFailed);
  EXPECT_THAT(path.reason, HasSubstr("are too short beside an end at 1e+300 s"));
}

// Truth: θ(10 s) of the slider-crank from θ = π/4, θ̇ = 10 rad/s: 132.93240949566545 (independent computation in minimal
// coordinates). Residuals at round-off, energy drift at most 1e-7 at rtol = 1e-9.
TEST(Integrate, SliderCrankTenSeconds) {
  for (const Method method : kMethods) {
    const Trajectory path =
        integrate(slider_crank(), SliderCrank::start(), {.until = 10, .rtol = 1e-9, .method = method});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_NEAR(path.q[0].back(), 132.93240949566545, method == Method::kDop853 ? 2e-7 : 5e-6);
    EXPECT_LE(path.verdict.max_position_residual, 1e-12);
    EXPECT_LE(path.verdict.max_velocity_residual, 1e-12);
    EXPECT_LE(path.verdict.energy_drift, 1e-7);
    EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
    RecordProperty("steps", static_cast<int>(path.steps));
  }
  const Trajectory sharp = integrate(slider_crank(), SliderCrank::start(), {.until = 10, .rtol = 1e-12, .atol = 1e-14});
  EXPECT_NEAR(sharp.q[0].back(), 132.93240949566545, 3e-10);
}

// Truth: the published column and its recomputation to 20 digits (cases §01): 3e-8 is what rtol = 1e-11 leaves of a
// motion that turns 15 rad in 0.03 s; the 20 digits are good to all of them.
TEST(Integrate, AndrewsMechanism) {
  const Trajectory path = integrate(andrews(), Andrews::start(), {.until = 0.03, .rtol = 1e-11, .atol = 1e-13});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  const double q[] = {15.810771195153707097,  -15.75637105841183947,  0.040822240119645804858, -0.53473011634207959377,
                      0.52440996587995406937, 0.53473011634207959377, 1.0480807410419378731};
  const double lambda[] = {-199.17534810453862819, 29.755309974971763324,  -23.066543611622151129,
                           -31.452725275771137075, -22.642494786394378578, -11.617392352611255907};
  for (int i = 0; i < 7; ++i) EXPECT_NEAR(path.q[i].back(), q[i], 1e-8 * std::max(1.0, std::abs(q[i]))) << i;
  for (int r = 0; r < 6; ++r) EXPECT_NEAR(path.lambda[r].back(), lambda[r], 1e-6 * 199) << r;
  EXPECT_LE(path.verdict.max_position_residual, 1e-15);
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
}

// Truth: Chaplygin's closed form (hand_kernels.h, cases §12), every output row.
TEST(Integrate, ChaplyginSleigh) {
  const Dynamics dynamics = make_dynamics<ChaplyginSleigh>({"x", "y", "theta"}, {"knife"});
  const Trajectory path =
      integrate(dynamics, {0, {0, 0, 0}, {0.3, 0, 1.7}}, {.until = 3, .rtol = 1e-11, .output_step = 0.1});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  ASSERT_EQ(path.size(), 31u);
  for (std::size_t k = 0; k < path.size(); ++k) {
    const auto exact = ChaplyginSleigh().exact(path.time[k], 0.3, 1.7);
    const double theta = path.q[2][k];
    EXPECT_NEAR(path.v[0][k] * std::cos(theta) + path.v[1][k] * std::sin(theta), exact.u, 1e-10);
    EXPECT_NEAR(path.v[2][k], exact.w, 1e-10);
    EXPECT_NEAR(theta, exact.theta, 1e-10);
    EXPECT_NEAR(path.lambda[0][k], exact.lambda, 1e-10);
    EXPECT_LE(std::abs(path.residual[0][k]), 1e-15);
  }
  EXPECT_NEAR(path.v[2].back(), 0.2314778783841, 1e-10);
  EXPECT_NEAR(path.q[2].back(), 2.5679686218659, 1e-10);
  EXPECT_NEAR(path.lambda[0].back(), 0.3338632361103, 1e-10);
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
}

// Truth: Bloch §1.6's cycloid and λ (cases §13).
TEST(Integrate, KnifeEdgeOnAnIncline) {
  const Dynamics dynamics = make_dynamics<KnifeEdge>({"x", "y", "phi"}, {"knife"});
  const Trajectory path = integrate(dynamics, {0, {0, 0, 0}, {0, 0, 1.3}}, {.until = 2.5, .rtol = 1e-11});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_NEAR(path.q[0].back(), 0.0169878248231, 1e-10);
  EXPECT_NEAR(path.q[1].back(), 4.5602568725487, 1e-10);
  EXPECT_NEAR(path.lambda[0].back(), 2.1227885394807, 1e-9);
}

// Truth: Rosenberg's closed form (cases §14); ẏ is conserved.
TEST(Integrate, NonholonomicParticle) {
  const Dynamics dynamics = make_dynamics<NonholonomicParticle>({"x", "y", "z"}, {"slip"});
  const Trajectory path = integrate(dynamics, {0, {0, 0.3, 0}, {1.1, 0.8, 0.33}}, {.until = 4, .rtol = 1e-11});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  const double C = 1.1 * std::sqrt(1.09), y = 3.5;
  EXPECT_NEAR(path.q[0].back(), C / 0.8 * (std::asinh(y) - std::asinh(0.3)), 1e-10);
  EXPECT_NEAR(path.q[0].back(), 2.3974234613831, 1e-10);
  EXPECT_NEAR(path.q[1].back(), 3.5, 1e-10);
  EXPECT_NEAR(path.q[2].back(), 3.7267022830565, 1e-10);
  EXPECT_NEAR(path.v[0].back(), 0.3154990057694, 1e-10);
  ASSERT_EQ(path.verdict.conserved.size(), 2u);
  EXPECT_EQ(path.verdict.conserved[0].name, "energy");
  EXPECT_LE(path.verdict.conserved[1].drift, 1e-11);
}

// Truth: r = r₀ cosh Ωt + (v₀/Ω) sinh Ωt, λ = 2mΩṙ (cases §23). The rod works on the bead: E is not constant, but E −
// ∫(−λa)dt is.
TEST(Integrate, RotatingRodBalancesItsPower) {
  const Dynamics dynamics = make_dynamics<RotatingRod>({"x", "y"}, {"rod"});
  const Trajectory path = integrate(dynamics, RotatingRod().start(), {.until = 2, .rtol = 1e-11});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_NEAR(path.q[0].back(), -2.3847258817469, 1e-9);
  EXPECT_NEAR(path.q[1].back(), 2.1844429846342, 1e-9);
  EXPECT_NEAR(path.lambda[0].back(), 7.3640299102122, 1e-9);
  EXPECT_GT(path.verdict.energy_drift, 0.5);
  EXPECT_LE(path.verdict.power_balance_error, 1e-10);
  EXPECT_LE(path.verdict.max_position_residual, 1e-15);
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
}

// Truth: the closed form of a driven, damped oscillator from rest; no constraints at all.
TEST(Integrate, DrivenOscillator) {
  const Dynamics dynamics = make_dynamics<DrivenOscillator>({"x"}, {});
  const Trajectory path = integrate(dynamics, {0, {0}, {0}}, {.until = 12, .rtol = 1e-10, .output_step = 0.5});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  for (std::size_t k = 0; k < path.size(); ++k) {
    EXPECT_NEAR(path.q[0][k], DrivenOscillator::exact(path.time[k]), 2e-9) << path.time[k];
    EXPECT_NEAR(path.u[0][k], 2 * std::cos(1.7 * path.time[k]), 1e-14);
  }
  EXPECT_LE(path.verdict.power_balance_error, 1e-8);
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  EXPECT_TRUE(path.verdict.warnings.empty());
}

// Truth: the massless rod's bob moves as the pendulum does (A01 at t = 2 s, started at x = −1: θ = −π/2).
TEST(Integrate, SingularMassMatrix) {
  const Dynamics dynamics = make_dynamics<MasslessRodPendulum>({"x", "y", "theta"}, {"tip.x", "tip.y"});
  const Trajectory path = integrate(dynamics, {0, {-1, 0, -M_PI / 2}, {0, 0, 0}}, {.until = 2, .rtol = 1e-11});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_NEAR(path.q[0].back(), -0.793566195343321747, 1e-9);
  EXPECT_NEAR(path.q[1].back(), -0.608483930443791515, 1e-9);
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
}

// Truth: repeated rows add nothing: same motion, rank 1, their multipliers not unique; the least-norm ones are in the
// ratio of the rows, λ_k = (k+1) λ / Σ(k+1)².
TEST(Integrate, RedundantRowsAreFlagged) {
  const Trajectory one = integrate(pendulum(1), at_x_minus_one(), {.until = 5, .output_step = 1});
  const Trajectory three = integrate(pendulum(3), at_x_minus_one(), {.until = 5, .output_step = 1});
  ASSERT_EQ(three.status, RunStatus::kOk) << three.reason;
  for (std::size_t k = 0; k < one.size(); ++k) {
    EXPECT_NEAR(one.q[0][k], three.q[0][k], 1e-8);
    for (int r = 0; r < 3; ++r) EXPECT_NEAR(three.lambda[r][k], (r + 1) * one.lambda[0][k] / 14, 1e-7);
    EXPECT_EQ(three.rank[k], 1);
  }
  EXPECT_EQ(three.verdict.min_rank, 1);
  ASSERT_EQ(three.verdict.warnings.size(), 1u);
  EXPECT_THAT(three.verdict.warnings[0], HasSubstr("`rod[1]`, `rod[2]` and `rod[3]` are not unique"));
  EXPECT_TRUE(three.verdict.holds) << to_text(three.verdict);
  EXPECT_LE(three.verdict.max_position_residual, 1e-14);
}

// Truth: as above with a row that depends on the others on the manifold only: Runge–Kutta's stages are off it, there
// the row looks independent. Coarse tolerances are the hard ones.
TEST(Integrate, RowsRedundantOnTheManifoldOnly) {
  for (double rtol : {1e-3, 1e-5, 1e-9}) {
    const IntegrateOptions options{.until = 2, .rtol = rtol, .atol = 1e-3 * rtol};
    const Trajectory a = integrate(slider_crank(false), SliderCrank::start(), options);
    const Trajectory b = integrate(slider_crank(true), SliderCrank::start(), options);
    ASSERT_EQ(b.status, RunStatus::kOk) << b.reason;
    EXPECT_NEAR(a.q[0].back(), b.q[0].back(), 3e3 * rtol) << rtol;
    EXPECT_EQ(b.verdict.min_rank, 2);
    EXPECT_LE(b.verdict.max_position_residual, 1e-12);
    EXPECT_LE(b.steps, a.steps * 3 / 2 + 5) << rtol;
    EXPECT_TRUE(b.verdict.holds) << to_text(b.verdict);
  }
}

// Truth: order p of the method in q, v and λ: fixed steps on the pendulum, reference from a run at rtol = 1e-14; errors
// fall by 2^p within half an order at these steps. Projection does not spoil the order.
TEST(Integrate, FixedStepsConvergeWithTheOrder) {
  const Trajectory exact =
      integrate(pendulum(), at_x_minus_one(), {.until = 2, .rtol = 1e-14, .atol = 1e-16, .output_times = {2}});
  for (const auto& [method, steps, order] : {std::tuple(Method::kDop853, 20, 8.0), std::tuple(Method::kDopri5, 60, 5.0),
                                             std::tuple(Method::kRadau, 60, 5.0)}) {
    double error[2][3];
    for (int k = 0; k < 2; ++k) {
      const Trajectory path =
          integrate(pendulum(), at_x_minus_one(),
                    {.until = 2, .method = method, .initial_step = 2.0 / (steps << k), .adaptive = false});
      ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
      EXPECT_EQ(path.steps, steps << k);
      error[k][0] = std::hypot(path.q[0].back() - exact.q[0].back(), path.q[1].back() - exact.q[1].back());
      error[k][1] = std::hypot(path.v[0].back() - exact.v[0].back(), path.v[1].back() - exact.v[1].back());
      error[k][2] = std::abs(path.lambda[0].back() - exact.lambda[0].back());
      EXPECT_LE(path.verdict.max_position_residual, 1e-15);
    }
    for (int i = 0; i < 3; ++i)
      EXPECT_GT(std::log2(error[0][i] / error[1][i]), order - 0.6) << order << " component " << i;
  }
}

// Truth: tolerance proportionality: with error per step controlled, the global error follows rtol to a power close to 1
// (p/(p) for the local extrapolation used here): each factor 100 in rtol gains at least a factor 20 in q, v and λ.
TEST(Integrate, ErrorFollowsTheTolerance) {
  for (const Method method : kMethods) {
    double before[3] = {};
    for (int k = 0; k < 4; ++k) {
      const double rtol = 1e-4 * std::pow(100.0, -k);
      const Trajectory path =
          integrate(pendulum(), at_x_minus_one(),
                    {.until = 10, .rtol = rtol, .atol = rtol, .method = method, .output_times = {10}});
      const double x = -0.27508746257611686, y = -0.961419205099125064;
      const double error[3] = {std::hypot(path.q[0][0] - x, path.q[1][0] - y),
                               std::abs(std::hypot(path.v[0][0], path.v[1][0]) - std::sqrt(-2 * 9.81 * y)),
                               std::abs(path.lambda[0][0] - 3 * 9.81 * y)};
      EXPECT_LE(error[0], 1e3 * rtol) << rtol;
      if (k > 0) {
        for (int i = 0; i < 3; ++i)
          EXPECT_LT(error[i], before[i] / 5 + 1e-12) << to_text(method) << " rtol " << rtol << " component " << i;
      }
      std::copy(error, error + 3, before);
    }
  }
}

// Truth: arithmetic: 1/h steps of h, however h is rounded; each at k·h, the last one no longer or shorter than the
// others but for round-off. A remainder that is no round-off is a step.
TEST(Integrate, FixedStepsAreCounted) {
  for (int count : {1, 3, 7, 10, 400, 999, 4096, 30000})
    for (const auto& [start, until] : {std::pair(0.0, 1.0), std::pair(1.0, 0.0), std::pair(-0.3, 0.7)}) {
      const double h = 1.0 / count;
      const Trajectory path =
          integrate(make_dynamics<DrivenOscillator>({"x"}, {}), {start, {0}, {0}},
                    {.until = until, .method = Method::kDopri5, .initial_step = h, .adaptive = false});
      ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
      ASSERT_EQ(path.steps, count) << start;
      EXPECT_EQ(path.time.back(), until);
      for (std::size_t k = 0; k + 1 < path.size(); ++k)
        ASSERT_EQ(path.time[k], start + (until > start ? h : -h) * static_cast<double>(k));
    }
  const Trajectory rest = integrate(pendulum(), at_x_minus_one(), {.until = 1, .initial_step = 0.3, .adaptive = false});
  EXPECT_EQ(rest.steps, 4);
  EXPECT_NEAR(rest.time[4] - rest.time[3], 0.1, 1e-15);
}

// Truth: output rows are on the manifold whatever the tolerance, and they lie where they were asked for.
TEST(Integrate, OutputGridIsOnTheManifold) {
  const Trajectory path = integrate(slider_crank(), SliderCrank::start(),
                                    {.until = 1.003, .rtol = 1e-4, .atol = 1e-6, .output_step = 0.01});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  ASSERT_EQ(path.size(), 102u);
  for (std::size_t k = 0; k < 101; ++k) EXPECT_EQ(path.time[k], 0.01 * static_cast<double>(k));
  EXPECT_EQ(path.time.back(), 1.003);
  EXPECT_LT(path.steps, 60);  // the grid does not shorten the steps
  for (std::size_t k = 0; k < path.size(); ++k)
    for (int r = 0; r < 2; ++r) EXPECT_LE(std::abs(path.residual[r][k]), 1e-14);
  EXPECT_LE(path.verdict.max_velocity_residual, 1e-13);
}

// Truth: time reversal: there and back again.
TEST(Integrate, RunsBackwards) {
  const Trajectory there = integrate(slider_crank(), SliderCrank::start(), {.until = 1});
  const Trajectory back = integrate(slider_crank(), there.final_state(), {.until = 0, .output_step = 0.1});
  ASSERT_EQ(back.status, RunStatus::kOk) << back.reason;
  EXPECT_EQ(back.time.back(), 0);
  EXPECT_EQ(back.size(), 11u);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(back.q[i].back(), SliderCrank::start().q[i], 1e-7);
}

// Truth: integrate.h: a callback that returns false ends the run and keeps it.
TEST(Integrate, StopsWhenAsked) {
  IntegrateOptions options{.until = 1000, .progress_every = 1};
  options.progress = [](const RunPoint& at) {
    EXPECT_NEAR(std::hypot(at.q[0], at.q[1]), 1, 1e-12) << "the state is there, on the constraints";
    EXPECT_EQ(at.qdd.size(), 2u);
    EXPECT_EQ(at.lambda.size(), 1u);
    return at.t < 3;
  };
  const Trajectory path = integrate(pendulum(), at_x_minus_one(), options);
  EXPECT_EQ(path.status, RunStatus::kStopped);
  EXPECT_GE(path.time.back(), 3);
  EXPECT_LT(path.time.back(), 10);
  EXPECT_THAT(path.reason, HasSubstr("stopped at t = 3."));
  EXPECT_FALSE(path.verdict.holds);
  EXPECT_LE(path.verdict.energy_drift, 1e-7);

  options.output_step = 100;  // no row was due yet: the state reached is kept all the same
  const Trajectory sparse = integrate(pendulum(), at_x_minus_one(), options);
  ASSERT_EQ(sparse.size(), 2u);
  EXPECT_GE(sparse.time.back(), 3);
}

// Truth: the kernel turns to NaN after t = 1.2345: the run must end there, with what it has, and say so.
TEST(Integrate, NotANumberEndsTheRun) {
  const Dynamics dynamics = make_dynamics<BreakingPendulum>({"x", "y"}, {"rod"}, 1.2345);
  const Trajectory path = integrate(dynamics, at_x_minus_one(), {.until = 5});
  EXPECT_EQ(path.status, RunStatus::kFailed);
  EXPECT_THAT(path.reason, HasSubstr("at t = 1.234"));
  EXPECT_THAT(path.reason, HasSubstr("not finite"));
  EXPECT_NEAR(path.time.back(), 1.2345, 1e-6);
  EXPECT_GT(path.size(), 5u);

  const Dynamics at_once = make_dynamics<BreakingPendulum>({"x", "y"}, {"rod"}, -1.0);
  const Trajectory nothing = integrate(at_once, at_x_minus_one(), {.until = 5});
  EXPECT_EQ(nothing.status, RunStatus::kFailed);
  EXPECT_THAT(nothing.reason, HasSubstr("not finite"));
}

TEST(Integrate, RefusesWhatCannotWork) {
  Trajectory path = integrate(pendulum(), {0, {-1.1, 0}, {0, 0}});
  EXPECT_EQ(path.status, RunStatus::kFailed);
  EXPECT_THAT(path.reason, HasSubstr("position constraint `rod` by 0.105"));
  path = integrate(pendulum(), {0, {-1, 0}, {0.5, 0}});
  EXPECT_THAT(path.reason, HasSubstr("velocity constraint `rod` by 0.5"));
  path = integrate(pendulum(), {0, {-1}, {0, 0}});
  EXPECT_EQ(path.status, RunStatus::kFailed);
  path = integrate(pendulum(), at_x_minus_one(), {.rtol = 0});
  EXPECT_THAT(path.reason, HasSubstr("rtol"));
  path = integrate(pendulum(), at_x_minus_one(), {.output_times = {0.5, 0.2}});
  EXPECT_EQ(path.status, RunStatus::kFailed);
  path = integrate(pendulum(), at_x_minus_one(), {.until = 100, .max_steps = 20});
  EXPECT_EQ(path.status, RunStatus::kFailed);
  EXPECT_THAT(path.reason, HasSubstr("limit of 20 steps"));
  EXPECT_GT(path.size(), 5u);
  path = integrate(make_dynamics<FreeMasslessCoordinate>({"x", "y"}, {"wall"}), {0, {0, 0}, {0, 1}});
  EXPECT_EQ(path.status, RunStatus::kFailed);
  EXPECT_THAT(path.reason, HasSubstr("no accelerations exist at t = 0 s: `y` has no inertia"));
  path = integrate(make_dynamics<ContradictoryPendulum>({"x", "y"}, {"rod", "other"}, 0.5), {0, {0.6, -0.8}, {0, 0}});
  EXPECT_EQ(path.status, RunStatus::kFailed);
  EXPECT_THAT(path.reason, HasSubstr("contradict"));
}

// Truth: a bead at rest on the rod's axis stays there: no energy at all, and no drift made out of 0/0.
TEST(Integrate, RestIsExact) {
  const Dynamics dynamics = make_dynamics<RotatingRod>({"x", "y"}, {"rod"});
  const Trajectory path = integrate(dynamics, {0, {0, 0}, {0, 0}}, {.until = 5});
  EXPECT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_EQ(path.q[0].back(), 0);
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
}

// Truth: nothing to do is done at once.
TEST(Integrate, EmptySpan) {
  const Trajectory path = integrate(pendulum(), at_x_minus_one(), {.until = 0});
  EXPECT_EQ(path.status, RunStatus::kOk);
  EXPECT_EQ(path.size(), 1u);
  EXPECT_TRUE(path.verdict.holds);
}

// Truth: theory §10, straight line of the sleigh: the blade's force vanishes; long runs keep the energy. 2000 s of A01:
// the end point (cases §05) within the benchmark's high-precision limit of 1e-3 by far.
TEST(Integrate, TwoThousandSeconds) {
  const Trajectory path = integrate(pendulum(), at_x_minus_one(),
                                    {.until = 2000, .rtol = 1e-12, .atol = 1e-14, .output_times = {100, 2000}});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_NEAR(path.q[0][0], -0.181513351427031385, 1e-9);
  EXPECT_NEAR(path.q[0][1], 0.814603068589032152, 1e-6);
  EXPECT_NEAR(path.q[1][1], -0.580018827836935462, 1e-6);
  EXPECT_LE(path.verdict.max_position_residual, 2e-15);
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
}

/// ẍ = u(t) for a table u: between samples u is a line, v a parabola, x a cubic.
class PushedMass : public HandKernel {
 public:
  PushedMass() : HandKernel(1, 0, {}, false, 1) {}
  void terms(const Point& at, Terms& x) const override {
    x.M[0][0] = 1;
    x.F[0] = at.u[0];
  }
  void inputs(double, double* u) const override { u[0] = 0; }

  static Dynamics with(const TableInput& table) { return {std::make_shared<PushedMass>(), {}, {}, {table}}; }
  /// x(t), v(t) from x = v = 0 at t0 <= t.
  static std::pair<double, double> exact(const TableInput& table, double t0, double t) {
    const auto u = [&](double s) -> long double {
      if (s <= table.time.front()) return table.value.front();
      if (s >= table.time.back()) return table.value.back();
      std::size_t k = 1;
      while (table.time[k] < s) ++k;
      const long double x0 = table.time[k - 1], x1 = table.time[k];
      return table.value[k - 1] + (s - x0) / (x1 - x0) * (table.value[k] - table.value[k - 1]);
    };
    long double x = 0, v = 0;
    const auto piece = [&](double a, double b) {
      const long double d = static_cast<long double>(b) - a, ua = u(a), ub = u(b);
      x += v * d + (2 * ua + ub) * d * d / 6;
      v += (ua + ub) * d / 2;
    };
    for (double sample : table.time)
      if (sample > t0 && sample < t) piece(std::exchange(t0, sample), sample);
    piece(t0, t);
    return {static_cast<double>(x), static_cast<double>(v)};
  }
};

// Truth: the piecewise cubic. A method of order 5 or 8 makes no error on a cubic: what is left is the round-off of 40
// steps (twice that there and back) of numbers up to 35. Error control at rtol = 1e-10 would allow 1e5 times as much.
TEST(Integrate, StepsEndAtTheCornersOfTables) {
  const TableInput table{0, {0.25, 0.7, 0.71, 1.5, 1.9, 2.25}, {1, -3, 40, -2, -2, 5}};
  const Dynamics dynamics = PushedMass::with(table);
  const double roundoff = 40 * 35 * std::numeric_limits<double>::epsilon();
  for (const Method method : kMethods)
    for (const double fixed : {0.0, 0.1}) {
      IntegrateOptions options{.until = 3, .rtol = 1e-10, .method = method, .initial_step = fixed};
      options.adaptive = fixed == 0;
      const Trajectory path = integrate(dynamics, {-0.5, {0}, {0}}, options);
      ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
      for (const double corner : table.time) EXPECT_THAT(path.time, testing::Contains(corner));
      for (std::size_t k = 0; k < path.size(); ++k) {
        const auto [x, v] = PushedMass::exact(table, -0.5, path.time[k]);
        EXPECT_NEAR(path.q[0][k], x, roundoff) << path.time[k];
        EXPECT_NEAR(path.v[0][k], v, roundoff) << path.time[k];
      }
      // 35 steps of 0.1; of the corners 0.25, 0.71 and 2.25 are not on the grid.
      if (fixed > 0) {
        EXPECT_EQ(path.steps, 38);
      } else {
        EXPECT_LE(path.steps, 40);
      }
      // Radau estimates the work of the first step after a corner coarsely.
      EXPECT_LE(path.rejected, method == Method::kRadau ? 12 : 3);
      EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
      EXPECT_TRUE(path.verdict.warnings.empty() || method == Method::kRadau);

      options.until = -0.5;
      options.output_step = 0.125;
      const Trajectory back = integrate(dynamics, path.final_state(), options);
      ASSERT_EQ(back.status, RunStatus::kOk) << back.reason;
      ASSERT_EQ(back.size(), 29u);
      for (std::size_t k = 0; k < back.size(); ++k)
        EXPECT_NEAR(back.q[0][k], PushedMass::exact(table, -0.5, back.time[k]).first, 2 * roundoff) << back.time[k];
    }
}

// Truth: the piecewise cubic again. A smooth curve in very many samples costs a step for each where the tolerance can
// tell it from a curve, none where it cannot, and never more than a tenth of max_steps.
TEST(Integrate, VeryManySamplesCostNoMoreThanAllowed) {
  TableInput table{0, {}, {}};
  for (int k = 0; k <= 5000; ++k) {
    table.time.push_back(k / 5000.0);
    table.value.push_back(std::sin(6 * table.time.back()));
  }
  const Dynamics dynamics = PushedMass::with(table);
  const auto [x, v] = PushedMass::exact(table, 0, 1);
  const Trajectory sharp = integrate(dynamics, {0, {0}, {0}}, {.until = 1, .rtol = 1e-10});
  ASSERT_EQ(sharp.status, RunStatus::kOk) << sharp.reason;
  EXPECT_GE(sharp.steps, 4900);  // a few samples of nearly no curvature are straight
  EXPECT_LE(sharp.steps, 5100);
  EXPECT_NEAR(sharp.q[0].back(), x, 1e-13);
  EXPECT_NEAR(sharp.v[0].back(), v, 1e-13);

  const Trajectory rough = integrate(dynamics, {0, {0}, {0}}, {.until = 1, .rtol = 1e-4, .atol = 1e-6});
  ASSERT_EQ(rough.status, RunStatus::kOk) << rough.reason;
  EXPECT_LE(rough.steps, 20);
  EXPECT_NEAR(rough.q[0].back(), x, 1e-4);

  const Trajectory few = integrate(dynamics, {0, {0}, {0}}, {.until = 1, .rtol = 1e-6, .atol = 1e-8, .max_steps = 500});
  ASSERT_EQ(few.status, RunStatus::kOk) << few.reason;
  EXPECT_GE(few.steps, 50);
  EXPECT_LE(few.steps, 150);
  EXPECT_NEAR(few.q[0].back(), x, 1e-6);
  ASSERT_EQ(few.verdict.warnings.size(), 1u);
  EXPECT_THAT(few.verdict.warnings[0],
              HasSubstr("too many corners for a step to end at each: steps end at 50 of them"));
}

// Truth: CONTRIBUTING.md, Tests. Ten times the steps, the same number of allocations: the inner loop makes none.
TEST(Integrate, InnerLoopAllocatesNothing) {
  for (const auto& [dynamics, start] :
       {std::pair(slider_crank(), SliderCrank::start()), std::pair(slider_crank(true), SliderCrank::start()),
        std::pair(make_dynamics<RotatingRod>({"x", "y"}, {"rod"}), RotatingRod().start()),
        std::pair(pendulum(3), at_x_minus_one())}) {
    const auto count = [&](double until) {
      const IntegrateOptions options{.until = until, .rtol = 1e-10, .output_times = {until / 3, until}};
      const long before = allocations;
      const Trajectory path = integrate(dynamics, start, options);
      const long after = allocations;
      EXPECT_EQ(path.status, RunStatus::kOk) << path.reason;
      return std::pair(after - before, path.steps);
    };
    count(0.5);
    const auto [few, few_steps] = count(0.5);
    const auto [many, many_steps] = count(5);
    EXPECT_GT(many_steps, 5 * few_steps);
    EXPECT_EQ(many, few);
  }
}

// Truth: the same run with all its rows in memory: the steps, the verdict and the first and the last row are the same
// bits, and what was taken in between is what the other has there.
TEST(Integrate, RowsThatAreTakenAreForgotten) {
  const Dynamics dynamics = pendulum();
  const State start{0, {std::sin(1.0), -std::cos(1.0)}, {0, 0}};
  IntegrateOptions options{.until = 20, .progress_every = 1};
  const Trajectory whole = integrate(dynamics, start, options);
  std::size_t most = 0, seen = 0;
  options.take_rows = [&](const Trajectory& so_far) {
    most = std::max(most, so_far.size());
    if (so_far.size() < 50) return false;
    for (std::size_t row = 1; row < so_far.size(); ++row) {
      EXPECT_EQ(so_far.q[0][row], whole.q[0][row + so_far.forgotten]);
      EXPECT_EQ(so_far.lambda[0][row], whole.lambda[0][row + so_far.forgotten]);
    }
    ++seen;
    return true;
  };
  const Trajectory taken = integrate(dynamics, start, options);
  EXPECT_GT(seen, 1u);
  EXPECT_LE(most, 50u);
  EXPECT_EQ(taken.rows_of_run(), whole.size());
  EXPECT_LT(taken.size(), 52u);
  EXPECT_EQ(taken.time.front(), whole.time.front());
  EXPECT_EQ(taken.final_state().q, whole.final_state().q);
  EXPECT_EQ(taken.steps, whole.steps);
  EXPECT_EQ(to_text(taken.verdict), to_text(whole.verdict));
}

}  // namespace
}  // namespace dalembert
