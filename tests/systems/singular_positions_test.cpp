// SPDX-License-Identifier: Apache-2.0
// Motions through positions in which W loses rank. Oracles: linkages of parallel bars are one pendulum, integrated by
// extrapolation in its one coordinate (minimal_coordinates.h); elsewhere runs at other tolerances.
//
// Tolerance: error control allows rtol in each step; near the unstable rest above, and in phase along t, errors grow by
// some hundred over the few hundred steps of a run.
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "systems/minimal_coordinates.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

System system_of(const std::string& text) { return System(derive_loaded(load_model(make_source("test", text), {}))); }

/// IFToMM/LIM benchmark A02 (lim.ii.udc.es/mbsbenchmark): N windows of N + 1 cranks and N couplers, all 1 m and 1 kg,
/// in the Cartesian coordinates of the points B0 … BN; upright, B0 at `speed` to the right. Flat, W loses N ranks.
std::string n_four_bar(int windows, double speed) {
  std::string coordinates, kinetic = "0", potential = "0", constraints, guess = "y0 = 1";
  for (int i = 0; i <= windows; ++i) {
    coordinates += fmt::format("{{name = 'x{0}', unit = 'm'}}, {{name = 'y{0}', unit = 'm'}}, ", i);
    kinetic += fmt::format(" + m/6*(x{0}'^2 + y{0}'^2)", i);
    potential += fmt::format(" + m*g*y{}/2", i);
    constraints +=
        fmt::format("[[constraint]]\nname = 'crank{0}'\nholonomic = '((x{0} - {0}*L)^2 + y{0}^2 - L^2)/(2*L)'\n", i);
    if (i > 0) guess += fmt::format(", x{0} = {0}, y{0} = 1", i);
    if (i == windows) continue;
    kinetic += fmt::format(" + m/6*(x{0}'^2 + y{0}'^2 + x{1}'^2 + y{1}'^2 + x{0}'*x{1}' + y{0}'*y{1}')", i, i + 1);
    potential += fmt::format(" + m*g*(y{} + y{})/2", i, i + 1);
    constraints += fmt::format(
        "[[constraint]]\nname = 'coupler{0}'\nholonomic = '((x{1} - x{0})^2 + (y{1} - y{0})^2 - L^2)/(2*L)'\n", i,
        i + 1);
  }
  return fmt::format(
      "name = 'A02'\ncoordinates = [{}]\n[parameters]\ng = '9.81 m/s^2'\nm = '1 kg'\nL = '1 m'\n"
      "[energy]\nkinetic = \"{}\"\npotential = '{}'\n{}"
      "[initial]\nposition = {{x0 = 0}}\nvelocity = {{x0 = {}}}\nguess = {{{}}}\n",
      coordinates, kinetic, potential, constraints, speed, guess);
}

/// The same as one pendulum: (θ, θ̇) at time t. Cranks turn about an end, couplers do not turn.
oracles::Vector pendulum_of(int windows, double speed, double t) {
  const double inertia = (windows + 1) / 3.0 + windows, weight = 9.81 * ((windows + 1) / 2.0 + windows);
  return oracles::extrapolate(
      [=](double, const oracles::Vector& y) -> oracles::Vector {
        return {y[1], -weight / inertia * std::cos(y[0])};
      },
      {M_PI / 2, -speed}, 0, t, 800);
}

struct Bars {
  int windows;
  double speed, tolerance;
  Method method = Method::kDop853;
};
class ParallelBars : public ::testing::TestWithParam<Bars> {};

// Turns over: passes flat positions again and again. What remains after them is the error of the integration, as the
// pendulum's own: some 10⁴ tolerances in phase after 10 s.
TEST_P(ParallelBars, PassTheirFlatPositions) {
  const Bars& tested = GetParam();
  const System system = system_of(n_four_bar(tested.windows, tested.speed));
  const Trajectory path = integrate(
      system.dynamics, system.start(),
      {.until = 10, .rtol = tested.tolerance, .atol = tested.tolerance, .method = tested.method, .output_step = 0.05});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  EXPECT_LE(path.verdict.energy_drift, 100 * tested.tolerance);
  const oracles::Vector end = pendulum_of(tested.windows, tested.speed, 10);
  for (int i = 0; i <= tested.windows; ++i) {
    EXPECT_NEAR(path.q[system.coordinate(fmt::format("x{}", i))].back(), i + std::cos(end[0]), 2e4 * tested.tolerance);
    EXPECT_NEAR(path.q[system.coordinate(fmt::format("y{}", i))].back(), std::sin(end[0]), 2e4 * tested.tolerance);
  }
  // In every row the bars move as one: what output adds is round-off, eps/θ² where rows come nearest to a flat
  // position, or the continuous extension's error.
  for (std::size_t row = 0; row < path.size(); ++row)
    EXPECT_NEAR(path.v[1][row], path.v[3][row], 1e-7 + 100 * tested.tolerance) << path.time[row];
  EXPECT_THAT(path.verdict.warnings,
              Contains(AllOf(HasSubstr("passed a singular position"), HasSubstr("`coupler0`"),
                             HasSubstr(fmt::format("rank {} of {}", tested.windows + 1, 2 * tested.windows + 1)))));
}
INSTANTIATE_TEST_SUITE_P(A02, ParallelBars,
                         ::testing::Values(Bars{1, 1, 1e-6}, Bars{1, 1, 1e-12}, Bars{2, 1, 1e-9}, Bars{2, 1, 1e-12},
                                           Bars{2, 1, 1e-13}, Bars{3, 4.7, 1e-11}, Bars{5, 1, 1e-12}, Bars{10, 1, 1e-9},
                                           Bars{10, 0.8, 1e-12}, Bars{2, 2.3, 1e-8, Method::kDopri5}));

/// Bars 1, 2, 1 on a base of 2 with the angles a, b, c: a parallelogram (b = 0) or crossed, by the guess.
std::string equal_bars(const std::string& guess) {
  return "name = 'bars'\ncoordinates = [{name = 'a', unit = 'rad'}, {name = 'b', unit = 'rad'}, {name = 'c', unit = "
         "'rad'}]\n[energy]\nkinetic = \"0.5*a'^2 + 0.7*b'^2 + 0.3*c'^2\"\npotential = '3*sin(a)'\n"
         "[[constraint]]\nname = 'loop'\nholonomic = ['cos(a) + 2*cos(b) - cos(c) - 2', 'sin(a) + 2*sin(b) - sin(c)']\n"
         "[initial]\nposition = {a = 1.2}\nvelocity = {a = 6}\nguess = {" +
         guess + "}\n";
}

// In angles a row of W vanishes in the flat position; no rows become parallel. The branch that the motion is on stays:
// b = 0 and c = a of the parallelogram; tan(c/2) = −(2 + 1)/(2 − 1) tan(a/2) of the crossed bars (eliminate b from the
// loop; tan(c/2) = tan(a/2) is its other factor).
TEST(EqualBars, StayOnTheirBranch) {
  for (const double tolerance : {1e-6, 1e-9, 1e-12}) {
    const System parallel = system_of(equal_bars("b = 0, c = 1.2"));
    const Trajectory straight =
        integrate(parallel.dynamics, parallel.start(), {.until = 10, .rtol = tolerance, .atol = tolerance});
    ASSERT_EQ(straight.status, RunStatus::kOk) << straight.reason;
    EXPECT_TRUE(straight.verdict.holds) << to_text(straight.verdict);
    // One freedom: ä (0.5 + 0.3)·2 = −3 cos a.
    const oracles::Vector end = oracles::extrapolate(
        [](double, const oracles::Vector& y) -> oracles::Vector {
          return {y[1], -3 * std::cos(y[0]) / 1.6};
        },
        {1.2, 6}, 0, 10, 800);
    EXPECT_NEAR(straight.q[0].back(), end[0], 1e4 * tolerance);
    EXPECT_GT(end[0], 50);
    EXPECT_NEAR(straight.q[2].back(), end[0], 1e4 * tolerance);

    const System crossed = system_of(equal_bars("b = -1, c = -1.5"));
    const Trajectory path =
        integrate(crossed.dynamics, crossed.start(), {.until = 10, .rtol = tolerance, .atol = tolerance});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
    EXPECT_GT(path.q[0].back(), 45) << "it turns";
    for (std::size_t row = 0; row < path.size(); ++row) {
      const double a = path.q[0][row] / 2, c = path.q[2][row] / 2;
      EXPECT_NEAR(std::sin(c) * std::cos(a) + 3 * std::sin(a) * std::cos(c), 0, 1e-8 + 10 * tolerance)
          << path.time[row];
    }
  }
}

// A step that would go over a singular position ends where it is told to, also next to that. Oracle: the time that was
// asked for.
TEST(EqualBars, StepToATimeBesideTheirFlatPosition) {
  const System bars = system_of(n_four_bar(1, 1));
  const IntegrateOptions options{.until = 2};
  const Trajectory path = integrate(bars.dynamics, bars.start(), options);
  ASSERT_FALSE(path.events.empty());
  for (const double beside : {-1e-6, 1e-9, 1e-6, 1e-4, 1e-3}) {
    Stepper stepper(bars.dynamics, bars.start(), options);
    const double t = path.events.front().t + beside;
    EXPECT_TRUE(stepper.step_to(t)) << beside << ": at " << stepper.time() << " s for " << t;
  }
}

// The parallelogram is flat where a is a multiple of π, and the run says when: at the default tolerance steps go over it
// without trouble. Oracle as above.
TEST(EqualBars, TellEachFlatPositionThatTheyPass) {
  for (const double tolerance : {1e-6, 1e-9, 1e-12})
    for (const Formulation formulation : {Formulation::kIndex1, Formulation::kReduced}) {
      const System bars = system_of(equal_bars("b = 0, c = 1.2"));
      const Trajectory path = integrate(bars.dynamics, bars.start(),
                                        {.until = 3, .rtol = tolerance, .atol = tolerance, .formulation = formulation});
      ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
      const auto angle_at = [](double t) {
        return oracles::extrapolate(
            [](double, const oracles::Vector& y) -> oracles::Vector {
              return {y[1], -3 * std::cos(y[0]) / 1.6};
            },
            {1.2, 6}, 0, t, 400)[0];
      };
      ASSERT_EQ(path.events.size(), static_cast<std::size_t>(angle_at(3) / M_PI));
      for (std::size_t k = 0; k < path.events.size(); ++k) {
        EXPECT_EQ(path.events[k].name, "singular position: rank 1 of 2");
        EXPECT_NEAR(angle_at(path.events[k].t), (static_cast<double>(k) + 1) * M_PI, 1e-5 + 1e4 * tolerance);
      }
      EXPECT_EQ(path.verdict.min_rank, 1);
      EXPECT_THAT(path.verdict.warnings,
                  Contains(HasSubstr(fmt::format("passed a singular position near t = {:.4g} s", path.events[0].t))));
    }
}

// Without a potential the parallelogram turns evenly, with steps in which it turns about whole: flat at (kπ − 1.2)/6 s.
TEST(EqualBars, TellEachOfSeveralFlatPositionsWithinAStep) {
  std::string text = equal_bars("b = 0, c = 1.2");
  text.replace(text.find("'3*sin(a)'"), 10, "'0'");
  const System bars = system_of(text);
  const Trajectory path = integrate(bars.dynamics, bars.start(), {.until = 20});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_LT(path.steps, 38);
  ASSERT_EQ(path.events.size(), 38u);
  for (std::size_t k = 0; k < path.events.size(); ++k)
    EXPECT_NEAR(path.events[k].t, ((static_cast<double>(k) + 1) * M_PI - 1.2) / 6, 1e-7);
}

// With a crank that is shorter by a thousandth they come to within that of it and pass none.
TEST(EqualBars, WhichAreNotQuiteEqualPassNone) {
  std::string text = equal_bars("b = 0, c = 1.2");
  text.replace(text.find("- cos(c)"), 8, "- 1.001*cos(c)").replace(text.find("- sin(c)"), 8, "- 1.001*sin(c)");
  const System bars = system_of(text);
  const Trajectory path = integrate(bars.dynamics, bars.start(), {.until = 3});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_GT(path.q[0].back(), 10);
  EXPECT_TRUE(path.events.empty());
  EXPECT_EQ(path.verdict.min_rank, 2);
  EXPECT_THAT(path.verdict.warnings, Not(Contains(HasSubstr("passed a singular position"))));
}

// Three cranks of a parallelogram, one redundant: the coupler does not turn, so that this is a pendulum of inertia 3 J + m r² and weight m g, and
// each crank has a third of the horizontal force, m r |a'' sin a + a'^2 cos a|/3, by the least norm. Near the flat positions, which a run comes to in
// round-off, multipliers of up to 70 N were peaks, and 1e13 N of a run that does not get past one.
TEST(SingularPosition, SharesOfRedundantRowsThatAreRoundOffAreNoPeaks) {
  std::string text = R"toml(
name = "three-crank parallelogram"
coordinates = [{name="a",unit="rad"},{name="b",unit="rad"},{name="c",unit="rad"},{name="x",unit="m"},{name="y",unit="m"},{name="f",unit="rad"}]
gravity = ["0","-g"]
[parameters]
g = "9.81 m/s^2"
r = "0.1 m"
d = "0.3 m"
m = "1 kg"
J = "0.01 kg*m^2"
[energy]
kinetic = "J/2*(a'^2+b'^2+c'^2)"
[[body]]
name = "coupler"
mass = "m"
inertia = "0.02"
position = ["x","y"]
angle = "f"
[[constraint]]
name = "A"
holonomic = ["r*cos(a) - (x - d*cos(f))","r*sin(a) - (y - d*sin(f))"]
[[constraint]]
name = "B"
holonomic = ["d + r*cos(b) - x","r*sin(b) - y"]
[[constraint]]
name = "C"
holonomic = ["2*d + r*cos(c) - (x + d*cos(f))","r*sin(c) - (y + d*sin(f))"]
[initial]
position = {a="1e-5 rad"}
velocity = {a="3 rad/s"}
guess = {b="1e-5 rad",c="1e-5 rad",x="0.4 m",y=0,f=0}
[simulation]
until = "3 s"
)toml";
  int told = 0;
  for (const double start : {0.05, 0.03, 0.01, 0.003}) {
    const std::string angle = fmt::format("{:.0e} rad", start);
    std::string with = text;
    for (std::size_t at = with.find("1e-5 rad"); at != std::string::npos; at = with.find("1e-5 rad"))
      with.replace(at, 8, angle);
    const System system = system_of(with);
    const Trajectory run = integrate(system.dynamics, system.start(), {.until = 3, .find_peaks = true});
    const double m = 1, r = 0.1, g = 9.81, inertia = 3 * 0.01 + m * r * r;
    double most = 0;
    for (double a = -std::numbers::pi; a < std::numbers::pi; a += 1e-4) {
      const double squared = 9 - 2 * m * g * r * (std::sin(a) - std::sin(start)) / inertia;
      const double force = m * r * (squared * std::cos(a) - m * g * r * std::cos(a) / inertia * std::sin(a)) / 3;
      if (squared >= 0) most = std::max(most, std::abs(force));
    }
    for (const std::size_t row : {0U, 2U, 4U}) {
      EXPECT_LT(std::max(run.peaks[row].max, -run.peaks[row].min), (1 + 1e-4) * most) << start;
      // A run that does not get past a flat position in its round-off has peaks of its part.
      if (run.status != RunStatus::kOk) continue;
      EXPECT_NEAR(run.peaks[row].max, most, 1e-4 * most) << start;
      EXPECT_NEAR(run.peaks[row].min, -most, 1e-4 * most) << start;
    }
    for (const std::string& warning : run.verdict.warnings)
      if (warning.find("round-off decides how redundant rows share their load") != std::string::npos) ++told;
  }
  EXPECT_GT(told, 0);
}

// A bead on y² = x³ runs into the cusp: there is no motion straight on, and the run says that it cannot go on.
TEST(SingularPosition, CuspIsAnEnd) {
  const System system = system_of(
      "name = 'cusp'\ncoordinates = ['x', 'y']\n[energy]\nkinetic = \"0.5*x'^2 + 0.5*y'^2\"\n"
      "[[constraint]]\nname = 'track'\nholonomic = 'y^2 - x^3'\n"
      "[initial]\nposition = {x = 1}\nvelocity = {x = -1}\nguess = {y = 1}\n");
  const Trajectory path = integrate(system.dynamics, system.start(), {.until = 10});
  EXPECT_EQ(path.status, RunStatus::kFailed);
  EXPECT_LT(path.q[0].back(), 0.05);
  EXPECT_FALSE(path.verdict.holds);
  EXPECT_THAT(path.reason, AllOf(HasSubstr("does not get past"), HasSubstr("`track` vanishes")));
}

// A snake of equal links is singular where its joints are bent alike: D = R (sin α₁ − sin α₂) + L sin(α₁ − α₂) (theory §6).
// 0.5 s = 0.3 (1 − 2 s²) + 0.2 with s = sin t is a quadratic equation. The speeds grow like 1/(t* − t): within 1e-4 of t*
// they are thousands of times what they were, and no step beyond says more.
TEST(SingularPosition, AShapeThatDoesNotDetermineTheMotionEndsTheRunSoon) {
  const System snake = modified("three-link-snake",
                                {{"pi/4 + pi/8*cos(t)", "0.5*sin(t)"}, {"-pi/4 + pi/8*sin(t)", "0.3*cos(2*t) + 0.2"}});
  const double sine = (std::sqrt(0.25 + 1.2) - 0.5) / 1.2, singular = std::asin(sine);
  for (const Formulation formulation : {Formulation::kIndex1, Formulation::kReduced}) {
    const Trajectory path = integrate(snake.dynamics, snake.start(),
                                      {.until = 6, .rtol = 1e-11, .atol = 1e-12, .formulation = formulation});
    EXPECT_EQ(path.status, RunStatus::kFailed);
    EXPECT_NEAR(path.time.back(), singular, 1e-4);
    EXPECT_LT(path.time.back(), singular);
    EXPECT_LT(path.steps, 5000);
    EXPECT_THAT(path.reason, AllOf(HasSubstr("`alpha1` and `alpha2` cannot be followed beyond t = 0.627"),
                                   HasSubstr("(alpha1 = 0.2933"), HasSubstr("`wheel1`, `wheel2`, `wheel3`"),
                                   HasSubstr("the speed of `x`")));
  }
}

// A slider on a crank of 0.3 and a rod of 0.7 that is driven as x = 0.8 + 0.1 t reaches x = 1 at t = 2 and no further.
// 1 % of the time later the constraints are off by 0.002 in sum: no row is met to better than a third of it, none off
// by more.
TEST(SingularPosition, ImpossibleDriveIsNamed) {
  const System system = system_of(
      "name = 'driven'\ncoordinates = ['theta', 'phi', 'x']\n"
      "[energy]\nkinetic = \"0.5*theta'^2 + 0.5*phi'^2 + 0.5*x'^2\"\n[[constraint]]\nname = 'pin'\n"
      "holonomic = ['0.3*cos(theta) - 0.7*cos(phi) - x', '0.3*sin(theta) - 0.7*sin(phi)']\n"
      "[[constraint]]\nname = 'drive'\nholonomic = 'x - 0.8 - 0.1*t'\n"
      "[initial]\nguess = {theta = 1, phi = 2.8, x = 0.8}\n");
  for (const double tolerance : {1e-6, 1e-9, 1e-12}) {
    const Trajectory path =
        integrate(system.dynamics, system.start(), {.until = 10, .rtol = tolerance, .atol = tolerance});
    EXPECT_EQ(path.status, RunStatus::kFailed);
    EXPECT_NEAR(path.time.back(), 2, 1e-4);
    EXPECT_THAT(path.reason,
                AllOf(HasSubstr("`drive` cannot be followed beyond t = "), HasSubstr("`pin[1]` and `drive`"),
                      HasSubstr("can be met to 0.00"), Not(HasSubstr("step size"))));
    EXPECT_FALSE(path.verdict.holds);
  }
}

}  // namespace
}  // namespace dalembert
