// SPDX-License-Identifier: Apache-2.0
// linearize: the shape of its JSON (docs/command-line.md), and what it says when it is asked wrongly.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "cli/process.h"

namespace dalembert::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

// Cart and pendulum about upright, no drag: theta'' = (m + M) g/(m L) theta − f/(m L), x'' = −(M/m) g theta + f/m
// (theory §10 with cos theta = 1).
TEST(Linearize, CartPendulumByHand) {
  const Outcome outcome = run({"linearize", "cart-pendulum", "--set", "theta=0", "--set", "c=0", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  auto json = outcome.json();
  EXPECT_EQ(json["kind"], "equilibrium");
  EXPECT_EQ(json["states"], nlohmann::json({"x", "theta", "x'", "theta'"}));
  EXPECT_EQ(json["inputs"], nlohmann::json({"f"}));
  const double m = 1.5, M = 0.4, L = 0.6, g = 9.81;
  EXPECT_NEAR(json["A"][2][1].get<double>(), -M / m * g, 1e-13);
  EXPECT_NEAR(json["A"][3][1].get<double>(), (m + M) * g / (m * L), 1e-13);
  EXPECT_NEAR(json["B"][2][0].get<double>(), 1 / m, 1e-15);
  EXPECT_NEAR(json["B"][3][0].get<double>(), -1 / (m * L), 1e-15);
  EXPECT_EQ(json["zero"]["count"], 2);
  EXPECT_EQ(json["zero"]["because"].size(), 2U);
  EXPECT_EQ(json["stability"], "unstable");
}

// The hanging pendulum is stable, and loses that where g changes its sign: ±i sqrt(g/L) meet at 0.
TEST(Linearize, VaryFindsWhereStabilityEnds) {
  const Folder folder;
  const std::string state = folder.write("state.json", R"({"q": {"x": 0, "y": -1}})");
  const Outcome outcome = run({"linearize", "cartesian-pendulum", "--at", state, "--vary", "g=3.3:-2:0.7", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err << outcome.out;
  auto vary = outcome.json()["vary"];
  ASSERT_EQ(vary["critical"].size(), 1U);
  EXPECT_NEAR(vary["critical"][0]["value"].get<double>(), 0, 1e-12);
  EXPECT_EQ(vary["critical"][0]["becomes"], "unstable");  // g falls, as the table runs
  EXPECT_EQ(vary["stability"][0], "stable");
  EXPECT_EQ(vary["stability"].back(), "unstable");
}

// A mass on a spring with a force A sin(ωt): at rest in the middle it is an equilibrium where A = 0 or ω = 0, with eigenvalues ±i sqrt(k/m), and none else.
TEST(Linearize, ParametersMayTakeTheTimeOut) {
  const std::string model = R"toml(coordinates = [{name = "x", unit = "m"}]
parameters = {m = "2 kg", k = "8 N/m", A = "1 N", w = "2 rad/s"}
inputs = {f = "A*sin(w*t)"}
[energy]
kinetic = "m*x'^2/2"
potential = "k*x^2/2"
[[force]]
coordinate = "x"
value = "FORCE"
)toml";
  for (const char* force : {"f", "A*sin(w*t)"}) {
    std::string text = model;
    text.replace(text.find("FORCE"), 5, force);
    const auto linearize = [&](const std::vector<std::string>& more) {
      std::vector<std::string> arguments{"linearize", "-", "--json"};
      arguments.insert(arguments.end(), more.begin(), more.end());
      return run(arguments, {.input = text}).json();
    };
    for (const char* none : {"A=0 N", "w=0 rad/s"}) {
      auto json = linearize({"--set", none});
      EXPECT_EQ(json["kind"], "equilibrium") << none;
      EXPECT_TRUE(json["stability"] == "marginal" || json["stability"] == "stable") << none << json["stability"];
      EXPECT_NEAR(std::abs(json["eigenvalues"][0][1].get<double>()), 2, 1e-12);
    }
    EXPECT_EQ(linearize({})["kind"], "state");
    // The time is there again as soon as A is not 0.
    auto vary = linearize({"--set", "A=0 N", "--vary", "A=0:2:1"})["vary"];
    EXPECT_EQ(vary["stability"].size(), 1U) << vary;
    // An unforced oscillator has a period of its own, 2π/2 s; a forced one is asked for that of the force.
    const Outcome cycle = run({"cycle", "-", "--json", "--set", "A=0 N", "--set", "x=0.1"}, {.input = text});
    ASSERT_EQ(cycle.status, 0) << cycle.err;
    EXPECT_NEAR(cycle.json()["period"].get<double>(), 3.141592653589793, 1e-8);
    EXPECT_THAT(run({"cycle", "-", "--set", "x=0.1"}, {.input = text}).err, HasSubstr("the equations depend on time"));
  }
}

TEST(Linearize, SaysWhereItIsNot) {
  const Outcome away = run({"linearize", "cart-pendulum"});
  EXPECT_EQ(away.status, 0);
  EXPECT_THAT(away.err, HasSubstr("W0309"));
  EXPECT_THAT(away.err, HasSubstr("--settle"));
  const Outcome settled = run({"linearize", "cartesian-pendulum", "--settle", "--json"});
  ASSERT_EQ(settled.status, 0) << settled.err;
  EXPECT_EQ(settled.json()["kind"], "equilibrium");
  for (const char* range : {"c", "c=1", "c=0:1:0", "c=0:1:x", "=0:1:1", "nothing=0:1:1"}) {
    const Outcome wrong = run({"linearize", "cart-pendulum", "--vary", range});
    EXPECT_EQ(wrong.status, 2) << range;
    EXPECT_THAT(wrong.err, HasSubstr("E0403")) << range;
  }
}

// A ball on an arm of length L that a motor turns at ω: it hangs out at cos a = g/(ω² L), where small swings have λ² = −ω² sin² a, and its lowest place
// is unstable for ω² > g/L. The angle that is driven at a constant rate and is in nothing else does not count, and so does the time.
TEST(Linearize, ADriveAtConstantSpeedIsASteadyMotion) {
  const Folder folder;
  const std::string text = R"toml(name = "governor"
coordinates = [{name = "psi", unit = "rad"}, {name = "a", unit = "rad"}]
gravity = ["0", "0", "-g"]
parameters = {g = "9.81 m/s^2", w = "6 rad/s", L = "0.5 m", m = "1 kg", c = "0 N*m*s"}
energy = {dissipation = "c*a'^2/2"}
prescribed = {psi = "DRIVE"}
body = [{name = "ball", mass = "m", position = ["L*sin(a)*cos(psi)", "L*sin(a)*sin(psi)", "-L*cos(a)"]}]
initial = {position = {a = 0.9}, velocity = {a = 0}}
)toml";
  const auto driven = [&](const std::string& by) {
    std::string with = text;
    return folder.write("governor.toml", with.replace(with.find("DRIVE"), 5, by));
  };
  const std::string steady = driven("w*t");
  auto json = run({"linearize", steady, "--settle", "--json"}).json();
  EXPECT_EQ(json["kind"], "steady motion");
  EXPECT_NEAR(json["at"]["q"]["a"].get<double>(), std::acos(9.81 / 18), 1e-12);
  EXPECT_EQ(json["at"]["qd"]["psi"], 6.0);
  EXPECT_NEAR(json["eigenvalues"][0][1].get<double>(), 6 * std::sqrt(1 - std::pow(9.81 / 18, 2)), 1e-12);
  auto found = run({"analyze", steady, "--json"}).json()["equilibria"];
  ASSERT_EQ(found.size(), 4U);
  for (const auto& one : found) {
    EXPECT_EQ(one["kind"], "steady motion");
    const double out = std::abs(one["q"]["a"].get<double>());
    EXPECT_EQ(one["stability"], out > 0.5 && out < 2 ? "marginal" : "unstable") << out;
  }
  // Below ω² = g/L the ball hangs down, where the inertia of the drive vanishes: the branch goes on there.
  for (const double c : {0.0, 0.05}) {
    auto vary = run({"linearize", steady, "--settle", "--set", "c=" + std::to_string(c) + " N*m*s", "--vary",
                     "w=6:1:0.5", "--json"})
                    .json()["vary"];
    ASSERT_EQ(vary["values"].size(), 11U);
    EXPECT_EQ(vary["stopped"], nullptr);
    const double decay = c / (2 * 0.25);
    EXPECT_NEAR(std::abs(vary["eigenvalues"][10][0][1].get<double>()), std::sqrt(9.81 / 0.5 - 1 - decay * decay), 1e-9);
  }
  for (const char* other : {"w*t + 0.1*t^2", "0.5*sin(w*t)"}) {
    const std::string turned = driven(other);
    EXPECT_EQ(run({"linearize", turned, "--json"}).json()["kind"], "state") << other;
    const Outcome settled = run({"linearize", turned, "--settle"});
    EXPECT_EQ(settled.status, 3) << other;
    EXPECT_THAT(settled.err, HasSubstr("E0308")) << other;
    EXPECT_THAT(settled.err, HasSubstr("depend on time")) << other;
  }
}

// A crank that a motor turns at ω moves a slider: nothing is left that could be stable, and it is no equilibrium either.
TEST(Linearize, WhatIsDrivenCompletelyHasNoVerdict) {
  const Folder folder;
  const std::string crank = folder.write("crank.toml", R"toml(name = "crank"
coordinates = ["th", "x"]
energy = {kinetic = "x'^2/2"}
prescribed = {th = "2*t"}
constraint = [{name = "rod", holonomic = "(x - cos(th))^2 + sin(th)^2 - 9"}]
initial = {guess = {x = 4}}
)toml");
  const auto json = run({"linearize", crank, "--json"}).json();
  EXPECT_EQ(json["kind"], "state");
  EXPECT_EQ(json["states"].size(), 0U);
  EXPECT_EQ(json["stability"], nullptr);
  const std::string out = run({"linearize", crank}).out;
  EXPECT_THAT(out, HasSubstr("the constraints leave no motion here"));
  EXPECT_THAT(out, HasSubstr("no verdict"));
}

// A force that comes on at t = 1 s has no derivative by t, and the mass at rest is in no equilibrium all the same. The same for a coordinate that is
// driven through a limit at which a force sets in.
TEST(Linearize, WhatTimeSwitchesIsNoEquilibrium) {
  const Folder folder;
  for (const char* force : {"if(t > 1, 10, 0)", "floor(t)", "sign(t - 1) + 1", "if(s > 1, 10, 0)"}) {
    const std::string model = folder.write("kick.toml", R"toml(name = "kick"
coordinates = [{name = "x", unit = "m"}, {name = "s", unit = "m"}]
parameters = {m = "1 kg", k = "10 N/m", c = "1 N*s/m", v = "1 m/s"}
prescribed = {s = "v*t"}
energy = {kinetic = "m*x'^2/2 + m*s'^2/2", potential = "k*x^2/2", dissipation = "c*x'^2/2"}
force = [{coordinate = "x", value = ")toml" + std::string(force) +
                                                            R"toml("}]
)toml");
    EXPECT_EQ(run({"linearize", model, "--json"}).json()["kind"], "state") << force;
    EXPECT_EQ(run({"analyze", model, "--json"}).json()["equilibria"].size(), 0U) << force;
  }
}

// A top that stands and spins below the speed 2√(m g l I1)/I3 = 108 rad/s, at which it sleeps: in axes that rest its eigenvalues are imaginary, so that
// they may not be taken for a verdict; in those that turn with it they are ±3.51 ± 41.7i. Formulas know that e0² + e1² + e2² + e3² = 1.
TEST(Linearize, AMotionThatTurnsAsAWhole) {
  const Folder folder;
  const std::string top = folder.write("top.toml", R"toml(name = "top"
coordinates = ["e0", "e1", "e2", "e3"]
gravity = [0, 0, "-g"]
parameters = {g = "9.81 m/s^2", m = "0.5 kg", l = "0.1 m", I1 = "0.001 kg*m^2", I3 = "0.001 kg*m^2"}
frame = [{name = "top", quaternion = ["e0", "e1", "e2", "e3"]}]
body = [{name = "top", mass = "m", frame = "top", com = [0, 0, "l"], inertia = ["I1", "I1", "I3"]}]
initial = {velocity = {"top.omega.z" = "100 rad/s"}}
)toml");
  const Outcome resting = run({"linearize", top, "--json"});
  ASSERT_EQ(resting.status, 0) << resting.err;
  auto json = resting.json();
  EXPECT_TRUE(json["stability"].is_null());
  ASSERT_TRUE(json["undecided"].is_string());
  EXPECT_THAT(json["undecided"].get<std::string>(), HasSubstr("analyze"));
  EXPECT_TRUE(json["diagnostics"].empty()) << json["diagnostics"];
  auto found = run({"analyze", top, "--json"}).json();
  const bool unstable =
      std::any_of(found["equilibria"].begin(), found["equilibria"].end(), [](const nlohmann::json& one) {
        return std::abs(one["v"]["top.omega.z"].get<double>() - 100) < 1e-9 && one["stability"] == "unstable";
      });
  EXPECT_TRUE(unstable) << found["equilibria"];
  const Outcome falls = run({"linearize", top, "--set", "top.omega.x=1", "--json"});
  EXPECT_TRUE(falls.json()["undecided"].is_null());

  const std::string ball = folder.write("ball.toml", R"toml(name = "ball"
coordinates = ["x", "y", "e0", "e1", "e2", "e3"]
frame = [{name = "s", origin = ["x", "y", 1], quaternion = ["e0", "e1", "e2", "e3"]}]
body = [{name = "s", mass = 2, frame = "s", inertia = [1, 1, 1]}]
)toml");
  auto energy = run({"analyze", ball, "--json"}).json()["conserved"][0];
  EXPECT_EQ(energy["name"], "energy");
  EXPECT_EQ(energy["expression"], "x'^2 + y'^2 + 1/2*s.omega.x^2 + 1/2*s.omega.y^2 + 1/2*s.omega.z^2");
}

// Bodies that hang below each other on ball joints, each a quaternion, and spin about the vertical: the same, for as many as are looked at. Where they
// start level they fall, which no turn of the whole system is, for any number of them.
TEST(Linearize, AChainThatTurnsAsAWhole) {
  const auto chain = [](int bodies, bool hangs) {
    std::string coordinates, frames, position, guess, velocity;
    for (int i = 1; i <= bodies; ++i) {
      coordinates += fmt::format("\"x{0}\", \"y{0}\", \"z{0}\", \"a{0}\", \"b{0}\", \"c{0}\", \"d{0}\", ", i);
      frames += fmt::format(R"toml([[frame]]
name = "f{0}"
origin = ["x{0}", "y{0}", "z{0}"]
quaternion = ["a{0}", "b{0}", "c{0}", "d{0}"]
[[body]]
name = "b{0}"
mass = 1
inertia = [0.01, 0.02, 0.02]
frame = "f{0}"
[[point]]
name = "T{0}"
frame = "f{0}"
at = ["-0.1", 0, 0]
[[point]]
name = "H{0}"
frame = "f{0}"
at = ["0.1", 0, 0]
[[constraint]]
name = "ball{0}"
coincide = ["T{0}", "H{1}"]
)toml",
                            i, i - 1);
      position += fmt::format("a{} = 1\n", i);
      guess += fmt::format("x{} = {}\n", i, 0.2 * i - 0.1);
      velocity += fmt::format("\"f{}.omega.x\" = 3\n", i);
    }
    return "name = \"chain\"\ncoordinates = [" + coordinates +
           "]\ngravity = " + (hangs ? "[\"9.81\", 0, 0]" : "[0, 0, \"-9.81\"]") +
           "\n[[point]]\nname = \"H0\"\nat = [0, 0, 0]\n" + frames + "[initial.position]\n" + position +
           "[initial.guess]\n" + guess + "[initial.velocity]\n" + velocity;
  };
  const Folder folder;
  const auto said = [&](int bodies, bool hangs) {
    folder.write("chain.toml", chain(bodies, hangs));
    const Outcome done = run({"linearize", "chain.toml"}, {.folder = folder.path()});
    EXPECT_EQ(done.status, 0) << done.err;
    return done.out;
  };
  const char* const turns = "not decided: the motion is steady but for a turn of the whole system";
  for (const int bodies : {1, 3, 8}) {
    EXPECT_THAT(said(bodies, true), HasSubstr(turns)) << bodies;
    EXPECT_THAT(said(bodies, false), HasSubstr("no verdict: this is neither an equilibrium nor a steady motion"));
  }
  EXPECT_THAT(said(20, true),
              HasSubstr("may be steady but for a turn of the whole system: whether it is was not decided"));
  EXPECT_THAT(said(20, false), HasSubstr("no verdict: this is neither an equilibrium nor a steady motion"));
}

// A spherical pendulum that hangs or stands: its azimuth means nothing there, so that its coordinates have no linearisation, whether sin(π) comes out as
// 0 or as 1e-16. The motions in a circle have sin(theta)² and cos(theta) phi'² = g/L.
TEST(Linearize, CoordinatesThatDoNotDescribeTheMotion) {
  const Folder folder;
  const std::string model = folder.write("spherical.toml", R"toml(name = "spherical"
coordinates = [{name = "theta", unit = "rad"}, {name = "phi", unit = "rad"}]
parameters = {m = "1 kg", L = "1 m", g = "9.81 m/s^2"}
energy = {kinetic = "m*L^2/2*(theta'^2 + sin(theta)^2*phi'^2)", potential = "-m*g*L*cos(theta)"}
initial = {position = {theta = "60 deg", phi = 0}, velocity = {theta = 0, phi = "sqrt(2*g/L)"}}
)toml");
  for (const char* theta : {"theta=0", "theta=180 deg"}) {
    const Outcome nothing = run({"linearize", model, "--set", theta, "--set", "phi'=0"});
    EXPECT_EQ(nothing.status, 3) << theta;
    EXPECT_THAT(nothing.err, HasSubstr("`phi'` has no inertia")) << theta;
  }
  auto found = run({"analyze", model, "--json"}).json();
  int circles = 0;
  for (const auto& one : found["equilibria"]) {
    if (one["kind"] == "equilibrium") {
      EXPECT_TRUE(one["undecided"].is_string()) << one;
      continue;
    }
    ++circles;
    EXPECT_NEAR(std::cos(one["q"]["theta"].get<double>()) * std::pow(one["v"]["phi'"].get<double>(), 2), 9.81, 1e-6);
  }
  EXPECT_GE(circles, 1);
}

// The sleigh at (u, 0): −m b u/(I + m b²) (theory §10), the velocities named by --set, by a state file, and by what
// linearize itself writes.
TEST(Linearize, QuasiVelocitiesByName) {
  const double slope = -1.3 * 0.4 / (0.7 + 1.3 * 0.4 * 0.4);
  const Folder folder;
  const Outcome set = run({"linearize", "chaplygin-sleigh", "--set", "u=-2", "--set", "omega=0", "--json"});
  ASSERT_EQ(set.status, 0) << set.err;
  EXPECT_NEAR(set.json()["A"][1][1].get<double>(), -2 * slope, 1e-14);
  EXPECT_EQ(set.json()["stability"], "unstable");
  const std::string state = folder.write("state.json", R"({"v": {"u": 0.5, "omega": 0}})");
  const Outcome file = run({"linearize", "chaplygin-sleigh", "--at", state, "--json"});
  ASSERT_EQ(file.status, 0) << file.err;
  EXPECT_NEAR(file.json()["A"][1][1].get<double>(), 0.5 * slope, 1e-14);
  const std::string again = folder.write("again.json", file.json()["at"].dump());
  const Outcome same = run({"linearize", "chaplygin-sleigh", "--at", again, "--json"});
  ASSERT_EQ(same.status, 0) << same.err;
  EXPECT_EQ(same.json()["A"], file.json()["A"]);
  // Where frames have quaternions `v` has all velocities.
  const Outcome top = run({"linearize", "heavy-top", "--set", "top.omega.y=100", "--json"});
  ASSERT_EQ(top.status, 0) << top.err;
  EXPECT_EQ(top.json()["at"]["v"]["top.omega.y"], 100);
  const std::string of_top = folder.write("top.json", top.json()["at"].dump());
  const Outcome same_top = run({"linearize", "heavy-top", "--at", of_top, "--json"});
  ASSERT_EQ(same_top.status, 0) << same_top.err;
  EXPECT_EQ(same_top.json()["at"], top.json()["at"]);
  const std::string wrong = folder.write("wrong.json", R"({"v": {"omga": 0}})");
  EXPECT_THAT(run({"linearize", "chaplygin-sleigh", "--at", wrong}).err, HasSubstr("did you mean `omega`?"));
  EXPECT_THAT(run({"linearize", "chaplygin-sleigh", "--set", "omga=0"}).err, HasSubstr("did you mean `omega`?"));
  EXPECT_THAT(run({"eval", "chaplygin-sleigh", "--at", state}).err, HasSubstr("--assemble"));
  EXPECT_EQ(run({"eval", "chaplygin-sleigh", "--at", state, "--assemble", "--json"}).json()["v"]["u"], 0.5);
}

// The speed along the blade is u, and x' at theta = 0.
TEST(Linearize, AFileThatContradictsItselfIsRefused) {
  const Folder folder;
  const auto linearized = [&](const std::string& state) {
    return run({"linearize", "chaplygin-sleigh", "--at", folder.write("state.json", state), "--json"});
  };
  const Outcome same =
      linearized(R"({"q": {"theta": 0}, "qd": {"x": 1, "y": 0, "theta": 0}, "v": {"u": 1, "omega": 0}})");
  ASSERT_EQ(same.status, 0) << same.err;
  EXPECT_EQ(same.json()["at"]["v"]["u"], 1);
  const Outcome wrong =
      linearized(R"({"q": {"theta": 0}, "qd": {"x": 1, "y": 0, "theta": 0}, "v": {"u": 2, "omega": 0}})");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.err, HasSubstr("E0406"));
  EXPECT_THAT(wrong.err, HasSubstr("`u` is 2 here, and 1 by `qd`"));
}

// The sleigh's λ = m I/(I + m b²) omega u and its speed u (theory §10), linearised along u and omega at (2, 0.5).
TEST(Linearize, OutputsOfQuasiVelocitiesThatStandAlone) {
  const Outcome outcome =
      run({"linearize", "chaplygin-sleigh", "--set", "u=2", "--set", "omega=0.5", "--set", "theta=0.7", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  auto json = outcome.json();
  EXPECT_EQ(json["outputs"], nlohmann::json({"speed", "blade_force"}));
  const double k = 1.3 * 0.7 / (0.7 + 1.3 * 0.4 * 0.4), C[2][2] = {{1, 0}, {k * 0.5, k * 2}};
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) EXPECT_NEAR(json["C"][i][j].get<double>(), C[i][j], 1e-14) << i << j;
  EXPECT_EQ(json["D"], nlohmann::json({nlohmann::json::array(), nlohmann::json::array()}));
  // A place in the plane is none of theirs.
  const Folder folder;
  std::string model = run({"models", "show", "chaplygin-sleigh"}).out;
  model.insert(model.find("speed = "), "place = \"x + b*cos(theta)\"\n");
  const Outcome some = run({"linearize", folder.write("sleigh.toml", model), "--json"});
  ASSERT_EQ(some.status, 0) << some.err;
  EXPECT_EQ(some.json()["outputs"], nlohmann::json({"speed", "blade_force"}));
  EXPECT_THAT(some.err, HasSubstr("W0313"));
  EXPECT_THAT(some.err, HasSubstr("`place`"));
}

// The knife edge on a slope states no outputs, and its quasi-velocities do not stand alone: u = 0 and omega = 1.3 as it starts.
TEST(Linearize, OutputsAreThoseOfTheModel) {
  auto json = run({"linearize", "knife-edge-incline", "--json"}).json();
  EXPECT_EQ(json["outputs"], nlohmann::json::array());
  EXPECT_EQ(json["C"], nlohmann::json::array());
  EXPECT_EQ(json["D"], nlohmann::json::array());
  EXPECT_EQ(json["at"]["v"], nlohmann::json({{"u", 0}, {"omega", 1.3}}));
}

// λ² + u s λ + k = 0 with a slope s > 0 of u alone (theory §10): the sleigh that pivots loses stability at u = 0, whether
// or not that is a value of the table, and whichever way the table runs.
TEST(Linearize, OneCriticalValueOnTheGridOfTheTable) {
  struct Case {
    const char *range, *becomes;
  };
  for (const Case& c : {Case{"u=-1:1:0.25", "stable"}, Case{"u=-1:0:0.25", "stable"}, Case{"u=1:-1:0.25", "unstable"},
                        Case{"u=0:-1:0.25", "unstable"}, Case{"u=-0.9:1:0.25", "stable"}}) {
    const Outcome outcome = run({"linearize", "chaplygin-sleigh", "--vary", c.range, "--json"});
    ASSERT_EQ(outcome.status, 0) << c.range << outcome.err;
    auto critical = outcome.json()["vary"]["critical"];
    ASSERT_EQ(critical.size(), 1U) << c.range << critical;
    EXPECT_NEAR(critical[0]["value"].get<double>(), 0, 1e-14) << c.range;
    EXPECT_EQ(critical[0]["becomes"], c.becomes) << c.range;
  }
}

// A uniform disk rolls upright stably above v² = g r/3 (cases §16); the spin is v/r. A bisection to the spacing of
// doubles, but for the round-off of eigenvalues that meet in 0: their square is good to 1e-15.
TEST(Linearize, CriticalSpeedOfARollingDisk) {
  const Outcome outcome =
      run({"linearize", "rolling-disk", "--set", "lean=0", "--set", "psi'=0", "--vary", "phi'=1.2:7:0.5", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  auto critical = outcome.json()["vary"]["critical"];
  ASSERT_EQ(critical.size(), 1U);
  EXPECT_NEAR(critical[0]["value"].get<double>(), std::sqrt(9.81 * 0.26 / 3) / 0.26, 1e-11);
  EXPECT_EQ(critical[0]["becomes"], "stable");
}

// What turns with a stone that spins, a disk or a bicycle on a circle is no state, and then they are steady. Spun the other
// way a motion is the same backwards: its eigenvalues change their signs. A bicycle steers into circles hands-free next to
// its capsize speed, 6.02426201538837 m/s (cases §03), as nearly as the turn is flat: its lean is 1e-4, of second order.
TEST(Linearize, RelativeEquilibria) {
  std::vector<double> grows;
  for (const char* spin : {"yaw'=-5", "yaw'=5"}) {
    const Outcome stone =
        run({"linearize", "rattleback", "--set", spin, "--set", "roll=0", "--set", "pitch=0", "--json"});
    ASSERT_EQ(stone.status, 0) << stone.err;
    auto json = stone.json();
    EXPECT_EQ(json["kind"], "steady motion");
    EXPECT_EQ(json["left_out"], nlohmann::json({"x", "y", "yaw"}));
    EXPECT_EQ(json["states"], nlohmann::json({"roll", "pitch", "yaw'", "roll'", "pitch'"}));
    EXPECT_EQ(json["stability"], "unstable");
    EXPECT_EQ(json["zero"]["count"], 1);
    EXPECT_EQ(json["outputs"], nlohmann::json({"normal_force"}));
    EXPECT_THAT(stone.err, HasSubstr("W0313"));
    for (const std::size_t k : {0, 3}) grows.push_back(json["eigenvalues"][k][0].get<double>());
  }
  EXPECT_NEAR(grows[0], -grows[3], 1e-9);
  EXPECT_NEAR(grows[1], -grows[2], 1e-9);
  EXPECT_GT(grows[0], 10 * grows[2]);

  const Outcome bicycle = run({"linearize", "whipple-bicycle", "--set", "lean'=0", "--set", "rear'=-20.0808733846279",
                               "--set", "lean=1e-4", "--settle", "--json"});
  ASSERT_EQ(bicycle.status, 0) << bicycle.err;
  auto turn = bicycle.json();
  EXPECT_EQ(turn["kind"], "steady motion");
  EXPECT_EQ(turn["left_out"], nlohmann::json({"x", "y", "yaw", "rear", "front"}));
  EXPECT_GT(std::abs(turn["at"]["q"]["lean"].get<double>()), 1e-5);
  EXPECT_NEAR(turn["at"]["qd"]["rear"].get<double>() * -0.3, 6.02426201538837, 1e-6);
  EXPECT_EQ(turn["family"].size(), 1U);
}

// The rolling of an upright disk straight ahead has circles beside it, of which its headings are not: nothing is left unexplained.
TEST(Linearize, CirclesBesideAStraightLine) {
  const Outcome disk = run({"linearize", "rolling-disk", "--set", "lean=0", "--set", "psi'=0", "--json"});
  ASSERT_EQ(disk.status, 0) << disk.err;
  auto json = disk.json();
  EXPECT_EQ(json["left_out"], nlohmann::json::array());
  EXPECT_EQ(json["zero"]["count"], 6);
  EXPECT_EQ(json["zero"]["because"].size(), 6U);
  EXPECT_EQ(json["family"], nlohmann::json({"psi", "phi'", "lean"}));
  // Below the critical speed it falls.
  const Outcome slow =
      run({"linearize", "rolling-disk", "--set", "lean=0", "--set", "psi'=0", "--set", "phi'=3", "--json"});
  EXPECT_EQ(slow.json()["stability"], "unstable");
}

// A block that sticks, slides, or is about to.
TEST(Linearize, FrictionGoesOnWithWhatItDoes) {
  const Outcome sticks = run({"linearize", "block-on-belt", "--set", "x=2", "--json"});
  ASSERT_EQ(sticks.status, 0) << sticks.err;
  EXPECT_EQ(sticks.json()["states"], nlohmann::json({"x"}));
  EXPECT_EQ(sticks.json()["at"]["friction"]["belt_friction"]["state"], "sticks");
  EXPECT_NEAR(sticks.json()["at"]["friction"]["belt_friction"]["force"].get<double>(), -2, 1e-13);
  const Outcome limit = run({"linearize", "block-on-belt"});
  EXPECT_EQ(limit.status, 3);
  EXPECT_THAT(limit.err, HasSubstr("E0273"));
  EXPECT_THAT(limit.err, HasSubstr("belt_friction"));
  const Outcome analyzed = run({"analyze", "block-on-belt", "--json"});
  ASSERT_EQ(analyzed.status, 0) << analyzed.err;
  auto equilibria = analyzed.json()["equilibria"];
  ASSERT_EQ(equilibria.size(), 1U);
  EXPECT_NEAR(equilibria[0]["q"]["x"].get<double>(), 3, 1e-12);
  EXPECT_EQ(equilibria[0]["friction"]["belt_friction"]["direction"], -1);
  // A speed at rest has no slope.
  const Outcome rough = run({"linearize", "snakeboard", "--json"});
  EXPECT_EQ(rough.status, 0);
  EXPECT_THAT(rough.err, HasSubstr("W0310"));
  EXPECT_TRUE(rough.json()["C"][0][0].is_null());
}

// A balancing cart whose place costs nothing: the least cost leaves its place as it is, so that no gains make it come to rest. The solver of the Riccati
// equation may take round-off for stable there (it gave eigenvalues of -1e-7). The same of an estimator of what nothing disturbs.
TEST(Linearize, NamesWhatCostsNothingAndWhatNothingDisturbs) {
  for (const char* period : {"0", "10 ms"}) {
    std::vector<std::string> arguments{"linearize", "cart-pendulum", "--set",
                                       "theta=0",   "--lqr",         "Q = theta:10, theta':1; R = f:0.1"};
    if (period[0] != '0') arguments.insert(arguments.end(), {"--discrete", period});
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("E0427"));
    EXPECT_THAT(outcome.err, HasSubstr("a motion along x, with the eigenvalue 0, costs nothing"));
  }
  const Folder folder;
  const std::string two = folder.write("two.toml", R"toml(name = "two"
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}]
parameters = {m = "1 kg"}
inputs = {f = 0}
energy = {kinetic = "m*x'^2/2 + m*y'^2/2"}
force = [{coordinate = "x", value = "f"}]
outputs = {sum = "x", other = "y"}
)toml");
  const Outcome still = run({"linearize", two, "--kalman", "Q = f:1; R = 1e-4"});
  EXPECT_EQ(still.status, 2);
  EXPECT_THAT(still.err, HasSubstr("nothing disturbs y', which does not come to rest by itself"));
}

// A ball that rolls on a table goes on straight, whatever changes it: no eigenvalue is other than 0. With speeds of 1000 rad/s those that were found
// are 1e-14, of either sign.
TEST(Linearize, RoundOffMakesNoMotionUnstable) {
  const auto found = run({"analyze", "ball-with-spin", "--json"}).json();
  ASSERT_GT(found["equilibria"].size(), 1U);
  for (const auto& one : found["equilibria"])
    EXPECT_THAT(one["stability"].get<std::string>(), AnyOf("stable", "marginal"));
}

// Gains of the cart with its pendulum up: SciPy's solve_continuous_are of the printed A and B.
TEST(Linearize, HasGainsOfFeedback) {
  const Outcome outcome =
      run({"linearize", "cart-pendulum", "--set", "theta=0", "--lqr", "Q = theta:10, x:1; R = f:0.1", "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto control = outcome.json()["control"];
  const std::vector<double> expected{-3.16227766017, -57.721480880293, -5.120624256902, -13.03669526487};
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(control["K"][0][k], expected[k], 1e-7);
  const Outcome text = run({"linearize", "cart-pendulum", "--lqr", "Q = 1; R = 1", "--discrete", "20 ms"});
  EXPECT_THAT(text.out, AllOf(HasSubstr("samples each 0.02 s"), HasSubstr("u = -K z")));
  const Outcome wrong = run({"linearize", "cart-pendulum", "--lqr", "Q = thet:1"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, AllOf(HasSubstr("E0427"), HasSubstr("did you mean `theta`?")));
}

// exp(A T) of the pendulum upright grows with 4.54 1/s: 1e308 is reached after 156 s.
TEST(Linearize, SaysWhereAPeriodIsTooLong) {
  const std::vector<std::string> upright{"linearize", "cart-pendulum", "--set", "theta=0", "--discrete"};
  const auto sampled = [&](const std::string& period) {
    std::vector<std::string> words = upright;
    words.push_back(period);
    return run(words);
  };
  const Outcome far = sampled("1e6 s");
  EXPECT_EQ(far.status, 2);
  EXPECT_THAT(far.err, AllOf(HasSubstr("E0427"), HasSubstr("over a period of 1000000 s"),
                             HasSubstr("a period of 100 s or less")));
  const Outcome near = sampled("100 s");
  EXPECT_EQ(near.status, 0) << near.err;
  EXPECT_THAT(near.out, Not(HasSubstr("nan")));
}

// The gains as C, compiled and called: the numbers are those of --json.
TEST(Linearize, WritesItsGainsAsC) {
  const Folder folder;
  const std::string model = folder.write("cart.toml", R"toml(name = "cart"
coordinates = [{name = "x", unit = "m"}]
[parameters]
m = "2 kg"
[energy]
kinetic = "m/2*x'^2"
[inputs]
f = 0
[[force]]
coordinate = "x"
value = "f"
[outputs]
place = "x"
)toml");
  const Outcome outcome = run({"linearize", model, "--lqr", "Q = x:1; R = 1", "--kalman", "Q = f:1; R = place:1e-2",
                               "--discrete", "0.1", "--json", "-o", folder.file("gains.c")});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  folder.write("main.c", R"c(#include <stdio.h>
#include "gains.c"
int main(void) {
  const double q[1] = {0.5}, v[1] = {-0.25}, y[1] = {2};
  double u[1], z[2] = {0, 0};
  cart_feedback(q, v, u);
  cart_correct(z, u, y);
  printf("%.17g %.17g %.17g ", u[0], z[0], z[1]);
  cart_predict(z, u);
  printf("%.17g %.17g\n", z[0], z[1]);
  return 0;
})c");
  const std::string program = folder.file("main");
  ASSERT_EQ(std::system(("cc -std=c99 -Wall -Wextra -Werror -o " + program + " " + folder.file("main.c")).c_str()), 0);
  ASSERT_EQ(std::system((program + " > " + folder.file("out")).c_str()), 0);
  double u = 0, z0 = 0, z1 = 0, next0 = 0, next1 = 0;
  std::ifstream(folder.file("out")) >> u >> z0 >> z1 >> next0 >> next1;
  const auto control = outcome.json()["control"];
  const auto at = [&](const char* matrix, int i, int j) { return control[matrix][i][j].get<double>(); };
  EXPECT_NEAR(u, -0.5 * at("K", 0, 0) + 0.25 * at("K", 0, 1), 1e-14);
  EXPECT_NEAR(z0, 2 * at("L", 0, 0), 1e-14);
  EXPECT_NEAR(z1, 2 * at("L", 1, 0), 1e-14);
  EXPECT_NEAR(next0, z0 + 0.1 * z1 + at("Bd", 0, 0) * u, 1e-13);
  EXPECT_NEAR(next1, z1 + at("Bd", 1, 0) * u, 1e-13);
}

// e and -e are one attitude: a controller that took the one for the other would push away from where it should go to. Its velocities are named.
TEST(Linearize, GainsAsCTakeTheNearerQuaternion) {
  const Folder folder;
  const std::string model = folder.write("satellite.toml", R"toml(name = "satellite"
coordinates = ["e0", "e1", "e2", "e3"]
parameters = {I = "10 kg*m^2", m = "100 kg"}
inputs = {tx = 0, ty = 0, tz = 0}
frame = [{name = "bus", quaternion = ["e0", "e1", "e2", "e3"]}]
body = [{name = "bus", mass = "m", inertia = ["I", "I", "I"], frame = "bus"}]
force = [{power = "tx*bus.omega.x + ty*bus.omega.y + tz*bus.omega.z"}]
)toml");
  const Outcome outcome = run({"linearize", model, "--lqr", "Q = 1; R = 1", "--json", "-o", folder.file("gains.c")});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  folder.write("main.c", R"c(#include <stdio.h>
#include "gains.c"
int main(void) {
  const double q[4] = {0.8, 0.6, 0, 0}, other[4] = {-0.8, -0.6, 0, 0}, v[3] = {0, 0, 0};
  double u[3], turned[3];
  satellite_feedback(q, v, u);
  satellite_feedback(other, v, turned);
  printf("%.17g %.17g\n", u[0], turned[0]);
  return 0;
})c");
  const std::string program = folder.file("main");
  ASSERT_EQ(std::system(("cc -std=c99 -Wall -Wextra -Werror -o " + program + " " + folder.file("main.c")).c_str()), 0);
  ASSERT_EQ(std::system((program + " > " + folder.file("out")).c_str()), 0);
  double u = 0, turned = 0;
  std::ifstream(folder.file("out")) >> u >> turned;
  EXPECT_NEAR(u, -0.6 * outcome.json()["control"]["K"][0][0].get<double>(), 1e-14);
  EXPECT_EQ(turned, u);
  EXPECT_THAT(read_text(folder.file("gains.c")), HasSubstr("the velocities bus.omega.x, bus.omega.y, bus.omega.z"));
}

}  // namespace
}  // namespace dalembert::testing
