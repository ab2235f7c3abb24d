// SPDX-License-Identifier: Apache-2.0
// Models that grow: what is too large is refused, with its size, the limit and what still works, before it is begun; what need not
// be large is not. Each took from 9 s to minutes, or gigabytes, before it was mended: that these end soon is part of the test.
#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/process.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

void expect_refused(const Outcome& outcome, int status, const std::string& size) {
  EXPECT_EQ(outcome.status, status) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("error[E0904]"));
  EXPECT_THAT(outcome.err, HasSubstr(size));
  EXPECT_THAT(outcome.err, HasSubstr("help: "));
  EXPECT_THAT(outcome.out, IsEmpty());
}

TEST(LargeModels, ChainsInAnglesAreRefusedByEveryVerb) {
  for (const char* verb : {"check", "derive", "eval", "simulate"})
    expect_refused(run({verb, "n-link-chain", "--set", "N=1000"}), 1, "1000 velocities");
  // By these before anything is derived.
  expect_refused(run({"analyze", "n-link-chain", "--set", "N=450"}), 1, "this model has 450");
  expect_refused(run({"linearize", "n-link-chain", "--set", "N=450"}), 3, "900 states");
  expect_refused(run({"derive", "n-link-chain", "--set", "N=1000", "--only", "M"}), 1, "250000 pairs");
  // What the refusal recommends.
  const Outcome sparse = run({"check", "n-link-chain-maximal", "--set", "N=1000"});
  EXPECT_EQ(sparse.status, 0) << sparse.err;
}

TEST(LargeModels, WhatIsDenseInALinearisation) {
  expect_refused(run({"linearize", "n-link-chain-maximal", "--set", "N=400"}), 3,
                 "2000 velocities and constraint rows");
  // Derivation ends where there are more parts than are differentiated: all of a chain of 390 links are 1,500,000.
  const Outcome coupled = run({"linearize", "n-link-chain", "--set", "N=390"});
  expect_refused(coupled, 3, "more than 200000 parts");
  // Without constraints the states are twice as many as the velocities, and eigenvalues take their cube.
  const std::string masses = R"toml(name = "masses"
coordinates = [{name = "x{i}", for = "i in 1..500"}]
[energy]
kinetic = "sum(i in 1..500, x{i}'^2/2)"
potential = "sum(i in 1..500, x{i}^2/2)"
)toml";
  expect_refused(run({"linearize", "-"}, {.input = masses}), 3, "1000 states");
  const Outcome analysis = run({"analyze", "n-link-chain", "--set", "N=190"});
  EXPECT_EQ(analysis.status, 0) << analysis.err;
  EXPECT_THAT(analysis.err, HasSubstr("W0315"));
  EXPECT_THAT(analysis.out, HasSubstr("equilibria were not looked for"));
}

// The gradient by 2,000 initial values carries no derivative along the run; memory for 2,000 of them took 3 GB and 30 s.
TEST(LargeModels, GradientsByManyInitialValues) {
  std::string positions, velocities;
  for (int i = 1; i <= 1000; ++i) {
    positions += fmt::format("{}x{} = {}", i > 1 ? ", " : "", i, i == 1 ? 1 : 0);
    velocities += fmt::format("{}x{} = 0", i > 1 ? ", " : "", i);
  }
  const std::string masses = fmt::format(R"toml(name = "masses"
coordinates = [{{name = "x{{i}}", for = "i in 1..1000"}}]
[energy]
kinetic = "sum(i in 1..1000, x{{i}}'^2/2)"
potential = "sum(i in 1..1000, x{{i}}^2/2)"
[outputs]
first = "x1"
[initial]
position = {{{}}}
velocity = {{{}}}
)toml",
                                         positions, velocities);
  const Outcome outcome = run({"simulate", "-", "--until", "1", "--gradient-of", "first", "--json"}, {.input = masses});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json by = outcome.json()["gradient"]["first"];
  ASSERT_EQ(by.size(), 2000U);
  EXPECT_NEAR(by["x1"].get<double>(), std::cos(1.0), 1e-6);
  EXPECT_NEAR(by["x1'"].get<double>(), std::sin(1.0), 1e-6);
  EXPECT_EQ(by["x2"].get<double>(), 0);
}

// A return map has as many directions as the constraints leave, and each impact is found again in each of them. Of 1,000 balls it took 3 GB within 40 s.
TEST(LargeModels, ReturnMapsOfManyBallsAreRefused) {
  const auto balls = [](int count) {
    return fmt::format(R"toml(name = "balls"
coordinates = [{{name = "y{{i}}", for = "i in 1..{0}"}}]
[energy]
kinetic = "sum(i in 1..{0}, y{{i}}'^2/2)"
potential = "sum(i in 1..{0}, 9.81*y{{i}})"
[[constraint]]
for = "i in 1..{0}"
name = "floor{{i}}"
holonomic = "y{{i}}"
unilateral = true
restitution = 1
[[initial.position]]
for = "i in 1..{0}"
"y{{i}}" = "1 + {{i}}/1000"
[simulation]
until = "2 s"
)toml",
                       count);
  };
  expect_refused(run({"cycle", "-"}, {.input = balls(1000)}), 1, "2000 coordinates and velocities");
  expect_refused(run({"cycle", "-"}, {.input = balls(300)}), 1, "impacts and changes of conditions");
  const Outcome few = run({"cycle", "-"}, {.input = balls(10)});
  EXPECT_EQ(few.status, 0) << few.err;
}

// 1,000 bowls, in each of which a point starts at x = 1.
std::string bowls(const std::string& normal) {
  std::string text = R"toml(name = "bowls"
coordinates = [{name = "x{i}", for = "i in 1..1000"}, {name = "y{i}", for = "i in 1..1000"}]
[energy]
kinetic = "sum(i in 1..1000, x{i}'^2 + y{i}'^2)/2"
potential = "sum(i in 1..1000, 9.81*y{i})"
[[constraint]]
for = "i in 1..1000"
name = "bowl{i}"
holonomic = "y{i} - x{i}^2/4"
[[friction]]
for = "i in 1..1000"
name = "rub{i}"
velocity = "x{i}'"
coefficient = 0.1
normal = ")toml" + normal +
                     "\"\n[initial]\nposition = {x1 = 1";
  for (int i = 2; i <= 1000; ++i) text += fmt::format(", x{} = 1", i);
  return text + "}\n";
}

TEST(LargeModels, FrictionsThatDependOnEachOtherAreSolvedForAtOnce) {
  expect_refused(run({"check", "-"}, {.input = bowls("lambda(bowl{i}) + lambda(bowl1)")}), 1, "1000 frictions");
  // Each for itself.
  const Outcome alone = run({"simulate", "-", "--until", "0.1"}, {.input = bowls("lambda(bowl{i})")});
  EXPECT_EQ(alone.status, 0) << alone.err;
  EXPECT_THAT(alone.out, HasSubstr("verdict: holds"));
}

// 3,000 rows that say one thing, and 3,000 that hold nowhere near the guess.
TEST(LargeModels, ManyRows) {
  const Outcome same = run({"check", "-"}, {.input = R"toml(name = "rows"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
[[constraint]]
name = "c{i}"
for = "i in 1..3000"
holonomic = "{i}*(x^2 + y^2 - 1)"
[initial]
position = {x = 1}
)toml"});
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_THAT(same.err, HasSubstr("2999 of 3000 constraint rows are redundant"));
  const Outcome away = run({"check", "-"}, {.input = R"toml(name = "rows"
coordinates = [{name = "x{i}", for = "i in 1..3000"}]
[energy]
kinetic = "sum(i in 1..3000, x{i}'^2/2)"
[[constraint]]
name = "c{i}"
for = "i in 1..2999"
holonomic = "x{i}*x{i+1} - 1"
)toml"});
  EXPECT_EQ(away.status, 3);
  EXPECT_THAT(away.err, HasSubstr("E0302"));
}

TEST(LargeModels, WhatIsNotShownIsNotWritten) {
  const Folder folder;
  const std::string page = folder.file("page.html"), frames = R"toml(name = "frames"
coordinates = ["a"]
gravity = ["0", "0", "-9"]
[[frame]]
name = "f0"
rotate = [["x", "a"]]
origin = [0, 0, 1]
[[frame]]
name = "f{i}"
for = "i in 1..12"
parent = "f{i-1}"
origin = [0, 0, 1]
rotate = [["x", "a"], ["y", "a"], ["z", "a"]]
[[body]]
name = "b"
frame = "f12"
mass = 1
inertia = [1, 1, 1]
)toml";
  EXPECT_EQ(run({"derive", "-", "-o", page}, {.input = frames}).status, 0);
  EXPECT_LT(read_text(page).size(), 5'000'000U);
  std::string largest;
  for (int i = 0; i < 1000; ++i) largest += fmt::format("{}x*{}", i > 0 ? ", " : "", i);
  const Outcome guards =
      run({"check", "-"},
          {.input = fmt::format(
               "name = \"max\"\ncoordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"max({})\"\n",
               largest)});
  EXPECT_EQ(guards.status, 0) << guards.err;
}

}  // namespace
}  // namespace dalembert::testing
