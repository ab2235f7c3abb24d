// SPDX-License-Identifier: Apache-2.0
// Ctrl-C, SIGTERM and SIGHUP: no verb ignores them, wherever it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "cli/process.h"
#include "cli/pseudoterminal.h"

namespace dalembert::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A chain of 20,000 coordinates: minutes of work for every verb, so that a signal comes in the middle of it.
constexpr const char* kEndless = R"toml(name = "endless"
coordinates = [{name = "x{i}", for = "i in 1..20000"}]
[parameters]
k = 1
[energy]
kinetic = "sum(i in 1..20000, 1/2*(1 + x{i}^2)*x{i}'^2)"
potential = "sum(i in 2..20000, k/2*sin(x{i} - x{i-1})^2)"
[[claim]]
entry = "B[x1]"
equals = "x1*x1'^2"
)toml";

// Through a FIFO the command is known to run (and to listen) once it opens its model; it is busy when the text is
// taken.
Outcome interrupt_while_busy(std::vector<std::string> words, const std::string& text, int signal_number) {
  const Folder folder;
  const std::string fifo = folder.file("model.toml");
  if (mkfifo(fifo.c_str(), 0600) != 0) return {};
  words.insert(words.begin() + 1, fifo);
  Process process(words, {.folder = folder.path()});
  std::ofstream(fifo) << text;
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  process.send(signal_number);
  return process.wait();
}

class EveryVerb : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryVerb, EndsOnASignalWithStatus130) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const Outcome outcome = interrupt_while_busy({GetParam()}, kEndless, number);
    EXPECT_EQ(outcome.status, 130) << number;
    EXPECT_THAT(outcome.err, HasSubstr("E0903")) << number;
    EXPECT_THAT(outcome.out, IsEmpty());
  }
}

TEST_P(EveryVerb, IsOneJsonDocumentWhenItIsInterrupted) {
  const Outcome outcome = interrupt_while_busy({GetParam(), "--json"}, kEndless, SIGINT);
  EXPECT_EQ(outcome.status, 130);
  EXPECT_EQ(outcome.json()["diagnostics"][0]["code"], "E0903");
}

INSTANTIATE_TEST_SUITE_P(Verbs, EveryVerb,
                         ::testing::Values("check", "derive", "audit", "eval", "assemble", "simulate", "bench"),
                         [](const auto& param_info) { return std::string(param_info.param); });

// Between the start and the first step of a run nothing is there to be saved, and nobody looks: here instants at which a force is
// switched are listed for seconds. One signal is enough.
TEST(Interrupt, EndsARunThatHasNotBegun) {
  const Folder folder;
  const std::string model = folder.write("fast.toml", R"toml(name = "fast"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
[[force]]
coordinate = "x"
value = "sum(i in 1..6, mod((900000 + {i})*t, 1))"
)toml");
  Process process({"simulate", model, "--until", "1", "-o", folder.file("run.csv")});
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  process.send(SIGINT);
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.status, 130);
  EXPECT_THAT(outcome.err, HasSubstr("E0903"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(3));
  EXPECT_FALSE(folder.has("run.csv.partial"));
}

// What was complete before stays: the rows of a run that is interrupted get a name of their own.
TEST(Interrupt, KeepsARunThatWasThere) {
  const Folder folder;
  for (const std::string& name : {"run.csv", "run.json"}) {
    folder.write(name, "complete\n");
    Process process({"simulate", "slider-crank", "--until", "100000", "--every", "1", "-o", name},
                    {.folder = folder.path()});
    while (!folder.has(name + ".partial") || read_text(folder.file(name + ".partial")).empty())
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    process.send(SIGINT);
    const Outcome outcome = process.wait();
    EXPECT_EQ(outcome.status, 130) << outcome.err;
    EXPECT_EQ(read_text(folder.file(name)), "complete\n");
    const std::string kept = name == "run.csv" ? "run.partial.csv" : "run.partial.json";
    EXPECT_THAT(outcome.err, HasSubstr("wrote " + kept));
    EXPECT_THAT(read_text(folder.file(kept)), HasSubstr("q/theta"));
    EXPECT_FALSE(folder.has(name + ".partial"));
  }
}

// A model that never arrives: the program waits for standard input (here a FIFO that nobody writes to).
TEST(Interrupt, EndsWhileTheModelIsAwaited) {
  const Folder folder;
  const std::string fifo = folder.file("model.toml");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  Process process({"check", "-"}, {.standard_input = fifo});
  const std::ofstream writer(fifo);  // opens when the command has opened it
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  process.send(SIGINT);
  EXPECT_EQ(process.wait().status, 130);
}

// `nohup` ignores SIGHUP for the command, which must stay so: the signal comes, and the answer all the same.
TEST(Interrupt, NohupIsRespected) {
  const Folder folder;
  const std::string fifo = folder.file("model.toml");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  Process process({"check", fifo}, {.ignore_hangup = true});
  std::ofstream writer(fifo);
  process.send(SIGHUP);
  writer << kOscillator;
  writer.close();
  EXPECT_EQ(process.wait().status, 0);
}

// Work that takes seconds and whose end nobody knows says that it goes on, on a terminal and nowhere else, and takes
// the line away again. Here the model is slow to arrive.
TEST(Interrupt, WhatTakesLongShowsThatItGoesOn) {
  const Folder folder;
  const auto check_slowly = [&](const std::string& fifo, const Setting& setting) {
    EXPECT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    Process process({"check", fifo}, setting);
    std::ofstream writer(fifo);  // opens when the command has opened it
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    writer << kOscillator;
    writer.close();
    return process.wait();
  };
  Pseudoterminal terminal;
  ASSERT_TRUE(terminal.there());
  const Outcome shown =
      check_slowly(folder.file("a.toml"), {.environment = {{"TERM", "xterm"}}, .standard_error = terminal.name()});
  EXPECT_EQ(shown.status, 0);
  const std::string drawn = terminal.close();
  EXPECT_THAT(drawn, HasSubstr("\rcheck: 1 s\033[K"));
  EXPECT_THAT(drawn, EndsWith("\r\033[K")) << "the line is not taken away";
  EXPECT_THAT(check_slowly(folder.file("b.toml"), {}).err, IsEmpty());
}

// A run without an end: the first SIGHUP or SIGTERM saves it like SIGINT.
TEST(Interrupt, EverySignalSavesARun) {
  for (const int number : {SIGTERM, SIGHUP}) {
    const Folder folder;
    const std::string model = folder.write("pendulum.toml", kPendulum), file = folder.file("run.csv");
    Process process({"simulate", model, "--until", "1e6", "--every", "0.05", "-o", file});
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    process.send(number);
    EXPECT_EQ(process.wait().status, 130);
    EXPECT_TRUE(folder.has("run.csv"));
  }
}

// The page of a run that was interrupted says so before everything else.
TEST(Interrupt, ThePageOfARunSaysThatItWasStopped) {
  const Folder folder;
  const std::string model = folder.write("pendulum.toml", kPendulum), page = folder.file("run.html");
  Process process({"simulate", model, "--until", "1e6", "--every", "0.05", "--report", page});
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  process.send(SIGINT);
  EXPECT_EQ(process.wait().status, 130);
  const std::string text = read_text(page), begin = "id=\"document\">";
  const std::size_t from = text.find(begin) + begin.size();
  const nlohmann::json document = nlohmann::json::parse(text.substr(from, text.find("</script>", from) - from));
  EXPECT_EQ(document["run"]["status"], "stopped");
  EXPECT_EQ(document["notices"][0]["level"], "warning");
  EXPECT_THAT(document["notices"][0]["text"].get<std::string>(), HasSubstr("stopped: interrupted at t = "));
}

}  // namespace
}  // namespace dalembert::testing
