// SPDX-License-Identifier: Apache-2.0
// Runs of one system at other values: the same numbers as those of a system that was built with these values, and derivatives that differences
// of such runs confirm.
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/base/text.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/study/changing_system.h"
#include "dalembert/study/kept_derivatives.h"
#include "dalembert/study/measures.h"
#include "dalembert/study/system_at.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using testing::HasSubstr;

constexpr const char* kRodPendulum = R"toml(
name = "pendulum"
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}]
gravity = ["0", "-9.81"]
[parameters]
L = "0.5 m"
m = "2 kg"
[[body]]
name = "bob"
mass = "m"
position = ["x", "y"]
[[constraint]]
name = "rod"
holonomic = "x^2 + y^2 - L^2"
[initial]
position = {x = "0.2 m"}
velocity = {x = "0.1 m/s"}
guess = {y = -0.4}
)toml";

BuiltModel rod_pendulum(std::vector<StudyStatement::Named> outputs = {}) {
  auto model = std::make_shared<Model>(value_of(load_model(make_source("pendulum", kRodPendulum), {})));
  value_of(Measures::read_outputs(*model, outputs));
  return value_of(build_model(model, {}, {.machine_code = false}));
}

ChangingSystem changing(const BuiltModel& system, const std::vector<std::string>& names) {
  std::vector<StudyQuantity> quantities;
  for (const std::string& name : names) quantities.push_back(value_of(find_quantity(*system.model, name, {})));
  return {system, quantities};
}

// Values that no model may have are refused with the words of the error where such a model is loaded (E0285, E0274).
TEST(ChangingSystem, RefusesValuesThatNoModelMayHave) {
  const std::string text = R"toml(
name = "puck"
coordinates = ["x", "y"]
gravity = ["0", "-9.81"]
[parameters]
e = 0.5
mu = 0.2
mus = 0.3
nu = 0.1
[[body]]
name = "puck"
mass = 1
position = ["x", "y"]
[[constraint]]
name = "floor"
holonomic = "y"
unilateral = true
restitution = "e"
[[friction]]
name = "rub"
normal = "lambda(floor)"
velocity = "x'"
coefficient = "mu + nu"
static = "mus"
)toml";
  const BuiltModel system = value_of(build_model(
      std::make_shared<Model>(value_of(load_model(make_source("puck", text)))), {}, {.machine_code = false}));
  ChangingSystem runs = changing(system, {"e", "mu"});
  const std::array<std::array<double, 2>, 7> tried{
      {{0, 0}, {1, 0.2}, {-0.1, 0}, {1.2, 0}, {0.5, -0.3}, {0.5, 0.25}, {0.5, 0.1}}};
  for (const std::array<double, 2>& values : tried) {
    runs.set(values);
    std::string why;
    const std::optional<State> start = runs.start(why);
    const Result<Model> loaded =
        load_model(make_source("puck", text), load_options({"e=" + to_text(values[0]), "mu=" + to_text(values[1])}));
    EXPECT_EQ(start.has_value(), loaded.ok()) << values[0] << " " << values[1] << why;
    if (!loaded) EXPECT_EQ(why, loaded.diagnostics().front().message);
  }
}

TEST(ChangingSystem, KnowsWhatTheModelStates) {
  const BuiltModel system = rod_pendulum();
  const std::vector<double> values = changing(system, {"L", "x", "x'", "y"}).stated_values();
  EXPECT_EQ(values[0], 0.5);
  EXPECT_EQ(values[1], 0.2);
  EXPECT_EQ(values[2], 0.1);
  EXPECT_NEAR(values[3], -std::sqrt(0.5 * 0.5 - 0.2 * 0.2), 1e-12);  // a guess: what assembly made of it
}

// Made once for a model and its copies with other values; not for other equations.
TEST(KeptDerivatives, AreSharedByCopies) {
  const BuiltModel system = rod_pendulum();
  const auto made = derivatives_along_runs(system, {0, 1});
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(derivatives_along_runs(with_parameters(system, {3, 2}), {0, 1}), made);
  EXPECT_NE(derivatives_along_runs(system, {1, 0}), made);
  BuiltModel other = system;
  replace_equations(other, system.equations);
  EXPECT_NE(derivatives_along_runs(other, {0, 1}), made);
  // Those that were not used for long are made anew.
  for (int k = 0; k < 20; ++k) derivatives_along_runs(system, std::vector<int>(static_cast<std::size_t>(k), 0));
  EXPECT_NE(derivatives_along_runs(system, {0, 1}), nullptr);
}

TEST(ChangingSystem, DerivativesAreThoseOfRuns) {
  const BuiltModel system = rod_pendulum({{"", MappedText::of("lambda(rod)*x"), {}}});
  ChangingSystem runs = changing(system, {"L", "x", "m"});
  const std::array values{0.6, 0.25, 1.5}, sizes{0.6, 0.25, 1.5};
  runs.compile_derivatives();
  runs.set(values);
  IntegrateOptions options;
  options.until = 1.5;
  options.rtol = 1e-12;
  options.output_times = {0.7, 1.3};
  const Trajectory run = runs.run(options, sizes);
  ASSERT_EQ(run.status, RunStatus::kOk) << run.reason;
  ASSERT_EQ(run.sensitivities.size(), 3U);
  for (std::size_t k = 0; k < values.size(); ++k) {
    std::vector<Trajectory> beside;
    for (const double sign : {1, -1}) {
      std::array moved = values;
      moved[k] += sign * 1e-4;
      ChangingSystem other = runs;  // with values of its own
      other.set(moved);
      beside.push_back(other.run(options));
    }
    for (std::size_t row = 0; row < 2; ++row) {
      const double difference = (beside[0].outputs[0][row] - beside[1].outputs[0][row]) / 2e-4;
      // Error of the difference: h² y'''/6, with y''' of some tens.
      EXPECT_NEAR(run.sensitivities[k].outputs[0][row], difference, 1e-6 * (1 + std::abs(difference))) << k;
    }
  }
  const Trajectory again = runs.run(options);
  EXPECT_EQ(again.outputs[0], run.outputs[0]) << "derivatives change no bit of a run";
}

TEST(ChangingSystem, SaysWhyThereIsNoRun) {
  const BuiltModel system = rod_pendulum();
  ChangingSystem runs = changing(system, {"L"});
  runs.set(std::array{0.1});  // shorter than x
  const Trajectory run = runs.run({});
  EXPECT_EQ(run.status, RunStatus::kFailed);
  EXPECT_EQ(run.size(), 0U);
  EXPECT_THAT(run.reason, HasSubstr("rod"));
  runs.set(std::array{0.2001});  // there is a start, and none for a shorter rod
  EXPECT_THAT(runs.run({}, std::array{0.2}).reason, HasSubstr("no start has `L` a little larger or smaller"));
  runs.set(std::array{0.5});
  EXPECT_EQ(runs.run({}).status, RunStatus::kOk);
}

TEST(ChangingSystem, OutputsHaveAValueAtEachTime) {
  Model model = value_of(load_model(make_source("pendulum", kRodPendulum), {}));
  const auto read = [&](const std::string& text) {
    return Measures::read_outputs(model, {{"", MappedText::of(text), {}}});
  };
  EXPECT_EQ(value_of(read("x/L")), std::vector<int>{0});
  EXPECT_EQ(value_of(read("x/L")), std::vector<int>{0});
  EXPECT_EQ(value_of(read("integral(x')")), std::vector<int>{1});
  EXPECT_THAT(render(read("max(x) + 1").diagnostics()), HasSubstr("is a number of a whole run"));
  EXPECT_THAT(render(read("xx").diagnostics()), HasSubstr("unknown symbol `xx`"));
}

// Components of an attitude whose norm is not 1 are scaled together, whatever values their formulas have: e = (1, a, 0, 0)/√(1 + a²).
TEST(ChangingSystem, ScalesAnAttitudeWhoseComponentsAreFormulas) {
  constexpr const char* kText = R"toml(coordinates = ["e0", "e1", "e2", "e3"]
parameters = {a = 0.75}
frame = [{name = "top", quaternion = ["e0", "e1", "e2", "e3"]}]
body = [{name = "top", frame = "top", mass = 1, inertia = [1, 2, 3]}]
[initial]
position = {e0 = 1, e1 = "a"}
velocity = {"top.omega.z" = 1}
)toml";
  const BuiltModel system = value_of(build_model(
      std::make_shared<const Model>(value_of(load_model(make_source("top", kText)))), {}, {.machine_code = false}));
  EXPECT_DOUBLE_EQ(assemble_start(system.equations, system.dynamics).state.q[0], 0.8);
  ChangingSystem changing(system, {*quantity_of(*system.model, "a")});
  for (const double a : {0.75, 2.4}) {
    changing.set(std::array{a});
    std::string why;
    const State start = changing.start(why).value();
    EXPECT_DOUBLE_EQ(start.q[0], 1 / std::hypot(1, a));
    EXPECT_DOUBLE_EQ(start.q[1], a / std::hypot(1, a));
    Tangent by;
    ASSERT_TRUE(changing.differentiate_start(0, 1, start, by));
    EXPECT_NEAR(by.q[0], -a / std::pow(1 + a * a, 1.5), 1e-9);
    EXPECT_NEAR(by.q[1], 1 / std::pow(1 + a * a, 1.5), 1e-9);
  }
}

}  // namespace
}  // namespace dalembert
