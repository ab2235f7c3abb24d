// SPDX-License-Identifier: Apache-2.0
// Reactions along runs: vectors where pictures show them, in axes that turn.
#include "dalembert/study/reactions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "dalembert/integrate/integrate.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/study/system_at.h"

namespace dalembert {
namespace {

BuiltModel build(const std::string& text) {
  Result<Model> model = load_model(make_source("<test>", text));
  EXPECT_TRUE(model) << render(model.diagnostics());
  return build_model(std::make_shared<const Model>(std::move(model).value()), {}, {.machine_code = false}).value();
}

Trajectory run_to(const BuiltModel& built, double until) {
  const SystemAt at = system_at(built).value();
  return integrate(built.dynamics, at.state, {.until = until, .rtol = 1e-10, .output_step = 0.05});
}

// A bob of mass m on a rod of length L: the rod pulls with m g cos θ + m L θ'² (Newton along the rod).
const char* const kPendulum = R"(
name = "rod"
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}]
gravity = [0, "-9.81 m/s^2"]
[parameters]
mass = "2 kg"
L = "0.5 m"
[[body]]
name = "bob"
mass = "mass"
position = ["x", "y"]
[[frame]]
name = "turned"
rotate = "pi/2"
[[constraint]]
name = "rod"
holonomic = "x^2 + y^2 - L^2"
[initial]
position = {x = 0.3}
guess = {y = -0.4}
velocity = {x = 0.2}
)";

TEST(ReactionAlong, IsTheForceOfTheRod) {
  const BuiltModel built = build(kPendulum);
  const Trajectory run = run_to(built, 1);
  ASSERT_EQ(run.status, RunStatus::kOk) << run.reason;
  const Result<Reaction> found = reaction_along(built, run, "rod");
  ASSERT_TRUE(found) << render(found.diagnostics());
  EXPECT_TRUE(found->located);
  EXPECT_FALSE(found->turns);
  EXPECT_EQ(found->point, "bob");
  EXPECT_EQ(found->unit, "N");
  EXPECT_EQ(found->components, (std::vector<std::string>{"x", "y"}));
  double largest = 0;
  std::size_t where = 0;
  for (std::size_t row = 0; row < run.size(); ++row) {
    const double x = run.q[0][row], y = run.q[1][row], vx = run.v[0][row], vy = run.v[1][row];
    const double tension = 2 * 9.81 * (-y / 0.5) + 2 * (vx * vx + vy * vy) / 0.5;
    // Towards the pivot at the origin.
    EXPECT_NEAR(found->values[0][row], -tension * x / 0.5, 1e-7);
    EXPECT_NEAR(found->values[1][row], -tension * y / 0.5, 1e-7);
    if (tension > largest) largest = tension, where = row;
  }
  const ReactionPeak peak = find_peak(*found);
  EXPECT_EQ(peak.row, where);
  EXPECT_NEAR(peak.magnitude, largest, 1e-7);

  // Axes that are turned by a quarter: along the first is what was along y.
  const Result<Reaction> turned = reaction_along(built, run, "rod", "turned");
  ASSERT_TRUE(turned);
  EXPECT_NEAR(turned->values[0][0], found->values[1][0], 1e-9);
  EXPECT_NEAR(turned->values[1][0], -found->values[0][0], 1e-9);
}

// Nothing says where coordinates a and b are.
TEST(ReactionAlong, IsTheMultipliersWhereNobodyKnowsWhereItActs) {
  const BuiltModel built = build(R"(
name = "nowhere"
coordinates = ["a", "b"]
[energy]
kinetic = "a'^2/2 + b'^2"
potential = "3*a"
[[frame]]
name = "axes"
rotate = "a"
[[constraint]]
name = "gear"
holonomic = "a - 2*b"
)");
  const Trajectory run = run_to(built, 0.2);
  const Result<Reaction> found = reaction_along(built, run, "gear");
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->located);
  EXPECT_EQ(found->components, (std::vector<std::string>{"gear"}));
  EXPECT_EQ(found->values[0], run.lambda[0]);
  EXPECT_EQ(reaction_along(built, run, "gear", "axes").diagnostics().front().code, "E0522");
  EXPECT_EQ(reaction_along(built, run, "gear", "axis").diagnostics().front().help.front(), "did you mean `axes`?");
  EXPECT_EQ(reaction_along(built, run, "gaer").diagnostics().front().help.front(), "did you mean `gear`?");
}

}  // namespace
}  // namespace dalembert
