// SPDX-License-Identifier: Apache-2.0
// [initial] with `for` and formulas. Truth: docs/model-format.md; values by hand.
#include <cmath>
#include <map>
#include <numbers>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/modelfile/load.h"

namespace dalembert {
namespace {

using testing::HasSubstr;

const std::string kChain =
    R"toml(coordinates = [{name = "b{i}", unit = "rad", for = "i in 1..N"}, {name = "x", unit = "m"}]
[structure]
N = 3
[parameters]
L = "20 cm"
m = "1 kg"
[energy]
kinetic = "m*L^2/2*sum(i in 1..N, b{i}'^2) + m/2*x'^2"
)toml";

Result<Model> load_chain(const std::string& initial) {
  return load_model(make_source("test.toml", kChain + initial), {});
}

std::map<std::string, double> values(const Model& model, const std::vector<InitialValue>& list) {
  std::map<std::string, double> all;
  for (const InitialValue& value : list)
    all[model.coordinates[static_cast<std::size_t>(value.coordinate)].name] = value.value;
  return all;
}

void expect_guesses(const std::string& initial, const std::map<std::string, double>& expected) {
  const auto model = load_chain(initial);
  ASSERT_TRUE(model.ok()) << initial << render(model.diagnostics());
  const auto found = values(*model, model->initial.position_guess);
  ASSERT_EQ(found.size(), expected.size()) << initial;
  for (const auto& [name, value] : expected) EXPECT_NEAR(found.at(name), value, 1e-15) << initial;
}

TEST(InitialValues, ForRepeatsTables) {
  const std::map<std::string, double> tenths{{"b1", 0.1}, {"b2", 0.2}, {"b3", 0.3}};
  expect_guesses("[[initial.guess]]\nfor = \"i in 1..N\"\n\"b{i}\" = \"0.1*{i}\"\n", tenths);
  expect_guesses("[initial]\nguess = [{for = \"i in 1..N\", \"b{i}\" = \"0.1*{i}\"}]\n", tenths);
  expect_guesses("[initial.guess]\nfor = \"i in 1..N\"\n\"b{i}\" = \"0.1*{i}\"\n", tenths);
  expect_guesses("[[initial.guess]]\nfor = \"i in 1..N\"\n\"b{i}\" = 0.5\n[[initial.guess]]\nx = \"-2*L/4 + 5 mm\"\n",
                 {{"b1", 0.5}, {"b2", 0.5}, {"b3", 0.5}, {"x", -0.095}});
  expect_guesses("[initial]\nguess = {\"b{N}\" = \"{N}*30 deg\", x = \"L\"}\n",
                 {{"b3", std::numbers::pi / 2}, {"x", 0.2}});
  expect_guesses("[[initial.guess]]\nfor = \"i in 1..0\"\n\"b{i}\" = 1\n", {});
}

TEST(InitialValues, ForRepeatsHeldValuesAndVelocities) {
  const auto model = load_chain(R"toml([[initial.position]]
for = "i in 1..N-1"
"b{i}" = "pi/2 - {i}"
[[initial.velocity]]
for = "i in 1..N"
"b{i}" = "{i}*1 rad/s"
[[initial.guess]]
for = "i in 3..N"
"b{i}" = "10 deg"
)toml");
  ASSERT_TRUE(model.ok()) << render(model.diagnostics());
  const auto position = values(*model, model->initial.position), velocity = values(*model, model->initial.velocity);
  EXPECT_EQ(position.size(), 2u);
  EXPECT_NEAR(position.at("b2"), std::numbers::pi / 2 - 2, 1e-15);
  EXPECT_EQ(velocity.size(), 3u);
  EXPECT_EQ(velocity.at("b3"), 3);
}

struct BadStart {
  const char *initial, *code, *at, *says;
};

// The place is that of `at` in the file.
TEST(InitialValues, ErrorsHavePlaces) {
  const BadStart table[] = {
      {"[[initial.guess]]\nfor = \"i in 1..4\"\n\"b{i}\" = 1\n", "E0102", "\"b{i}\" = 1", "unknown coordinate `b4`"},
      {"[[initial.guess]]\nfor = \"i in 1..N\"\n\"b{k}\" = 1\n", "E0102", "k}", "k"},
      {"[[initial.guess]]\nfor = \"i in 1..N\"\n\"b{i}\" = \"c*{i}\"\n", "E0102", "c*{i}", "unknown symbol `c`"},
      {"[[initial.guess]]\nfor = \"i in 1..N\"\n\"b{i}\" = \"L*{i}\"\n", "E0203", "L*{i}",
       "`b1` must be dimensionless (rad)"},
      {"[initial]\nguess = {x = \"b1*L\"}\n", "E0214", "b1*L", "an initial value cannot depend on a coordinate"},
      {"[initial]\nguess = {x = \"L/0\"}\n", "E0107", "0\"}", "division by zero"},
      {"[initial]\nguess = {x = \"L*exp(1e4)\"}\n", "E0108", "L*exp", "not a finite number"},
      {"[[initial.guess]]\nfor = 3\nx = 1\n", "E0006", "3\nx", "`for`"},
      {"[[initial.guess]]\nfor = \"i in 1..N\"\nx = 1\n", "E0008", "x = 1", "two initial values"},
      {"[[initial.position]]\nfor = \"i in 1..N\"\n\"b{i}\" = 1\n[[initial.guess]]\nfor = \"i in 2..2\"\n\"b{i}\" = "
       "2\n",
       "E0008", "2\n", "`b2` is held and guessed at once"},
      {"[initial]\nguess = {for = 1}\n", "E0102", "for = 1", "unknown coordinate `for`"},
      {"[initial]\nguess = {x = \"5 foo\"}\n", "E0201", "foo", "unit"},
      {"[initial]\nguess = [1]\n", "E0006", "[1]", "a table"},
  };
  for (const BadStart& bad : table) {
    const auto model = load_chain(bad.initial);
    ASSERT_FALSE(model.ok()) << bad.initial;
    const Diagnostic& problem = model.diagnostics().front();
    EXPECT_EQ(problem.code, bad.code) << bad.initial << render(model.diagnostics());
    EXPECT_THAT(problem.message, HasSubstr(bad.says));
    const std::string text = kChain + bad.initial;
    EXPECT_EQ(problem.primary.span.begin, text.rfind(bad.at)) << bad.initial << render(model.diagnostics());
    // One for each entry, however often it is repeated.
    EXPECT_EQ(model.diagnostics().size(), 1u) << render(model.diagnostics());
  }
}

TEST(InitialValues, AKeyWithBracesNeedsQuotes) {
  const auto model = load_chain("[initial.guess]\nb{i} = 0.1\n");
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.diagnostics().front().code, "E0002");
  ASSERT_FALSE(model.diagnostics().front().help.empty());
  EXPECT_EQ(model.diagnostics().front().help.front(), "put the key in quotes: \"b{i}\" = …");
}

}  // namespace
}  // namespace dalembert
