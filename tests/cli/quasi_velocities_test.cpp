// SPDX-License-Identifier: Apache-2.0
// [quasi_velocities]: what derive, eval and simulate print of them, and what is said where they are wrong.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/process.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;

std::string sleigh(const std::string& quasi_velocities, const std::string& velocity) {
  return "coordinates = [{name = \"x\", unit = \"m\"}, {name = \"y\", unit = \"m\"}, {name = \"theta\", unit = "
         "\"rad\"}]\n"
         "[parameters]\nm = \"1.3 kg\"\nI = \"0.7 kg*m^2\"\nb = \"0.4 m\"\n"
         "[energy]\nkinetic = \"m/2*(dot(x)^2 + dot(y)^2) + I/2*dot(theta)^2\"\n"
         "[[constraint]]\nname = \"knife\"\npfaffian = \"-dot(x)*sin(theta) + dot(y)*cos(theta) - b*dot(theta)\"\n"
         "[quasi_velocities]\n" +
         quasi_velocities + "[initial]\nposition = {theta = \"0.3 rad\"}\nvelocity = {" + velocity + "}\n";
}
constexpr const char* kForwardAndYaw = "u = \"dot(x)*cos(theta) + dot(y)*sin(theta)\"\nomega = \"dot(theta)\"\n";

nlohmann::json json_of(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out, nullptr, false);
}

// Truth: theory §4.
TEST(QuasiVelocities, DeriveGivesTheReducedEquations) {
  const auto json = json_of(run({"derive", "chaplygin-sleigh", "--json"}));
  EXPECT_EQ(json["quasi_velocities"], (nlohmann::json{"u", "omega"}));
  EXPECT_EQ(json["S"], nlohmann::json::parse(
                           R"json([["cos(theta)", "-b*sin(theta)"], ["sin(theta)", "b*cos(theta)"], ["0", "1"]])json"));
  EXPECT_EQ(json["Sdot"][2], (nlohmann::json{"0", "0"}));
  EXPECT_EQ(json["s0"], (nlohmann::json{"0", "0", "0"}));
  EXPECT_EQ(json["reduced"]["equations"][0], "m*u' = m*b*omega^2");
  EXPECT_EQ(json["reduced"]["vdot"][0], "b*omega^2");
  EXPECT_EQ(json["reduced"]["closed"], true);
  EXPECT_THAT(run({"derive", "chaplygin-sleigh"}).out, HasSubstr("they stand alone"));
  const std::string steps = run({"derive", "chaplygin-sleigh", "--steps"}).out;
  EXPECT_THAT(steps, HasSubstr("x' = u*cos(theta) - b*omega*sin(theta)"));
  EXPECT_THAT(steps, HasSubstr("m*u' = m*b*omega^2"));
  // Chosen, where a model states none; then nothing else is printed.
  const auto chosen = json_of(run({"derive", "polar-pendulum", "--only", "S,reduced", "--json"}));
  EXPECT_EQ(chosen["quasi_velocities"], (nlohmann::json{"theta'"}));
  EXPECT_FALSE(chosen.contains("M"));
}

// Truth: u' = b ω² and ω' = −m b/(I + m b²) u ω, at u = 0.3 and ω = 1.7.
TEST(QuasiVelocities, AreHeldAtTheStartAndRecorded) {
  const std::string model = sleigh(kForwardAndYaw, "u = \"0.3 m/s\", omega = 1.7");
  for (const std::string formulation : {"index1", "reduced"}) {
    const auto json =
        json_of(run({"simulate", "-", "--until", "0.1", "--json", "--formulation", formulation}, {.input = model}));
    EXPECT_NEAR(json["initial"]["v"]["u"], 0.3, 1e-12);
    EXPECT_NEAR(json["initial"]["v"]["omega"], 1.7, 1e-12);
    EXPECT_NEAR(json["initial"]["qd"]["x"], 0.3 * std::cos(0.3) - 0.4 * 1.7 * std::sin(0.3), 1e-12);
    EXPECT_EQ(json["verdict"]["holds"], true);
    EXPECT_EQ(json["final"]["v"].size(), 2u);
  }
  const auto eval = json_of(run({"eval", "-", "--assemble", "--json"}, {.input = model}));
  EXPECT_NEAR(eval["v"]["u"], 0.3, 1e-12);
  EXPECT_NEAR(eval["vdot"]["u"], 0.4 * 1.7 * 1.7, 1e-12);
  EXPECT_NEAR(eval["vdot"]["omega"], -1.3 * 0.4 * 0.3 * 1.7 / (0.7 + 1.3 * 0.4 * 0.4), 1e-12);
  EXPECT_TRUE(eval["outputs"].empty());
  const std::string csv = run({"simulate", "-", "--until", "0.1", "-q", "-o", "-"}, {.input = model}).out;
  EXPECT_THAT(csv, HasSubstr("v/u,vdot/u,v/omega,vdot/omega"));
}

TEST(QuasiVelocities, WhatIsWrongIsNamedAtItsPlace) {
  const auto refused = [](const std::string& quasi, const std::string& velocity = "omega = 1") {
    const Outcome outcome = run({"check", "-"}, {.input = sleigh(quasi, velocity)});
    EXPECT_EQ(outcome.status, 1) << outcome.out;
    return outcome.err;
  };
  const std::string few = refused("omega = \"dot(theta)\"\n");
  EXPECT_THAT(few, HasSubstr("E0261"));
  EXPECT_THAT(few, HasSubstr("<stdin>:12:"));
  EXPECT_THAT(few, HasSubstr("`x'` would complete them"));
  EXPECT_THAT(refused("omega = \"dot(theta)\"\nw = \"dot(x)^2\"\n"), HasSubstr("E0260"));
  EXPECT_THAT(refused("omega = \"dot(theta)\"\nslip = \"dot(y)*cos(theta) - dot(x)*sin(theta)\"\n"),
              HasSubstr("E0262"));
  EXPECT_THAT(refused("omega = \"dot(theta)\"\nx = \"dot(x)\"\n"), HasSubstr("E0008"));
  // Three held velocities on two freedoms.
  const Outcome much = run({"simulate", "-"}, {.input = sleigh(kForwardAndYaw, "u = 0.3, omega = 1.7, x = 0.9")});
  EXPECT_NE(much.status, 0);
  EXPECT_THAT(much.err, HasSubstr("E0301"));
}

}  // namespace
}  // namespace dalembert::testing
