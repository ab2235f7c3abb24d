// SPDX-License-Identifier: Apache-2.0
// Where derivatives by one quantity end, those by the others go on: with the digits that they have when they are asked for alone, or against closed forms.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/analyze/run_options.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/study/system_at.h"
#include "systems/shipped_model.h"
#include "tape/model_files.h"

namespace dalembert {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

BuiltModel partly_model(const std::string& text) {
  Result<Model> loaded = load_model(make_source("partly", text), {});
  return value_of(build_model(std::make_shared<const Model>(value_of(std::move(loaded))), {}, {.machine_code = false}));
}

Trajectory partly_run(const BuiltModel& system, const std::vector<std::string>& names, IntegrateOptions options,
                      bool exact = true) {
  for (const std::string& name : names) options.tangents.push_back({.name = name});
  EXPECT_TRUE(find_tangents(system, options).empty());
  if (!exact) options.derivatives = nullptr;
  return integrate(system.dynamics, assemble_start(system.equations, system.dynamics).state, options);
}

// Whether the derivatives by `lost` are unknown at the end, with a warning that names it alone, and those by `kept` have the values of a run that asks for them alone.
void expect_kept(const BuiltModel& system, const std::string& lost, const std::string& kept,
                 const IntegrateOptions& options, const std::string& why) {
  for (const bool exact : {true, false}) {
    const Trajectory both = partly_run(system, {lost, kept}, options, exact),
                     alone = partly_run(system, {kept}, options, exact);
    ASSERT_EQ(both.status, RunStatus::kOk) << both.reason;
    EXPECT_THAT(both.verdict.warnings, Contains(AllOf(HasSubstr("the derivatives by `" + lost + "` are unknown from"),
                                                      HasSubstr(why), Not(HasSubstr("`" + kept + "` are")))));
    for (std::size_t i = 0; i < both.sensitivities[1].q.size(); ++i) {
      EXPECT_TRUE(std::isnan(both.sensitivities[0].q[i].back()));
      const double expected = alone.sensitivities[0].q[i].back();
      ASSERT_TRUE(std::isfinite(expected));
      EXPECT_NEAR(both.sensitivities[1].q[i].back(), expected, 1e-9 * (1 + std::abs(expected))) << exact << i;
    }
    ASSERT_EQ(both.events.size(), alone.events.size());
    for (std::size_t i = 0; i < both.events.size(); ++i) {
      if (alone.events[i].sensitivity.empty()) continue;
      ASSERT_EQ(both.events[i].sensitivity.size(), 2U);
      EXPECT_NEAR(both.events[i].sensitivity[1], alone.events[i].sensitivity[0], 1e-9) << i;
    }
  }
}

// The block starts at the limit of static friction: it slips at once for changes of k of one sign only, and sliding friction does not move that.
TEST(PartlyUnknownSensitivity, AtALimitOfTheStart) {
  const BuiltModel system = partly_model(model_text(shipped_path("block-on-belt")));
  const IntegrateOptions options = value_of(run_options(*system.model));
  expect_kept(system, "k", "mu", options, "the motion changes just where it starts");
  const Trajectory run = partly_run(system, {"k", "mu"}, options);
  ASSERT_FALSE(run.events.empty());
  EXPECT_TRUE(std::isnan(run.events.front().sensitivity.at(0)));
}

// Two masses fall from one height, and a damper is between them: which strikes first matters, and g lets neither be first.
TEST(PartlyUnknownSensitivity, WhereTheOrderOfJumpsMatters) {
  const BuiltModel system = partly_model(R"toml(coordinates = ["x", "y"]
parameters = {e = 0.5, g = 10}
[energy]
kinetic = "x'^2/2 + y'^2/2"
potential = "g*(x + y)"
[[force]]
coordinate = "x"
value = "4*(y' - x')"
[[force]]
coordinate = "y"
value = "4*(x' - y')"
[[constraint]]
name = "a"
holonomic = "x"
unilateral = true
restitution = "e"
[[constraint]]
name = "b"
holonomic = "y"
unilateral = true
restitution = "e"
[outputs]
W = "integral(x)"
[initial]
position = {x = 1, y = 1}
)toml");
  const IntegrateOptions options{.until = 0.8, .rtol = 1e-10, .atol = 1e-12};
  expect_kept(system, "x", "g", options, "their order matters");
  const Trajectory both = partly_run(system, {"x", "g"}, options), alone = partly_run(system, {"g"}, options);
  EXPECT_NEAR(both.sensitivities[1].outputs[0].back(), alone.sensitivities[0].outputs[0].back(), 1e-9);
}

// Two events of one function set one quantity by two formulas, equal at e = 1/2 alone. The mass falls from 5 m in 1 s, and rises at 5 m/s.
TEST(PartlyUnknownSensitivity, WhereEventsContradictBesideTheRun) {
  const BuiltModel system = partly_model(R"toml(coordinates = ["x"]
parameters = {e = 0.5, g = 10}
[energy]
kinetic = "x'^2/2"
potential = "g*x"
[[event]]
name = "one"
when = "x"
direction = "down"
set = {"x'" = "-e*x'"}
[[event]]
name = "other"
when = "x"
direction = "down"
set = {"x'" = "-x'/2"}
[initial]
position = {x = 5}
)toml");
  expect_kept(system, "e", "x", {.until = 1.5}, "beside this run two events set");
}

// sqrt(p) has no derivative where p = 0; x = sqrt(p) + (1 − sqrt(p)) cos(√k t).
TEST(PartlyUnknownSensitivity, WhereAccelerationsHaveNone) {
  const BuiltModel system = partly_model(R"toml(coordinates = ["x"]
parameters = {k = 4, p = 0}
[energy]
kinetic = "x'^2/2"
potential = "k*x^2/2"
[[force]]
coordinate = "x"
value = "k*sqrt(p)"
[initial]
position = {x = 1}
)toml");
  expect_kept(system, "p", "k", {.until = 1, .rtol = 1e-10, .atol = 1e-12}, "");
  const Trajectory run = partly_run(system, {"p", "k"}, {.until = 1, .rtol = 1e-10, .atol = 1e-12});
  EXPECT_NEAR(run.sensitivities[1].q[0].back(), -std::sin(2) / 4, 1e-8);
}

}  // namespace
}  // namespace dalembert
