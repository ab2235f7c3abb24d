// SPDX-License-Identifier: Apache-2.0
// Derivatives of measures, against closed forms and differences of runs.
#include <cmath>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/study/measures.h"
#include "dalembert/study/system_at.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;

struct Measured {
  std::vector<double> values;
  MeasureDerivatives derivatives;
};

// The measures of a run, and their derivatives if quantities are named. `set`: parameters with other values.
Measured measure(const std::string& text, const std::vector<std::string>& measures,
                 const std::vector<std::string>& names, IntegrateOptions options,
                 const std::vector<std::string>& set = {}) {
  LoadOptions load;
  for (const std::string& assignment : set) load.overrides.push_back(*parse_override(assignment));
  const auto model = std::make_shared<Model>(value_of(load_model(make_source("measured", text), load)));
  std::vector<StudyStatement::Named> texts;
  for (const std::string& one : measures)
    texts.push_back({"m" + std::to_string(texts.size()), MappedText::of(one), {}});
  Measures read = value_of(Measures::read(*model, texts));
  read.differentiate(*model);
  const BuiltModel system = value_of(build_model(model, {}, {.machine_code = false}));
  const State start = assemble_start(system.equations, system.dynamics).state;
  read.ask(*model, start.t, true, options);
  const Trajectory run = integrate(system.dynamics, start, options);
  EXPECT_EQ(run.status, RunStatus::kOk) << run.reason;
  Measured found{read.of(run, *model, start.t), {}};
  if (names.empty()) return found;
  for (const std::string& name : names) options.tangents.push_back({.name = name});
  const Diagnostics problems = find_tangents(system, options);
  EXPECT_TRUE(problems.empty()) << render(problems);
  read.ask_derivatives(run, *model, start.t, options);
  const Trajectory second = integrate(system.dynamics, start, options);
  found.derivatives = read.derivatives(run, second, *model, start.t, options.tangents);
  return found;
}

std::string text_of_model(const std::string& name) {
  std::ifstream file(source_tree() + "/models/" + name + ".toml");
  return {std::istreambuf_iterator<char>(file), {}};
}

// The derivatives of all measures by all parameters named, against central differences of runs, of order 4. Runs find extremes to 1e-10 of the range of their
// output, which the differences divide by 1e-3 of the parameter.
void compare(const std::string& text, const std::vector<std::string>& measures, const std::vector<std::string>& names,
             const std::vector<double>& at, double until, double allowed) {
  const IntegrateOptions options{.until = until, .rtol = 1e-13, .atol = 1e-15};
  const Measured found = measure(text, measures, names, options);
  EXPECT_THAT(found.derivatives.unknown, Each(IsEmpty()));
  for (std::size_t k = 0; k < names.size(); ++k) {
    const double h = 5e-4 * at[k];
    const auto beside = [&](double shift) {
      return measure(text, measures, {}, options, {names[k] + "=" + std::to_string(at[k] + shift * h)}).values;
    };
    const auto p1 = beside(1), p2 = beside(2), m1 = beside(-1), m2 = beside(-2);
    for (std::size_t i = 0; i < measures.size(); ++i) {
      const double difference = (8 * (p1[i] - m1[i]) - (p2[i] - m2[i])) / (12 * h);
      EXPECT_NEAR(found.derivatives.by[i][k], difference, allowed * std::max(1.0, std::abs(difference)))
          << measures[i] << " by " << names[k];
    }
  }
}

const std::string kDampedPendulum = R"toml(name = "pendulum"
coordinates = [{name = "theta", unit = "rad"}]
gravity = ["0", "-g"]
[parameters]
m = "2 kg"
L = "1.25 m"
g = "9.81 m/s^2"
c = "0.3 N*m*s"
start = "1.1 rad"
[[body]]
name = "bob"
mass = "m"
position = ["L*sin(theta)", "-L*cos(theta)"]
[energy]
dissipation = "c/2*theta'^2"
[initial]
position = {theta = "start"}
[outputs]
pull = "m*g*cos(theta) + m*L*theta'^2"
)toml";

TEST(MeasureDerivatives, AreThoseOfDifferencesOfRuns) {
  compare(kDampedPendulum,
          {"final(theta)", "max(pull)", "min(pull)", "max(theta')", "min(theta')", "mean(pull)", "integral(theta^2)",
           "at(theta, 1.3 s)", "max(abs(theta'))/2 + final(theta')^2*L/at(L*theta', 1 s)", "max(pull)/min(pull)",
           "max(theta)"},
          {"m", "L", "g", "c", "start"}, {2, 1.25, 9.81, 0.3, 1.1}, 2.7, 3e-7);
}

// The forces of a loop, by its lengths, which move the start as well.
TEST(MeasureDerivatives, OfASliderCrank) {
  const std::string text = text_of_model("slider-crank");
  compare(text, {"max(hypot(lambda(pin[1]), lambda(pin[2])))", "min(lambda(pin[1]))", "max(x) - min(x)", "final(x')"},
          {"L1", "L2"}, {0.15, 0.35}, 1, 5e-7);
}

const std::string kBouncingBall = R"toml(name = "ball"
coordinates = [{name = "y", unit = "m"}]
gravity = ["0", "-g"]
[parameters]
m = "2 kg"
g = "9.81 m/s^2"
e = 0.8
h = "1 m"
[[body]]
name = "ball"
mass = "m"
position = [0, "y"]
[initial]
position = {y = "h"}
)toml";
const std::string kRestitution =
    "[[constraint]]\nname = \"ground\"\nholonomic = \"y\"\nunilateral = true\nrestitution = \"e\"\n";

// The static friction is largest where the block breaks loose, −μ_s N, before the jump to sliding; and the friction has its other extreme where the block sticks again, just after the
// jump: the limit cycle is symmetric about the sliding friction, so −2 μ N + μ_s N.
TEST(MeasureDerivatives, OfExtremesAtStickAndSlip) {
  std::string text = text_of_model("block-on-belt");
  text.replace(text.find("x = \"5 m\""), 9, "x = \"4 m\"");
  const std::vector<std::string> names{"mu_s", "mu", "load", "k"};
  const Measured found = measure(text, {"min(friction(belt_friction))", "max(friction(belt_friction))"}, names,
                                 {.until = 20, .rtol = 1e-12, .atol = 1e-14});
  EXPECT_THAT(found.derivatives.unknown, Each(IsEmpty()));
  const std::vector<std::vector<double>> expected{{-10, 0, -0.5, 0}, {10, -20, -0.1, 0}};
  for (std::size_t i = 0; i < expected.size(); ++i)
    for (std::size_t k = 0; k < names.size(); ++k)
      EXPECT_NEAR(found.derivatives.by[i][k], expected[i][k], 1e-7) << i << names[k];
}

// The ball lands after √(2h/g) with √(2gh), which is the largest speed, just before a jump; the largest speed upwards, e√(2gh), is just after it.
TEST(MeasureDerivatives, OfExtremesAtAJump) {
  const double g = 9.81, h = 1, e = 0.8, v = std::sqrt(2 * g * h);
  const Measured found =
      measure(kBouncingBall + kRestitution, {"max(abs(y'))", "max(y')", "time(ground)", "count(ground)"},
              {"h", "g", "e"}, {.until = 0.7, .rtol = 1e-12, .atol = 1e-14});
  EXPECT_THAT(found.derivatives.unknown, Each(IsEmpty()));
  const std::vector<std::vector<double>> expected{
      {g / v, h / v, 0}, {e * g / v, e * h / v, v}, {1 / v, -v / (2 * g * g), 0}, {0, 0, 0}};
  EXPECT_NEAR(found.values[0], v, 1e-9);
  for (std::size_t i = 0; i < expected.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(found.derivatives.by[i][k], expected[i][k], 1e-8) << i << " " << k;
}

// An event ends the run at √(2(h − b)/g); what depends on the time itself is differentiated along.
TEST(MeasureDerivatives, AtAnEndByAnEvent) {
  const double g = 9.81, t = std::sqrt(2 * 0.75 / g);
  const std::string text =
      kBouncingBall +
      "[outputs]\ntwice = \"2*t\"\nspeed = \"abs(y')\"\n[[event]]\nname = \"down\"\nwhen = \"y - 0.25\"\nstop = true\n";
  const Measured found = measure(text, {"final(twice)", "max(speed)", "mean(y)", "final(y)"}, {"h", "g"},
                                 {.until = 3, .rtol = 1e-12, .atol = 1e-14});
  EXPECT_THAT(found.derivatives.unknown, Each(IsEmpty()));
  EXPECT_NEAR(found.derivatives.by[0][0], 2 / (g * t), 1e-9);
  EXPECT_NEAR(found.derivatives.by[0][1], -t / g, 1e-9);
  EXPECT_NEAR(found.derivatives.by[1][0], 1 / t, 1e-8);
  // The mean of h − g t²/2 is h − (h − 1/4)/3.
  EXPECT_NEAR(found.derivatives.by[2][0], 1 - 1.0 / 3, 1e-9);
  EXPECT_NEAR(found.derivatives.by[2][1], 0, 1e-9);
  EXPECT_NEAR(found.derivatives.by[3][0], 0, 1e-9);
}

// A crank that is driven at a speed ω: it is at ωt, and where an event ends the run its angle does not depend on ω, but the time does.
TEST(MeasureDerivatives, OfADrivenMotionThatEnds) {
  const std::string text = R"toml(name = "driven"
coordinates = [{name = "a", unit = "rad"}]
[parameters]
m = "2 kg"
r = "1 m"
w = "3 rad/s"
[[body]]
name = "bob"
mass = "m"
position = ["r*sin(a)", "-r*cos(a)"]
[prescribed]
a = "w*t"
[[event]]
name = "there"
when = "a - 1"
stop = true
)toml";
  const Measured found = measure(text, {"final(a)", "final(t)", "time(there)", "final(a')"}, {"w"},
                                 {.until = 3, .rtol = 1e-12, .atol = 1e-14});
  EXPECT_THAT(found.derivatives.unknown, Each(IsEmpty()));
  EXPECT_NEAR(found.derivatives.by[0][0], 0, 1e-8);
  EXPECT_NEAR(found.derivatives.by[1][0], -1.0 / 9, 1e-8);
  EXPECT_NEAR(found.derivatives.by[2][0], -1.0 / 9, 1e-8);
  EXPECT_NEAR(found.derivatives.by[3][0], 1, 1e-8);
}

// An output whose corner is nearer than the displacements by which parameters are differentiated: |q − h| of 1e-4 beside h = 1.
TEST(MeasureDerivatives, BesideANearCorner) {
  const Measured found =
      measure(kBouncingBall, {"final(abs(y - 0.9999*h))"}, {"h"}, {.until = 1e-6, .rtol = 1e-12, .atol = 1e-14});
  EXPECT_THAT(found.derivatives.unknown, Each(IsEmpty()));
  EXPECT_NEAR(found.derivatives.by[0][0], 1e-4, 1e-9);
}

// Steps end at a corner of time alone. Truth: the largest value is m/2 s, at 0.5 s.
TEST(MeasureDerivatives, AreKnownAtCornersOfTime) {
  const Measured found =
      measure(kDampedPendulum, {"max(min(t, 1 s - t)*m)"}, {"m", "L"}, {.until = 2, .rtol = 1e-10, .atol = 1e-12});
  EXPECT_THAT(found.derivatives.unknown, Each(IsEmpty()));
  EXPECT_NEAR(found.derivatives.by[0][0], 0.5, 1e-9);
  EXPECT_NEAR(found.derivatives.by[0][1], 0, 1e-9);
}

// At a corner of the state there is no derivative, and the reason is said.
TEST(MeasureDerivatives, AreUnknownAtCorners) {
  const Measured found = measure(
      kDampedPendulum,
      {"max((1 - abs(theta))*m)", "abs(final(t) - 2 s)", "max(final(t), 2 s)", "integral(abs(theta))", "max(theta)"},
      {"m", "L"}, {.until = 2, .rtol = 1e-10, .atol = 1e-12});
  EXPECT_THAT(found.derivatives.unknown[0], HasSubstr("corner"));
  EXPECT_THAT(found.derivatives.unknown[1], HasSubstr("corner"));
  EXPECT_THAT(found.derivatives.unknown[2], HasSubstr("corner"));
  EXPECT_THAT(found.derivatives.unknown[3], HasSubstr("integrand"));
  EXPECT_THAT(found.derivatives.unknown[4], IsEmpty());
  EXPECT_TRUE(std::isnan(found.derivatives.by[0][0]));
}

// Measures read both rates of a spline, as outputs do. Truth: through samples of t^3 it is t^3, whose rates are 3t^2 and 6t.
TEST(Measures, ReadRatesOfSplines) {
  const auto model = std::make_shared<Model>("pushed");
  const Coordinate x = model->coordinate("x");
  model->kinetic(square(x.qd) / 2);
  model->generalized_force(x, model->spline_input("s"));
  model->set_samples("s", {0, 1, 2, 3, 4}, {0, 1, 8, 27, 64});
  const std::vector<StudyStatement::Named> texts{{"speed", MappedText::of("max(s')"), {}},
                                                 {"acceleration", MappedText::of("max(s'')"), {}}};
  const Measures read = value_of(Measures::read(*model, texts));
  const BuiltModel system = value_of(build_model(model, {}, {.machine_code = false}));
  IntegrateOptions options{.until = 4, .rtol = 1e-10, .atol = 1e-12};
  const State start = assemble_start(system.equations, system.dynamics).state;
  read.ask(*model, start.t, true, options);
  const std::vector<double> found = read.of(integrate(system.dynamics, start, options), *model, start.t);
  EXPECT_NEAR(found[0], 48, 1e-9);
  EXPECT_NEAR(found[1], 24, 1e-9);
}

}  // namespace
}  // namespace dalembert
