// SPDX-License-Identifier: Apache-2.0
// Derivatives of runs through what an event sets at a closed contact: against differences of runs; and where a contact is left between pressing and parting, none.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/study/system_at.h"
#include "folder.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// A body of 2 kg on the ground gap >= 0, which comes to x = 0.275 with the speed that it has after a start with u; there an event sets `set` by b.
std::string kicked_text(const std::string& gap, const std::string& set, double b, double u, bool slope) {
  return fmt::format(R"toml(coordinates = ["x", "y"]
parameters = {{b = {:.17g}, u = {:.17g}}}
gravity = ["0", "-9.81"]
body = [{{name = "b", mass = 2, position = ["x", "y"]}}]
constraint = [{{name = "ground", holonomic = "{}", unilateral = true, restitution = 0.5}}]
initial = {{position = {{x = 0, y = 0}}, velocity = {{x = "u", y = "{}"}}}}
event = [{{name = "kick", when = "x - 0.275", direction = "up", set = {{{}}}}}]
)toml",
                     b, u, gap, slope ? "u" : "0", set);
}

Trajectory kicked_run(const std::string& text, bool derivatives) {
  const BuiltModel system = value_of(build_model(
      std::make_shared<const Model>(value_of(load_model(make_source("kicked", text)))), {}, {.machine_code = false}));
  IntegrateOptions options{.until = 0.35, .rtol = 1e-12, .atol = 1e-14};
  if (derivatives)
    for (const char* name : {"b", "u"}) options.tangents.push_back({.name = name});
  EXPECT_THAT(find_tangents(system, options), IsEmpty());
  return integrate(system.dynamics, assemble_start(system.equations, system.dynamics).state, options);
}

TEST(ContactChangeSensitivity, IsThatOfDifferences) {
  struct Case {
    std::string gap, set;
    double b;
    bool slope = false;
  };
  for (const auto& [gap, set, b, slope] :
       {Case{"y", "\"y'\" = \"b\"", 2}, Case{"y", "\"y'\" = \"b\"", -1}, Case{"y", "y = \"b\"", 0.3},
        Case{"y", "\"x'\" = \"b\"", 0.5}, Case{"y - x", "\"x'\" = \"b\"", -2, true},
        Case{"y - x", "\"x'\" = \"b\"", 5, true}, Case{"y - x", "x = \"b\"", 0.5, true},
        Case{"y - x", "x = \"b\"", -0.7, true}, Case{"y - x - 0.3*x^2", "\"x'\" = \"b\"", 5, true}}) {
    const double u = slope ? 3 : 1, h = 1e-5;
    const Trajectory run = kicked_run(kicked_text(gap, set, b, u, slope), true);
    ASSERT_EQ(run.status, RunStatus::kOk) << run.reason;
    const auto end = [&](double db, double du) {
      return kicked_run(kicked_text(gap, set, b + db, u + du, slope), false).final_state();
    };
    const State by_b[] = {end(-h, 0), end(h, 0)}, by_u[] = {end(0, -h), end(0, h)};
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(run.sensitivities[0].q[i].back(), (by_b[1].q[i] - by_b[0].q[i]) / (2 * h), 1e-7) << gap << set << i;
      EXPECT_NEAR(run.sensitivities[0].v[i].back(), (by_b[1].v[i] - by_b[0].v[i]) / (2 * h), 1e-7) << gap << set << i;
      EXPECT_NEAR(run.sensitivities[1].q[i].back(), (by_u[1].q[i] - by_u[0].q[i]) / (2 * h), 1e-7) << gap << set << i;
      EXPECT_NEAR(run.sensitivities[1].v[i].back(), (by_u[1].v[i] - by_u[0].v[i]) / (2 * h), 1e-7) << gap << set << i;
    }
  }
}

// y' = 0 on the ground is kept by a contact that presses after it; with more the body flies, with less it is struck.
TEST(ContactChangeSensitivity, IsUnknownBetweenPressingAndParting) {
  const Trajectory run = kicked_run(kicked_text("y", "\"y'\" = \"b\"", 0, 1, false), true);
  ASSERT_EQ(run.status, RunStatus::kOk) << run.reason;
  EXPECT_TRUE(std::isnan(run.sensitivities[0].q[1].back()));
  EXPECT_NEAR(run.sensitivities[1].q[0].back(), 0.35, 1e-9);
  EXPECT_THAT(run.verdict.warnings, testing::Contains(HasSubstr("between pressing and parting")));
}

// A condition of samples that fall from 1 to −1 within 0.1 ms changes at an instant that no parameter moves. A mass of 1 kg on a spring is pushed with 1 N, then 0.5 N: ∂x/∂k against
// differences.
TEST(ContactChangeSensitivity, OfAConditionOnASteepSegmentOfATable) {
  const Folder folder;
  folder.write("samples.csv", "time,f\n0,1\n1,1\n1.0001,-1\n3,-1\n");
  const auto run_of = [&](double k, bool derivatives) {
    const std::string model = folder.write("model.toml", fmt::format(R"toml(coordinates = ["x"]
parameters = {{k = {:.17g}}}
inputs = {{f = {{file = "samples.csv", column = "f"}}}}
energy = {{kinetic = "x'^2/2", potential = "k*x^2/2"}}
force = [{{coordinate = "x", value = "if(f > 0.2, 1, 0.5)"}}]
initial = {{position = {{x = 0.1}}, velocity = {{x = 0.2}}}}
)toml",
                                                                     k));
    const BuiltModel system = value_of(
        build_model(std::make_shared<const Model>(value_of(load_model_file(model, {}))), {}, {.machine_code = false}));
    IntegrateOptions options{.until = 2.5, .rtol = 1e-12, .atol = 1e-14};
    if (derivatives) options.tangents.push_back({.name = "k"});
    EXPECT_THAT(find_tangents(system, options), IsEmpty());
    return integrate(system.dynamics, assemble_start(system.equations, system.dynamics).state, options);
  };
  const Trajectory run = run_of(4, true);
  ASSERT_EQ(run.status, RunStatus::kOk) << run.reason;
  constexpr double h = 1e-5;
  const double expected = (run_of(4 + h, false).final_state().q[0] - run_of(4 - h, false).final_state().q[0]) / (2 * h);
  EXPECT_NEAR(run.sensitivities[0].q[0].back(), expected, 1e-7);
  EXPECT_THAT(run.verdict.warnings, IsEmpty());
}

}  // namespace
}  // namespace dalembert
