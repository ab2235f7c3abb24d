// SPDX-License-Identifier: Apache-2.0
// Model files with other values: the rest of the text stays as it is, and the numbers are those asked for, to the last bit.
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/modelfile/new_values.h"

namespace dalembert {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string kTwoSprings = R"toml(name = "two"  # a comment
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}]
[parameters]
m = {value = "2 kg", meaning = "the mass"}   # of both
k = "20 N/m"
n = 3
l = "1 m"
[[body]]
name = "bob"
mass = "m"
position = ["x", "n*y"]
[energy]
potential = "k/2*(x^2 + y^2)"
)toml";

std::string written(const std::string& text, const std::vector<NewValue>& values) {
  const Result<Model> model = load_model(make_source("two.toml", text));
  EXPECT_TRUE(model) << render(model.diagnostics());
  const Result<std::string> result = with_new_values(*model, values);
  return result ? *result : render(result.diagnostics());
}

TEST(NewValues, OfParametersReplaceTheirNumbersOnly) {
  std::string expected = kTwoSprings;
  expected.replace(expected.find("\"2 kg\""), 6, "\"0.1 kg\"");
  expected.replace(expected.find("\"20 N/m\""), 8, "\"33.333333333333336 N/m\"");
  expected.replace(expected.find("n = 3"), 5, "n = 2.5");
  EXPECT_EQ(written(kTwoSprings, {{"n", 2.5}, {"k", 100.0 / 3}, {"m", 0.1}}), expected);
}

// Held values are replaced, guesses become held values, and what the file does not state is added.
TEST(NewValues, OfInitialValues) {
  EXPECT_EQ(written(kTwoSprings + "[initial]\nposition = {x = \"1 m\", y = \"2*l\"}\n", {{"y", 0.5}}),
            kTwoSprings + "[initial]\nposition = {x = \"1 m\", y = \"0.5 m\"}\n");
  EXPECT_EQ(
      written(kTwoSprings + "[initial]\nposition = {x = 1}\nguess = {y = 2, \"x'\" = 1}\n", {{"y", 0.5}, {"x'", 3}}),
      kTwoSprings + "[initial]\nvelocity = {x = \"3 m/s\"}\nposition = {y = \"0.5 m\", x = 1}\nguess = {}\n");
  EXPECT_EQ(written(kTwoSprings, {{"y", 0.5}}), kTwoSprings + "\n[initial]\nposition = {y = \"0.5 m\"}\n");
  EXPECT_EQ(written(kTwoSprings + "[initial.velocity]\nx = 1\n", {{"y'", -1}}),
            kTwoSprings + "[initial.velocity]\ny = \"-1 m/s\"\nx = 1\n");
  EXPECT_EQ(written(kTwoSprings + "[initial.guess]\nx = 1\ny = 2\n", {{"x", 7}}),
            kTwoSprings + "[initial.guess]\ny = 2\n\n[initial]\nposition = {x = \"7 m\"}\n");
}

TEST(NewValues, AreRefusedWhereTheTextCannotHaveThem) {
  EXPECT_THAT(written(kTwoSprings, {{"z", 1}}), HasSubstr("E0436"));
  EXPECT_THAT(written(kTwoSprings, {{"k", std::numeric_limits<double>::quiet_NaN()}}), HasSubstr("not finite"));
  // The text may have the value, and the model may not.
  const std::string ball =
      kTwoSprings + "[[constraint]]\nname = \"floor\"\nholonomic = \"y\"\nunilateral = true\nrestitution = \"n/6\"\n";
  EXPECT_THAT(written(ball, {{"n", 12}, {"k", 3}}),
              AllOf(HasSubstr("the new value of `n`, `k` cannot be written: the model would be refused: the "
                              "restitution of `floor` is 2, not in [0, 1]"),
                    Not(HasSubstr("several"))));
}

}  // namespace
}  // namespace dalembert
