// SPDX-License-Identifier: Apache-2.0
// plot --phase: the file, what is in it, and what it says when there is no plane.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/ball.h"
#include "cli/process.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;

// What is said beside the figure.
auto plane(const char* model, const char* states) {
  const Folder folder;
  const Outcome outcome = run({"plot", model, "--phase", states, "-o", folder.path() + "/phase.svg", "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return outcome.json();
}

// A pendulum hangs at 0 and stands at ±π, in a constraint form and with either state to the right.
TEST(Plot, PhasePlaneOfAPendulum) {
  for (const char* states : {"theta,theta'", "dot(theta), theta"}) {
    auto json = plane("polar-pendulum", states);
    ASSERT_EQ(json["equilibria"].size(), 3U);
    int stable = 0;
    for (const auto& equilibrium : json["equilibria"]) stable += equilibrium["stability"] == "stable";
    EXPECT_EQ(stable, 1);
    EXPECT_GT(json["trajectories"].get<int>(), 8);
  }
  const Outcome svg = run({"plot", "mass-spring", "--phase", "x,x'", "-o", "-"});
  EXPECT_EQ(svg.status, 0) << svg.err;
  EXPECT_THAT(svg.out, ::testing::StartsWith("<svg"));
  EXPECT_THAT(svg.out, HasSubstr("x' [m/s]"));
}

// The sleigh in u and omega: a line of equilibria, stable where it runs forwards and unstable backwards.
TEST(Plot, PhasePlaneOfTheSleigh) {
  auto json = plane("chaplygin-sleigh", "u,omega");
  EXPECT_EQ(json["states"], nlohmann::json({"u", "omega"}));
  ASSERT_EQ(json["families"].size(), 2U);
  for (const auto& family : json["families"]) {
    const double middle = (family["from"]["u"].get<double>() + family["to"]["u"].get<double>()) / 2;
    EXPECT_EQ(family["stability"], middle > 0 ? "stable" : "unstable");
  }
}

// Oracle: theory §8: the belt at 3 m/s holds the block while the spring, of 1 N/m, pulls with no more than μ_s N = 5 N; the
// sliding block rests at x = μ N/k = 3.
TEST(Plot, PhasePlaneOfABlockOnABelt) {
  auto json = plane("block-on-belt", "x,x'");
  ASSERT_EQ(json["sticking"].size(), 1U);
  const auto& line = json["sticking"][0];
  const double spacing = (json["window"]["to"]["x"].get<double>() - json["window"]["from"]["x"].get<double>()) / 400;
  EXPECT_NEAR(line["from"]["x"].get<double>(), -5, spacing);
  EXPECT_NEAR(line["to"]["x"].get<double>(), 5, spacing);
  EXPECT_NEAR(line["from"]["x'"].get<double>(), 3, 1e-12);
  ASSERT_EQ(json["equilibria"].size(), 1U);
  EXPECT_NEAR(json["equilibria"][0]["at"]["x"].get<double>(), 3, 1e-6);
  EXPECT_GT(json["trajectories"].get<int>(), 8);
}

// Oracle: a block on an incline of tan α ≤ μ rests anywhere.
TEST(Plot, PhasePlaneOfABlockOnAnIncline) {
  auto json = plane("block-on-incline", "s,s'");
  ASSERT_EQ(json["families"].size(), 1U);
  EXPECT_EQ(json["families"][0]["stability"], "stable");
  EXPECT_EQ(json["families"][0]["from"]["s'"], 0);
  EXPECT_TRUE(json["equilibria"].empty());
}

// The plane of ẍ = force, with what is said of its equilibria.
auto plane_of(const std::string& force, const std::vector<std::string>& ranges = {}) {
  Folder folder;
  folder.write("made.toml",
               "name = \"made\"\ncoordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n[[force]]\ncoordinate = "
               "\"x\"\nvalue = \"" +
                   force + "\"\n");
  std::vector<std::string> arguments{"plot", "./made.toml", "--phase", "x,x'", "-o", "made.svg", "--json"};
  arguments.insert(arguments.end(), ranges.begin(), ranges.end());
  const Outcome outcome = run(arguments, {.folder = folder.path()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return outcome.json();
}

// Equilibria at 0 alone, each with what `linearize` says of it, whatever the scales of the axes. The springs that are stiffer on the way back than on
// the way out are left: a motion gains at each turn.
TEST(Plot, EquilibriaAreJudgedAsByLinearize) {
  const std::vector<std::pair<std::string, std::string>> known{
      {"-x - 1000*x'", "stable"},
      {"-4*x - 0.01*x'", "stable"},
      {"-x + 0.5*x'", "unstable"},
      {"x - x'", "unstable"},
      {"-if(x > 0, 1, 4)*x - 0.01*x'", "stable"},
      {"-x^3", "undecided"},
      {"-x - 0.3*x'^3", "stable"},
      {"-x + 0.3*x'^3", "unstable"},
      {"-if(x*x' > 0, 1, 4)*x - 0.01*x'", "undecided"},
      {"-if(x > 0, if(x' > 0, 1, 4), if(x' < 0, 1, 4))*x - 0.01*x'", "undecided"},
      {"-2.5*x + 1.5*sign(x')*abs(x) - 0.05*x'", "undecided"}};
  const std::vector<std::vector<std::string>> windows{
      {}, {"--x-range=-0.5:0.5", "--y-range=-0.5:0.5"}, {"--x-range=-6e-4:1.6e-3", "--y-range=-1:1"}};
  for (const auto& [force, stability] : known)
    for (const std::vector<std::string>& window : windows) {
      auto json = plane_of(force, window);
      EXPECT_TRUE(json["families"].empty()) << force;
      ASSERT_EQ(json["equilibria"].size(), 1U) << force;
      EXPECT_EQ(json["equilibria"][0]["stability"], stability) << force;
      EXPECT_NEAR(json["equilibria"][0]["at"]["x"].get<double>(), 0, 1e-5) << force;
    }
  // Rest anywhere, with damping, without any, and where the stability changes.
  auto damped = plane_of("-x'");
  ASSERT_EQ(damped["families"].size(), 1U);
  EXPECT_EQ(damped["families"][0]["stability"], "stable");
  EXPECT_TRUE(damped["equilibria"].empty());
  auto changing = plane_of("-x*x'");
  ASSERT_EQ(changing["families"].size(), 2U);
  for (const auto& family : changing["families"])
    EXPECT_EQ(family["stability"],
              family["from"]["x"].get<double>() + family["to"]["x"].get<double>() > 0 ? "stable" : "unstable");
  for (const auto& family : plane_of("0")["families"]) EXPECT_EQ(family["stability"], "undecided");
}

TEST(Plot, SaysWhereThereIsNoPlane) {
  EXPECT_EQ(run({"plot", "polar-pendulum", "-o", "-"}).status, 2);
  EXPECT_EQ(run({"plot", "polar-pendulum", "--phase", "theta,theta'"}).status, 2);
  EXPECT_EQ(run({"plot", "polar-pendulum", "--phase", "theta,theta'", "-o", "x.gif"}).status, 2);
  EXPECT_EQ(run({"plot", "polar-pendulum", "--phase", "theta,theta'", "-o", "-", "--x-range", "3:1"}).status, 2);
  const Outcome other = run({"plot", "polar-pendulum", "--phase", "r,theta", "-o", "-"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("theta,theta'"));
  const Outcome many = run({"plot", "double-pendulum", "--phase", "theta1,theta1'", "-o", "-"});
  EXPECT_EQ(many.status, 1);
  EXPECT_THAT(many.err, HasSubstr("E0310"));
  const Folder folder;
  folder.write("ball.toml", ball_above_ground("1 m"));
  const Outcome ball = run({"plot", "./ball.toml", "--phase", "y,y'", "-o", "-"}, {.folder = folder.path()});
  EXPECT_EQ(ball.status, 1);
  EXPECT_THAT(ball.err, HasSubstr("one-sided"));
}

}  // namespace
}  // namespace dalembert::testing
