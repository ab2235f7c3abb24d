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
  for (const char* k : {"k=1 N/m", "k=100 N/m", "k=1 N/mm"}) {
    const Outcome outcome = run({"linearize", model, "--set", k, "--lqr", "Q = 1; R = 1", "--json"});
    ASSERT_EQ(outcome.status, 0) << k << outcome.err;
    const auto K = outcome.json()["control"]["K"][1].get<std::vector<double>>();
    if (slow.empty()) slow = K;
    for (const std::size_t i : {1U, 2U, 4U, 5U}) EXPECT_NEAR(K[i], slow[i], 1e-9 * std::abs(slow[i])) << k;
  }
}

// The cart and its pendulum, which nothing moves, are compared with themselves, not with the crystal: they fall, whatever v does.
TEST(LinearizeControl, WhatFallsBesideSomethingMuchFasterIsSaidTo) {
  const Folder folder;
  const std::string model = folder.write("crystal.toml", beside_a_crystal("v*y'") + "[outputs]\nlength = \"y\"\n");
  for (const char* k : {"k=1 N/m", "k=1 N/um", "k=100 N/um"}) {
    const Outcome outcome = run({"linearize", model, "--set", k, "--lqr", "Q = 1; R = 1"});
    EXPECT_NE(outcome.status, 0) << k;
    EXPECT_THAT(outcome.err, HasSubstr("no feedback makes this motion stable")) << k;
    // The eigenvalue is sqrt(g/L (1 + m/M)) = 4.64564/s.
    EXPECT_THAT(outcome.err, HasSubstr("with the eigenvalue 4.64564, whatever the inputs do")) << k;
    const Outcome estimated = run({"linearize", model, "--set", k, "--kalman", "Q = v:1; R = length:1"});
    EXPECT_THAT(estimated.err, HasSubstr("no estimate comes near the motion")) << k;
  }
}

// Two masses and an oscillator with nothing between them: y is not moved, and the gains of the masses are found.
TEST(LinearizeControl, WhatNothingConnectsIsSaidNotToMove) {
  const Folder folder;
  const std::string model = folder.write("apart.toml", R"toml(coordinates = ["a", "b", "y"]
inputs = {f = 0}
[energy]
kinetic = "(a'^2 + b'^2 + y'^2)/2"
potential = "(a - b)^2/2 + a^2/2 + 2*y^2"
dissipation = "5*(a' - b')^2"
[[force]]
power = "f*a'"
)toml");
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--discrete", "0.01 s"}}) {
    std::vector<std::string> arguments{"linearize", model, "--lqr", "Q = 1; R = 1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("with the eigenvalue 0 + 2i, whatever the inputs do"));
  }
}

// A stiff stage that carries a light pendulum upright moves it, but by 1e-10 of what it moves itself: that no feedback does is not decided.
TEST(LinearizeControl, WhatInputsHardlyMoveIsNotSaidToBeUnmoved) {
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
)toml");
  const Outcome outcome = run({"linearize", model, "--lqr", "Q = 1; R = 1"});
  EXPECT_NE(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("round-off hides what feedback would make this motion stable"));
  EXPECT_EQ(run({"linearize", model, "--set", "k=200 N/m", "--lqr", "Q = 1; R = 1"}).status, 0);
}

// A spring that swings 93 times in a period and is hardly moved: its part of the gains rests on the last digits of A. With 60 digits the gains found are wrong by 4.5e-4
// of their size, those of the softer spring by 4e-9.
TEST(LinearizeControl, GainsOfSamplesHaveTheErrorOfRoundOff) {
  const Folder folder;
  const std::string model = folder.write("swings.toml", R"toml(coordinates = ["x", "y"]
parameters = {k = 1e8, m = 0.03}
inputs = {f = 0}
[energy]
kinetic = "x'^2/2 + m*y'^2/2"
potential = "k*(x - y)^2/2"
[[force]]
power = "f*x'"
)toml");
  const auto gains = [&](const std::string& k, const std::string& m, const std::string& period) {
    return run(
        {"linearize", model, "--set", "k=" + k, "--set", "m=" + m, "--lqr", "Q = x:1; R = 1e6", "--discrete", period});
  };
  const Outcome hidden = gains("1e8", "0.03", "10 ms");
  EXPECT_NE(hidden.status, 0);
  EXPECT_THAT(hidden.err, HasSubstr("round-off hides the gains"));
  EXPECT_EQ(gains("1e4", "1", "1 s").status, 0);
}

// A satellite and a mirror on it 1e11 times lighter, each with its torque: gains are those of each, (√(q/r), √(q'/r + 2J√(q/r))) of an inertia J alone.
TEST(LinearizeControl, InputsOfVeryDifferentPartsCount) {
  const Folder folder;
  const std::string model =
      folder.write("mirror.toml", R"toml(coordinates = [{name = "sat", unit = "rad"}, {name = "mirror", unit = "rad"}]
parameters = {J = "2000 kg*m^2", j = "2e-8 kg*m^2", k = "2e-5 kg*m^2/s^2"}
inputs = {u = "0 N*m", w = "0 N*m"}
[energy]
kinetic = "J*sat'^2/2 + j*mirror'^2/2"
potential = "k*mirror^2/2"
[[force]]
power = "u*sat' + w*mirror'"
)toml");
  const Outcome outcome = run({"linearize", model, "--lqr", "Q = sat:1, mirror:1; R = u:1, w:1", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto K = outcome.json()["control"]["K"].get<std::vector<std::vector<double>>>();
  EXPECT_NEAR(K[0][0], 1, 1e-7);
  EXPECT_NEAR(K[0][2], std::sqrt(4000), 1e-5);
  EXPECT_GT(K[1][3], 0);
}

// What decays or grows slowly beside the crystal and nothing moves or disturbs is told from what does not move at all.
TEST(LinearizeControl, WhatIsSlowBesideSomethingMuchFasterIsNoRest) {
  const Folder folder;
  const std::string model = folder.write("slow.toml", R"toml(coordinates = ["x", "z"]
parameters = {a = 0.0005, c = 0}
inputs = {u = 0}
outputs = {ox = "x", oz = "z"}
[energy]
kinetic = "(1e-6*x'^2 + z'^2)/2"
potential = "1e6*x^2/2 - a*z^2/2"
dissipation = "c*z'^2/2"
[[force]]
power = "u*x'"
)toml");
  const Outcome grows = run({"linearize", model, "--lqr", "Q = x:1; R = u:1"});
  EXPECT_NE(grows.status, 0);
  EXPECT_THAT(grows.err, HasSubstr("with the eigenvalue 0.0223607, whatever the inputs do"));
  const Outcome decays =
      run({"linearize", model, "--set", "a=-0.02", "--set", "c=0.02", "--kalman", "Q = u:1; R = ox:1e-4, oz:1e-4"});
  EXPECT_EQ(decays.status, 0) << decays.err;
}

// cos(90°) is 6e-17: no motion grows by it, and what no input moves stays as it is.
TEST(LinearizeControl, RoundOffOfAnAngleIsNotUnstable) {
  const Folder folder;
  const std::string model =
      folder.write("tilted.toml", R"toml(coordinates = [{name = "x", unit = "m"}, {name = "th", unit = "rad"}]
parameters = {m = "1 kg", g = "9.81 m/s^2", L = "0.3 m", k = "100 N/m", tilt = "90 deg"}
inputs = {f = "0 N"}
[energy]
kinetic = "m*x'^2/2 + m*L^2*th'^2/2"
potential = "k*x^2/2 + m*g*L*cos(tilt)*cos(th)"
[[force]]
power = "f*x'"
)toml");
  const Outcome outcome = run({"linearize", model, "--lqr", "Q = 1; R = 1"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("whatever the inputs do"));
}

TEST(LinearizeControl, WithoutFreedomThereAreNoGains) {
  const Folder folder;
  const std::string model = folder.write("held.toml", R"toml(coordinates = ["x"]
inputs = {f = 0}
outputs = {place = "x"}
constraint = [{name = "pin", holonomic = "x - 1"}]
initial = {position = {x = 1}}
[energy]
kinetic = "x'^2/2"
[[force]]
power = "f*x'"
)toml");
  for (const char* option : {"--lqr", "--kalman"}) {
    const Outcome outcome = run({"linearize", model, option, "Q = 1; R = 1"});
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("the constraints leave no motion here")) << outcome.err;
  }
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
