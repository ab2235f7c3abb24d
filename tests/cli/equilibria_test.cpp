// SPDX-License-Identifier: Apache-2.0
// What analyze and linearize say of equilibria that a linearisation does not know: held by static friction alone, or where a slope is infinite.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/process.h"

namespace dalembert::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A block of 2 kg on an incline of 22°: it pulls with 2·9.81·sin 22° = 7.35 N, sliding friction resists with 0.35·2·9.81·cos 22° = 6.367 N, static friction
// with 8.186 N at most.
constexpr const char* kIncline = R"toml(name = "incline"
coordinates = [{name = "s", unit = "m"}, {name = "n", unit = "m"}]
parameters = {m = "2 kg", g = "9.81 m/s^2", al = "22 deg", mu = 0.35, mus = 0.45}
energy = {kinetic = "m*(s'^2 + n'^2)/2", potential = "m*g*(n*cos(al) - s*sin(al))"}
constraint = [{name = "plane", holonomic = "n"}]
friction = [{name = "rub", normal = "lambda(plane)", velocity = "s'", coefficient = "mu", static = "mus"}]
initial = {position = {s = "0 m"}, velocity = {s = "0 m/s"}}
)toml";

TEST(StaticFriction, HoldsABlockUntilAPush) {
  const Folder folder;
  const std::string model = folder.write("incline.toml", kIncline);
  const auto found = run({"analyze", model, "--json"}).json()["equilibria"];
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]["stability"], "unstable");
  EXPECT_EQ(found[0]["because"][0],
            "rub holds 7.35 N by static friction alone: a push makes it slide, for then only 6.367 N resists");
  EXPECT_THAT(run({"analyze", model}).out,
              AllOf(HasSubstr("equilibrium, unstable"), HasSubstr("by static friction alone")));
  const auto linear = run({"linearize", model, "--json"}).json();
  EXPECT_EQ(linear["stability"], "unstable");
  EXPECT_EQ(linear["zero"]["because"][0], found[0]["because"][0]);
  EXPECT_THAT(run({"linearize", model}).out, AllOf(HasSubstr("by static friction alone"), HasSubstr("\n  unstable\n")));
  // Runs say the same: s'' = 0.491 m/s² after a push, (9.81 (sin 22° − 0.35 cos 22°)).
  const auto pushed = run({"simulate", model, "--set", "s'=1e-6 m/s", "--until", "2", "--json"}).json();
  EXPECT_NEAR(pushed["final"]["q"]["s"].get<double>(), 0.98281, 1e-4);
  // Uphill a push comes to rest, then it sticks. Below the angle of sliding friction every push does: atan 0.35 = 19.29°.
  for (const char* angle : {"19.2 deg", "-19.2 deg", "5 deg", "0"})
    EXPECT_EQ(run({"linearize", model, "--set", std::string("al=") + angle, "--json"}).json()["stability"], "stable")
        << angle;
  for (const char* angle : {"19.4 deg", "-19.4 deg"})
    EXPECT_EQ(run({"linearize", model, "--set", std::string("al=") + angle, "--json"}).json()["stability"], "unstable")
        << angle;
}

// A spring of 1 N/m pulls with x: rest is possible up to 0.7, and stable up to 0.5.
TEST(StaticFriction, OfAFamilyEachMemberIsJudged) {
  const Folder folder;
  const std::string model = folder.write("spring.toml", R"toml(name = "spring"
coordinates = ["x"]
energy = {kinetic = "x'^2/2", potential = "x^2/2"}
friction = [{name = "rub", normal = "1", velocity = "x'", coefficient = 0.5, static = 0.7}]
initial = {position = {x = 0.6}, velocity = {x = 0}}
)toml");
  const auto verdict = [&](const std::string& x) {
    return run({"linearize", model, "--set", "x=" + x, "--json"}).json()["stability"];
  };
  EXPECT_EQ(verdict("0.4999"), "stable");
  EXPECT_EQ(verdict("0.5"), "stable");
  EXPECT_EQ(verdict("0.5001"), "unstable");
  EXPECT_EQ(verdict("-0.65"), "unstable");
  auto plane =
      run({"plot", model, "--phase", "x,x'", "--x-range=-1:1", "-o", folder.write("plane.svg", ""), "--json"}).json();
  ASSERT_EQ(plane["families"].size(), 3U);
  for (const int k : {0, 1, 2})
    EXPECT_EQ(plane["families"][static_cast<std::size_t>(k)]["stability"], k == 1 ? "stable" : "unstable");
  EXPECT_NEAR(plane["families"][1]["to"]["x"].get<double>(), 0.5, 0.006);
  EXPECT_NEAR(plane["families"][2]["to"]["x"].get<double>(), 0.7, 0.006);
  // Of what slides at any speed, the coefficient at that speed counts, even where it jumps there.
  const std::string jumping = folder.write("jumping.toml", R"toml(name = "jumping"
coordinates = ["x"]
energy = {kinetic = "x'^2/2", potential = "x^2/2"}
friction = [{name = "rub", normal = "1", velocity = "x'", coefficient = "if(abs(x') > 0, 0.5, 0.7)"}]
initial = {position = {x = 0.6}, velocity = {x = 0}}
)toml");
  EXPECT_EQ(run({"linearize", jumping, "--json"}).json()["stability"], "unstable");
}

// Blocks that nothing connects: the second one slides away after a push, whatever the first does.
TEST(StaticFriction, OneOfSeveralSlidesAway) {
  const Folder folder;
  const std::string model = folder.write("two.toml", R"toml(name = "two"
coordinates = ["x", "y"]
energy = {kinetic = "x'^2/2 + y'^2/2", potential = "-0.3*x - 1.1*y"}
friction = [{name = "first", normal = "1", velocity = "x'", coefficient = 1, static = 1.2},
            {name = "second", normal = "1", velocity = "y'", coefficient = 1, static = 1.2}]
initial = {position = {x = 0, y = 0}, velocity = {x = 0, y = 0}}
)toml");
  const auto found = run({"analyze", model, "--json"}).json()["equilibria"];
  ASSERT_GE(found.size(), 1U);
  EXPECT_EQ(found[0]["stability"], "unstable");
  EXPECT_THAT(found[0]["because"][0].get<std::string>(), HasSubstr("second holds 1.1 by static friction alone"));
}

// Two frictions that hold one block, and one in a plane, are not decided.
TEST(StaticFriction, SaysWhatItDoesNotDecide) {
  const Folder folder;
  const std::string both = folder.write("both.toml", R"toml(name = "both"
coordinates = ["x"]
energy = {kinetic = "x'^2/2", potential = "-2.2*x"}
friction = [{name = "first", normal = "1", velocity = "x'", coefficient = 1, static = 1.2},
            {name = "second", normal = "1", velocity = "x'", coefficient = 1, static = 1.2}]
initial = {position = {x = 0}, velocity = {x = 0}}
)toml");
  const std::string plane = folder.write("plane.toml", R"toml(name = "plane"
coordinates = ["x", "y"]
energy = {kinetic = "x'^2/2 + y'^2/2", potential = "-1.1*x"}
friction = [{name = "rub", normal = "1", velocity = ["x'", "y'"], coefficient = 1, static = 1.2}]
initial = {position = {x = 0, y = 0}, velocity = {x = 0, y = 0}}
)toml");
  for (const std::string& model : {both, plane}) {
    const Outcome outcome = run({"linearize", model, "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["stability"], "marginal");
    EXPECT_THAT(outcome.json()["undecided"].get<std::string>(), HasSubstr("was not decided"));
    EXPECT_THAT(run({"analyze", model}).out, AllOf(HasSubstr("marginal"), HasSubstr("was not decided")));
  }
  EXPECT_EQ(run({"linearize", plane, "--set", "y=1", "--json"}).json()["stability"], "marginal");
}

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

// r θ'² of a bead on a rod is below round-off of 1 at r = −894 and θ' = 5e-10, and x' y of a row at 1e-6 and 1e-10: these are no steady motions. Where
// Newton's method creeps, 4 x³ = 0, the equilibrium is at 0.
TEST(Equilibria, OfRoundOffAreNone) {
  const Folder folder;
  const std::string bead = R"toml(name = "bead"
coordinates = ["r", "th", "z"]
[energy]
kinetic = "(r'^2+r^2*th'^2+th'^2+z'^2)/2"
potential = "z^2/2"
dissipation = "(r'^2+z'^2)/2"
)toml";
  const std::string row = R"toml(name = "row"
coordinates = ["x", "y", "z"]
force = [{coordinate = "z", value = "-z"}, {coordinate = "x", value = "-x'"}, {coordinate = "y", value = "-y'"}]
[energy]
kinetic = "(x'^2+y'^2+z'^2)/2"
[[constraint]]
name = "c"
pfaffian = "z'-y*x'"
)toml";
  for (const std::string& model : {bead, row}) {
    auto found = run({"analyze", folder.write("model.toml", model), "--json"}).json()["equilibria"];
    EXPECT_GE(found.size(), 1U);
    for (const auto& one : found)
      for (const auto& [name, v] : one["v"].items()) EXPECT_TRUE(v == 0 || std::abs(v.get<double>()) > 1e-3) << one;
  }
  auto found = run({"analyze", folder.write("model.toml", R"toml(name = "quartic"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "x^4/4"
[initial]
position = {x = 1}
)toml"),
                    "--json"})
                   .json()["equilibria"];
  ASSERT_EQ(found.size(), 1U) << found;
  EXPECT_EQ(found[0]["q"]["x"], 0);
}

// A friction that slides may add energy: 0.3 + 0.1 x'³ on a belt drives x away, whose equation at x = 3 is x'' = −(x − 3) + x'³.
TEST(Equilibria, AFrictionThatSlidesIsAForce) {
  const Folder folder;
  auto found = run({"analyze", folder.write("belt.toml", R"toml(name = "belt"
coordinates = ["x"]
energy = {kinetic = "x'^2/2", potential = "x^2/2"}
friction = [{name = "belt", normal = "10", velocity = "x' - 1", coefficient = "0.3 + 0.1*(x')^3"}]
)toml"),
                    "--json"})
                   .json()["equilibria"];
  ASSERT_EQ(found.size(), 1U) << found;
  EXPECT_NEAR(found[0]["q"]["x"].get<double>(), 3, 1e-9);
  EXPECT_EQ(found[0]["stability"], "marginal");
}

// A link without weight or spring rests at all angles, stated by the x and y of its ends: multipliers are 0 but for round-off, and the circle is curved.
TEST(Equilibria, OfAFreeLinkAreFamilies) {
  const Folder folder;
  auto found = run({"analyze", folder.write("links.toml", R"toml(name = "links"
coordinates = ["x0", "y0", "x1", "y1"]
[energy]
kinetic = "(x0'^2 + y0'^2 + 2*(x1'^2 + y1'^2))/2"
potential = "x0^2/2"
[[constraint]]
name = "c0"
holonomic = "x0^2 + y0^2 - 1"
[[constraint]]
name = "c1"
holonomic = "(x1 - x0)^2 + (y1 - y0)^2 - 1"
[initial]
guess = {x0 = 0.6, y0 = -0.9, x1 = 0.1, y1 = -1.8}
)toml"),
                    "--json"})
                   .json()["equilibria"];
  EXPECT_EQ(found.size(), 4U);
  for (const auto& one : found) EXPECT_EQ(one["family"], nlohmann::json::array({"x1"})) << one;
}

}  // namespace
}  // namespace dalembert::testing
