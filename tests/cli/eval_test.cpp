// SPDX-License-Identifier: Apache-2.0
// eval: the shape of its JSON (docs/command-line.md) and numbers worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "cli/process.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;

std::set<std::string> keys_of(const nlohmann::json& object) {
  std::set<std::string> keys;
  for (const auto& item : object.items()) keys.insert(item.key());
  return keys;
}

TEST(Eval, JsonHasExactlyTheFields) {
  const std::set<std::string> expected{"model",  "t",      "coordinates", "constraints", "q",     "qd",     "M",
                                       "B",      "G",      "F",           "W",           "a",     "gamma",  "qdd",
                                       "lambda", "energy", "residual",    "rank",        "units", "outputs"};
  // With constraints, and without any: the keys are always there.
  for (const char* model : {kPendulum, kOscillator}) {
    const Outcome outcome = run({"eval", "-", "--json"}, {.input = model});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(keys_of(outcome.json()), expected);
  }
  auto json = run({"eval", "slider-crank", "--json"}).json();
  EXPECT_EQ(json["coordinates"], nlohmann::json({"theta", "phi", "x"}));
  EXPECT_EQ(json["constraints"], nlohmann::json({"pin[1]", "pin[2]"}));
  EXPECT_EQ(json["units"]["lambda"]["pin[1]"], "N");
  EXPECT_EQ(json["M"].size(), 3U);
  EXPECT_EQ(json["W"].size(), 2U);
  EXPECT_EQ(json["W"][0].size(), 3U);
}

// The pendulum at rest at (0.6, −0.8) m: tension m g cos = 2·10·0.8 = 16 N; its acceleration is g·0.6 along the arc,
// which points from (0.6, −0.8) to (−0.8, −0.6): q̈ = 6·(−0.8, −0.6).
TEST(Eval, PendulumByHand) {
  const Folder folder;
  const std::string model = folder.write("pendulum.toml", kPendulum);
  const std::string state =
      folder.write("state.json", R"({"t": 0.5, "q": {"x": 0.6, "y": -0.8}, "qd": {"x": 0, "y": 0}})");
  const Outcome outcome = run({"eval", model, "--at", state, "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  auto json = outcome.json();
  EXPECT_EQ(json["t"], 0.5);
  EXPECT_NEAR(json["lambda"]["rod"].get<double>(), -16, 1e-12);
  EXPECT_NEAR(json["outputs"]["tension"].get<double>(), 16, 1e-12);
  EXPECT_NEAR(json["qdd"]["x"].get<double>(), -4.8, 1e-12);
  EXPECT_NEAR(json["qdd"]["y"].get<double>(), -3.6, 1e-12);
  EXPECT_NEAR(json["energy"]["potential"].get<double>(), 2 * 10 * -0.8, 1e-12);
  EXPECT_EQ(json["energy"]["kinetic"], 0);
  EXPECT_EQ(json["rank"], 1);
  EXPECT_EQ(json["M"], nlohmann::json({{2, 0}, {0, 2}}));
}

TEST(Eval, NeverMovesTheState) {
  // sqrt(0.6² + 0.7²) − 1 is the residual of the guess.
  auto json = run({"eval", "-", "--json"}, {.input = kPendulum}).json();
  EXPECT_EQ(json["q"]["y"], -0.7);
  EXPECT_NEAR(json["residual"]["position"]["rod"].get<double>(), std::sqrt(0.36 + 0.49) - 1, 1e-15);
}

TEST(Eval, StateOverridesParametersAndInputs) {
  const Folder folder;
  const std::string model = folder.write("pendulum.toml", kPendulum);
  const std::string state =
      R"({"q": {"x": 0, "y": -2}, "qd": {"x": 3}, "inputs": {"push": 5}, "parameters": {"L": 2, "m": 4}})";
  const Outcome outcome = run({"eval", model, "--at", "-", "--json"}, {.input = state});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  auto json = outcome.json();
  EXPECT_EQ(json["F"], nlohmann::json({5, 0}));
  EXPECT_EQ(json["energy"]["kinetic"], 4 * 9 / 2);
  EXPECT_EQ(json["residual"]["position"]["rod"], 0);
  // λ holds the weight and turns the ball: m g + m v²/L = 40 + 4·9/2.
  EXPECT_NEAR(json["lambda"]["rod"].get<double>(), -58, 1e-12);
}

TEST(Eval, UnknownNamesInTheStateAreErrors) {
  const Folder folder;
  const std::string model = folder.write("pendulum.toml", kPendulum);
  struct Case {
    const char *state, *text;
  };
  for (const Case& c :
       {Case{R"({"q": {"xx": 1}})", "did you mean `x`?"}, Case{R"({"inputs": {"pusch": 1}})", "did you mean `push`?"},
        Case{R"({"parameters": {"M": 1}})", "parameter `M`"}, Case{R"({"qqd": {}})", "did you mean `qd`?"},
        Case{R"({"q": {"x": "one"}})", "number"}, Case{R"({"q": [1, 2]})", "object"}, Case{"{\"q\": ", "JSON"},
        Case{"[]", "object"}, Case{"", "JSON"}, Case{R"({"t": 1e999})", "E0406"}}) {
    const Outcome outcome = run({"eval", model, "--at", folder.write("state.json", c.state), "--json"});
    EXPECT_EQ(outcome.status, 1) << c.state;
    EXPECT_THAT(outcome.err, HasSubstr("E0406")) << c.state;
    EXPECT_THAT(outcome.err, HasSubstr(c.text)) << c.state;
    EXPECT_FALSE(outcome.json()["diagnostics"].empty());
  }
  EXPECT_EQ(run({"eval", model, "--at", folder.file("missing.json")}).status, 5);
}

// What simulate writes as `final` is a state: u = x' cos theta + y' sin theta beside x', y' of the same motion. Beside
// others it is a contradiction.
TEST(Eval, VelocitiesMayBeSaidTwice) {
  const Folder folder;
  auto end = run({"simulate", "chaplygin-sleigh", "--until", "1", "--json"}).json()["final"];
  nlohmann::json state{{"t", end["t"]}, {"q", end["q"]}, {"qd", end["qd"]}, {"v", end["v"]}};
  const Outcome same = run({"eval", "chaplygin-sleigh", "--at", folder.write("same.json", state.dump()), "--json"});
  ASSERT_EQ(same.status, 0) << same.err;
  EXPECT_EQ(same.json()["qd"], end["qd"]);
  EXPECT_EQ(same.json()["v"], end["v"]);
  state["v"]["u"] = state["v"]["u"].get<double>() + 0.125;
  const Outcome other = run({"eval", "chaplygin-sleigh", "--at", folder.write("other.json", state.dump())});
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.err, HasSubstr("E0406"));
  EXPECT_THAT(other.err, HasSubstr("1.2e-01 apart"));
}

// A coordinate without mass that nothing holds: no unique acceleration. The terms themselves are there.
TEST(Eval, SingularMassGivesNull) {
  const std::string model = R"(name = "massless"
coordinates = ["x", "y"]
[energy]
kinetic = "x'^2/2"
potential = "y^2/2"
)";
  const Outcome outcome = run({"eval", "-", "--json"}, {.input = model});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(outcome.json()["qdd"].is_null());
  EXPECT_TRUE(outcome.json()["lambda"].is_null());
  EXPECT_EQ(outcome.json()["M"], nlohmann::json({{1, 0}, {0, 0}}));
  EXPECT_THAT(outcome.err, HasSubstr("W0301"));
}

TEST(Eval, TermsThatAreNotFiniteAreNumericalFailures) {
  const std::string model = R"(name = "pole"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "1/x"
)";
  const Outcome outcome = run({"eval", "-", "--json"}, {.input = model});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_TRUE(outcome.json()["G"][0].is_null());
  EXPECT_THAT(outcome.err, HasSubstr("G[x]"));
}

TEST(Eval, TextShowsTheTables) {
  const Outcome outcome = run({"eval", "slider-crank"});
  EXPECT_EQ(outcome.status, 0);
  for (const char* word : {"theta", "pin[1]", "lambda", "rank of W 2 of 2"}) EXPECT_THAT(outcome.out, HasSubstr(word));
}

// `qd` and the series v/x, a/x are keyed by coordinates (docs/command-line.md), beside quaternions too; files of earlier runs said x'.
TEST(Eval, VelocitiesBesideAQuaternionAreThoseOfTheirCoordinates) {
  const Folder folder;
  const auto at = [&](const char* x) {
    return folder.write("state.json", std::string(R"({"qd": {")") + x + R"(": 0.25, "ball.omega.z": 0.5}})");
  };
  for (const char* x : {"x", "x'"}) {
    const Outcome outcome = run({"eval", "ball-on-turntable", "--at", at(x), "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["qd"]["x"], 0.25) << x;
    EXPECT_EQ(outcome.json()["qd"]["ball.omega.z"], 0.5);
    EXPECT_TRUE(outcome.json()["qdd"].contains("x"));
  }
  const std::string rows = run({"simulate", "ball-on-turntable", "--until", "0.1", "-o", "-"}).out;
  const std::string heading = rows.substr(0, rows.find('\n'));
  for (const char* name : {",v/x,", ",a/x,", ",v/ball.omega.x,", ",vdot/ball.omega.x,"})
    EXPECT_NE(heading.find(name), std::string::npos) << name;
}

}  // namespace
}  // namespace dalembert::testing
