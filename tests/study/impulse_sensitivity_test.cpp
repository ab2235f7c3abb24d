// SPDX-License-Identifier: Apache-2.0
// Derivatives of what reads the impulse of a contact: an impulse stays as it is until the next impact, and moves with the quantity.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "dalembert/study/system_at.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

// A ball falls from y = 1 on a table.
const std::string kDropped = R"toml(coordinates = ["x", "y"]
parameters = {m = 0.5, g = 10, e = 0.5, d = 0.1}
[energy]
kinetic = "m*(x'^2 + y'^2)/2"
potential = "m*g*y"
[[constraint]]
name = "table"
holonomic = "y"
unilateral = true
restitution = "e"
[outputs]
blow = "impulse(table)"
sum = "integral(impulse(table)^2)"
[initial]
position = {x = 0, y = 1}
velocity = {x = 0, y = 0}
)toml";

Trajectory struck_run(const std::string& text, double until, const std::vector<std::string>& names) {
  const BuiltModel system = value_of(build_model(
      std::make_shared<const Model>(value_of(load_model(make_source("struck", text)))), {}, {.machine_code = false}));
  IntegrateOptions options{.until = until, .rtol = 1e-11};
  for (const std::string& name : names) options.tangents.push_back({.name = name});
  EXPECT_TRUE(find_tangents(system, options).empty());
  return integrate(system.dynamics, assemble_start(system.equations, system.dynamics).state, options);
}

double struck_end(const Trajectory& run, const std::string& name) {
  const auto series = run.series(name);
  EXPECT_FALSE(series.empty()) << name;
  return series.empty() ? NAN : series.back();
}

// p = m (1 + e) √(2 g y) at t₁ = √(2 y/g), and e p after another 2 e t₁; ∫p² = p² (t − t₁) between.
TEST(ImpulseSensitivity, IsThatOfTheLastImpact) {
  const double v = std::sqrt(20), p = 0.75 * v, t1 = std::sqrt(0.2);
  const Trajectory once = struck_run(kDropped, 0.8, {"m", "e", "g", "y", "x'"});
  EXPECT_NEAR(struck_end(once, "sens/m/output/blow"), 1.5 * v, 1e-8);
  EXPECT_NEAR(struck_end(once, "sens/e/output/blow"), 0.5 * v, 1e-8);
  EXPECT_NEAR(struck_end(once, "sens/g/output/blow"), p / 20, 1e-8);
  EXPECT_NEAR(struck_end(once, "sens/y/output/blow"), p / 2, 1e-8);
  EXPECT_NEAR(struck_end(once, "sens/x'/output/blow"), 0, 1e-12);
  EXPECT_NEAR(struck_end(once, "sens/e/output/sum"), p * v * (0.8 - t1), 1e-7);
  EXPECT_NEAR(struck_end(once, "sens/y/output/sum"), p * p * (0.8 - t1) - p * p * t1 / 2, 1e-7);
  EXPECT_EQ(once.series("sens/e/output/blow").front(), 0);
  EXPECT_TRUE(once.verdict.warnings.empty());
  const Trajectory twice = struck_run(kDropped, 1, {"e", "y"});
  EXPECT_NEAR(struck_end(twice, "sens/e/output/blow"), 0.5 * v * 2, 1e-8);  // e (1 + e) m v
  EXPECT_NEAR(struck_end(twice, "sens/y/output/blow"), p / 4, 1e-8);
}

// At its highest point, t₁ + e v/g, the ball is thrown to the side with x' = p/m: x = p/m (t − t₁ − e v/g).
TEST(ImpulseSensitivity, IsReadByAnEvent) {
  const double v = std::sqrt(20), later = 0.9 - std::sqrt(0.2) - 0.5 * v / 10;
  const Trajectory run = struck_run(
      kDropped +
          "[[event]]\nname = \"top\"\nwhen = \"y'\"\ndirection = \"down\"\nset = {\"x'\" = \"impulse(table)/m\"}\n",
      0.9, {"e", "y", "m"});
  EXPECT_NEAR(struck_end(run, "q/x"), 1.5 * v * later, 1e-9);
  EXPECT_NEAR(struck_end(run, "sens/e/q/x"), v * later - 1.5 * v * v / 10, 1e-7);
  EXPECT_NEAR(struck_end(run, "sens/y/q/x"), 1.5 * v / 2 * later - 1.5 * v * (std::sqrt(0.2) + 0.05 * v) / 2, 1e-7);
  EXPECT_NEAR(struck_end(run, "sens/m/q/x"), 0, 1e-8);
}

// A condition that changes after the impact, of an output or of time, changes nothing of what the impulse moves with; nor do frictions that are decided anew at the impact.
TEST(ImpulseSensitivity, StaysAsItIsWhereAConditionChanges) {
  const double v = std::sqrt(20), p = 0.75 * v;
  for (const std::string condition : {"if(y < 0.1, 1, 0)", "if(t > 0.5, 1, 0)", "sign(x - 0.1)"})
    for (const std::string friction :
         {"", "[[friction]]\nname = \"table\"\nnormal = \"lambda(table)\"\nvelocity = \"x'\"\ncoefficient = \"d\"\n"}) {
      std::string text = kDropped + friction;
      text.replace(text.find("sum = "), 3, "side = \"" + condition + "\"\nsum");
      text.replace(text.find("velocity = {x = 0,"), 18, "velocity = {x = 1,");
      const Trajectory run = struck_run(text, 0.7, {"e", "y", "x'"});
      EXPECT_NEAR(struck_end(run, "sens/e/output/blow"), 0.5 * v, 1e-8) << text;
      EXPECT_NEAR(struck_end(run, "sens/y/output/blow"), p / 2, 1e-8) << text;
      EXPECT_NEAR(struck_end(run, "sens/e/v/y"), v, 1e-8) << text;
      EXPECT_NEAR(struck_end(run, "sens/x'/v/x"), 1, 1e-8) << text;
    }
}

}  // namespace
}  // namespace dalembert
