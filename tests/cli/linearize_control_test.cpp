// SPDX-License-Identifier: Apache-2.0
// linearize --lqr, --kalman: motions that are far apart, and what no input moves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cli/process.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A cart with an inverted pendulum beside a crystal, a mass of 1 mg on a spring; nothing is between them. `power`: of the inputs v and f.
std::string beside_a_crystal(const std::string& power) {
  return R"toml(coordinates = [{name = "y", unit = "m"}, {name = "x", unit = "m"}, {name = "th", unit = "rad"}]
parameters = {g = "9.81 m/s^2", M = "1 kg", m = "0.1 kg", L = "0.5 m", mc = "1 mg", k = "100 N/um"}
inputs = {v = "0 N", f = "0 N"}
[energy]
kinetic = "mc*y'^2/2 + M*x'^2/2 + m*((x' + L*cos(th)*th')^2 + (L*sin(th)*th')^2)/2"
potential = "k*y^2/2 + m*g*L*cos(th)"
[[force]]
power = ")toml" +
         power + "\"\n[initial]\nposition = {y = 0, x = 0, th = 0}\n";
}

// The gains of the cart do not depend on the crystal.
TEST(LinearizeControl, GainsBesideSomethingMuchFaster) {
  const Folder folder;
  const std::string model = folder.write("both.toml", beside_a_crystal("v*y' + f*x'"));
  std::vector<double> slow;
  for (const char* k : {"k=1 N/m", "k=100 N/um", "k=10000 N/um"}) {
    const Outcome outcome = run({"linearize", model, "--set", k, "--lqr", "Q = 1; R = 1", "--json"});
    ASSERT_EQ(outcome.status, 0) << k << outcome.err;
    const auto K = outcome.json()["control"]["K"][1].get<std::vector<double>>();
    if (slow.empty()) slow = K;
    for (const std::size_t i : {1U, 2U, 4U, 5U}) EXPECT_NEAR(K[i], slow[i], 1e-9 * std::abs(slow[i])) << k;
  }
}

// th'' = (M + m) g th/(M L): exp(4.64564 t).
TEST(LinearizeControl, AnUnstableMotionThatNoInputMovesIsRefusedBesideSomethingMuchFaster) {
  const Folder folder;
  const std::string model = folder.write("one.toml", beside_a_crystal("v*y' + f*y'"));
  for (const char* k : {"k=1 N/m", "k=1 N/um", "k=100 N/um"}) {
    const Outcome outcome = run({"linearize", model, "--set", k, "--lqr", "Q = 1; R = 1"});
    EXPECT_NE(outcome.status, 0) << k;
    EXPECT_THAT(outcome.err, HasSubstr("no feedback makes this motion stable")) << k;
    EXPECT_THAT(outcome.err, HasSubstr("with the eigenvalue 4.64564, whatever the inputs do")) << k;
  }
}

// A pendulum on a stage that is held by a stiff spring: the input does move it, by a part of 1e-14, which 16 digits hardly tell from none.
TEST(LinearizeControl, WhatRoundOffHidesIsNotCalledImpossible) {
  const Folder folder;
  const std::string model =
      folder.write("stage.toml", R"toml(coordinates = [{name = "x", unit = "m"}, {name = "th", unit = "rad"}]
parameters = {g = "9.81 m/s^2", M = "1 g", m = "1 mg", L = "0.1 m", k = "200 N/um"}
inputs = {f = "0 N"}
[energy]
kinetic = "M*x'^2/2 + m*((x' + L*cos(th)*th')^2 + (L*sin(th)*th')^2)/2"
potential = "k*x^2/2 + m*g*L*cos(th)"
[[force]]
power = "f*x'"
[initial]
position = {x = 0, th = 0}
)toml");
  const Outcome hidden = run({"linearize", model, "--lqr", "Q = 1; R = 1"});
  EXPECT_NE(hidden.status, 0);
  EXPECT_THAT(hidden.err, HasSubstr("round-off hides"));
  EXPECT_THAT(hidden.err, Not(HasSubstr("whatever the inputs do")));
  EXPECT_EQ(run({"linearize", model, "--set", "k=2 N/m", "--lqr", "Q = 1; R = 1"}).status, 0);
}

// Two equal pendulums and one torque: a - b follows its own motion, w = (1, −1, ±i/ω, ∓i/ω) with ω² = g/L, 1/ω = 0.2258.
TEST(LinearizeControl, ComplexCombinationsAreReadable) {
  const Folder folder;
  const std::string model =
      folder.write("two.toml", R"toml(coordinates = [{name = "a", unit = "rad"}, {name = "b", unit = "rad"}]
parameters = {g = "9.81 m/s^2", L = "0.5 m", m = "1 kg", c = "0 N*m*s"}
inputs = {tau = "0 N*m"}
[energy]
kinetic = "m*L^2*(a'^2 + b'^2)/2"
potential = "-m*g*L*(cos(a) + cos(b))"
dissipation = "c*(a'^2 + b'^2)/2"
[[force]]
power = "tau*(a' + b')"
)toml");
  const Outcome still = run({"linearize", model, "--lqr", "Q = 1; R = 1"});
  ASSERT_EQ(still.status, 0) << still.err;
  EXPECT_THAT(still.out, HasSubstr(" 0.2258i a' "));
  EXPECT_THAT(still.out, HasSubstr("with the eigenvalue 0 + 4.42945i, whatever the inputs do"));
  const Outcome damped = run({"linearize", model, "--set", "c=0.1", "--lqr", "Q = 1; R = 1"});
  ASSERT_EQ(damped.status, 0) << damped.err;
  EXPECT_THAT(damped.out, HasSubstr("0.2255i) b' follows"));
}

TEST(LinearizeControl, WhatIsOfOneStateDoesNotGoWithVary) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--lqr", "Q = 1"},
                                               {"--kalman", "Q = 1; R = 1"},
                                               {"--discrete", "20 ms"},
                                               {"--formulas"},
                                               {"--output", "gains.c"}}) {
    std::vector<std::string> arguments{"linearize", "cart-pendulum", "--vary", "g=9:10:0.5"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("`" + more.front() + "` is of one state: it does not go with `--vary`"));
  }
}

}  // namespace
}  // namespace dalembert::testing
