// SPDX-License-Identifier: Apache-2.0
// README.md, as a reader follows it: its model is saved, each of its commands is run, and what it shows is what comes
// out. The truth is the program's own output; the page is what is held against it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "cli/process.h"
#include "source_tree.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The lines between two fences.
std::vector<std::string> block(const std::vector<std::string>& page, const std::string& open,
                               const std::string& close) {
  std::vector<std::string> inside;
  auto at = std::find(page.begin(), page.end(), open);
  EXPECT_NE(at, page.end()) << open;
  while (at != page.end() && ++at != page.end() && *at != close) inside.push_back(*at);
  return inside;
}

// `dalembert …` in lines of four blanks, and between backquotes; without comments.
std::vector<std::string> commands_of(const std::vector<std::string>& page) {
  std::vector<std::string> commands;
  for (const std::string& line : page) {
    if (line.starts_with("    dalembert ")) commands.push_back(line.substr(4, line.find(" #") - 4));
    for (std::size_t at = line.find("`dalembert "); at != std::string::npos; at = line.find("`dalembert ", at + 1))
      commands.push_back(line.substr(at + 1, line.find('`', at + 1) - at - 1));
  }
  return commands;
}

// Words, with double quotes as in the shell.
std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char c : command) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ' ' && !quoted)
      words.emplace_back();
    else
      words.back() += c;
  }
  std::erase(words, "");
  words.erase(words.begin());
  return words;
}

class Readme : public ::testing::Test {
 protected:
  void SetUp() override {
    page_ = lines_of(read_text(source_tree() + "/README.md"));
    std::string model;
    for (const std::string& line : block(page_, "```toml", "```")) model += line + "\n";
    folder_.write("pendulum.toml", model);
  }
  Outcome run_here(const std::vector<std::string>& words) { return run(words, {.folder = folder_.path()}); }

  Folder folder_;
  std::vector<std::string> page_;
};

TEST_F(Readme, EveryCommandDoesWhatItIsSaidToDo) {
  const std::vector<std::string> commands = commands_of(page_);
  EXPECT_GE(commands.size(), 12U);
  std::set<std::string> verbs;
  for (const std::string& command : commands) {
    const std::vector<std::string> words = words_of(command);
    verbs.insert(words.front());
    const Outcome outcome = run_here(words);
    // The audit of the pendulum is to say no.
    EXPECT_EQ(outcome.status, command == "dalembert audit pendulum.toml" ? 4 : 0) << command << "\n" << outcome.err;
    EXPECT_FALSE(outcome.out.empty() && outcome.err.empty()) << command;
  }
  for (const char* verb : {"new", "explain", "assemble", "audit", "report"}) EXPECT_TRUE(verbs.contains(verb)) << verb;
}

// The page opens with a model that is read at a glance; its picture is written by ./dev pictures from these lines.
TEST_F(Readme, OpensWithAModelOfAtMostTwelveLines) {
  EXPECT_LE(block(page_, "```toml", "```").size(), 12U);
  const auto first = std::find(page_.begin(), page_.end(), "```toml");
  const auto picture = std::find_if(page_.begin(), page_.end(), [](const std::string& line) {
    return line.find("docs/pictures/pendulum.svg") != std::string::npos;
  });
  const auto try_it = std::find(page_.begin(), page_.end(), "## Try it");
  EXPECT_TRUE(first < picture && picture < try_it);
}

TEST_F(Readme, ShowsTheEquationsThatComeOut) {
  const std::string latex = run_here({"derive", "pendulum.toml", "--format", "latex"}).out;
  const std::vector<std::string> shown = block(page_, "$$", "$$");
  EXPECT_GE(shown.size(), 3U);
  for (const std::string& line : shown) EXPECT_THAT(latex, HasSubstr(line));
}

TEST_F(Readme, ShowsTheVerdictOfTheAudit) {
  const std::string audit = run_here({"audit", "pendulum.toml"}).out;
  for (const std::string& line : block(page_, "```text", "```")) EXPECT_THAT(audit, HasSubstr(line));
}

std::vector<std::string> cells_of(const std::string& line, char between) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, between);) {
    const std::size_t begin = cell.find_first_not_of(' ');
    if (begin != std::string::npos) cells.push_back(cell.substr(begin, cell.find_last_not_of(' ') - begin + 1));
  }
  return cells;
}

// Four decimals are shown: a printed number may be off by half of the last one.
TEST_F(Readme, ShowsTheNumbersOfTheRun) {
  EXPECT_EQ(run_here({"simulate", "pendulum.toml", "--until", "1", "--every", "0.25", "--output", "swing.csv"}).status,
            0);
  const std::vector<std::string> csv = lines_of(read_text(folder_.file("swing.csv")));
  const std::vector<std::string> names = cells_of(csv.at(0), ',');
  auto at =
      std::find_if(page_.begin(), page_.end(), [](const std::string& line) { return line.starts_with("| time"); });
  ASSERT_NE(at, page_.end());
  const std::vector<std::string> shown = cells_of(*at, '|');
  at += 2;
  for (std::size_t row = 1; row < csv.size(); ++row, ++at) {
    const std::vector<std::string> values = cells_of(csv[row], ','), cells = cells_of(*at, '|');
    ASSERT_EQ(cells.size(), shown.size()) << *at;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const auto column = static_cast<std::size_t>(std::find(names.begin(), names.end(), shown[i]) - names.begin());
      ASSERT_LT(column, values.size()) << shown[i];
      EXPECT_NEAR(std::stod(cells[i]), std::stod(values[column]), 0.51e-4) << shown[i];
    }
  }
  EXPECT_FALSE(at->starts_with("|"));
}

}  // namespace
}  // namespace dalembert::testing
