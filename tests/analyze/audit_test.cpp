// SPDX-License-Identifier: Apache-2.0
// Verdicts on claims whose truth is known beforehand: closed forms of theory §10 (tests/oracles/closed_forms.md), the
// misprints of theory §11, and both with one thing changed by hand.
#include "dalembert/analyze/audit.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/algebra/rational_form.h"
#include "dalembert/derive/equations.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"
#include "dalembert/modelfile/load.h"
#include "source_tree.h"

namespace dalembert {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string models_folder() { return source_tree() + "/models/"; }

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Equations equations_of(const std::string& text) {
  auto model = load_model(make_source("test.toml", text));
  EXPECT_TRUE(model.ok()) << render(model.diagnostics());
  auto equations = derive(std::make_shared<const Model>(model.ok() ? *model : Model()));
  EXPECT_TRUE(equations.ok()) << render(equations.diagnostics());
  return *equations;
}

struct Said {
  std::string entry, equals;
  std::vector<std::string> given = {};
};

std::string with_claim(const std::string& model, const Said& said) {
  std::string text = text_of(models_folder() + model + ".toml") + "\n[[claim]]\nentry = \"" + said.entry +
                     "\"\nequals = \"" + said.equals + "\"\n";
  if (said.given.empty()) return text;
  text += "given = [";
  for (const std::string& condition : said.given) text += "\"" + condition + "\", ";
  return text + "]\n";
}

AuditedClaim judged(const std::string& model, const Said& said) {
  const auto report = audit(equations_of(with_claim(model, said)));
  EXPECT_TRUE(report.ok()) << render(report.diagnostics());
  return report.ok() && report->claims.size() == 1 ? report->claims[0] : AuditedClaim{};
}

Diagnostic refused(const std::string& model, const Said& said) {
  const auto report = audit(equations_of(with_claim(model, said)));
  EXPECT_FALSE(report.ok());
  return report.ok() ? Diagnostic{} : report.diagnostics().at(0);
}

// --- the shipped audits

std::vector<std::string> audits(const std::string& ending) {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(models_folder() + "audits"))
    if (file.path().stem().string().ends_with(ending)) names.push_back(file.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

TEST(Audit, EveryMisprintIsFound) {
  ASSERT_EQ(audits("-misprints").size(), 5u);
  for (const std::string& name : audits("-misprints")) {
    const auto report = audit(equations_of(text_of(models_folder() + "audits/" + name + ".toml")));
    ASSERT_TRUE(report.ok()) << render(report.diagnostics());
    ASSERT_FALSE(report->claims.empty());
    for (const AuditedClaim& claim : report->claims) {
      EXPECT_EQ(claim.verdict, ClaimVerdict::kDisproved) << name << " " << claim.entry;
      EXPECT_TRUE(claim.exact) << name << " " << claim.entry;
      EXPECT_TRUE(claim.point) << name << " " << claim.entry;
      EXPECT_FALSE(claim.source.empty());
      // Each is one of the slips that have a name, but for a 1 where 0 belongs and a term that is left out.
      if (!claim.entry.starts_with("Sdot[") && !claim.entry.starts_with("J[")) {
        EXPECT_FALSE(claim.note.empty()) << name << " " << claim.entry;
      }
    }
  }
}

TEST(Audit, EveryCorrectionIsProved) {
  ASSERT_EQ(audits("-corrected").size(), 5u);
  for (const std::string& name : audits("-corrected")) {
    const auto report = audit(equations_of(text_of(models_folder() + "audits/" + name + ".toml")));
    ASSERT_TRUE(report.ok()) << render(report.diagnostics());
    ASSERT_FALSE(report->claims.empty());
    for (const AuditedClaim& claim : report->claims) {
      EXPECT_EQ(claim.verdict, ClaimVerdict::kProved) << name << " " << claim.entry << ": " << claim.note;
      EXPECT_TRUE(claim.exact) << name << " " << claim.entry;
      EXPECT_FALSE(claim.point);
      EXPECT_THAT(claim.difference, IsEmpty());
    }
  }
}

// Both files of a pair hold the reference model itself: they begin with its text.
TEST(Audit, AuditsHoldTheReferenceModels) {
  for (const std::string ending : {"-misprints", "-corrected"})
    for (const std::string& name : audits(ending)) {
      const std::string model = text_of(models_folder() + name.substr(0, name.size() - ending.size()) + ".toml");
      ASSERT_FALSE(model.empty()) << name;
      EXPECT_TRUE(text_of(models_folder() + "audits/" + name + ".toml").starts_with(model)) << name;
    }
}

// --- the connection

// Truth: the local connection of theory §6 (tests/oracles/closed_forms.md), which `derive` prints in the axes of the middle
// link; on the ground row x is cos θ times it. Both are right, and the note says which of them was claimed.
TEST(Audit, TheConnectionMayBeClaimedOnTheGroundAndInTheAxesOfTheBody) {
  const std::string local = "R*(R + L*cos(alpha2))/(R*sin(alpha1) - R*sin(alpha2) + L*sin(alpha1 - alpha2))";
  const AuditedClaim ground = judged("three-link-snake", {"A[x,alpha1]", "cos(theta)*" + local});
  EXPECT_EQ(ground.verdict, ClaimVerdict::kProved);
  EXPECT_THAT(ground.note, Not(HasSubstr("axes")));
  const AuditedClaim body = judged("three-link-snake", {"A[x,alpha1]", local});
  EXPECT_EQ(body.verdict, ClaimVerdict::kProved);
  EXPECT_THAT(body.note, HasSubstr("in the axes of the body at x, y, theta"));
  EXPECT_THAT(body.correct, Not(HasSubstr("theta")));
  EXPECT_THAT(body.difference, IsEmpty());

  // Twice as much is neither: the claim is answered with both formulas.
  const AuditedClaim wrong = judged("three-link-snake", {"A[x,alpha1]", "2*" + local});
  EXPECT_EQ(wrong.verdict, ClaimVerdict::kDisproved);
  EXPECT_THAT(wrong.correct, HasSubstr("cos(theta)"));
  EXPECT_THAT(wrong.note, HasSubstr("in the axes of the body at x, y, theta it is " + body.correct));
  EXPECT_THAT(wrong.note, HasSubstr("the claim is 2 times the correct formula"));
}

// The twistcar keeps a momentum: no connection on the ground, ξ = −A q̇_a + B p in its own axes. By hand: the rear wheels
// allow no velocity across, so row y is 0.
TEST(Audit, TheConnectionOfAMixedSystemIsThatOfTheBody) {
  const AuditedClaim across = judged("twistcar", {"A[y,phi]", "0"});
  EXPECT_EQ(across.verdict, ClaimVerdict::kProved);
  EXPECT_EQ(judged("twistcar", {"A[y,phi]", "1"}).verdict, ClaimVerdict::kDisproved);
  EXPECT_EQ(refused("twistcar", {"kinematic[y]", "y' = 0"}).code, "E0231");
}

// q̇_a = −W_p⁻¹ W_a q̇_a is the misprint of theory §11.
TEST(Audit, AKinematicEquationHasPassiveVelocitiesOnItsLeft) {
  const std::string right =
      " = -R*(sin(alpha2)*alpha1' + sin(alpha1)*alpha2')/(R*sin(alpha1) - R*sin(alpha2) + "
      "L*sin(alpha1 - alpha2))";
  EXPECT_EQ(judged("three-link-snake", {"kinematic[theta]", "theta'" + right}).verdict, ClaimVerdict::kProved);
  const AuditedClaim misprint = judged("three-link-snake", {"kinematic[theta]", "alpha1'" + right});
  EXPECT_EQ(misprint.verdict, ClaimVerdict::kDisproved);
  EXPECT_THAT(misprint.note, HasSubstr("theta' is not in it"));
  EXPECT_EQ(refused("three-link-snake", {"kinematic[alpha1]", "alpha1'" + right}).code, "E0231");
}

// --- forms

TEST(Audit, ShowsTheCorrectFormulaAndTheDifference) {
  const AuditedClaim claim = judged("slider-crank", {"G[phi]", "-m2*L2*cos(phi)"});
  EXPECT_EQ(claim.verdict, ClaimVerdict::kDisproved);
  EXPECT_EQ(claim.correct, "-m2*g*L2*cos(phi)");
  EXPECT_EQ(claim.claimed, "-m2*L2*cos(phi)");
  EXPECT_EQ(claim.note, "the claim is 1/g times the correct formula; the entry is in N*m, the claim in kg*m");
}

// The point is checked by evaluating both formulas there once more.
TEST(Audit, ThePointTellsBothValues) {
  const Said said{"B[phi]", "2*m2*L1*L2*theta'^2*cos(theta - phi)"};
  const AuditedClaim claim = judged("slider-crank", said);
  ASSERT_TRUE(claim.point);
  std::map<std::string, double> at;
  for (const auto& [name, value] : claim.point->at) at[name] = value.to_double();
  const double factor = 2 * at.at("m2") * at.at("L1") * at.at("L2") * at.at("theta'") * at.at("theta'");
  const double angle = at.at("theta") - at.at("phi");
  EXPECT_NEAR(claim.point->correct, factor * std::sin(angle), 1e-12 * std::abs(factor));
  EXPECT_NEAR(claim.point->claimed, factor * std::cos(angle), 1e-12 * std::abs(factor));
  EXPECT_EQ(at.size(), 6u);  // and nothing that does not matter
}

TEST(Audit, SlipsHaveNames) {
  const auto note = [](const std::string& model, const Said& said) {
    const AuditedClaim claim = judged(model, said);
    EXPECT_EQ(claim.verdict, ClaimVerdict::kDisproved) << said.entry;
    return claim.note;
  };
  EXPECT_THAT(note("slider-crank", {"M[theta,phi]", "2*m2*L1*L2*cos(theta - phi)"}),
              HasSubstr("the sign is wrong: the claim is -1 times"));
  EXPECT_THAT(note("slider-crank", {"M[phi,phi]", "2*(I2 + m2*L2^2)"}),
              HasSubstr("the claim is 2 times the correct formula"));
  EXPECT_THAT(note("slider-crank", {"M[theta,theta]", "m1*L1^2 + 4*m2*L1^2"}), HasSubstr("a part is missing: I1"));
  EXPECT_THAT(note("slider-crank", {"M[theta,theta]", "I1 + I2 + (m1 + 4*m2)*L1^2"}),
              HasSubstr("a part is too much: I2"));
  EXPECT_THAT(note("slider-crank", {"M[theta,theta]", "I1 + (m1 - 4*m2)*L1^2"}),
              HasSubstr("the sign of a part is wrong: -4*m2*L1^2"));
  EXPECT_THAT(note("slider-crank", {"M[theta,theta]", "I1 + (m1 + 2*m2)*L1^2"}),
              HasSubstr("a part has the factor 1/2"));
  EXPECT_THAT(note("slider-crank", {"M[theta,phi]", "-2*m2*L1*L2*sin(theta - phi)"}),
              HasSubstr("sin and cos are exchanged"));
  EXPECT_THAT(note("slider-crank", {"eom[x]", "m3*x'' - f - lambda(pin[1]) = 0"}),
              HasSubstr("the sign of lambda is wrong"));
  EXPECT_THAT(note("rolling-sphere", {"M[x,x]", "m*r^2"}), HasSubstr("the entry is in kg, the claim in kg*m^2"));
  EXPECT_THAT(note("rolling-sphere", {"M[x,x]", "m + r"}), HasSubstr("the claim's terms do not have one unit"));
}

TEST(Audit, EntriesByNumber) {
  EXPECT_EQ(judged("slider-crank", {"M[1,2]", "-2*m2*L1*L2*cos(phi - theta)"}).entry, "M[theta,phi]");
  EXPECT_EQ(judged("slider-crank", {"W[2,1]", "2*L1*cos(theta)"}).verdict, ClaimVerdict::kProved);
  EXPECT_EQ(judged("slider-crank", {"gamma[ pin[1] ]", "-2*L1*theta'^2*cos(theta) + 2*L2*phi'^2*cos(phi)"}).verdict,
            ClaimVerdict::kProved);
}

TEST(Audit, EveryPartCanBeClaimed) {
  const std::string model = "polar-pendulum";
  for (const auto& [entry, equals] : std::vector<std::pair<std::string, std::string>>{
           {"T", "m/2*(r'^2 + r^2*theta'^2)"},
           {"V", "-m*g*r*cos(theta)"},
           {"L", "m/2*(r'^2 + r^2*theta'^2) + m*g*r*cos(theta)"},
           {"E", "m/2*(r'^2 + r^2*theta'^2) - m*g*r*cos(theta)"},
           {"M[theta,theta]", "m*r^2"},
           {"B[r]", "-m*r*theta'^2"},
           {"G[theta]", "m*g*r*sin(theta)"},
           {"F[theta]", "f_x*r*cos(theta)"},
           {"p[theta]", "m*r^2*theta'"},
           {"W[rod,r]", "1"},
           {"Wdot[rod,r]", "0"},
           {"a[rod]", "0"},
           {"gamma[rod]", "0"},
           {"h[rod]", "r - L"},
           {"lambda[rod]", "-m*r*theta'^2 - m*g*cos(theta) - f_x*sin(theta)"},
           {"qdd[r]", "0"},
           {"qdd[theta]", "-(2*r'*theta' + g*sin(theta))/r + f_x*cos(theta)/(m*r)"},
           {"eom[r]", "m*r'' - m*r*theta'^2 - m*g*cos(theta) = f_x*sin(theta) + lambda(rod)"}})
    EXPECT_EQ(judged(model, {entry, equals}).verdict, ClaimVerdict::kProved) << entry;
}

// --- equations

// θ̈ + (g/L) sin θ − f cos θ/(mL) = 0, on the constraint: the equation divided by mL².
TEST(Audit, AnEquationMayBeOffByAFactor) {
  const std::vector<std::string> on{"r = L", "dot(r) = 0"};
  const std::string model = "polar-pendulum";
  const AuditedClaim divided = judged(model, {"eom[theta]", "theta'' + g/L*sin(theta) = f_x*cos(theta)/(m*L)", on});
  EXPECT_EQ(divided.verdict, ClaimVerdict::kProved);
  EXPECT_TRUE(divided.exact);
  EXPECT_EQ(divided.note, "the same equation times 1/(m*L^2)");
  EXPECT_EQ(judged("mass-spring", {"eom[x]", "-m*x'' = k*x"}).note, "the same equation with the opposite sign");
  EXPECT_EQ(judged("mass-spring", {"eom[x]", "m*x''/2 + k*x/2"}).note, "the same equation times 1/2");
  EXPECT_EQ(judged("mass-spring", {"eom[x]", "m*x'' = -k*x"}).note, "");
  // A factor that may vanish makes another equation.
  EXPECT_EQ(judged("mass-spring", {"eom[x]", "(m*x'' + k*x)*x = 0"}).verdict, ClaimVerdict::kDisproved);
  EXPECT_EQ(judged("mass-spring", {"eom[x]", "0 = 0"}).verdict, ClaimVerdict::kDisproved);
}

TEST(Audit, ADividedEquationIsComparedAsItStands) {
  const AuditedClaim claim = judged("mass-spring", {"eom[x]", "x'' - k/m*x = 0"});
  EXPECT_EQ(claim.verdict, ClaimVerdict::kDisproved);
  EXPECT_EQ(claim.correct, "m*x'' + k*x = 0");
  EXPECT_EQ(claim.difference, "2*k*x/m");
  EXPECT_EQ(claim.note, "compared with the equation times 1/m; the sign of a part is wrong: -k*x/m");
}

TEST(Audit, AnEnergyMayBeOffByAConstant) {
  EXPECT_EQ(judged("polar-pendulum", {"V", "m*g*(L - r*cos(theta))"}).note,
            "up to the constant m*g*L, which no equation of motion contains");
  EXPECT_EQ(judged("polar-pendulum", {"V", "m*g*(L - r*cos(theta)) + theta"}).verdict, ClaimVerdict::kDisproved);
  EXPECT_EQ(judged("polar-pendulum", {"T", "m/2*(r'^2 + r^2*theta'^2) + m"}).verdict, ClaimVerdict::kDisproved);
  // A constant that is not seen to be one: 5, and pi/2 on each side of 0.
  for (const char* hidden : {"5*sign(1 + theta^2)", "atan(theta) + atan(1/theta)"}) {
    const AuditedClaim claim = judged("polar-pendulum", {"V", "m*g*(L - r*cos(theta)) + " + std::string(hidden)});
    EXPECT_EQ(claim.verdict, ClaimVerdict::kUndecided) << hidden;
    EXPECT_THAT(claim.note, HasSubstr("right up to a constant")) << hidden;
  }
}

// --- on the constraint

TEST(Audit, GivenEquationsArePutIn) {
  const Said said{"lambda[rod]", "-m*L*theta'^2 - m*g*cos(theta) - f_x*sin(theta)"};
  const AuditedClaim anywhere = judged("polar-pendulum", said);
  EXPECT_EQ(anywhere.verdict, ClaimVerdict::kDisproved);
  EXPECT_THAT(anywhere.note, HasSubstr("it holds on the constraints only: state given = [\"r = L\"]"));
  EXPECT_EQ(judged("polar-pendulum", {said.entry, said.equals, {"r = L"}}).verdict, ClaimVerdict::kProved);
  EXPECT_EQ(judged("polar-pendulum", {said.entry, said.equals, {"L = r"}}).verdict, ClaimVerdict::kProved);
  EXPECT_EQ(judged("polar-pendulum", {said.entry, said.equals, {"r - L"}}).verdict, ClaimVerdict::kProved);
}

// r = L says nothing of dot(r): 2 r' θ'/r stays.
TEST(Audit, ACoordinateThatIsGivenLeavesItsRate) {
  const Said said{"qdd[theta]", "-g*sin(theta)/L + f_x*cos(theta)/(m*L)"};
  const AuditedClaim half = judged("polar-pendulum", {said.entry, said.equals, {"r = L"}});
  EXPECT_EQ(half.verdict, ClaimVerdict::kDisproved);
  EXPECT_THAT(half.note, HasSubstr("it holds on the constraints only: state given = [\"r' = 0\"]"));
  EXPECT_EQ(judged("polar-pendulum", {said.entry, said.equals, {"r = L", "dot(r) = 0"}}).verdict,
            ClaimVerdict::kProved);
}

// theory §10: λ = (m g e₃·p − m ṗ·ṗ)/L², where p·p = L² gives L and not p.
TEST(Audit, ASquareGivesAParameter) {
  const AuditedClaim claim = judged(
      "point-pendulum-3d", {"lambda[rod]", "(m*g*p3 - m*(p1'^2 + p2'^2 + p3'^2))/L^2", {"p1^2 + p2^2 + p3^2 = L^2"}});
  EXPECT_EQ(claim.verdict, ClaimVerdict::kProved);
  EXPECT_EQ(claim.note, "with L > 0");
}

// Straight, uniform rolling (theory §10): λ = 0 where the ball rolls; only the velocities' relation makes it so.
TEST(Audit, RollingNeedsNoFriction) {
  const std::vector<std::string> rolling{"r*phi'*sin(theta) + x'*cos(psi) + y'*sin(psi) = 0",
                                         "r*theta' - x'*sin(psi) + y'*cos(psi) = 0"};
  EXPECT_EQ(judged("rolling-sphere", {"lambda[roll[1]]", "0"}).verdict, ClaimVerdict::kDisproved);
  EXPECT_EQ(judged("rolling-sphere", {"lambda[roll[1]]", "0", rolling}).verdict, ClaimVerdict::kProved);
}

// Of one claim; the others of the file are judged all the same.
TEST(Audit, ConditionsThatCannotBeUsed) {
  const auto refusal = [](const Said& said) {
    const AuditedClaim claim = judged("polar-pendulum", said);
    EXPECT_EQ(claim.verdict, ClaimVerdict::kUndecided);
    EXPECT_TRUE(claim.refusal);
    return claim.refusal.value_or(Diagnostic{});
  };
  const Diagnostic unsolvable = refusal({"V", "0", {"r = L", "sin(theta) = exp(theta)"}});
  EXPECT_EQ(unsolvable.code, "E0241");
  EXPECT_EQ(unsolvable.primary.span.source->text().substr(unsolvable.primary.span.begin, 10), "sin(theta)");
  EXPECT_EQ(refusal({"V", "0", {"r^2 = theta^2"}}).code, "E0241");
  EXPECT_EQ(refusal({"V", "0", {"r = L", "L = 2*r", "r = 1"}}).code, "E0242");
  // One that follows from the others is no contradiction.
  EXPECT_EQ(judged("polar-pendulum", {"h[rod]", "0", {"r = L", "2*r = 2*L"}}).verdict, ClaimVerdict::kProved);

  const auto report = audit(equations_of(with_claim("polar-pendulum", {"V", "0", {"sin(theta) = 0"}}) +
                                         "[[claim]]\nentry = \"h[rod]\"\nequals = \"r - L\"\n"));
  ASSERT_TRUE(report.ok()) << render(report.diagnostics());
  EXPECT_TRUE(report->claims.at(0).refusal);
  EXPECT_EQ(report->claims.at(1).verdict, ClaimVerdict::kProved);
}

// --- λ and q̈

TEST(Audit, MotionMayBeClaimedInTermsOfMultipliers) {
  EXPECT_EQ(judged("chaplygin-sleigh", {"qdd[x]", "-sin(theta)/m*lambda(knife)"}).verdict, ClaimVerdict::kProved);
  const AuditedClaim turned = judged("chaplygin-sleigh", {"qdd[x]", "sin(theta)/m*lambda(knife)"});
  EXPECT_EQ(turned.verdict, ClaimVerdict::kDisproved);
  EXPECT_EQ(turned.correct, "-lambda(knife)*sin(theta)/m");
  EXPECT_THAT(turned.note, HasSubstr("the sign of lambda is wrong"));
}

// Without a closed form of a readable size: rows of the KKT system prove, numbers disprove.
TEST(Audit, LargeSystemsAreJudgedToo) {
  const AuditedClaim row = judged("slider-crank", {"lambda[pin[1]]", "f - m3*x''"});
  EXPECT_EQ(row.verdict, ClaimVerdict::kProved);
  EXPECT_EQ(row.note, "it is the equation eom[x]");
  const AuditedClaim rate = judged("slider-crank", {"qdd[x]", "dot(2*L2*sin(phi)*phi' - 2*L1*sin(theta)*theta')"});
  EXPECT_EQ(rate.verdict, ClaimVerdict::kProved);
  EXPECT_EQ(rate.note, "it is the constraint pin[1] on accelerations");
  const AuditedClaim wrong = judged("four-bar", {"lambda[pin_A.x]", "m1*g"});
  EXPECT_EQ(wrong.verdict, ClaimVerdict::kDisproved);
  ASSERT_TRUE(wrong.point);
  EXPECT_GT(std::abs(wrong.point->correct - wrong.point->claimed), 1e-3);
}

// --- causes

// Each is the right formula of something else; the mistakes are those of theory §11.
TEST(Audit, MistakesHaveCauses) {
  const auto cause = [](const std::string& model, const Said& said) {
    const AuditedClaim claim = judged(model, said);
    EXPECT_EQ(claim.verdict, ClaimVerdict::kDisproved) << said.entry;
    return claim.note;
  };
  EXPECT_THAT(cause("chaplygin-sleigh", {"Wdot[knife,x]", "-sin(theta)"}),
              HasSubstr("the claim is W[knife,x] itself, the entry is its rate"));
  EXPECT_THAT(cause("chaplygin-sleigh", {"Wdot[knife,x]", "dot(dot(-sin(theta)))"}),
              HasSubstr("the claim is the second rate of W[knife,x], the entry is the first"));
  EXPECT_THAT(cause("chaplygin-sleigh", {"gamma[knife]", "x'*dot(dot(-sin(theta))) + y'*dot(dot(cos(theta)))"}),
              HasSubstr("second rate of W, where the first belongs"));
  EXPECT_THAT(cause("polar-pendulum", {"Pc[rod]", "lambda(rod)*(r - L)"}), HasSubstr("the claim is lambda h"));
  // P = f_x (ṙ sin θ + r θ̇ cos θ)
  EXPECT_THAT(cause("polar-pendulum", {"F[r]", "f_x*theta'*cos(theta)"}),
              HasSubstr("the claim is the derivative of the power by r; the force is that by r'"));
  // A claimed 0 may be anything.
  EXPECT_THAT(cause("chaplygin-sleigh", {"Wdot[knife,x]", "0"}), Not(HasSubstr("rate")));
}

TEST(Audit, ARateThatIsNotTakenIsTheCause) {
  const auto report = audit(equations_of(text_of(models_folder() + "audits/chaplygin-sleigh-misprints.toml")));
  ASSERT_TRUE(report.ok());
  const auto claim = std::ranges::find(report->claims, "Sdot[theta,omega]", &AuditedClaim::entry);
  ASSERT_NE(claim, report->claims.end());
  EXPECT_THAT(claim->note, HasSubstr("the claim is S[theta,omega] itself, the entry is its rate"));
}

// Both are 0 on every motion that rolls: no factor between them means anything.
TEST(Audit, WhatIsRightOnTheConstraintsIsNoSlip) {
  const AuditedClaim claim = judged("rolling-sphere", {"lambda[roll[2]]", "-m*r*(theta'' + phi'*psi'*sin(theta))"});
  EXPECT_EQ(claim.verdict, ClaimVerdict::kDisproved);
  EXPECT_THAT(claim.note, HasSubstr("it holds on the constraints only: state given = ["));
  EXPECT_THAT(claim.note, Not(HasSubstr("times the correct formula")));
}

// Two bars whose ends have one height: nobody says that a length follows from the angles.
TEST(Audit, HintsDoNotSolveForParameters) {
  const AuditedClaim claim = judged("slider-crank", {"h[pin[2]]", "0"});
  EXPECT_EQ(claim.verdict, ClaimVerdict::kDisproved);
  EXPECT_THAT(claim.note, Not(HasSubstr("L1 =")));
  EXPECT_THAT(claim.note, Not(HasSubstr("L2 =")));
}

// --- what cannot be decided

TEST(Audit, OpaqueFunctionsAreUndecided) {
  const AuditedClaim claim = judged("polar-pendulum", {"M[r,r]", "m + asin(r/sqrt(1 + r^2)) - atan(r)"});
  EXPECT_EQ(claim.verdict, ClaimVerdict::kUndecided);
  EXPECT_FALSE(claim.exact);
  EXPECT_THAT(claim.note, HasSubstr("random points, but identities of asin and atan are not decided"));
  EXPECT_THAT(claim.difference, IsEmpty());
  // Right for positive angles only: a negative one tells.
  const AuditedClaim wrong = judged("polar-pendulum", {"W[rod,theta]", "acos(cos(theta)) - theta"});
  EXPECT_EQ(wrong.verdict, ClaimVerdict::kDisproved);
  EXPECT_TRUE(wrong.exact);  // the two values certainly differ
  EXPECT_TRUE(wrong.point);
}

// 1/r with r = 0 has no value, so nothing is proved by it.
TEST(Audit, NoValueIsNoProof) {
  const AuditedClaim claim = judged("polar-pendulum", {"M[r,r]", "m/r", {"r = 0"}});
  EXPECT_EQ(claim.verdict, ClaimVerdict::kUndecided);
  EXPECT_EQ(claim.note, "the claim has no value where the conditions hold: it divides by r, which is 0 there");
}

// --- what is wrong with a claim itself

struct Wrong {
  const char *entry, *equals, *code, *marked, *help;
};
class WrongClaims : public ::testing::TestWithParam<Wrong> {};
TEST_P(WrongClaims, AreReportedAtTheirPlace) {
  const Diagnostic d = refused("slider-crank", {GetParam().entry, GetParam().equals});
  EXPECT_EQ(d.code, GetParam().code) << render(d);
  const Span& span = d.primary.span;
  ASSERT_TRUE(span);
  EXPECT_EQ(span.source->text().substr(span.begin, span.end - span.begin), GetParam().marked);
  ASSERT_FALSE(d.help.empty());
  EXPECT_THAT(d.help.front(), HasSubstr(GetParam().help));
}
INSTANTIATE_TEST_SUITE_P(
    Entries, WrongClaims,
    ::testing::Values(Wrong{"lamda[pin[1]]", "0", "E0230", "lamda", "did you mean `lambda[pin[1]]`?"},
                      Wrong{"B[fi]", "0", "E0230", "fi", "there are `theta`, `phi` and `x`"},
                      Wrong{"B[thata]", "0", "E0230", "thata", "did you mean `theta`?"},
                      Wrong{"lambda[pin]", "0", "E0230", "pin", "several rows: write `pin[1]` or `pin[2]`"},
                      Wrong{"M[1,4]", "0", "E0230", "4", "there are"},
                      Wrong{"M[theta]", "0", "E0230", "M[theta]", "write `M[theta,phi]`"},
                      Wrong{"lambda(pin[1])", "0", "E0230", "lambda(pin", "brackets"},
                      Wrong{"B[theta", "0", "E0230", "B[theta", "not closed"},
                      Wrong{"", "0", "E0230", "", "entries are"}, Wrong{"B[theta]", "x = 0", "E0240", "x = 0", "eom"}),
    [](const auto& tested) { return "case" + std::to_string(tested.index); });

TEST(Audit, SeveralProblemsAtOnce) {
  const std::string text =
      with_claim("slider-crank", {"lamda[1]", "0"}) + "[[claim]]\nentry = \"B[z]\"\nequals = \"0\"\n";
  const auto report = audit(equations_of(text));
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.diagnostics().size(), 2u);
}

// Two rows that say the same leave the motion unique (1 = 2/(1 + 1)) and the multipliers open.
TEST(Audit, RedundantRowsAreNamed) {
  const auto report = audit(equations_of(R"(
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
[[constraint]]
name = "one"
holonomic = "x - y"
[[constraint]]
name = "two"
holonomic = "2*x - 2*y"
[[force]]
coordinate = "x"
value = "2"
[[claim]]
entry = "qdd[x]"
equals = "1"
)"));
  ASSERT_TRUE(report.ok());
  ASSERT_EQ(report->claims.size(), 1U);
  EXPECT_EQ(report->claims[0].verdict, ClaimVerdict::kProved);
  EXPECT_THAT(report->claims[0].note, HasSubstr("the row two follows from one"));
}

TEST(Audit, NothingClaimedNothingJudged) {
  const auto report = audit(equations_of(text_of(models_folder() + "slider-crank.toml")));
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->claims.empty());
}

TEST(Audit, WritesLatex) {
  const auto report = audit(equations_of(with_claim("slider-crank", {"G[phi]", "0"})), Notation::kLatex);
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(report->claims[0].correct, HasSubstr("\\cos \\phi"));
}

// find_entry solves for q̈ and λ as well.
TEST(FindEntry, SolvesForMotion) {
  const Equations eq = equations_of(text_of(models_folder() + "chaplygin-sleigh.toml"));
  const auto lambda = find_entry(eq, MappedText::of("lambda[knife]"));
  ASSERT_TRUE(lambda.ok()) << render(lambda.diagnostics());
  const auto expected = parse("m*I/(I + m*b^2)*theta'*(x'*cos(theta) + y'*sin(theta))", *eq.model->graph);
  Canonicalizer canonicalizer(*eq.model->graph);
  EXPECT_EQ(decide_zero(canonicalizer, *lambda - *expected), ZeroTest::kZero);
  // Two rows that say the same: λ is not unique, and there is no formula.
  const Equations twice = equations_of(
      text_of(models_folder() + "chaplygin-sleigh.toml") +
      "\n[[constraint]]\nname = \"again\"\npfaffian = \"-dot(x)*sin(theta) + dot(y)*cos(theta) - b*dot(theta)\"\n");
  const auto none = find_entry(twice, MappedText::of("lambda[knife]"));
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.diagnostics()[0].code, "E0231");
}

}  // namespace
}  // namespace dalembert
