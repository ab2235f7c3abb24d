// SPDX-License-Identifier: Apache-2.0
// dalembert gait, and prescribed coordinates in the command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "cli/process.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;

// Oracle: cases §22.
TEST(Gait, SnakeToTenDigits) {
  const auto json = run({"gait", "three-link-snake", "--json"}).json();
  EXPECT_NEAR(json["displacement"]["x"].get<double>(), 0.0829144658, 5e-11);
  EXPECT_NEAR(json["displacement"]["y"].get<double>(), -0.0442797587, 5e-11);
  EXPECT_NEAR(json["displacement"]["theta"].get<double>(), 0, 1e-11);
  EXPECT_EQ(json["connection"].size(), 3u);
  EXPECT_EQ(json["curvature"].size(), 3u);
  EXPECT_EQ(json["cycles"], 1);
  // Text has the same formulas, curvature too.
  const std::string text = run({"gait", "three-link-snake"}).out;
  const char* axes[] = {"x", "y", "theta"};
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(text,
                HasSubstr(std::string("A[") + axes[i] + ",alpha1] = " + json["connection"][i][0].get<std::string>()));
    EXPECT_THAT(text, HasSubstr(std::string("dA[") + axes[i] +
                                ",alpha1,alpha2] = " + json["curvature"][i][0].get<std::string>()));
  }
}

// Oracle: cases §22; the same by a run of the whole dynamics.
TEST(Gait, SnakeboardToTwelveDigits) {
  const auto json = run({"gait", "snakeboard", "--json"}).json();
  const auto motion = run({"simulate", "snakeboard", "--json"}).json();
  EXPECT_TRUE(motion["verdict"]["holds"].get<bool>());
  const double expected[] = {0.191817933777, -0.001886383992, -0.062141819678};
  const char* names[] = {"x", "y", "theta"};
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(json["displacement"][names[i]].get<double>(), expected[i], 2e-12);
    EXPECT_NEAR(motion["final"]["q"][names[i]].get<double>(), expected[i], 1e-11);
  }
  EXPECT_NEAR(motion["final"]["outputs"]["speed"].get<double>(), 0.0617007634, 5e-11);
  EXPECT_TRUE(motion["final"]["actuation"].contains("psi"));
  EXPECT_EQ(motion["final"]["lambda"].size(), 2u);
}

// Oracle: a body's displacement in its own axes does not depend on where it starts.
TEST(Gait, DisplacementIsThatOfTheBody) {
  const auto here = run({"gait", "three-link-snake", "--json"}).json();
  const auto there = run({"gait", "three-link-snake", "--set", "theta=0.7", "--set", "x=3", "--json"}).json();
  for (const char* name : {"x", "y", "theta"})
    EXPECT_NEAR(here["displacement"][name].get<double>(), there["displacement"][name].get<double>(), 1e-11);
}

TEST(Gait, TheCycleIsTyped) {
  const auto typed = run({"gait", "snakeboard", "--cycle", "psi=0.7*sin(2*t), phi=0.3*sin(2*t)", "--json"}).json();
  // The same shapes twice as fast: from rest the same way (the motion scales with time).
  EXPECT_NEAR(typed["period"].get<double>(), 3.14159265358979, 1e-13);
  EXPECT_NEAR(typed["displacement"]["x"].get<double>(), 0.191817933777, 2e-12);
  EXPECT_EQ(run({"gait", "snakeboard", "--cycle", "phy=sin(t)"}).status, 2);
  EXPECT_THAT(run({"gait", "snakeboard", "--cycle", "phy=sin(t)"}).err, HasSubstr("did you mean `phi`?"));
  EXPECT_EQ(run({"gait", "snakeboard", "--cycle", "phi=sin(x)"}).status, 2);
  EXPECT_EQ(run({"gait", "slider-crank"}).status, 2);
}

// A symmetric cycle turns the snake by nothing (cases §22): round-off is not told to people, and stays in JSON.
TEST(Gait, RoundOffIsNothingToPeople) {
  for (const char* model : {"three-link-snake", "snakeboard"}) {
    const Outcome shown = run({"gait", model});
    ASSERT_EQ(shown.status, 0) << shown.err;
    for (const char* digits : {"e-14", "e-15", "e-16", "e-17"})
      EXPECT_EQ(shown.out.find(digits), std::string::npos) << shown.out;
  }
}

// The model's start holds x at 0; a cycle of x has a start of its own. Oracle: the period of the sine,
// and a cycle that starts where the model does.
TEST(Gait, ACycleHasItsOwnStart) {
  for (const char* cycle : {"x=sin(t)", "x=0.3+0.1*cos(t)"}) {
    const Outcome outcome = run({"gait", "cart-pendulum", "--cycle", cycle, "--json"});
    ASSERT_EQ(outcome.status, 0) << cycle << outcome.err;
    EXPECT_NEAR(outcome.json()["period"].get<double>(), 6.28318530717959, 1e-13);
  }
}

// Limits are told as what they are, at once, and not as singular shapes. Truth: 58 steps a cycle, of which 20000 are the limit.
TEST(Gait, LimitsHaveTheirReasons) {
  const Outcome many = run({"gait", "three-link-snake", "--cycles", "100000"});
  EXPECT_EQ(many.status, 3);
  EXPECT_THAT(many.err, HasSubstr("the limit is 20000: about "));
  EXPECT_EQ(many.err.find("singular"), std::string::npos) << many.err;
  EXPECT_EQ(many.err.find("not determined"), std::string::npos) << many.err;
  const Outcome brief = run({"gait", "three-link-snake", "--period", "1e-300"});
  EXPECT_EQ(brief.status, 2);
  EXPECT_THAT(brief.err, HasSubstr("a period of 1e-300 s cannot be followed"));
}

// The series of one harmonic of this cycle crosses α₁ = α₂, which is singular; the cycle itself does not. Truth: the minimum
// of α₁ − α₂ is 0.0283 with the third harmonic and −0.0200 without.
TEST(Gait, ASearchWithoutAStartSaysSo) {
  const std::string cycle = "alpha1=0.4+0.42*cos(t)-0.05*cos(3*t), alpha2=0.005*sin(t)";
  const Outcome given = run({"gait", "three-link-snake", "--cycle", cycle, "--optimize", "--json"});
  ASSERT_EQ(given.status, 0) << given.err;
  EXPECT_TRUE(given.json()["optimum"]["distance_per_effort"].is_null());
  EXPECT_THAT(given.json()["optimum"]["remark"].get<std::string>(), HasSubstr("the search has no start"));
  EXPECT_EQ(run({"gait", "three-link-snake", "--cycle", cycle, "--optimize"}).status, 0);
}

// Oracle: the constraint names the contradiction.
TEST(Prescribed, WhatIsDeterminedTwiceIsNamed) {
  const Folder folder;
  const std::string top =
      "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"dot(x)^2 + dot(y)^2\"\n[[constraint]]\nname = \"c\"\n"
      "holonomic = \"x - 2*y\"\n[prescribed]\nx = \"sin(t)\"\n";
  folder.write("good.toml", top);
  folder.write("same.toml", top + "y = \"sin(t)/2\"\n");
  folder.write("other.toml", top + "y = \"cos(t)\"\n");
  folder.write("held.toml", top + "[initial]\nposition = {x = 1}\n");
  EXPECT_EQ(run({"check", "good.toml"}, {.folder = folder.path()}).status, 0);
  for (const char* file : {"same.toml", "other.toml"}) {
    const Outcome outcome = run({"simulate", file}, {.folder = folder.path()});
    EXPECT_EQ(outcome.status, 1) << file;
    EXPECT_THAT(outcome.err, HasSubstr("E0321"));
    EXPECT_THAT(outcome.err, HasSubstr("the prescribed coordinate `y`"));
    EXPECT_THAT(outcome.err, HasSubstr("`c`"));
  }
  const Outcome held = run({"check", "held.toml"}, {.folder = folder.path()});
  EXPECT_EQ(held.status, 1);
  EXPECT_THAT(held.err, HasSubstr("holds `x` at 1"));
}

// Oracle: the formulas of theory §6 as claims.
TEST(Prescribed, ConnectionIsAudited) {
  const Folder folder;
  const std::string model = run({"models", "show", "three-link-snake"}).out;
  const std::string D = "(R*(sin(alpha1) - sin(alpha2)) + L*sin(alpha1 - alpha2))";
  folder.write("claims.toml", model + "\n[[claim]]\nentry = \"A[theta,alpha1]\"\nequals = \"R*sin(alpha2)/" + D +
                                  "\"\n[[claim]]\nentry = \"A[theta,alpha2]\"\nequals = \"-R*sin(alpha1)/" + D +
                                  "\"\n");
  const auto json = run({"audit", "claims.toml", "--json"}, {.folder = folder.path()}).json();
  EXPECT_EQ(json["claims"][0]["verdict"], "proved");
  EXPECT_EQ(json["claims"][1]["verdict"], "disproved");
}

}  // namespace
}  // namespace dalembert::testing
