// SPDX-License-Identifier: Apache-2.0
// The line that long work shows on a terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "cli/process.h"
#include "cli/pseudoterminal.h"

namespace dalembert::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// What the command has drawn, a minute later at the most, once `text` is in it; then it is interrupted.
std::string drawn_until(const std::vector<std::string>& words, const std::string& text) {
  Pseudoterminal terminal;
  const Folder folder;
  Process process(words,
                  {.environment = {{"TERM", "xterm"}}, .folder = folder.path(), .standard_error = terminal.name()});
  for (int k = 0; k < 3000 && terminal.drawn().find(text) == std::string::npos; ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  process.send(SIGINT);
  EXPECT_EQ(process.wait().status, 130);
  return terminal.close();
}

TEST(ProgressLine, OfASweepHasItsNumberRateAndTimeLeft) {
  if (!Pseudoterminal().there()) GTEST_SKIP() << "no pseudoterminals here";
  EXPECT_THAT(
      drawn_until({"sweep", "slider-crank", "--vary", "L1=0.1:0.2:10000000", "--until", "1", "-o", "a.csv"}, " left"),
      ContainsRegex(
          "\\[ {24}\\]   0 %  [0-9]+ of 10000000 runs, [0-9.]+ a second  [0-9]+ (h|min) [0-9][0-9] (min|s) left"));
}

// Nobody knows how many runs a search takes.
TEST(ProgressLine, OfASearchHasNoEnd) {
  if (!Pseudoterminal().there()) GTEST_SKIP() << "no pseudoterminals here";
  const std::string said = drawn_until({"optimize", "slider-crank", "--until", "300", "--starts", "100", "--minimize",
                                        "max(abs(lambda(pin[1])))", "--free", "L1=0.1:0.2", "--threads", "1"},
                                       " a second");
  EXPECT_THAT(said, ContainsRegex("optimize: [0-9]+ runs, [0-9.]+ a second"));
  const Folder folder;
  std::string data = "time,x\n";
  for (int k = 1; k <= 300; ++k) data += std::to_string(k) + ",0.5\n";
  const std::string fitted =
      drawn_until({"fit", "slider-crank", folder.write("x.csv", data), "--free", "L1,m1", "--measure", "x=x",
                   "--starts", "100", "--bounds", "L1=0.1:0.2", "--bounds", "m1=0.1:2", "--threads", "1"},
                  " a second");
  EXPECT_THAT(fitted, ContainsRegex("fit: [0-9]+ runs, [0-9.]+ a second"));
  EXPECT_THAT(fitted, Not(HasSubstr(" left")));
}

// Frames that a slow program draws, for an encoder that takes all. Films had the step limit 0.
TEST(ProgressLine, OfAFilmIsThatOfItsFrames) {
  Pseudoterminal terminal;
  if (!terminal.there()) GTEST_SKIP() << "no pseudoterminals here";
  const Folder folder;
  for (const auto& [name, script] :
       {std::pair("ffmpeg", "#!/bin/sh\ncat > /dev/null\nfor last; do :; done\necho > \"${last#file:}\"\n"),
        std::pair("rsvg-convert", "#!/bin/sh\ncat > /dev/null\nsleep 0.8\necho frames\n")})
    std::filesystem::permissions(folder.write(name, script), std::filesystem::perms::owner_all);
  const Outcome done = run({"animate", "slider-crank", "--until", "1", "--seconds", "4", "--fps", "25", "-o", "a.gif"},
                           {.environment = {{"PATH", folder.path() + ":/usr/bin:/bin"}, {"TERM", "xterm"}},
                            .folder = folder.path(),
                            .standard_error = terminal.name()});
  const std::string drawn = terminal.close();
  EXPECT_EQ(done.status, 0) << drawn;
  EXPECT_THAT(drawn, ContainsRegex("[0-9]+ of 101 frames, [0-9.]+ a second  [0-9]+ s left"));
  EXPECT_TRUE(folder.has("a.gif"));
}

}  // namespace
}  // namespace dalembert::testing
