// SPDX-License-Identifier: Apache-2.0
// bench: the shape of its JSON (docs/command-line.md). No figure is compared with a limit: that is for bench/.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/process.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;

void expect_times(const nlohmann::json& json) {
  for (const char* key :
       {"parse_seconds", "derive_seconds", "compile_seconds", "compile_cached_seconds", "interpreter_ns"})
    EXPECT_GT(json.at(key).get<double>(), 0) << key;
  EXPECT_EQ(json.at("fallbacks"), 0);
  EXPECT_GT(json.at("operations").get<int>(), 0);
}

TEST(Bench, JsonHasTheFields) {
  const Outcome outcome = run({"bench", "slider-crank", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json json = outcome.json();
  expect_times(json);
  EXPECT_GT(json.at("operations_as_derived"), json.at("operations"));
  EXPECT_GE(json.at("states").get<int>(), 20);
  // With machine code or a reason why there is none.
  if (json.at("machine_code") == true) {
    EXPECT_GT(json.at("scalar_ns").get<double>(), 0);
    EXPECT_GT(json.at("lanes").at("8").get<double>(), 0);
    EXPECT_GT(json.at("steps_per_second").get<double>(), 0);
  } else {
    EXPECT_TRUE(json.at("machine_code").is_string());
    EXPECT_TRUE(json.at("scalar_ns").is_null());
    EXPECT_TRUE(json.at("lanes").empty());
    EXPECT_TRUE(json.at("steps_per_second").is_null());
  }
}

TEST(Bench, TextSaysTheSame) {
  const Outcome outcome = run({"bench", "mass-spring"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("interpreter"));
  EXPECT_THAT(outcome.out, HasSubstr("as derived"));
}

// A coordinate without mass, held by a rod: M is singular, q̈ is not. The kernel leaves the solve to the dense solver.
TEST(Bench, MasslessCoordinates) {
  const Outcome outcome = run({"bench", "-", "--json"}, {.input = R"(
name = "massless"
coordinates = [{name = "x", unit = "m"}, {name = "s", unit = "m"}]
[parameters]
m = "1 kg"
k = "4 N/m"
[energy]
kinetic = "m/2*x'^2"
potential = "k/2*s^2"
[[constraint]]
name = "rod"
holonomic = "s - x"
[initial]
position = {x = "1 m"}
)"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  expect_times(outcome.json());
  EXPECT_THAT(outcome.json().at("machine_code").get<std::string>(), HasSubstr("no generated solver"));
}

}  // namespace
}  // namespace dalembert::testing
