// SPDX-License-Identifier: Apache-2.0
// Studies at one state of systems with contacts: these are held as they are there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "cli/ball.h"
#include "cli/process.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;

// What is said of a system with contacts is said of them as they are.
TEST(HeldContacts, SaysWhichContactsAreHeld) {
  const Folder folder;
  folder.write("ball.toml", ball_above_ground("0 m"));
  for (const char* verb : {"linearize", "analyze"}) {
    const Outcome done = run({verb, "ball.toml"}, {.folder = folder.path()});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.err, AllOf(HasSubstr("W0316"), HasSubstr("`ground` closed"))) << verb;
  }
}

// A contact at rest, with friction or without, does not hide that the motion through it has a negative inertia.
TEST(HeldContacts, ANegativeInertiaAtAContactIsToldAsSuch) {
  const Folder folder;
  const std::string friction = R"toml([[friction]]
name = "rub"
normal = "lambda(ground)"
velocity = "x'"
coefficient = 0.3
)toml";
  for (const std::string& beside : {std::string(), friction}) {
    folder.write("falls_up.toml", R"(name = "falls up"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 - y'^2)/2"
potential = "9.81*y"
[[constraint]]
name = "ground"
holonomic = "y"
unilateral = true
[initial]
velocity = {x = 1}
)" + beside);
    const Outcome check = run({"check", "falls_up.toml"}, {.folder = folder.path()});
    EXPECT_EQ(check.status, 0);
    EXPECT_THAT(check.err, AllOf(HasSubstr("W0104"), HasSubstr("W0301"), HasSubstr("`M[y,y] = -1` is negative")));
    const Outcome analyze = run({"analyze", "falls_up.toml"}, {.folder = folder.path()});
    EXPECT_THAT(analyze.err, AllOf(HasSubstr("W0316"), HasSubstr("no positive inertia: they are taken as open"),
                                   HasSubstr("W0301")));
    EXPECT_THAT(analyze.out, HasSubstr("equilibria were not looked for"));
    const Outcome simulate = run({"simulate", "falls_up.toml", "--until", "1"}, {.folder = folder.path()});
    EXPECT_EQ(simulate.status, 3);
    EXPECT_THAT(simulate.err, AllOf(HasSubstr("E0304"),
                                    HasSubstr(beside.empty() ? "no positive inertia" : "`M[y,y] = -1` is negative")));
  }
}

// A bead outside a circle may rest on its top, not below it, where the contact would have to pull; a pendulum does not stand behind a wall.
// With a wall that allows it, it does. Of equilibria up to whole turns one in front of a wall counts: -pi for pi.
TEST(HeldContacts, EquilibriaKeepContactsAsTheyAreHeld) {
  const Folder folder;
  folder.write("hill.toml", R"(name = "hill"
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}]
parameters = {m = "1 kg", g = "9.81 m/s^2", R = "1 m"}
energy = {kinetic = "m*(x'^2 + y'^2)/2", potential = "m*g*y"}
constraint = [{name = "hill", holonomic = "hypot(x, y) - R", unilateral = true}]
initial = {position = {x = 0, y = "1 m"}}
)");
  const Outcome hill = run({"analyze", "hill.toml", "--json"}, {.folder = folder.path()});
  ASSERT_EQ(hill.status, 0) << hill.err;
  ASSERT_EQ(hill.json()["equilibria"].size(), 1U);
  EXPECT_NEAR(hill.json()["equilibria"][0]["q"]["y"].get<double>(), 1, 1e-12);
  EXPECT_EQ(hill.json()["equilibria"][0]["stability"], "unstable");
  const auto pendulum = [&](const std::string& gap, const std::string& start) {
    return folder.write("pendulum.toml", R"toml(name = "pendulum"
coordinates = [{name = "th", unit = "rad"}]
parameters = {J = "1 kg*m^2", c = "9.81 N*m"}
energy = {kinetic = "J*th'^2/2", potential = "-c*cos(th)"}
constraint = [{name = "wall", holonomic = ")toml" +
                                             gap + R"(", unilateral = true}]
initial = {position = {th = )" + start + "}}\n");
  };
  for (const auto& [gap, count] : std::vector<std::pair<std::string, std::size_t>>{
           {"1/2 + cos(th)", 1}, {"2 + cos(th)", 2}, {"4 - th", 2}, {"th + 1", 2}, {"3 - th", 2}}) {
    const Outcome found = run({"analyze", pendulum(gap, "0.5"), "--json"});
    ASSERT_EQ(found.status, 0) << found.err;
    EXPECT_EQ(found.json()["equilibria"].size(), count) << gap;
  }
  // The nearest equilibrium is behind the wall.
  const Outcome settled = run({"linearize", pendulum("3 - th", "2.9"), "--settle"});
  EXPECT_EQ(settled.status, 3);
  EXPECT_THAT(settled.err, HasSubstr("E0308"));
  EXPECT_THAT(settled.err, HasSubstr("there the contact `wall` has a gap of -0.14"));
}

}  // namespace
}  // namespace dalembert::testing
