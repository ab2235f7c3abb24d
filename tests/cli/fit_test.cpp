// SPDX-License-Identifier: Apache-2.0
// `dalembert fit`: what it prints, writes and refuses. Its numbers are tested in tests/study/fit_test.cpp.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "cli/process.h"

namespace dalembert::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kFalling = R"toml(name = "falling"   # a stone
coordinates = [{name = "y", unit = "m"}]
[parameters]
g = "9 m/s^2"      # to be found
m = "1 kg"
[energy]
kinetic = "m*y'^2/2"
potential = "m*g*y"
[initial]
position = {y = "10 m"}
velocity = {y = 0}
)toml";

// y = 10 − 9.81 t²/2, in centimetres, with a gap.
constexpr const char* kHeights = "time,height [cm],note\n0,1000,a\n0.5,877.375,b\n0.7,,gap\n1,509.5,c\n";

class FitCommand : public ::testing::Test {
 protected:
  FitCommand() {
    folder_.write("falling.toml", kFalling);
    folder_.write("heights.csv", kHeights);
  }
  void SetUp() override {
    if (fit({"--free", "g", "--measure", "height=y"}).err.find("E0433") != std::string::npos)
      GTEST_SKIP() << "no solver";
  }
  Outcome fit(std::vector<std::string> options) {
    options.insert(options.begin(), {"fit", "falling.toml", "heights.csv"});
    return run(options, {.folder = folder_.path()});
  }
  Folder folder_;
};

constexpr const char* kBall = R"toml(name = "ball"
coordinates = [{name = "y", unit = "m"}]
gravity = ["0", "-9.81"]
[parameters]
e = 0.5
[[body]]
name = "ball"
mass = "1 kg"
position = ["0", "y"]
[[constraint]]
name = "table"
holonomic = "y"
unilateral = true
restitution = "e"
[initial]
position = {y = "1 m"}
velocity = {y = 0}
)toml";

// A ball falls from 1 m and comes back with `factor` times its speed.
std::string heights_after_bounce(double factor) {
  const double g = 9.81, impact = std::sqrt(2 / g);
  std::string samples = "time,y\n";
  for (int k = 0; k <= 16; ++k) {
    const double t = 0.05 * k, after = t - impact;
    samples +=
        fmt::format("{},{}\n", t, after < 0 ? 1 - g * t * t / 2 : factor * g * impact * after - g * after * after / 2);
  }
  return samples;
}

// No restitution makes a ball faster: the search ends at 1, where the cost still falls. With a bound there it is the answer.
TEST_F(FitCommand, SaysWhereItEndsBesideValuesThatNoModelMayHave) {
  folder_.write("ball.toml", kBall);
  folder_.write("heights.csv", heights_after_bounce(1.08));
  std::vector<std::string> words{"fit", "ball.toml", "heights.csv", "--free", "e", "--measure", "y=y", "--json"};
  const Outcome outcome = run(words, {.folder = folder_.path()});
  EXPECT_EQ(outcome.status, 3) << outcome.err;
  const nlohmann::json fitted = outcome.json();
  EXPECT_EQ(fitted["status"], "not converged");
  EXPECT_THAT(fitted["reason"].get<std::string>(),
              AllOf(HasSubstr("beside which runs fail"), HasSubstr("not in [0, 1]")));
  EXPECT_LE(fitted["parameters"]["e"]["value"].get<double>(), 1);
  words.insert(words.end(), {"--bounds", "e=0:1"});
  const Outcome bounded = run(words, {.folder = folder_.path()});
  EXPECT_EQ(bounded.status, 0) << bounded.err;
  EXPECT_EQ(bounded.json()["parameters"]["e"]["value"], 1);
}

// The samples are of a restitution of 1, beyond which runs fail: the least cost, 0, is just there.
TEST_F(FitCommand, FindsALeastCostAtAnEdgeBeyondWhichRunsFail) {
  folder_.write("ball.toml", kBall);
  folder_.write("heights.csv", heights_after_bounce(1));
  const Outcome outcome =
      run({"fit", "ball.toml", "heights.csv", "--free", "e", "--measure", "y=y", "--json"}, {.folder = folder_.path()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json fitted = outcome.json();
  EXPECT_EQ(fitted["status"], "converged");
  EXPECT_NEAR(fitted["parameters"]["e"]["value"].get<double>(), 1, 1e-9);
  ASSERT_FALSE(fitted["failures"].empty()) << "no trial was beyond the edge";
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("W0332"), HasSubstr("beyond which runs fail"), HasSubstr("not in [0, 1]")));
}

TEST_F(FitCommand, FindsWhatMadeTheSamples) {
  const Outcome outcome =
      fit({"--free", "g", "--measure", "height=y", "--plot", "fit.svg", "-o", "fitted.toml", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json fitted = outcome.json();
  EXPECT_EQ(fitted["status"], "converged");
  EXPECT_NEAR(fitted["parameters"]["g"]["value"].get<double>(), 9.81, 1e-8);
  EXPECT_EQ(fitted["parameters"]["g"]["unit"], "m/s^2");
  EXPECT_EQ(fitted["columns"]["height"]["samples"], 3);
  EXPECT_TRUE(fitted["verdict"]["holds"].get<bool>());
  EXPECT_THAT(read_text(folder_.file("fit.svg")), HasSubstr("</svg>"));
  const std::string written = read_text(folder_.file("fitted.toml"));
  EXPECT_THAT(written, HasSubstr("# a stone"));
  EXPECT_THAT(written, HasSubstr("m/s^2\"      # to be found"));
  const Outcome again =
      run({"fit", "fitted.toml", "heights.csv", "--free", "g", "--measure", "height=y"}, {.folder = folder_.path()});
  EXPECT_EQ(again.status, 0);
  EXPECT_THAT(again.out, HasSubstr("falling: fitted"));
}

// Truth: theta = al t^2/2 of al = 0.2 rad/s^2 is 0.1 and 0.4 rad after 1 and 2 s; the figure has degrees, what is printed SI.
TEST_F(FitCommand, DrawsAnglesInDegrees) {
  folder_.write("wheel.toml", R"toml(name = "wheel"
coordinates = [{name = "theta", unit = "rad"}]
[parameters]
J = "1 kg*m^2"
al = "0.1 rad/s^2"
[energy]
kinetic = "J/2*theta'^2"
potential = "-J*al*theta"
[initial]
position = {theta = "0 rad"}
velocity = {theta = "0 rad/s"}
)toml");
  folder_.write("angles.csv", "time,angle\n0,0\n1,0.1\n2,0.4\n");
  std::vector<std::string> options{"fit",       "wheel.toml",  "angles.csv", "--free",  "al",
                                   "--measure", "angle=theta", "--plot",     "fit.svg", "--json"};
  const Outcome radians = run(options, {.folder = folder_.path()});
  EXPECT_THAT(read_text(folder_.file("fit.svg")), HasSubstr("[rad]")) << radians.err;
  options.emplace_back("--degrees");
  const Outcome degrees = run(options, {.folder = folder_.path()});
  EXPECT_THAT(read_text(folder_.file("fit.svg")), AllOf(HasSubstr("[deg]"), Not(HasSubstr("[rad]")))) << degrees.err;
  EXPECT_EQ(degrees.json()["rms"], radians.json()["rms"]);
  EXPECT_EQ(degrees.json()["columns"]["angle"]["unit"], "rad");
  const Outcome none = fit({"--free", "g", "--measure", "height=y", "--plot", "fit.svg", "--degrees"});
  EXPECT_EQ(none.status, 0);
  EXPECT_THAT(none.err, HasSubstr("W0325"));
  EXPECT_EQ(fit({"--free", "g", "--measure", "height=y", "--degrees"}).status, 2);
}

TEST_F(FitCommand, SaysWhatIsNotDetermined) {
  const Outcome outcome = fit({"--free", "g,m", "--measure", "height=q/y"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("W0308"));
  EXPECT_THAT(outcome.err, HasSubstr("m: nothing that was measured depends on it"));
  EXPECT_THAT(outcome.out, HasSubstr("not determined"));
}

TEST_F(FitCommand, SaysWhatAModelFileCannotHold) {
  folder_.write("again.csv", "time,height\n0,9\n0.5,7.77375\n1,4.095\n");
  const Outcome outcome =
      fit({"again.csv", "--free", "g,y", "--per-file", "y", "--measure", "height=y", "-o", "fitted.toml"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("y[2]"));
  EXPECT_THAT(outcome.err, HasSubstr("of each file, and not written to the model: y\n"));
  EXPECT_THAT(read_text(folder_.file("fitted.toml")), HasSubstr("y = \"10 m\""));
}

TEST_F(FitCommand, TellsOfSeveralStarts) {
  const std::vector<std::string> options{"--free",   "g", "--measure", "height=y", "--bounds", "g=1 m/s^2:30 m/s^2",
                                         "--starts", "3", "--threads", "2"};
  const Outcome outcome = fit(options);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("3 starts, 3 to these values"));
  std::vector<std::string> as_json = options;
  as_json.emplace_back("--json");
  const nlohmann::json fitted = fit(as_json).json();
  ASSERT_EQ(fitted["starts"].size(), 3u);
  for (const auto& one : fitted["starts"]) {
    EXPECT_EQ(one["minimum"], 0);
    EXPECT_NEAR(one["to"]["g"].get<double>(), 9.81, 1e-8);
  }
  EXPECT_EQ(fitted["starts"][0]["from"]["g"], 9);
}

// Threads count the calls of derivatives in no order, and others may have kept code of them: neither decides which of them are by machine code.
TEST_F(FitCommand, HasTheSameDigitsByAnyThreadsAndWhateverCodeIsKept) {
  const Setting setting{.environment = {{"DALEMBERT_CACHE_DIR", folder_.file("kernels")}}, .folder = folder_.path()};
  std::vector<std::string> options{"fit", "four-bar"};
  for (const std::string mass : {"0.15", "0.25", "0.35"}) {
    const std::string file = mass + ".csv";
    ASSERT_EQ(
        run({"simulate", "four-bar", "--until", "2", "--every", "0.05", "--set", "m1=" + mass, "-o", file}, setting)
            .status,
        0);
    options.push_back(file);
  }
  for (const char* option : {"--free", "m1,theta1", "--per-file", "m1", "--measure", "q/theta3=theta3", "--set",
                             "theta1=1.2", "--bounds", "m1=0.01:", "--json", "--threads"})
    options.emplace_back(option);
  std::vector<nlohmann::json> fitted;
  for (const char* threads : {"1", "3", "1"}) {
    std::vector<std::string> by_threads = options;
    by_threads.emplace_back(threads);
    fitted.push_back(run(by_threads, setting).json());
    fitted.back().erase("wall_s");
  }
  EXPECT_EQ(fitted[0], fitted[1]);
  EXPECT_EQ(fitted[0], fitted[2]);
}

TEST_F(FitCommand, RefusesWhatMakesNoSense) {
  const auto refuse = [&](const std::vector<std::string>& options, int status, const char* text) {
    const Outcome outcome = fit(options);
    EXPECT_EQ(outcome.status, status) << text;
    EXPECT_THAT(outcome.err, HasSubstr(text));
  };
  refuse({"--measure", "height=y"}, 2, "nothing is free");
  refuse({"--free", "g"}, 2, "nothing says what the columns measure");
  refuse({"--free", "gg", "--measure", "height=y"}, 2, "did you mean `g`?");
  refuse({"--free", "g", "--measure", "hight=y"}, 5, "did you mean `height`?");
  refuse({"--free", "g", "--measure", "height"}, 2, "it needs a name and `=`");
  refuse({"--free", "g", "--measure", "height=y'"}, 5, "is in m, and what it measures in m/s");
  refuse({"--free", "g", "--measure", "note=y"}, 5, "heights.csv:2:8");
  refuse({"--free", "g", "--measure", "height=y", "--bounds", "g=-1 m/s^2:1 m/s^2"}, 2, "outside of its bounds");
  refuse({"--free", "g", "--measure", "height=y", "-o", "fitted.csv"}, 2, "it is a model file");
  refuse({"--free", "g", "--measure", "height=y", "-o", "none/fitted.toml"}, 5, "E0501");
  refuse({"--free", "g", "--measure", "height=y", "--every", "1"}, 2, "E0402");
  refuse({"--free", "g", "--measure", "height=y", "--starts", "4"}, 2, "nothing says where other starts may have `g`");
  refuse({"--free", "g", "--measure", "height=y", "--starts", "0"}, 2, "--starts");
  EXPECT_EQ(run({"fit", "falling.toml"}, {.folder = folder_.path()}).status, 2);
  const Outcome nowhere =
      run({"fit", "falling.toml", "none.csv", "--free", "g", "--measure", "y=y"}, {.folder = folder_.path()});
  EXPECT_EQ(nowhere.status, 5);
  EXPECT_THAT(nowhere.err, HasSubstr("none.csv"));
}

}  // namespace
}  // namespace dalembert::testing
