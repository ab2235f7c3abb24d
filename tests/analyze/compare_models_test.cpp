// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "dalembert/modelfile/load.h"

namespace dalembert {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Equations derived(const std::string& text) {
  Result<Model> model = load_model(make_source("model.toml", text));
  EXPECT_TRUE(model) << render(model.diagnostics());
  Result<Equations> equations = derive(std::make_shared<const Model>(std::move(model).value()));
  EXPECT_TRUE(equations) << render(equations.diagnostics());
  return std::move(equations).value();
}

ModelComparison compared(const std::string& a, const std::string& b) {
  Result<ModelComparison> result = compare_models(derived(a), derived(b));
  EXPECT_TRUE(result) << render(result.diagnostics());
  return std::move(result).value();
}

std::string verdicts(const ModelComparison& comparison) {
  std::string text;
  for (const AuditedClaim& claim : comparison.report.claims) text += claim.entry + " " + to_text(claim.verdict) + "\n";
  return text;
}

constexpr const char* kAngle = R"toml(
coordinates = ["theta"]
[parameters]
m = 0.7
g = 9.81
L = 0.6
[energy]
kinetic = "m/2*L^2*theta'^2"
potential = "-m*g*L*cos(theta)"
)toml";

constexpr const char* kPolar = R"toml(
coordinates = ["r", "theta"]
[parameters]
m = 0.7
g = 9.81
L = 0.6
[energy]
kinetic = "m/2*(r'^2 + r^2*theta'^2)"
potential = "-m*g*r*cos(theta)"
[[constraint]]
name = "rod"
holonomic = "r - L"
)toml";

// Truth: theory §10, the polar pendulum with r = L is the pendulum.
TEST(CompareModels, AConstrainedModelMovesAsTheMinimalOne) {
  const ModelComparison result = compared(kPolar, kAngle);
  EXPECT_FALSE(result.equations);
  EXPECT_FALSE(result.swapped);
  EXPECT_THAT(result.without, ElementsAre("r"));
  EXPECT_EQ(verdicts(result), "qdd[theta] proved\n");
}

TEST(CompareModels, TheModelWithMoreCoordinatesIsTheOneThatIsAskedAbout) {
  const ModelComparison result = compared(kAngle, kPolar);
  EXPECT_TRUE(result.swapped);
  EXPECT_EQ(verdicts(result), "qdd[theta] proved\n");
}

// Truth: theory §4, a nonholonomic constraint put into T before it is differentiated gives wrong equations. The sphere is
// that of theory §10; by its two rows ẋ² + ẏ² = r²(θ̇² + φ̇² sin²θ).
constexpr const char* kSphere = R"toml(
coordinates = ["x", "y", "psi", "theta", "phi"]
[parameters]
m = 0.6
r = 0.12
[energy]
kinetic = "m/2*(x'^2 + y'^2) + m*r^2/5*(psi'^2 + theta'^2 + phi'^2 + 2*psi'*phi'*cos(theta))"
[[constraint]]
name = "roll"
pfaffian = ["r*phi'*sin(theta) + x'*cos(psi) + y'*sin(psi)", "r*theta' - x'*sin(psi) + y'*cos(psi)"]
)toml";
constexpr const char* kSubstitutedText = R"toml(
coordinates = ["psi", "theta", "phi"]
[parameters]
m = 0.6
r = 0.12
[energy]
kinetic = "m*r^2/2*(theta'^2 + phi'^2*sin(theta)^2) + m*r^2/5*(psi'^2 + theta'^2 + phi'^2 + 2*psi'*phi'*cos(theta))"
)toml";

TEST(CompareModels, TheConstraintPutIntoTheKineticEnergyIsRefuted) {
  const ModelComparison result = compared(kSphere, kSubstitutedText);
  ASSERT_EQ(result.report.claims.size(), 3U);
  for (const AuditedClaim& claim : result.report.claims) {
    EXPECT_EQ(claim.verdict, ClaimVerdict::kDisproved) << claim.entry;
    EXPECT_TRUE(claim.exact);
    ASSERT_TRUE(claim.point);
    EXPECT_NE(claim.point->correct, claim.point->claimed);
  }
}

// Truth: differentiation by hand. The sign of the spring is turned in the second.
TEST(CompareModels, WithTheSameCoordinatesTheEquationsAreComparedTermByTerm) {
  const auto text = [](const char* potential) {
    return std::string(
               "coordinates = [\"x\", \"y\"]\n[parameters]\nm = 2\nk = 3\n[energy]\n"
               "kinetic = \"m/2*(x'^2 + y'^2)\"\npotential = \"") +
           potential + "\"\n[[constraint]]\nname = \"line\"\nholonomic = \"x - y\"\n";
  };
  const ModelComparison result = compared(text("k/2*x^2"), text("-k/2*x^2"));
  EXPECT_TRUE(result.equations);
  EXPECT_EQ(verdicts(result), "eom[x] disproved\neom[y] proved\nW[line,x] proved\nW[line,y] proved\na[line] proved\n");
  EXPECT_EQ(result.report.claims[0].difference, "2*k*x");
}

TEST(CompareModels, WhatCannotBeComparedIsSaid) {
  const auto other = compare_models(derived(kAngle), derived("coordinates = [\"z\"]\n[energy]\nkinetic = \"z'^2\"\n"));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.diagnostics().front().code, "E0243");
  EXPECT_THAT(render(other.diagnostics()), HasSubstr("each has a coordinate that the other has not"));
}

// A parameter that only one has is taken with its value: the models agree when the other has that number.
TEST(CompareModels, AParameterOfOneAloneIsItsValue) {
  const ModelComparison result =
      compared("coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2\"\npotential = \"x^2*9\"\n",
               "coordinates = [\"x\"]\n[parameters]\nk = 18\n[energy]\nkinetic = \"x'^2\"\npotential = \"k/2*x^2\"\n");
  EXPECT_THAT(result.as_numbers, ElementsAre("k"));
  EXPECT_EQ(verdicts(result), "eom[x] proved\n");
}

}  // namespace
}  // namespace dalembert
