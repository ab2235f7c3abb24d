// SPDX-License-Identifier: Apache-2.0
// Derivatives of integrals over runs, against closed forms and published figures.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "dalembert/study/system_at.h"
#include "oracles/idas_slider_crank.h"
#include "study/closed_forms.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using testing::Contains;
using testing::HasSubstr;

Trajectory run_by(const std::string& text, const std::vector<std::string>& names, IntegrateOptions options) {
  Result<Model> loaded = load_model(make_source("integrals", text), {});
  const BuiltModel system =
      value_of(build_model(std::make_shared<const Model>(value_of(std::move(loaded))), {}, {.machine_code = false}));
  for (const std::string& name : names) options.tangents.push_back({.name = name});
  const Diagnostics problems = find_tangents(system, options);
  EXPECT_TRUE(problems.empty()) << render(problems);
  return integrate(system.dynamics, assemble_start(system.equations, system.dynamics).state, options);
}

double at_end(const Trajectory& run, const std::string& name) {
  const auto series = run.series(name);
  EXPECT_FALSE(series.empty()) << name;
  return series.empty() ? NAN : series.back();
}

// cases §30; the recomputed figures have nine digits.
TEST(SensitivityOfIntegrals, OfTheSliderCrankOfIdas) {
  for (const Method method : kMethods)
    for (const double rtol : {1e-7, 1e-11}) {
      const Trajectory run = run_by(oracles::idas_slider_crank(), {"k", "c"},
                                    {.until = 10, .rtol = rtol, .atol = 1e-2 * rtol, .method = method});
      const double allowed = 2e-9 + 20 * rtol;
      EXPECT_NEAR(at_end(run, "output/G"), 3.336606799483, allowed) << to_text(method);
      EXPECT_NEAR(at_end(run, "sens/k/output/G"), 0.333448106, allowed) << to_text(method);
      EXPECT_NEAR(at_end(run, "sens/c/output/G"), -0.363754034, allowed) << to_text(method);
    }
}

const std::string kFallingBall = R"toml(name = "ball"
coordinates = [{name = "y", unit = "m"}]
gravity = ["0", "-g"]
[parameters]
m = "2 kg"
g = "9.81 m/s^2"
e = 0.8
[[body]]
name = "ball"
mass = "m"
position = [0, "y"]
[initial]
position = {y = "1 m"}
[outputs]
height = "integral(y)"
square = "integral(y)^2"
)toml";
const std::string kGround = "[[constraint]]\nname = \"ground\"\nholonomic = \"y\"\nunilateral = true\n";

// y falls from h for t₁ = √(2h/g), then flies with v = e√(2gh): ∫y = h t₁ − g t₁³/6 + v s²/2 − g s³/6, s = t − t₁, before it comes back.
TEST(SensitivityOfIntegrals, PassesAnImpact) {
  const double g = 9.81, e = 0.8, t = 0.9, t1 = std::sqrt(2 / g), s = t - t1, v = e * std::sqrt(2 * g);
  const Trajectory run =
      run_by(kFallingBall + kGround + "restitution = \"e\"\n", {"e", "g"}, {.until = t, .rtol = 1e-12, .atol = 1e-14});
  const double by_e = v / e * s * s / 2, t1_g = -t1 / (2 * g);
  const double by_g = t1_g - t1 * t1 * t1 / 6 - g * t1 * t1 / 2 * t1_g + v / (2 * g) * s * s / 2 - v * s * t1_g -
                      s * s * s / 6 + g * s * s / 2 * t1_g;
  EXPECT_NEAR(at_end(run, "sens/e/output/height"), by_e, 1e-10);
  EXPECT_NEAR(at_end(run, "sens/g/output/height"), by_g, 1e-10);
  EXPECT_NEAR(at_end(run, "sens/g/output/square"), 2 * at_end(run, "output/height") * by_g, 1e-9);
}

// With e = 0 the ball rests after t₁: ∫λ = m g (t − t₁), an integrand that jumps at the impact.
TEST(SensitivityOfIntegrals, PassesAJumpOfTheIntegrand) {
  const double g = 9.81, m = 2, t = 1.2, t1 = std::sqrt(2 / g);
  const Trajectory run =
      run_by(kFallingBall + "push = \"integral(lambda(ground))\"\nrests = \"integral(closed(ground))\"\n" + kGround,
             {"g", "m"}, {.until = t, .rtol = 1e-12, .atol = 1e-14});
  EXPECT_NEAR(at_end(run, "output/push"), m * g * (t - t1), 1e-11);
  EXPECT_NEAR(at_end(run, "sens/g/output/push"), m * (t - t1) + m * t1 / 2, 1e-9);
  EXPECT_NEAR(at_end(run, "sens/m/output/push"), g * (t - t1), 1e-9);
  EXPECT_NEAR(at_end(run, "sens/g/output/rests"), t1 / (2 * g), 1e-10);
}

// Where an event ends the run, the last row is at its shifted instant: ∫y to the ground is ⅔ h t₁, and ∫y' is −h whatever g is.
TEST(SensitivityOfIntegrals, EndsAtAShiftedInstant) {
  const double g = 9.81, t1 = std::sqrt(2 / g);
  const Trajectory run =
      run_by(kFallingBall + "way = \"integral(y')\"\n[[event]]\nname = \"down\"\nwhen = \"y\"\nstop = true\n",
             {"g", "y"}, {.until = 3, .rtol = 1e-12, .atol = 1e-14});
  EXPECT_NEAR(at_end(run, "output/height"), 2 * t1 / 3, 1e-12);
  EXPECT_NEAR(at_end(run, "sens/g/output/height"), -t1 / (3 * g), 1e-10);
  EXPECT_NEAR(at_end(run, "sens/y/output/height"), t1, 1e-10);  // ⅔ h √(2h/g) grows with h³ᐟ²
  EXPECT_NEAR(at_end(run, "sens/g/output/way"), 0, 1e-10);
}

// From rest, x = F/k (1 − cos ωt): W = F²/(k m) (t/2 − sin(2 ωt)/(4 ω)), and W_k = ∫ 2 x' ∂x'/∂k begins as t⁵, with the same relative error over any first step.
TEST(SensitivityOfIntegrals, OfAStartAtRestBeginAsPowersOfTime) {
  const double k = 8, m = 2, F = 3, t = 1;
  const auto W = [&](double stiffness, double mass) {
    const double w = std::sqrt(stiffness / mass);
    return F * F / (stiffness * mass) * (t / 2 - std::sin(2 * w * t) / (4 * w));
  };
  for (const double rtol : {1e-6, 1e-9, 1e-12}) {
    const Trajectory run = run_by(R"toml(coordinates = [{name = "x", unit = "m"}]
parameters = {m = "2 kg", F = "3 N", k = "8 N/m"}
[energy]
kinetic = "m*x'^2/2"
[[force]]
coordinate = "x"
value = "F - k*x"
[outputs]
W = "integral(x'^2)"
)toml",
                                  {"k", "m", "F"}, {.until = t, .rtol = rtol, .atol = 1e-2 * rtol});
    const double allowed = 1e-10 + rtol;
    EXPECT_NEAR(at_end(run, "sens/k/output/W"), derivative_of([&](double at) { return W(at, m); }, k), allowed);
    EXPECT_NEAR(at_end(run, "sens/m/output/W"), derivative_of([&](double at) { return W(k, at); }, m), allowed);
    EXPECT_NEAR(at_end(run, "sens/F/output/W"), 2 * W(k, m) / F, allowed);
    EXPECT_THAT(run.verdict.warnings, testing::IsEmpty());
  }
}

// A derivative that would need the instants of corners is no number, and the verdict says so; others are not touched.
TEST(SensitivityOfIntegrals, IsRefusedAtCorners) {
  const Trajectory run = run_by(kFallingBall + "far = \"integral(abs(y - 0.5))\"\nlate = \"integral(max(t, 1))\"\n",
                                {"g"}, {.until = 0.4});
  EXPECT_TRUE(std::isnan(at_end(run, "sens/g/output/far")));
  EXPECT_NEAR(at_end(run, "sens/g/output/height"), -0.4 * 0.4 * 0.4 / 6, 1e-10);
  EXPECT_EQ(at_end(run, "sens/g/output/late"), 0);
  EXPECT_THAT(run.verdict.warnings,
              testing::ElementsAre(HasSubstr("derivatives of outputs that read `integral(abs(y - 1/2))` are unknown")));
  const Trajectory event =
      run_by(kFallingBall + "[[event]]\nname = \"far\"\nwhen = \"integral(y) - 0.1\"\n", {"g"}, {.until = 0.4});
  EXPECT_THAT(event.verdict.warnings, Contains(HasSubstr("an event depends on an integral over the run")));
  EXPECT_TRUE(std::isnan(at_end(event, "sens/g/q/y")));
}

}  // namespace
}  // namespace dalembert
