// SPDX-License-Identifier: Apache-2.0
// simulate: exit status, JSON, files, interruption.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <thread>

#include "cli/process.h"
#include "dalembert/store/run_files.h"
#include "source_tree.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// Machine code rounds differently from the interpreter; over 1 s neither is off by more than the tolerance allows.
TEST(Simulate, WithAndWithoutMachineCode) {
  const Outcome compiled = run({"simulate", "slider-crank", "--until", "1", "--json"});
  const Outcome interpreted = run({"simulate", "slider-crank", "--until", "1", "--json", "--no-jit"});
  ASSERT_EQ(compiled.status, 0) << compiled.err;
  ASSERT_EQ(interpreted.status, 0) << interpreted.err;
  for (const char* coordinate : {"theta", "phi", "x"})
    EXPECT_NEAR(compiled.json()["final"]["q"][coordinate].get<double>(),
                interpreted.json()["final"]["q"][coordinate].get<double>(), 1e-7);
}

// Last bits hang on what computes them, and at tolerances near round-off whether a second run reaches its end: here one of the two did not at
// a hundredth. The errors of a motion of one freedom grow with time, no faster, so its end has digits, whoever computes it.
TEST(Simulate, TheVerdictDoesNotHangOnWhatComputes) {
  for (const std::string option : {"--quiet", "--no-jit"}) {
    const Outcome done = run({"simulate", "slider-crank", "--until", "1000", "--every", "10", "--json", option});
    EXPECT_EQ(done.status, 0) << option << done.err;
    const nlohmann::json document = done.json();
    EXPECT_EQ(document["verdict"]["error"]["method"], "cross-check");
    EXPECT_LT(document["verdict"]["error"]["relative"], 0.01);
    EXPECT_THAT(document["computed_by"].get<std::string>(),
                option == "--no-jit"
                    ? ::testing::Matcher<std::string>("interpreter")
                    : ::testing::AnyOf(StartsWith("machine code of LLVM 19."), StartsWith("interpreter, for ")));
  }
}

// x(t) = cos t, so x(2) = cos 2. Error control allows 1e-9 a step and there are a few dozen.
TEST(Simulate, JsonHasTheFieldsAndTheMotion) {
  const Outcome outcome = run({"simulate", "-", "--json"}, {.input = kOscillator});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  auto json = outcome.json();
  for (const char* key : {"status", "reason", "t_end", "steps", "rejected", "evaluations", "compile_seconds",
                          "wall_seconds", "verdict", "events", "initial", "final"})
    EXPECT_TRUE(json.contains(key)) << key;
  for (const char* key : {"holds", "max_position_residual", "max_velocity_residual", "energy_drift",
                          "power_balance_error", "conserved", "min_rank", "warnings"})
    EXPECT_TRUE(json["verdict"].contains(key)) << key;
  EXPECT_EQ(json["status"], "ok");
  EXPECT_EQ(json["t_end"], 2);
  EXPECT_EQ(json["verdict"]["holds"], true);
  EXPECT_EQ(json["initial"]["q"]["x"], 1);
  EXPECT_TRUE(json["initial"]["moved"]["q"].empty());
  EXPECT_NEAR(json["final"]["q"]["x"].get<double>(), std::cos(2), 1e-7);
  EXPECT_NEAR(json["final"]["qd"]["x"].get<double>(), -std::sin(2), 1e-7);
}

// x(2) = cos 2 exactly: what the verdict names is above the error, and not by far.
TEST(Simulate, TheVerdictNamesTheErrorOfTheEnd) {
  for (const bool twice : {false, true}) {
    std::vector<std::string> arguments{"simulate", "-", "--json", "--rtol", "1e-6"};
    if (twice) arguments.push_back("--cross-check");
    const Outcome outcome = run(arguments, {.input = kOscillator});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    auto json = outcome.json();
    auto error = json["verdict"]["error"];
    EXPECT_EQ(error["method"], "cross-check");
    EXPECT_EQ(error.contains("along"), twice);
    EXPECT_GE(error["q"]["x"].get<double>(), std::abs(json["final"]["q"]["x"].get<double>() - std::cos(2)));
    EXPECT_GE(error["qd"]["x"].get<double>(), std::abs(json["final"]["qd"]["x"].get<double>() + std::sin(2)));
    EXPECT_LE(error["q"]["x"].get<double>(), 100 * std::abs(json["final"]["q"]["x"].get<double>() - std::cos(2)));
    EXPECT_EQ(error["estimate"], error["q"]["x"]);
    EXPECT_TRUE(error["lost_at"].is_null());
    EXPECT_TRUE(json["verdict"]["reasons"].empty());
  }
}

// x = cos(ωt) with ω² = k/m = 1: ∂x/∂k = −t/2 sin t, ∂x/∂x₀ = cos t.
TEST(Simulate, DerivativesByParametersAndInitialValues) {
  const Outcome outcome = run({"simulate", "mass-spring", "--until", "2", "--set", "m=1", "--set", "k=1", "--set",
                               "x=1", "--sensitivity", "k,x", "--sensitivity=x'", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  auto by = outcome.json()["final"]["sensitivity"];
  EXPECT_NEAR(by["k"]["q"]["x"].get<double>(), -std::sin(2), 1e-8);
  EXPECT_NEAR(by["x"]["q"]["x"].get<double>(), std::cos(2), 1e-8);
  EXPECT_NEAR(by["x'"]["q"]["x"].get<double>(), std::sin(2), 1e-8);
  const double error = std::abs(by["k"]["q"]["x"].get<double>() + std::sin(2)) / std::sin(2);
  EXPECT_LE(error, by["k"]["error"].get<double>());
  for (const char* key : {"qd", "qdd", "lambda", "outputs"}) EXPECT_TRUE(by["k"].contains(key)) << key;
  const Outcome rows = run({"simulate", "mass-spring", "--until", "2", "--sensitivity", "k", "-o", "-"});
  EXPECT_NE(rows.out.find("sens/k/q/x"), std::string::npos) << rows.out.substr(0, 200);
  const Outcome text = run({"simulate", "mass-spring", "--until", "2", "--sensitivity", "k"});
  EXPECT_NE(text.out.find("by k"), std::string::npos) << text.out;
  const Outcome wrong = run({"simulate", "mass-spring", "--sensitivity", "kk"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("did you mean `k`?"), std::string::npos) << wrong.err;
  // The place is that of the name; an input is no number.
  const Outcome second = run({"simulate", "cart-pendulum", "--sensitivity", "m, f"});
  EXPECT_EQ(second.status, 2);
  EXPECT_NE(second.err.find("`f` is an input, a function of time"), std::string::npos) << second.err;
  EXPECT_NE(second.err.find("--sensitivity:1:4"), std::string::npos) << second.err;
  EXPECT_NE(second.err.find("`f = \"f0\"` in [inputs]"), std::string::npos) << second.err;
}

// Code has other digits than the interpreter, so counts of one run decide about it, not what others have left on the disk.
TEST(Simulate, DerivativesHaveTheSameDigitsWhateverCodeIsKept) {
  const Folder folder;
  const Setting setting{.environment = {{"DALEMBERT_CACHE_DIR", folder.file("kernels")}}, .folder = folder.path()};
  const auto rows_until = [&](const char* until, const char* file) {
    EXPECT_EQ(run({"simulate", "four-bar", "--until", until, "--sensitivity", "m1,theta1", "-o", file}, setting).status,
              0);
    return read_text(folder.file(file));
  };
  const std::string before = rows_until("3", "a.csv");
  EXPECT_EQ(run({"simulate", "four-bar", "--until", "30", "--sensitivity", "m1,theta1", "--no-jit"}, setting).status,
            0);
  EXPECT_FALSE(folder.has("kernels"));
  rows_until("30", "long.csv");
  EXPECT_TRUE(folder.has("kernels"));
  EXPECT_EQ(rows_until("3", "b.csv"), before);
}

// x = cos(ωt) with ω² = k/m = 1, and the output −kx at t = 2: by k −cos 2 + sin 2, by m −sin 2, by the held x −cos 2.
TEST(Simulate, GradientsByTheAdjoint) {
  const std::vector<std::string> oscillator{"simulate", "mass-spring", "--until", "2",     "--set",
                                            "m=1",      "--set",       "k=1",     "--set", "x=1"};
  const auto simulate = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = oscillator;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  };
  const Outcome outcome = simulate({"--gradient-of", "spring_force", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  auto document = outcome.json();
  auto by = document["gradient"]["spring_force"];
  EXPECT_NEAR(by["k"].get<double>(), std::sin(2) - std::cos(2), 1e-8);
  EXPECT_NEAR(by["m"].get<double>(), -std::sin(2), 1e-8);
  EXPECT_NEAR(by["x"].get<double>(), -std::cos(2), 1e-8);
  const double error = std::abs(by["m"].get<double>() + std::sin(2)) / (std::sin(2) - std::cos(2));
  EXPECT_LE(error, document["gradient_error"]["spring_force"].get<double>());
  const Outcome text = simulate({"--gradient-of", "spring_force,period"});
  EXPECT_NE(text.out.find("d spring_force/d"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("d period/d"), std::string::npos) << text.out;
  const Outcome wrong = simulate({"--gradient-of", "spring_forc"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("did you mean `spring_force`?"), std::string::npos) << wrong.err;
  EXPECT_NE(simulate({"--gradient-of", "period", "--sensitivity", "k"}).err.find("do not go together"),
            std::string::npos);
}

// As above: ∫x² = 1 + sin(4)/4 with k = m, by the held x twice that; the commas within at(…) divide nothing. The constraints of a wheel of spokes have no
// fixed order of elimination.
TEST(Simulate, GradientsOfFormulas) {
  const Outcome outcome = run({"simulate", "mass-spring", "--until", "2", "--set", "m=1", "--set", "k=1", "--set",
                               "x=1", "--gradient-of", "integral(x^2), at(x, 1 s)", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  auto gradients = outcome.json()["gradient"];
  ASSERT_EQ(gradients.size(), 2U);
  EXPECT_NEAR(gradients["integral(x^2)"]["x"].get<double>(), 2 + std::sin(4) / 2, 1e-8);
  EXPECT_NEAR(gradients["at(x, 1 s)"]["k"].get<double>(), -std::sin(1) / 2, 1e-8);
  const Outcome wheel = run({"simulate", "rimless-wheel", "--gradient-of", "final(theta)", "--json"});
  EXPECT_EQ(wheel.status, 0);
  EXPECT_EQ(wheel.err.find("W0330"), std::string::npos) << wheel.err;
  EXPECT_TRUE(wheel.json()["gradient"]["final(theta)"]["g"].is_number());
  const Outcome wrong = run({"simulate", "mass-spring", "--gradient-of", "x^2"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("integral(x^2)"), std::string::npos) << wrong.err;
}

// The command line is wrong, and nothing was computed: no verdict (docs/command-line.md).
TEST(Simulate, RefusesWhatContactsRefuse) {
  for (const std::vector<std::string>& option :
       std::vector<std::vector<std::string>>{{"--formulation", "reduced"}, {"--until", "-1"}}) {
    const Outcome outcome = run({"simulate", "bouncing-ball", option[0], option[1]});
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_NE(outcome.err.find("error[E0446]"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("help: "), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

// A parameter that a formula of --gradient-of reads is not unused.
TEST(Simulate, AFormulaReadsParameters) {
  const auto simulate = [](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"simulate", "-"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments, {.input = R"toml(coordinates = [{name = "x", unit = "m"}]
[parameters]
goal = "0.1 m"
[energy]
kinetic = "(0.5 kg)*x'^2"
potential = "(2 N/m)*x^2"
[initial]
position = {x = "0.1 m"}
[simulation]
until = "1 s"
)toml"});
  };
  EXPECT_NE(simulate({}).err.find("W0101"), std::string::npos);
  const Outcome read = simulate({"--gradient-of", "final(x - goal)"});
  EXPECT_EQ(read.status, 0) << read.err;
  EXPECT_EQ(read.err.find("W0101"), std::string::npos) << read.err;
}

// Chaotic: errors grow by a factor 10 in 2.5 s or so; at 60 s no tolerance of doubles has a digit left.
TEST(Simulate, LostDigitsAreAnAnswerOfNo) {
  const Outcome outcome = run({"simulate", "double-pendulum", "--until", "60", "--rtol", "1e-7"});
  EXPECT_EQ(outcome.status, 4) << outcome.err;
  EXPECT_NE(outcome.out.find("digits lost"), std::string::npos) << outcome.out;
}

TEST(Simulate, OptionsOverrideTheModel) {
  const auto end = [](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"simulate", "-", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments, {.input = kOscillator}).json()["t_end"].get<double>();
  };
  EXPECT_EQ(end({}), 2);
  EXPECT_EQ(end({"--until", "0.5"}), 0.5);
  EXPECT_EQ(end({"--until", "250 ms"}), 0.25);
  EXPECT_EQ(end({"--until", "1", "--method", "dopri5", "--formulation", "index1", "--rtol", "1e-6", "--atol", "1e-9"}),
            1);
}

TEST(Simulate, WritesCsvAndJson) {
  const Folder folder;
  const std::string model = folder.write("pendulum.toml", kPendulum);
  const Outcome outcome = run({"simulate", model, "--every", "0.1", "-o", folder.file("run.csv"), "-q"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, IsEmpty());
  const Result<Table> csv = read_csv(folder.file("run.csv"));
  ASSERT_TRUE(csv.ok());
  EXPECT_EQ(csv->names.at(0), "time");
  EXPECT_EQ(csv->rows(), 11U);
  EXPECT_EQ(csv->series("lambda/rod").size(), 11U);
  EXPECT_EQ(csv->series("output/tension").size(), 11U);

  EXPECT_EQ(run({"simulate", model, "--every", "0.1", "--output", folder.file("run.json")}).status, 0);
  const Result<Table> json = read_json(folder.file("run.json"));
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(json->names, csv->names);
  EXPECT_EQ(json->columns, csv->columns);
}

TEST(Simulate, CsvToStandardOutputStandsAlone) {
  const Outcome outcome = run({"simulate", "-", "-o", "-"}, {.input = kOscillator});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, StartsWith("time,q/x"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("verdict")));
  EXPECT_THAT(outcome.err, HasSubstr("verdict"));
}

TEST(Simulate, WrongPathsAreFoundBeforeTheRun) {
  const Folder folder;
  const std::string model = folder.write("oscillator.toml", kOscillator);
  // Long enough that a check after the run would hit the time limit of the test.
  const Outcome outcome = run({"simulate", model, "--until", "1e9", "-o", folder.file("nowhere/run.csv")});
  EXPECT_EQ(outcome.status, 5);
  EXPECT_THAT(outcome.err, HasSubstr("nowhere"));
  EXPECT_EQ(run({"simulate", model, "-o", "/dev/full"}).status, 5);
}

TEST(Simulate, PrintsWhatAReaderNeeds) {
  const Outcome outcome = run({"simulate", "-"}, {.input = kPendulum});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* word : {"pendulum", "1 freedom", "held", "x = 0.6 m", "moved", "y by -0.1 m", "rod = -16 N",
                           "verdict: holds", "steps", "rejected", "evaluations"})
    EXPECT_THAT(outcome.out, HasSubstr(word));
  EXPECT_THAT(outcome.err, IsEmpty());  // no progress bar in a pipe
}

// Oracle: a hundred thousand rows. Few rows have the same peaks.
TEST(Simulate, EndsWithThePeaksOfMultipliersAndOutputs) {
  const Folder folder;
  const std::string model = folder.write("pendulum.toml", kPendulum);
  ASSERT_EQ(run({"simulate", model, "--until", "3", "--every", "3e-5", "-o", folder.file("all.csv")}).status, 0);
  const Result<Table> table = read_csv(folder.file("all.csv"));
  ASSERT_TRUE(table.ok());
  for (const char* every : {"0.5", "0.01"}) {
    const Outcome outcome = run({"simulate", model, "--until", "3", "--every", every, "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const nlohmann::json peaks = outcome.json()["peaks"];
    EXPECT_EQ(peaks.size(), 2U);
    for (const char* series : {"lambda/rod", "output/tension"}) {
      const auto [low, high] = std::ranges::minmax(table->series(series));
      const double allowed = 1e-8 * (high - low);
      EXPECT_NEAR(peaks[series]["min"].get<double>(), low, allowed);
      EXPECT_NEAR(peaks[series]["max"].get<double>(), high, allowed);
      for (const auto& [end, value] : {std::pair("t_min", low), std::pair("t_max", high)}) {
        const auto row = static_cast<std::size_t>(std::llround(peaks[series][end].get<double>() / 3e-5));
        EXPECT_NEAR(table->series(series)[row], value, allowed);
      }
      EXPECT_EQ(peaks[series]["unit"], "N");
    }
  }
  // Columns stand below each other: every row has its unit where the heading has the word.
  const Outcome text = run({"simulate", "-"}, {.input = kPendulum});
  std::istringstream lines(text.out.substr(text.out.find("\n  peaks") + 1));
  std::string heading, row;
  ASSERT_TRUE(std::getline(lines, heading) && std::getline(lines, row));
  EXPECT_EQ(row.substr(0, 12), "  lambda/rod");
  EXPECT_EQ(row[heading.size() - 1], 'N');
  EXPECT_THAT(row, HasSubstr("thrust along the line between `ball`"));
  ASSERT_TRUE(std::getline(lines, row));
  EXPECT_THAT(row, StartsWith("  output/tension"));
}

// The block is at y = 0 exactly, on a belt without a load on its friction: zeros are written as 0.
TEST(Simulate, ZerosAreZeros) {
  const Outcome run_text = run({"simulate", "block-on-belt", "--until", "0.1"});
  EXPECT_THAT(run_text.out, ::testing::ContainsRegex("position residual +0\n"));
  EXPECT_THAT(run_text.out, Not(HasSubstr("0.0e+00")));
  const Outcome flat = run({"eval", "block-on-incline", "--set", "alpha=0"});
  EXPECT_THAT(flat.out, HasSubstr("with a friction of 0 N"));
}

// Of many series some are shown, and how many there are besides; JSON has all: 2 rows of each of 10 pins.
TEST(Simulate, ManyPeaksAreCounted) {
  const Outcome text = run({"simulate", "n-link-chain-maximal", "--until", "0.01"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("more: --json has them all"));
  const auto peaks = run({"simulate", "n-link-chain-maximal", "--until", "0.01", "--json"}).json()["peaks"];
  EXPECT_TRUE(peaks.contains("lambda/pin10.y"));
}

TEST(Simulate, AStartThatCannotBeAssembledPointsAtTheConstraint) {
  const Outcome outcome = run({"simulate", "-", "--set", "x=3", "--json"}, {.input = kPendulum});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("E0302"));
  EXPECT_THAT(outcome.err, HasSubstr("<stdin>:14:"));
  auto json = outcome.json();
  EXPECT_EQ(json["status"], "failed");
  EXPECT_FALSE(json["reason"].get<std::string>().empty());
  EXPECT_TRUE(json["final"].is_null());
}

// x'' = x² + 1 with x(0) = x'(0) = 0 reaches infinity in finite time (below 3 s): the run fails, what came before is
// written.
TEST(Simulate, AFailedRunIsWrittenAsFarAsItWent) {
  const Folder folder;
  const std::string model = folder.write("blow-up.toml", R"(name = "blow-up"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
[[force]]
coordinate = "x"
value = "x^2 + 1"
)");
  const Outcome outcome = run({"simulate", model, "--json", "-o", folder.file("run.csv")});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcome.json()["status"], "failed");
  const Result<Table> csv = read_csv(folder.file("run.csv"));
  ASSERT_TRUE(csv.ok());
  EXPECT_GT(csv->rows(), 1U);
  EXPECT_LT(csv->series("time").back(), 4);
}

// An absolute tolerance as large as the motion lets every step pass, and the energy goes: the run ends, the answer is
// "no".
TEST(Simulate, AVerdictThatDoesNotHoldExitsWithFour) {
  const Outcome outcome =
      run({"simulate", "-", "--json", "--until", "50", "--rtol", "1e-13", "--atol", "1", "--method", "dopri5"},
          {.input = kOscillator});
  EXPECT_EQ(outcome.status, 4);
  EXPECT_EQ(outcome.json()["status"], "ok");
  EXPECT_EQ(outcome.json()["verdict"]["holds"], false);
  EXPECT_THAT(outcome.err, HasSubstr("W0303"));
}

// A run without end is interrupted; the file that was asked for holds what there was, and the message says so.
TEST(Simulate, InterruptSavesThePartialRun) {
  const Folder folder;
  const std::string model = folder.write("pendulum.toml", kPendulum), file = folder.file("run.csv");
  Process process({"simulate", model, "--until", "1e6", "--every", "0.05", "--json", "-o", file});
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  process.send(SIGINT);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.status, 130);
  EXPECT_THAT(outcome.err, HasSubstr(file));
  EXPECT_EQ(outcome.json()["status"], "stopped");
  EXPECT_THAT(outcome.json()["reason"].get<std::string>(), HasSubstr("interrupted"));
  const Result<Table> csv = read_csv(file);
  ASSERT_TRUE(csv.ok());
  EXPECT_GT(csv->rows(), 1U);
}

// `timeout -s INT` signals the process and its group at once: that is one interrupt, and the run must still be saved.
TEST(Simulate, TwoSignalsAtOnceAreOneInterrupt) {
  const Folder folder;
  const std::string model = folder.write("pendulum.toml", kPendulum), file = folder.file("run.csv");
  Process process({"simulate", model, "--until", "1e6", "--every", "0.05", "-o", file});
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  process.send(SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  process.send(SIGINT);
  EXPECT_EQ(process.wait().status, 130);
  EXPECT_TRUE(folder.has("run.csv"));
}

// kill -9 in the middle: the rows are on disk. The next run with this output says where they are now, and does not
// touch them.
TEST(Simulate, AKilledRunLeavesItsRows) {
  for (const std::string name : {"run.csv", "run.json"}) {
    const Folder folder;
    const std::string model = folder.write("pendulum.toml", kPendulum), file = folder.file(name);
    Process process({"simulate", model, "--until", "1e6", "--every", "0.05", "-o", file});
    // Its size, for a file that grows seldom ends with a whole row.
    const auto bytes = [&] {
      std::error_code none_yet;
      const auto size = std::filesystem::file_size(file + ".partial", none_yet);
      return none_yet ? 0 : size;
    };
    for (int wait = 0; wait < 1000 && bytes() < 10'000; ++wait)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    process.send(SIGKILL);
    process.wait();
    EXPECT_FALSE(folder.has(name));

    const Outcome next = run({"simulate", model, "--until", "0.1", "-o", file});
    EXPECT_EQ(next.status, 0) << next.err;
    EXPECT_THAT(next.err, HasSubstr("W0304"));
    EXPECT_THAT(next.err, HasSubstr("run.partial.csv"));
    EXPECT_TRUE(folder.has(name));
    EXPECT_FALSE(folder.has(name + ".partial"));
    const Result<Table> kept = read_csv(folder.file("run.partial.csv"));
    ASSERT_TRUE(kept.ok());
    // Rows 0.05 s apart from the start on, up to the time that the message gives.
    const auto& time = kept->columns[0];
    EXPECT_NEAR(time.back(), 0.05 * static_cast<double>(time.size() - 1), 1e-9 * time.back());

    EXPECT_THAT(run({"simulate", model, "--until", "0.1", "-o", file}).err, Not(HasSubstr("W0304")));
  }
}

TEST(Simulate, InterruptWithoutOutputSavesBesideTheUser) {
  const Folder folder;
  folder.write("pendulum.toml", kPendulum);
  Process process({"simulate", "pendulum.toml", "--until", "1e6", "--every", "0.05"}, {.folder = folder.path()});
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  process.send(SIGINT);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.status, 130);
  EXPECT_THAT(outcome.err, HasSubstr("pendulum.partial.csv"));
  EXPECT_TRUE(read_csv(folder.file("pendulum.partial.csv")).ok());
}

// Every model that ships must be sound and keep its promises; half a second shows it without taking minutes.
class ShippedModel : public ::testing::TestWithParam<std::string> {};

TEST_P(ShippedModel, ChecksAndSimulates) {
  const Outcome check = run({"check", GetParam(), "--json"});
  EXPECT_EQ(check.status, 0) << check.err;
  const Outcome outcome = run({"simulate", GetParam(), "--until", "0.02", "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  ASSERT_EQ(outcome.json()["status"], "ok") << outcome.out;
  EXPECT_EQ(outcome.json()["verdict"]["holds"], true) << outcome.out;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

std::vector<std::string> shipped() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source_tree() + "/models"))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Models, ShippedModel, ::testing::ValuesIn(shipped()), test_name);

}  // namespace
}  // namespace dalembert::testing
