// SPDX-License-Identifier: Apache-2.0
// Models in other coordinates whose forces depend on multipliers. Truth: Coulomb's block on an incline by hand, N = m g cos(alpha), along and across the
// incline, upright and across, and along alone.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyze/compare_by_map.h"
#include "dalembert/algebra/rational_form.h"
#include "dalembert/analyze/audit.h"

namespace dalembert {
namespace {

using ::testing::HasSubstr;

const std::string kIncline = R"toml([parameters]
g = 9.81
m = 2
alpha = 0.3
mu = 0.4
)toml";

// Along s and across n; `more` has what rubs.
std::string along(const std::string& more) {
  return "name = \"along\"\ncoordinates = [\"s\", \"n\"]\n" + kIncline +
         "[energy]\nkinetic = \"m/2*(s'^2 + n'^2)\"\npotential = \"m*g*(n*cos(alpha) - s*sin(alpha))\"\n"
         "[[constraint]]\nname = \"plane\"\nholonomic = \"n\"\n" +
         more;
}

// Across x and upright y, the same row twice as large.
std::string upright(const std::string& more) {
  return "name = \"upright\"\ncoordinates = [\"x\", \"y\"]\n" + kIncline +
         "[energy]\nkinetic = \"m/2*(x'^2 + y'^2)\"\npotential = \"m*g*y\"\n"
         "[[constraint]]\nname = \"floor\"\nholonomic = \"2*(y*cos(alpha) + x*sin(alpha))\"\n" +
         more;
}

// Without the constraint.
std::string minimal(const std::string& more) {
  return "name = \"minimal\"\ncoordinates = [\"s\"]\n" + kIncline +
         "[energy]\nkinetic = \"m/2*s'^2\"\npotential = \"-m*g*s*sin(alpha)\"\n" + more;
}

std::string rubs(const std::string& normal, const std::string& velocity, const std::string& mu = "mu") {
  return "[[friction]]\nname = \"rub\"\nnormal = \"" + normal + "\"\nvelocity = \"" + velocity +
         "\"\ncoefficient = \"" + mu + "\"\n";
}

const std::string kDownIncline = "x'*cos(alpha) - y'*sin(alpha)";
const NamedFormulas kTurnedIncline{{"x", "s*cos(alpha) + n*sin(alpha)"}, {"y", "n*cos(alpha) - s*sin(alpha)"}};
const NamedFormulas kOnIncline{{"x", "s*cos(alpha)"}, {"y", "-s*sin(alpha)"}};

bool all_proved(const ModelComparison& comparison) {
  const auto count = static_cast<int>(comparison.report.claims.size());
  return count > 0 && comparison.report.count(ClaimVerdict::kProved) == count;
}

const AuditedClaim& claim_of(const ModelComparison& comparison, const std::string& entry) {
  static const AuditedClaim none;
  for (const AuditedClaim& claim : comparison.report.claims)
    if (claim.entry == entry) return claim;
  ADD_FAILURE() << "no claim " << entry;
  return none;
}

TEST(CompareFrictions, TheSameInOtherCoordinates) {
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT";
  const std::string here = along(rubs("lambda(plane)", "s'"));
  EXPECT_TRUE(all_proved(compared_by(here, upright(rubs("2*lambda(floor)", kDownIncline)), kTurnedIncline)));
  // A speed in the other direction, a third of it with three times the coefficient.
  EXPECT_TRUE(all_proved(
      compared_by(here, upright(rubs("2*lambda(floor)", "-(" + kDownIncline + ")/3", "3*mu")), kTurnedIncline)));
  EXPECT_TRUE(all_proved(compared_by(minimal(rubs("m*g*cos(alpha)", "-s'")), here, {{"n", "0"}})));
  EXPECT_TRUE(all_proved(
      compared_by(minimal(rubs("m*g*cos(alpha)", "-s'")), upright(rubs("2*lambda(floor)", kDownIncline)), kOnIncline)));
  EXPECT_TRUE(all_proved(compared_by(here, here, {})));
}

TEST(CompareFrictions, AnotherLawIsRefutedByAState) {
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT";
  const std::string here = along(rubs("lambda(plane)", "s'"));
  // Half the normal force; half the speed with the same coefficient; another static coefficient.
  for (const std::string& there :
       {upright(rubs("lambda(floor)", kDownIncline)), upright(rubs("2*lambda(floor)", "(" + kDownIncline + ")/2")),
        upright(rubs("2*lambda(floor)", kDownIncline) + "static = \"2*mu\"\n")}) {
    const ModelComparison wrong = compared_by(here, there, kTurnedIncline);
    const AuditedClaim& law = claim_of(wrong, "friction rub");
    EXPECT_EQ(law.verdict, ClaimVerdict::kDisproved) << there;
    EXPECT_TRUE(law.point) << there;
  }
  // Two frictions of half the coefficient are together the one: not proved, and not refuted.
  const std::string halves = rubs("2*lambda(floor)", kDownIncline, "mu/2");
  std::string other_half = halves;
  other_half.replace(other_half.find("\"rub\""), 5, "\"rub2\"");
  EXPECT_EQ(compared_by(here, upright(halves + other_half), kTurnedIncline).report.count(ClaimVerdict::kDisproved), 0);
  // The speed in another measure, which depends on the place, rubs with another force. So does no friction at all, and both give another motion.
  for (const std::string& there : {upright(rubs("2*lambda(floor)", "(1 + x^2)*(" + kDownIncline + ")")), upright("")}) {
    const ModelComparison other = compared_by(here, there, kTurnedIncline);
    EXPECT_EQ(claim_of(other, "friction rub").verdict, ClaimVerdict::kDisproved);
    EXPECT_EQ(claim_of(other, "eom along s'").verdict, ClaimVerdict::kDisproved);
    EXPECT_EQ(claim_of(other, "eom along s'").note, "the forces of friction differ");
  }
  // A friction across the floor presses on it, and which force acts depends on itself: left open.
  const ModelComparison open = compared_by(here, upright(rubs("2*lambda(floor)", "(1 + x^2)*x'")), kTurnedIncline);
  EXPECT_EQ(claim_of(open, "friction rub").verdict, ClaimVerdict::kUndecided);
  EXPECT_EQ(open.report.count(ClaimVerdict::kDisproved), 0);
}

// Other gravity is seen beside the same friction, whatever its force is.
TEST(CompareFrictions, WhatElseDiffersIsRefuted) {
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT";
  std::string there = upright(rubs("2*lambda(floor)", kDownIncline));
  there += "[[force]]\ncoordinate = \"x\"\nvalue = \"m*g/7\"\n";
  const ModelComparison wrong = compared_by(minimal(rubs("m*g*cos(alpha)", "-s'")), there, kOnIncline);
  // The force presses on the floor, too.
  EXPECT_EQ(claim_of(wrong, "friction rub").verdict, ClaimVerdict::kDisproved);
  std::string lighter = minimal(rubs("m*g*cos(alpha)", "-s'"));
  lighter.replace(lighter.find("-m*g*s*sin(alpha)"), 17, "-m*g*s*cos(alpha)");
  const ModelComparison steeper = compared_by(lighter, upright(rubs("2*lambda(floor)", kDownIncline)), kOnIncline);
  EXPECT_EQ(claim_of(steeper, "friction rub").verdict, ClaimVerdict::kProved);
  EXPECT_EQ(claim_of(steeper, "eom[s]").verdict, ClaimVerdict::kDisproved);
}

// A force that a formula makes of a multiplier.
TEST(CompareFrictions, ForcesThatContainMultipliers) {
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT";
  const std::string here = along("[[force]]\ncoordinate = \"s\"\nvalue = \"-mu*lambda(plane)\"\n");
  const auto there = [](const std::string& factor) {
    return upright("[[force]]\ncoordinate = \"x\"\nvalue = \"-" + factor +
                   "*mu*lambda(floor)*cos(alpha)\"\n[[force]]\ncoordinate = \"y\"\nvalue = \"" + factor +
                   "*mu*lambda(floor)*sin(alpha)\"\n");
  };
  EXPECT_TRUE(all_proved(compared_by(here, there("2"), kTurnedIncline)));
  const ModelComparison wrong = compared_by(here, there("1"), kTurnedIncline);
  EXPECT_FALSE(all_proved(wrong));
  // The same force by a formula without the multiplier is the same motion: it may be left open, and must not be refuted.
  const ModelComparison by_formula = compared_by(
      here, along("[[force]]\ncoordinate = \"s\"\nvalue = \"-mu*m*g*cos(alpha)\"\n"), {{"s", "s"}, {"n", "n"}});
  EXPECT_EQ(by_formula.report.count(ClaimVerdict::kDisproved), 0);
  EXPECT_THAT(claim_of(by_formula, "lambda plane").note, HasSubstr("forces here depend on it, and none there"));
}

}  // namespace
}  // namespace dalembert
