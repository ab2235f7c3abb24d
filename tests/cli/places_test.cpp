// SPDX-License-Identifier: Apache-2.0
// Every message about the command line or about [simulation] says where: on the command line, or in the file. The truth
// is the word that the test typed, and the line and column that it wrote.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/process.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;

struct Typed {
  std::vector<std::string> words;
  std::string marked;  // what the caret begins at
};

std::string line_of(const std::vector<std::string>& words) {
  std::string line = "dalembert";
  for (const std::string& word : words) line += (word.find(' ') == std::string::npos ? " " + word : " '" + word + "'");
  return line;
}

TEST(Places, TheCommandLineIsShownWithTheWordThatIsWrong) {
  const std::vector<Typed> cases = {
      {{"simulate", "slider-crank", "--rtol", "abc"}, "abc"},
      {{"simulate", "slider-crank", "--rtol=abc"}, "abc"},
      {{"simulate", "slider-crank", "--rtol", "5"}, "5"},
      {{"simulate", "slider-crank", "--atol", "0"}, "0"},
      {{"simulate", "slider-crank", "--until", "10 parsec"}, "10 parsec"},
      {{"simulate", "--every", "-1 s", "slider-crank"}, "-1 s"},
      // 10^300 rows
      {{"simulate", "slider-crank", "--every", "1e-299"}, "1e-299"},
      {{"simulate", "slider-crank", "--method", "euler"}, "euler"},
      {{"simulate", "slider-crank", "-o", "run.xyz"}, "run.xyz"},
      {{"simulate", "slider-crank", "--until"}, "--until"},
      {{"derive", "slider-crank", "--only", "Q"}, "Q"},
      {{"derive", "slider-crank", "--width", "20"}, "--width"},
      {{"derive", "slider-crank", "--format", "word"}, "word"},
      {{"chekc", "slider-crank"}, "chekc"},
      {{"check", "slider-crnk"}, "slider-crnk"},
      {{"check", "no/such/file.toml"}, "no/such/file.toml"},
      {{"check", "slider-crank", "more"}, "more"},
      {{"check", "--foo", "slider-crank"}, "--foo"},
      {{"eval", "slider-crank", "--at", "nowhere.json"}, "nowhere.json"},
      {{"models", "shw"}, "shw"},
      {{"explain", "E9999"}, "E9999"},
      {{"check"}, "check"},
  };
  for (const Typed& typed : cases) {
    const Outcome outcome = run(typed.words);
    const std::string line = line_of(typed.words);
    EXPECT_NE(outcome.status, 0) << line;
    const std::size_t column = line.find(typed.marked) + 1;
    EXPECT_THAT(outcome.err, HasSubstr("--> command line:1:" + std::to_string(column) + "\n")) << line;
    EXPECT_THAT(outcome.err, HasSubstr("1 | " + line)) << line;
  }
}

TEST(Places, JsonHasThem) {
  const Outcome outcome = run({"simulate", "slider-crank", "--rtol", "abc", "--json"});
  EXPECT_EQ(outcome.status, 2);
  const auto diagnostic = outcome.json()["diagnostics"][0];
  EXPECT_EQ(diagnostic["file"], "command line");
  EXPECT_EQ(diagnostic["line"], 1);
  EXPECT_EQ(diagnostic["column"], 40);  // "dalembert simulate slider-crank --rtol " has 39 characters
}

TEST(Places, SettingsOfTheFileAreShownThere) {
  const Folder folder;
  const std::string model = kOscillator;  // ends within [simulation]
  const int next = static_cast<int>(std::count(model.begin(), model.end(), '\n')) + 1;
  for (const auto& [setting, code] :
       std::vector<std::pair<std::string, std::string>>{{"rtol = 2", "E0403"},
                                                        {"output_step = \"1e-300 s\"", "E0403"},
                                                        {"method = \"euler\"", "E0410"},
                                                        {"formulation = \"index3\"", "E0410"}}) {
    const Outcome outcome = run({"simulate", folder.write("model.toml", model + setting + "\n"), "--json"});
    EXPECT_EQ(outcome.status, 1) << setting;
    const auto diagnostic = outcome.json()["diagnostics"][0];
    EXPECT_EQ(diagnostic["code"], code);
    EXPECT_EQ(diagnostic["file"], folder.file("model.toml"));
    EXPECT_EQ(diagnostic["line"], next) << setting;
    EXPECT_EQ(diagnostic["column"], setting.find('=') + 3) << setting;
  }
}

// An input set to an expression of t: F = m L² θ̈ with m L² = 1, so θ̈ = 0.3 sin(1) at t = 0.5. The unit of 0.3 sin 2t
// is the one that fits.
TEST(Places, InputsAreSetToExpressionsAndTyposAreShown) {
  const Folder folder;
  const std::string model = folder.write("model.toml", R"toml(coordinates = [{name = "theta", unit = "rad"}]
[parameters]
m = "1 kg"
L = "1 m"
[energy]
kinetic = "m/2*L^2*theta'^2"
[[force]]
coordinate = "theta"
value = "tau"
[inputs]
tau = 0
[initial]
time = "0.5 s"
)toml");
  const Outcome good = run({"eval", model, "--set", "tau=0.3*sin(2*t)", "--json"});
  ASSERT_EQ(good.status, 0) << good.err;
  EXPECT_NEAR(good.json()["qdd"]["theta"].get<double>(), 0.252441295442369, 1e-15);
  const Outcome name = run({"eval", model, "--set", "taw=0.3*sin(t)"});
  EXPECT_EQ(name.status, 2);
  EXPECT_THAT(name.err, HasSubstr("did you mean `tau`?"));
  const Outcome expression = run({"eval", model, "--set", "tau=0.3*sn(t)"});
  EXPECT_EQ(expression.status, 2);
  EXPECT_THAT(expression.err, HasSubstr("--> --set:1:9"));
}

}  // namespace
}  // namespace dalembert::testing
