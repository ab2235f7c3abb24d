// SPDX-License-Identifier: Apache-2.0
// linearize --vary and --settle where branches of equilibria end, and where coordinates do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "cli/process.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;

// V = −μ x²/2 + x⁴/4 − h x with h = 0.01: the branch from x < 0 folds at μ = 3 (h/2)^(2/3) = 0.0877205, and at x > 0 there is another.
constexpr const char* kImperfect = R"toml(coordinates = ["x"]
parameters = {mu = 1, h = 0.01}
[energy]
kinetic = "1/2*x'^2"
potential = "-mu*x^2/2 + x^4/4 - h*x"
dissipation = "0.05*x'^2"
[initial]
position = {x = -1}
)toml";

TEST(LinearizeVary, EndsWhereTheBranchFolds) {
  struct Case {
    const char* range;
    std::size_t rows;
  };
  for (const Case& c : {Case{"mu=0.15:0:0.01", 7}, Case{"mu=1:-1:0.25", 4}, Case{"mu=1:-1:2", 1}}) {
    const Outcome outcome = run({"linearize", "-", "--settle", "--vary", c.range, "--json"}, {.input = kImperfect});
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    auto vary = outcome.json()["vary"];
    EXPECT_EQ(vary["values"].size(), c.rows) << c.range;
    EXPECT_EQ(vary["critical"].size(), 0U) << c.range;
    EXPECT_THAT(vary["stopped"].get<std::string>(), HasSubstr("it folds back near 0.08772")) << c.range;
  }
  // The other branch goes on, over one wide step as well.
  auto other =
      run({"linearize", "-", "--settle", "--set", "x=1", "--vary", "mu=1:-1:2", "--json"}, {.input = kImperfect})
          .json()["vary"];
  ASSERT_EQ(other["values"].size(), 2U);
  // x³ + x = 0.01 there; the frequency² is 3 x² + 1, less the damping's 0.05².
  const double x = 0.00999900029989;
  EXPECT_NEAR(std::abs(other["eigenvalues"][1][0][1].get<double>()), std::sqrt(3 * x * x + 1 - 0.0025), 1e-9);
}

// V = x³/3 − μ x: x = sqrt(μ) ends at μ = 0. The first value without an equilibrium is −0.1, wherever else one was looked for.
TEST(LinearizeVary, NamesTheValueAtWhichThePathStopped) {
  const std::string model = R"toml(coordinates = ["x"]
parameters = {mu = 1}
[energy]
kinetic = "1/2*x'^2"
potential = "-mu*x + x^3/3"
dissipation = "0.05*x'^2"
[initial]
position = {x = 1}
)toml";
  auto vary = run({"linearize", "-", "--settle", "--vary", "mu=1:-1:0.1", "--json"}, {.input = model}).json()["vary"];
  EXPECT_EQ(vary["values"].size(), 11U);
  EXPECT_THAT(vary["stopped"].get<std::string>(), HasSubstr("to -0.1: it folds back near 0"));
}

// A top in Euler angles settles upright, where only the sum psi' + ph' has inertia.
TEST(LinearizeVary, SaysWhereItSettledAndWhatIsSingularThere) {
  const std::string model = R"toml(coordinates = ["psi", "th", "ph"]
parameters = {A = 0.35, C = 0.2, k = 4.905, s = 20}
[energy]
kinetic = "A/2*(th'^2 + psi'^2*sin(th)^2) + C/2*(ph' + psi'*cos(th))^2"
potential = "k*cos(th)"
[initial]
position = {th = 0.5}
velocity = {ph = "s"}
)toml";
  const Outcome outcome = run({"linearize", "-", "--settle"}, {.input = model});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("E0307"));
  EXPECT_THAT(outcome.err, HasSubstr("`--settle` went to"));
  EXPECT_THAT(outcome.err, HasSubstr("th = 0"));
  EXPECT_THAT(
      outcome.err,
      HasSubstr("the motion `psi' = 1` and `ph' = -1` has no inertia at this position, and has some beside it"));
}

}  // namespace
}  // namespace dalembert::testing
