// SPDX-License-Identifier: Apache-2.0
// What analyze and linearize say of equilibria that a linearisation does not know: where a derivative jumps or is infinite.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/process.h"

namespace dalembert::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// The force −3x|x| of V = |x|³ has the derivative 0 at x = 0, on both sides of it.
TEST(Equilibria, AForceThatChangesItsSecondDerivativeHasAFirstOne) {
  const Folder folder;
  const std::string model = folder.write("cubed.toml", R"toml(name = "cubed"
coordinates = ["x"]
energy = {kinetic = "x'^2/2", potential = "abs(x)^3"}
)toml");
  const Outcome linear = run({"linearize", model});
  EXPECT_EQ(linear.err, "");
  EXPECT_THAT(linear.out,
              AllOf(HasSubstr("the first derivatives on all sides agree here (`x`)"), HasSubstr("\n  stable\n")));
  EXPECT_THAT(run({"analyze", model}).out, AllOf(HasSubstr("equilibrium, stable"), Not(HasSubstr("no derivative"))));
}

// √|ẋ| has no finite slope at rest, wherever that is: the mass rests at x = 0, where nothing can be linearised.
TEST(Equilibria, WhereASlopeIsInfiniteAreFoundAndNotJudged) {
  const Folder folder;
  const std::string model = folder.write("root.toml", R"toml(name = "root"
coordinates = ["x"]
energy = {kinetic = "x'^2/2", potential = "(x - 2)^2/2"}
force = [{coordinate = "x", value = "-sqrt(abs(x'))*sign(x')"}]
)toml");
  const auto found = run({"analyze", model, "--json"}).json()["equilibria"];
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0]["q"]["x"].get<double>(), 2, 1e-12);
  EXPECT_EQ(found[0]["stability"], "marginal");
  EXPECT_EQ(found[0]["undecided"], "a derivative of the equations is not finite at this state");
}

}  // namespace
}  // namespace dalembert::testing
