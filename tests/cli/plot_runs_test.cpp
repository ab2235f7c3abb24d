// SPDX-License-Identifier: Apache-2.0
// plot RUN: which series, of which runs, in which panels; and what it says where there is nothing to draw.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "cli/process.h"

namespace dalembert::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// A run written by hand: what is in it is known.
constexpr const char* kRun =
    "time,q/theta,q/x,v/theta,lambda/pin[1],lambda/pin[2],residual/pin[1]\n"
    "0,0,1,5,-3,0,0\n"
    "1,2,1.5,4,7,0,1e-16\n"
    "2,1,0.5,-6,2,0,-2e-15\n";

std::vector<std::string> drawn(const nlohmann::json& document) {
  std::vector<std::string> names;
  for (const auto& series : document["series"]) names.push_back(series["name"]);
  return names;
}

Outcome plot(const Folder& folder, std::vector<std::string> more) {
  std::vector<std::string> arguments{"plot", folder.file("run.csv"), "-o", folder.file("fig.svg"), "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run(arguments);
}

TEST(PlotRuns, SeriesByNameShortNameAndPattern) {
  const Folder folder;
  folder.write("run.csv", kRun);
  const auto names = [&](const std::vector<std::string>& more) {
    const Outcome outcome = plot(folder, more);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return drawn(outcome.json());
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names({}), (Names{"q/theta", "q/x", "lambda/pin[1]", "lambda/pin[2]"}));
  EXPECT_EQ(names({"-y", "theta,lambda.pin[2]"}), (Names{"q/theta", "lambda/pin[2]"}));
  EXPECT_EQ(names({"-y", "theta'"}), (Names{"v/theta"}));
  EXPECT_EQ(names({"-y", "dot(theta), x"}), (Names{"v/theta", "q/x"}));
  EXPECT_EQ(names({"-y", "lambda.*", "-y", "lambda/pin[1]"}), (Names{"lambda/pin[1]", "lambda/pin[2]"}));
  EXPECT_EQ(names({"-y", "?/theta"}), (Names{"q/theta", "v/theta"}));
  EXPECT_EQ(names({"-y", "th*"}), (Names{"q/theta"}));
  EXPECT_EQ(names({"-y", "pin*"}), (Names{"lambda/pin[1]", "lambda/pin[2]"}));
  EXPECT_EQ(names({"--phase", "theta,theta'"}), (Names{"v/theta"}));
  EXPECT_EQ(plot(folder, {"-x", "theta", "-y", "x"}).json()["x"], "q/theta");
}

// Angles are known by their units, which the file beside a .csv has. 2 rad are 360/pi degrees.
TEST(PlotRuns, AnglesInDegrees) {
  const Folder folder;
  folder.write("run.csv", kRun);
  const Outcome unknown = plot(folder, {"--degrees", "-y", "theta"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("no series in the figure is known to be an angle"));
  folder.write("run.csv.units.json", R"({"q/theta": "rad", "v/theta": "rad/s", "q/x": "m"})");
  const Outcome outcome = plot(folder, {"--degrees", "-y", "theta,theta',x", "--x-range", "0:1"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json document = outcome.json(), &series = document["series"];
  EXPECT_EQ(series[0]["unit"], "deg");
  EXPECT_DOUBLE_EQ(series[0]["max"].get<double>(), 360 / M_PI);
  EXPECT_EQ(series[1]["unit"], "deg/s");
  EXPECT_DOUBLE_EQ(series[1]["max"].get<double>(), 900 / M_PI);
  EXPECT_EQ(series[2]["unit"], "m");
  EXPECT_EQ(series[2]["max"], 1.5);
  EXPECT_THAT(read_text(folder.file("fig.svg")),
              AllOf(HasSubstr("[deg]"), HasSubstr("[deg/s]"), Not(HasSubstr("[rad"))));
  // Ranges are in degrees where the axis is.
  const Outcome phase = plot(folder, {"--degrees", "--phase", "theta,x", "--x-range", "50:120"});
  EXPECT_EQ(phase.json()["series"][0]["max"], 1.5) << phase.err;
  EXPECT_EQ(plot(folder, {"--degrees", "-y", "x"}).status, 2);
}

TEST(PlotRuns, PhasePlanesInDegrees) {
  const Folder folder;
  const auto plane = [&](const char* model, const char* states, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"plot", model, "--phase", states, "-o", folder.file("fig.svg"), "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  };
  const Outcome outcome = plane("polar-pendulum", "theta,theta'", {"--degrees", "--x-range", "-270:270"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(read_text(folder.file("fig.svg")), AllOf(HasSubstr("theta [deg]"), HasSubstr("[deg/s]")));
  EXPECT_NEAR(outcome.json()["window"]["to"]["theta"].get<double>(), 1.5 * M_PI, 1e-12);
  const Outcome none = plane("mass-spring", "x,x'", {"--degrees"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("neither `x` nor `x'` is an angle"));
}

// Peaks of the table above; within a range only those that are seen.
TEST(PlotRuns, PeaksAreThoseOfTheRun) {
  const Folder folder;
  folder.write("run.csv", kRun);
  const Outcome peak = plot(folder, {"-y", "lambda.pin[1]", "--annotate", "peaks"});
  ASSERT_EQ(peak.status, 0) << peak.err;
  EXPECT_EQ(peak.json()["series"][0]["max"], 7);
  EXPECT_EQ(peak.json()["series"][0]["x_max"], 1);
  EXPECT_EQ(peak.json()["series"][0]["min"], -3);
  const std::string svg = read_text(folder.file("fig.svg"));
  EXPECT_THAT(svg, HasSubstr(">7 at 1 s<"));
  EXPECT_THAT(svg, HasSubstr(">−3 at 0 s<"));
  EXPECT_EQ(plot(folder, {"-y", "lambda.pin[1]", "--x-range", "1.5:2"}).json()["series"][0]["max"], 2);
}

TEST(PlotRuns, UnitsFromTheSideCarTheJsonAndTheStandard) {
  const Folder folder;
  const std::string model = folder.write("pendulum.toml", kPendulum);
  ASSERT_EQ(run({"simulate", model, "--units", "-o", folder.file("run.csv"), "-q"}).status, 0);
  ASSERT_EQ(run({"simulate", model, "-o", folder.file("run.json"), "-q"}).status, 0);
  for (const char* file : {"run.csv", "run.json"}) {
    const Outcome outcome = run({"plot", folder.file(file), "-y", "x,lambda.rod", "-o", "-"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, StartsWith("<svg"));
    EXPECT_THAT(outcome.out, HasSubstr("</tspan> [m]<")) << file;
    EXPECT_THAT(outcome.out, HasSubstr("[N]")) << file;
    EXPECT_THAT(outcome.out, HasSubstr("</tspan> [s]<")) << file;
  }
  std::filesystem::remove(folder.file("run.csv.units.json"));
  const Outcome bare = run({"plot", folder.file("run.csv"), "-y", "x,lambda.rod", "-o", "-"});
  EXPECT_THAT(bare.out, Not(HasSubstr("[N]")));
  // Series of different kinds still have panels of their own.
  EXPECT_THAT(bare.out, HasSubstr("id=\"panel2\""));
}

// A .csv alone has no units; the model says them: of every series that of the .json. Another model is refused.
TEST(PlotRuns, UnitsOfABareTableFromTheModel) {
  const Folder folder;
  const std::string model = folder.write("pendulum.toml", kPendulum);
  ASSERT_EQ(run({"simulate", model, "-o", folder.file("run.csv"), "-q"}).status, 0);
  ASSERT_EQ(run({"simulate", model, "-o", folder.file("run.json"), "-q"}).status, 0);
  const auto units = [&](const char* file, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"plot", folder.file(file), "-y", "*", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::vector<std::string> all;
    const nlohmann::json document = outcome.json();
    for (const auto& series : document["series"])
      all.push_back(series["name"].get<std::string>() + " in " + series["unit"].dump());
    return all;
  };
  EXPECT_GT(units("run.json", {}).size(), 10U);
  EXPECT_EQ(units("run.csv", {"--model", model}), units("run.json", {}));
  EXPECT_NE(units("run.csv", {}), units("run.json", {}));
  const Outcome other = run({"plot", folder.file("run.csv"), "--model", "slider-crank"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("E0521"));
  EXPECT_EQ(run({"plot", "polar-pendulum", "--phase", "theta,theta'", "--model", "x", "-o", "-"}).status, 2);
}

TEST(PlotRuns, RunsOverEachOther) {
  const Folder folder;
  folder.write("run.csv", kRun);
  folder.write("b.csv", "time,q/theta\n0,1\n5,3\n");
  const Outcome outcome = plot(folder, {folder.file("b.csv"), "-y", "theta"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["series"].size(), 2U);
  const std::string svg = read_text(folder.file("fig.svg"));
  EXPECT_THAT(svg, HasSubstr(">run<"));
  EXPECT_THAT(svg, HasSubstr(">b<"));
  const Outcome missing = plot(folder, {folder.file("b.csv"), "-y", "x"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err, HasSubstr("b.csv"));
}

// Nothing is written where there is nothing to show, and the message says why.
TEST(PlotRuns, WhatCannotBeDrawn) {
  const Folder folder;
  folder.write("run.csv", kRun);
  const auto refused = [&](const std::vector<std::string>& more, int status, const char* words) {
    const Outcome outcome = plot(folder, more);
    EXPECT_EQ(outcome.status, status) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(words));
    EXPECT_FALSE(folder.has("fig.svg"));
  };
  folder.write("two.csv", "time,u/gain,output/gain\n0,1,2\n");
  const Outcome either = run({"plot", folder.file("two.csv"), "-y", "gain", "-o", folder.file("fig.svg")});
  EXPECT_EQ(either.status, 2);
  EXPECT_THAT(either.err, HasSubstr("`u/gain` or `output/gain`"));
  refused({"-y", "thta"}, 2, "did you mean `theta`?");
  refused({"-y", "lamda.pin[1]"}, 2, "did you mean `lambda.pin[1]`?");
  refused({"-y", "mu.*"}, 2, "E0412");
  refused({"-y", "theta,"}, 2, "empty");
  refused({"--phase", "theta"}, 2, "X,Y");
  refused({"--phase", "theta,x", "-y", "x"}, 2, "--phase");
  refused({"--log-y", "-y", "lambda.pin[2]"}, 2, "it is 0");
  refused({"--set", "m=2"}, 2, "--set");
  refused({"--x-range", "2:1"}, 2, "FROM:TO");

  const auto no_run = [&](const char* text) {
    folder.write("run.csv", text);
    const Outcome outcome = plot(folder, {});
    EXPECT_EQ(outcome.status, 5) << text;
    EXPECT_THAT(outcome.err, HasSubstr("E0502"));
    EXPECT_FALSE(folder.has("fig.svg"));
  };
  no_run("");
  no_run("time,q/x\n");
  no_run("time\n0\n1\n");
  no_run("1,2\n3,4\n");
  no_run("time,q/x\n0,hello\n");
  no_run("time,q/x\n0,nan\n1,\n");
  no_run("{\"series\": {\"time\": []}}");
  no_run("{\"runs\": 3}");
  no_run("\x89PNG\r\n\x1a\n");
  EXPECT_EQ(run({"plot", folder.file("none.csv"), "-o", folder.file("fig.svg")}).status, 5);
  EXPECT_EQ(run({"plot", folder.file("run.csv"), "-o", folder.file("nowhere/fig.svg")}).status, 5);
}

TEST(PlotRuns, GapsAreSaidAndDrawn) {
  const Folder folder;
  folder.write("run.csv", "time,q/x\n0,1\n1,nan\n2,inf\n3,2\n4,3\n");
  const Outcome outcome = plot(folder, {"-y", "x"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("W0312"));
  EXPECT_THAT(outcome.err, HasSubstr("2 of 5 values"));
  EXPECT_EQ(outcome.json()["series"][0]["max"], 3);
  EXPECT_THAT(read_text(folder.file("fig.svg")), Not(HasSubstr("nan")));
  EXPECT_EQ(plot(folder, {"-y", "x", "--deny", "warnings"}).status, 1);
}

// Without a file: in the terminal, as wide as that is, and nothing is written.
TEST(PlotRuns, InTheTerminal) {
  const Folder folder;
  folder.write("run.csv", kRun);
  const Outcome outcome = run({"plot", "run.csv", "-y", "theta,theta'", "--annotate", "peaks"},
                              {.environment = {{"COLUMNS", "60"}}, .folder = folder.path()});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("θ\u0307"));
  EXPECT_THAT(outcome.out, HasSubstr("└"));
  EXPECT_THAT(outcome.out, HasSubstr("v/theta"));  // the table of peaks
  const Outcome plain = run({"plot", folder.file("run.csv"), "-y", "x", "--ascii"});
  ASSERT_EQ(plain.status, 0) << plain.err;
  for (const char c : plain.out) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~'));
  EXPECT_EQ(run({"plot", folder.file("run.csv"), "-y", "x", "--json"}).json()["file"], nullptr);
  EXPECT_EQ(run({"plot", folder.file("run.csv"), "--ascii", "-o", folder.file("a.svg")}).status, 2);
  EXPECT_FALSE(folder.has("a.svg"));
}

TEST(PlotRuns, AModelIsNoRun) {
  const Outcome outcome = run({"plot", "slider-crank"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("dalembert simulate slider-crank -o run.csv && dalembert plot run.csv"));
  EXPECT_EQ(run({"plot", "polar-pendulum", "--phase", "theta,theta'", "-y", "theta", "-o", "-"}).status, 2);
  EXPECT_EQ(run({"plot", "polar-pendulum", "slider-crank", "--phase", "theta,theta'", "-o", "-"}).status, 2);
}

// From a pipe, and with names that are no words of XML.
TEST(PlotRuns, StandardInputAndHostileNames) {
  const Outcome outcome = run({"plot", "-", "-y", "*", "-o", "-"},
                              {.input = "time,q/<script>,\"q/a\"\"&b\",q/\x01\xff\n0,1,2,3\n1,2,3,4\n"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, Not(HasSubstr("<script>")));
  EXPECT_THAT(outcome.out, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\x01")));
}

}  // namespace
}  // namespace dalembert::testing
