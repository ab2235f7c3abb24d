// SPDX-License-Identifier: Apache-2.0
// docs/command-line.md against the command: every verb, option and exit status, every member of every JSON document.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "cli/process.h"
#include "source_tree.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;

const std::string& page() {
  static const std::string text = [] {
    std::ifstream file(source_tree() + "/docs/command-line.md");
    return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }();
  return text;
}

std::set<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) found.insert((*at)[1]);
  return found;
}

std::vector<std::string> verbs() {
  const std::string help = run({"--help"}).out;
  const std::size_t begin = help.find("\nverbs\n"), end = help.find("\n\n", begin);
  const std::set<std::string> names = matches(help.substr(begin, end - begin), std::regex("\n  ([a-z]+)"));
  return {names.begin(), names.end()};
}

TEST(CommandLinePage, HasEveryVerbOptionAndExitStatus) {
  ASSERT_FALSE(page().empty());
  ASSERT_GE(verbs().size(), 11u);
  for (const std::string& verb : verbs()) {
    EXPECT_TRUE(std::regex_search(page(), std::regex("\n\\| `" + verb + "[ `]"))) << verb;
    for (const std::string& option : matches(run({verb, "--help"}).out, std::regex("\n *(?:-., )? *(--[a-z-]+)")))
      EXPECT_TRUE(std::regex_search(page(), std::regex("`" + option + "[ `]"))) << verb << " " << option;
  }
  const std::string help = run({"--help"}).out;
  for (const std::string& status : matches(help.substr(help.find("exit status")), std::regex("\n  ([0-9]+)")))
    EXPECT_THAT(page(), HasSubstr("\n| " + status + " |"));
}

TEST(CommandLinePage, HasNoOptionThatIsNotThere) {
  std::string help = run({"--help"}).out;
  for (const std::string& verb : verbs()) help += run({verb, "--help"}).out;
  for (const std::string& option : matches(page(), std::regex("`(--[a-z-]+)[ `]")))
    if (option != "--name") {
      EXPECT_THAT(help, HasSubstr(option));
    }
}

// The parts that `derive --only` takes stand in its help and on the page, in the same order.
TEST(CommandLinePage, HasThePartsOfDerive) {
  const auto list = [](const std::string& text, const std::string& before) {
    std::smatch found;
    const bool any = std::regex_search(text, found, std::regex(before + ".*with commas between: `?([A-Za-z,]+)"));
    return any ? found[1].str() : "none after " + before;
  };
  EXPECT_EQ(list(page(), "`--only PARTS`"), list(run({"derive", "--help"}).out, "--only PARTS"));
}

// Each row of a table for those who change something is there once.
TEST(ArchitecturePage, HasEachRowOnce) {
  std::ifstream file(source_tree() + "/docs/architecture.md");
  std::set<std::string> rows;
  int count = 0;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| ")) continue;
    const std::string row = line.substr(0, line.find(" | ", 2));
    if (std::isdigit(static_cast<unsigned char>(row[2])) != 0) continue;  // a level has several layers
    EXPECT_TRUE(rows.insert(row).second) << row;
    ++count;
  }
  EXPECT_GT(count, 100);
}

// Members of the objects in a document, but of those whose keys are names of the model.
void members(const nlohmann::json& json, const std::set<std::string>& by_name, std::set<std::string>& found) {
  if (json.is_array())
    for (const auto& item : json) members(item, by_name, found);
  if (!json.is_object()) return;
  for (const auto& [key, value] : json.items()) {
    found.insert(key);
    if (!by_name.contains(key)) members(value, by_name, found);
  }
}

TEST(CommandLinePage, HasEveryMemberOfTheDocuments) {
  const Folder folder;
  folder.write("wrong.toml", "coordinates = [\"x\"]\n");
  folder.write("data.csv", "time,x\n0,0.1\n0.1,0.1\n0.2,0.09\n");
  std::vector<std::vector<std::string>> commands;
  for (const char* verb : {"check", "derive", "eval", "assemble", "simulate", "bench"})
    commands.push_back({verb, "slider-crank"});
  commands.push_back({"export", "slider-crank", "--to", "latex", "-o", folder.file("latex")});
  commands.insert(commands.end(), {{"derive", "slider-crank", "--only", "lambda,qdd"},
                                   {"derive", "polar-pendulum", "--only", "lambda,qdd"},
                                   {"simulate", "mass-spring", "--until", "0.1", "--cross-check"},
                                   {"simulate", "bouncing-ball", "--until", "1", "--sensitivity", "e"},
                                   {"audit", "audits/slider-crank-misprints"},
                                   {"analyze", "chaplygin-sleigh"},
                                   {"linearize", "cart-pendulum", "--formulas"},
                                   {"linearize", "cart-pendulum", "--set", "theta=0", "--vary", "c=-1:1:1"},
                                   {"derive", "three-link-snake"},
                                   {"derive", "snakeboard", "--only", "kinematic,actuation"},
                                   {"eval", "snakeboard"},
                                   {"simulate", "snakeboard"},
                                   {"gait", "snakeboard", "--optimize"},
                                   {"cycle", "block-on-belt"},
                                   {"fit", "mass-spring", "data.csv", "--free", "k,m", "--measure", "x=x"},
                                   {"models"},
                                   {"models", "show", "mass-spring"},
                                   {"new", "made"},
                                   {"explain", "E0102"},
                                   {"explain", "--all"},
                                   {"check", "wrong.toml"},
                                   {"derive", "wrong.toml"}});
  const std::set<std::string> by_name{
      "q",     "qd",           "qdd",         "lambda", "F",           "position", "velocity",  "outputs",    "at",
      "force", "lanes",        "operations",  "shape",  "combination", "v",        "actuation", "prescribed", "qdot",
      "cycle", "displacement", "sensitivity", "peaks",  "parameters",  "rms",      "columns",   "failures"};
  for (std::vector<std::string> command : commands) {
    command.push_back("--json");
    const Outcome outcome = run(command, {.folder = folder.path()});
    std::set<std::string> found;
    members(outcome.json(), by_name, found);
    EXPECT_FALSE(found.empty());
    for (const std::string& member : found)
      EXPECT_TRUE(std::regex_search(page(), std::regex("[`\"]" + member + "[`\"]"))) << command[0] << ": " << member;
  }
}

}  // namespace
}  // namespace dalembert::testing
