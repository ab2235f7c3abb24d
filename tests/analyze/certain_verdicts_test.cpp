// SPDX-License-Identifier: Apache-2.0
// Verdicts where it is easy to be wrong: conditions under which something divided by vanishes, formulas without a
// value, equations times what may be 0, numbers far from 1. The truth of each is elementary algebra, said beside it.
#include <string>
#include <vector>

#include <fmt/format.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/algebra/enclosure.h"
#include "dalembert/algebra/rational_form.h"
#include "dalembert/analyze/audit.h"
#include "dalembert/modelfile/load.h"

namespace dalembert {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Stated {
  std::string entry, equals;
  std::vector<std::string> given = {};
};

Result<AuditReport> audit_of(const std::string& model, const Stated& said) {
  std::string text = model + "\n[[claim]]\nentry = \"" + said.entry + "\"\nequals = \"" + said.equals + "\"\n";
  for (const std::string& condition : said.given)
    text += (&condition == &said.given.front() ? "given = [\"" : ", \"") + condition + "\"";
  if (!said.given.empty()) text += "]\n";
  auto loaded = load_model(make_source("test.toml", text));
  EXPECT_TRUE(loaded.ok()) << render(loaded.diagnostics());
  auto equations = derive(std::make_shared<const Model>(loaded.ok() ? *loaded : Model()));
  EXPECT_TRUE(equations.ok()) << render(equations.diagnostics());
  return audit(*equations);
}

AuditedClaim verdict_on(const std::string& model, const Stated& said) {
  const auto report = audit_of(model, said);
  EXPECT_TRUE(report.ok()) << render(report.diagnostics());
  return report.ok() && report->claims.size() == 1 ? report->claims[0] : AuditedClaim{};
}

std::string refusal_of(const std::string& model, const Stated& said) {
  const auto report = audit_of(model, said);
  if (!report.ok()) return report.diagnostics().at(0).code;
  return report->claims.at(0).refusal ? report->claims.at(0).refusal->code : "accepted";
}

// A plane pendulum in Cartesian coordinates: W = (2x, 2y), m x″ = 2xλ, m y″ + m g = 2yλ, 2(x x″ + y y″ + x′² + y′²) =
// 0.
const std::string kPendulum = R"toml(coordinates = ["x", "y"]
[parameters]
m = 1.5
g = 9.81
L = 2
[energy]
kinetic = "m/2*(x'^2 + y'^2)"
potential = "m*g*y"
[[constraint]]
name = "rod"
holonomic = "x^2 + y^2 - L^2"
)toml";

// Two coordinates whose forces are whatever is to be compared.
std::string forces(const std::string& on_x, const std::string& on_y = "0") {
  return R"toml(coordinates = ["x", "y"]
[parameters]
m = 1.5
m1 = 2
m2 = 3
k = 7
c = 0
[energy]
kinetic = "m/2*(x'^2 + y'^2)"
[[force]]
coordinate = "x"
value = ")toml" +
         on_x + "\"\n[[force]]\ncoordinate = \"y\"\nvalue = \"" + on_y + "\"\n";
}

// --- conditions under which a coefficient vanishes

// At rest below: λ = −m g/(2 L) by the second row; the first reads 0 = 0.
TEST(CertainVerdicts, ARowThatVanishesProvesNothing) {
  const std::vector<std::string> below{"x = 0", "y = -L", "x'' = 0", "x' = 0", "y' = 0"};
  EXPECT_EQ(verdict_on(kPendulum, {"lambda[rod]", "42*m*g", below}).verdict, ClaimVerdict::kDisproved);
  EXPECT_EQ(verdict_on(kPendulum, {"lambda[rod]", "-m*g/(2*L)", below}).verdict, ClaimVerdict::kProved);
  EXPECT_NE(verdict_on(kPendulum, {"lambda[rod]", "m*x''/(2*x)", {"x = 0"}}).verdict, ClaimVerdict::kProved);
  EXPECT_NE(verdict_on(kPendulum, {"qdd[y]", "7*g", {"y = 0"}}).verdict, ClaimVerdict::kProved);
  // W vanishes: the equations say nothing of λ.
  EXPECT_EQ(verdict_on(kPendulum, {"lambda[rod]", "0", {"x = 0", "y = 0"}}).verdict, ClaimVerdict::kUndecided);
}

TEST(CertainVerdicts, ARowThatMayVanishSaysWhere) {
  const AuditedClaim claim = verdict_on(kPendulum, {"lambda[rod]", "m*x''/(2*x)"});
  EXPECT_EQ(claim.verdict, ClaimVerdict::kProved);
  EXPECT_THAT(claim.assuming, ElementsAre("x != 0"));
  // m x″ = 2 x λ with x″ = 0.
  const AuditedClaim straight = verdict_on(kPendulum, {"lambda[rod]", "0", {"x'' = 0"}});
  EXPECT_EQ(straight.verdict, ClaimVerdict::kProved);
  EXPECT_THAT(straight.assuming, ElementsAre("x != 0"));
}

// What is given of accelerations restricts the states at which a claim may fail: with x″ = 0 and x ≠ 0 there is no λ.
TEST(CertainVerdicts, GivenAccelerationsRestrictTheState) {
  EXPECT_NE(verdict_on(kPendulum, {"lambda[rod]", "x*0 + m*(y'' + g)*0", {"x'' = 0"}}).verdict,
            ClaimVerdict::kDisproved);
  EXPECT_EQ(verdict_on(kPendulum, {"qdd[x]", "0", {"x'' = 0"}}).verdict, ClaimVerdict::kProved);
}

// --- conditions that divide

TEST(CertainVerdicts, DivisorsBecomeAssumptions) {
  const std::string model = forces("k*x");
  for (const auto& [condition, assumed] :
       std::vector<std::pair<std::string, std::string>>{{"x*y = 0", "y != 0"},
                                                        {"x*y = x", "y != 1"},
                                                        {"x*(k - 3) = 0", "k != 3"},
                                                        {"c*x = 0", "c != 0"},
                                                        {"(m1 - m2)*x = 0", "m1 != m2"},
                                                        {"x*sin(y) = 0", "sin(y) != 0"},
                                                        {"k*x = 0", "k > 0"}}) {
    const AuditedClaim claim = verdict_on(model, {"F[x]", "0", {condition}});
    EXPECT_EQ(claim.verdict, ClaimVerdict::kProved) << condition;
    EXPECT_THAT(claim.assuming, ElementsAre(assumed)) << condition;
  }
  EXPECT_THAT(verdict_on(model, {"F[x]", "0", {"2*x = 0"}}).assuming, IsEmpty());
  EXPECT_THAT(verdict_on(model, {"F[x]", "0", {"(y^2 + 1)*x = 0"}}).assuming, IsEmpty());
  EXPECT_THAT(verdict_on(model, {"F[x]", "0", {"exp(y)*x = 0"}}).assuming, IsEmpty());
}

// L² = x² + y² leaves the sign of L open: it is that of the model's value.
TEST(CertainVerdicts, ASquareTakesTheSignOfTheModel) {
  const Stated said{"h[rod]", "0", {"x^2 + y^2 = L^2"}};
  EXPECT_THAT(verdict_on(kPendulum, said).assuming, ElementsAre("L > 0"));
  std::string negative = kPendulum;
  negative.replace(negative.find("L = 2"), 5, "L = -2");
  EXPECT_THAT(verdict_on(negative, said).assuming, ElementsAre("L < 0"));
  EXPECT_EQ(verdict_on(negative, {"h[rod]", "x^2 + y^2 + L*sqrt(x^2 + y^2)", said.given}).verdict,
            ClaimVerdict::kProved);
}

// y = 0 makes x*y = 0 hold for every x; (x − 1)·y = 0 with x = 1 leaves y free.
TEST(CertainVerdicts, ADivisorThatTheOthersMakeZeroIsNone) {
  const std::string model = forces("k*x");
  EXPECT_EQ(verdict_on(model, {"F[x]", "0", {"x*y = 0", "y = 0"}}).verdict, ClaimVerdict::kDisproved);
  EXPECT_EQ(verdict_on(model, {"F[x]", "0", {"y = 0", "x*y = 0"}}).verdict, ClaimVerdict::kDisproved);
  EXPECT_EQ(verdict_on(model, {"F[x]", "k", {"(x - 1)*y = 0", "x = 1"}}).verdict, ClaimVerdict::kProved);
  // x = 7/y and y·c = 0: only with c = 0.
  const AuditedClaim both = verdict_on(model, {"F[x]", "7*k/y", {"x*y = 7", "y*c = 0"}});
  EXPECT_EQ(both.verdict, ClaimVerdict::kProved);
  EXPECT_THAT(both.assuming, ElementsAre("y != 0"));
  EXPECT_EQ(refusal_of(model, {"F[x]", "0", {"x*y = 7", "2*y = 0"}}), "E0241");
}

// sign(x) + x = 1 has no solution, although its derivative by x is 1.
TEST(CertainVerdicts, WhatOnlyLooksLinearIsNotSolved) {
  EXPECT_EQ(refusal_of(forces("k*x"), {"F[x]", "k", {"sign(x) + x = 1"}}), "E0241");
  EXPECT_EQ(refusal_of(forces("k*x"), {"F[x]", "k", {"if(x > 1/2, 3, 0) + x = 1"}}), "E0241");
}

// --- formulas without a value

TEST(CertainVerdicts, NothingOverNothingIsUndecided) {
  struct Quotient {
    std::string force, given, limit;
  };
  for (const Quotient& q : {Quotient{"k*sin(x)/x", "x = 0", "k"}, Quotient{"(x^2 - 1)/(x - 1)", "x = 1", "2"},
                            Quotient{"(1 - cos(x))/x^2", "x = 0", "1/2"}, Quotient{"(exp(k*x) - 1)/x", "x = 0", "k"},
                            Quotient{"tan(3*x)/x", "x = 0", "3"}, Quotient{"(sqrt(1 + x) - 1)/x", "x = 0", "1/2"},
                            Quotient{"sin(x - y)/(x - y)", "x = y", "1"}})
    for (const std::string& equals : {std::string("0"), q.limit}) {
      const AuditedClaim claim = verdict_on(forces(q.force), {"F[x]", equals, {q.given}});
      EXPECT_EQ(claim.verdict, ClaimVerdict::kUndecided) << q.force << " as " << equals;
      EXPECT_THAT(claim.note, HasSubstr("has no value where the conditions hold")) << q.force;
      EXPECT_THAT(claim.note, HasSubstr(" is " + q.limit)) << q.force;
    }
  // 1/x tends to nothing, and a claim may be what has no value.
  EXPECT_THAT(verdict_on(forces("k/x"), {"F[x]", "0", {"x = 0"}}).note, Not(HasSubstr("limit")));
  EXPECT_EQ(verdict_on(forces("k*y"), {"F[x]", "k*x*y/x", {"x = y"}}).verdict, ClaimVerdict::kProved);
}

// x/x is 1 wherever it has a value, which at 0 it has not: in a claim, in what it is made of, and in a condition.
// Reading cancels it all the same.
TEST(CertainVerdicts, WhatCancelsWhenItIsReadHasNoValueEither) {
  const std::string model = forces("k") + "[define]\none = \"x/x\"\nstill = \"2*one - 1\"\n";
  struct Cancelling {
    std::string claim, given;
  };
  for (const Cancelling& c :
       {Cancelling{"k*x/x", "x = 0"}, Cancelling{"k*floor(x)/floor(x)", "x = 1/2"}, Cancelling{"k*(x - 1)^0", "x = 1"},
        Cancelling{"k*(x^2 - 1)/(x - 1)/(x + 1)", "x = 1"}, Cancelling{"k + 0/x", "x = 0"},
        Cancelling{"k*x^-1*x", "x = 0"}, Cancelling{"k + 0*log(x)/sin(x)", "x = 0"},
        Cancelling{"k*sqrt(x)/sqrt(x)", "x = -1"}, Cancelling{"k + log(x) - log(x)", "x = -2"},
        Cancelling{"k + 0*mod(3, x)", "x = 0"}, Cancelling{"k + 0*atan2(x, y)*y", "x = 0*y"},
        Cancelling{"k*one", "x = 0"}, Cancelling{"k*still", "x = 0"}}) {
    const bool somewhere = c.given == "x = 0*y";  // atan2(0, y) has a value unless y is 0
    EXPECT_EQ(verdict_on(model, {"F[x]", c.claim, {c.given}}).verdict,
              somewhere ? ClaimVerdict::kProved : ClaimVerdict::kUndecided)
        << c.claim;
    EXPECT_EQ(verdict_on(model, {"F[x]", c.claim, {"x = 5/2"}}).verdict, ClaimVerdict::kProved) << c.claim;
    EXPECT_EQ(verdict_on(model, {"F[x]", c.claim}).verdict, ClaimVerdict::kProved) << c.claim;
    EXPECT_EQ(verdict_on(model, {"F[x]", c.claim + " + 1", {"x = 5/2"}}).verdict, ClaimVerdict::kDisproved) << c.claim;
    EXPECT_EQ(verdict_on(model, {"F[x]", c.claim + " + 1", {c.given}}).verdict,
              somewhere ? ClaimVerdict::kDisproved : ClaimVerdict::kUndecided)
        << c.claim;
  }
  EXPECT_THAT(verdict_on(model, {"F[x]", "k*x/x", {"x = 0"}}).note, HasSubstr("it divides by x, which is 0 there"));
  // In a condition, y*x/x = 3 says nothing at x = 0.
  const std::string plain = forces("k*y");
  EXPECT_EQ(verdict_on(plain, {"F[x]", "3*k", {"x = 0", "y*x/x = 3"}}).verdict, ClaimVerdict::kUndecided);
  EXPECT_EQ(verdict_on(plain, {"F[x]", "3*k", {"y*x/x = 3"}}).verdict, ClaimVerdict::kProved);
  EXPECT_EQ(verdict_on(plain, {"F[x]", "4*k", {"x = 0", "y*x/x = 3"}}).verdict, ClaimVerdict::kUndecided);
  // Of an equation, of the motion, and what is not chosen.
  EXPECT_EQ(verdict_on(plain, {"eom[x]", "m*x''*x/x = k*y", {"x = 0"}}).verdict, ClaimVerdict::kUndecided);
  EXPECT_EQ(verdict_on(plain, {"eom[x]", "m*x''*x/x = k*y"}).verdict, ClaimVerdict::kProved);
  EXPECT_EQ(verdict_on(plain, {"qdd[x]", "k*y/m*x/x", {"x = 0"}}).verdict, ClaimVerdict::kUndecided);
  EXPECT_EQ(verdict_on(plain, {"qdd[x]", "k*y/m*x/x"}).verdict, ClaimVerdict::kProved);
  EXPECT_EQ(verdict_on(plain, {"F[x]", "if(x > 1, k*y*x/x, k*y)", {"x = 0"}}).verdict, ClaimVerdict::kProved);
}

// On x = 0 a potential of x alone is a constant, and every constant is one "up to a constant".
TEST(CertainVerdicts, AConstantEnergyIsNotAnyConstant) {
  EXPECT_EQ(verdict_on(kPendulum, {"V", "5*m*g", {"y = 0"}}).verdict, ClaimVerdict::kDisproved);
  EXPECT_EQ(verdict_on(kPendulum, {"V", "m*g*y + 5*m*g"}).verdict, ClaimVerdict::kProved);
}

// --- equations

TEST(CertainVerdicts, AnEquationTimesWhatMayVanish) {
  const std::string model = forces("-k*x");
  const AuditedClaim masses = verdict_on(model, {"eom[x]", "(m1 - m2)*(m*x'' + k*x) = 0"});
  EXPECT_EQ(masses.verdict, ClaimVerdict::kProved);
  EXPECT_THAT(masses.assuming, ElementsAre("m1 != m2"));
  EXPECT_THAT(verdict_on(model, {"eom[x]", "(m*x'' + k*x)/(m1 - m2) = 0"}).assuming, ElementsAre("m1 != m2"));
  EXPECT_THAT(verdict_on(model, {"eom[x]", "(m1 + m2)*(m*x'' + k*x) = 0"}).assuming, IsEmpty());
  EXPECT_EQ(verdict_on(model, {"eom[x]", "exp(x)*(m*x'' + k*x) = 0"}).verdict, ClaimVerdict::kProved);
  // x·(…) = 0 holds at x = 0 whatever x″ is.
  const AuditedClaim x = verdict_on(model, {"eom[x]", "x*(m*x'' + k*x) = 0"});
  EXPECT_EQ(x.verdict, ClaimVerdict::kDisproved);
  ASSERT_TRUE(x.point);
  EXPECT_EQ(x.point->claimed, 0);
  EXPECT_NE(x.point->correct, 0);
  // The square says the same, which is not decided here, and not denied.
  EXPECT_EQ(verdict_on(model, {"eom[x]", "(m*x'' + k*x)^2 = 0"}).verdict, ClaimVerdict::kUndecided);
}

// --- numbers far from 1

// (a x + b)(a y − b) = a² x y − a b x + a b y − b²
TEST(CertainVerdicts, LargeLiterals) {
  for (const std::string a : {"1e6", "1e9", "1e15", "1e40"}) {
    const std::string product = fmt::format("({0}*x + 2)*({0}*y - 2)", a);
    const std::string sum = fmt::format("{0}^2*x*y - 2*{0}*x + 2*{0}*y - 4", a);
    EXPECT_EQ(verdict_on(forces(product), {"F[x]", sum}).verdict, ClaimVerdict::kProved) << a;
    if (!has_balls()) continue;
    const AuditedClaim wrong = verdict_on(forces(product), {"F[x]", sum + " + 1e-30*x"});
    EXPECT_EQ(wrong.verdict, ClaimVerdict::kDisproved) << a;
    ASSERT_TRUE(wrong.point) << a;
    EXPECT_NE(wrong.point->difference, 0) << a;
    EXPECT_NE(wrong.point->correct_digits, wrong.point->claimed_digits) << a;
  }
}

// cosh² − sinh² = 1 wherever it is, though both squares have 30 digits: the smaller value is shown right as well.
TEST(CertainVerdicts, TheSmallerValueIsShownRight) {
  if (!has_balls()) return;
  const AuditedClaim wrong =
      verdict_on(forces("cosh(30*x)^2 - sinh(30*x)^2"), {"F[x]", "cosh(30*x)^2 - 5*sinh(30*x)^2"});
  EXPECT_EQ(wrong.verdict, ClaimVerdict::kDisproved);
  ASSERT_TRUE(wrong.point);
  EXPECT_EQ(wrong.point->correct, 1);
  EXPECT_DOUBLE_EQ(std::stod(wrong.point->correct_digits), 1);
}

// Functions between which nothing is known here: a slip of 10⁻⁹ is shown at a point, an identity is not denied.
TEST(CertainVerdicts, OpaqueFunctions) {
  EXPECT_EQ(verdict_on(forces("exp(x)*exp(y)"), {"F[x]", "1.000000001*exp(x + y)"}).verdict, ClaimVerdict::kDisproved);
  EXPECT_NE(verdict_on(forces("exp(x)*exp(y)"), {"F[x]", "exp(x + y)"}).verdict, ClaimVerdict::kDisproved);
  EXPECT_NE(verdict_on(forces("log(x*y)"), {"F[x]", "log(x) + log(y)"}).verdict, ClaimVerdict::kDisproved);
  EXPECT_EQ(verdict_on(forces("sqrt(x^2)"), {"F[x]", "x"}).verdict, ClaimVerdict::kDisproved);
  EXPECT_NE(verdict_on(forces("sqrt(x^2)"), {"F[x]", "abs(x)"}).verdict, ClaimVerdict::kDisproved);
}

// Truth: c/m = 2 ζ ω with ζ = c/(2√(k m)) and ω = √(k/m), by hand; √(3 + 2√2) = 1 + √2 by its square.
TEST(CertainVerdicts, RootsInEquationsAndNumbers) {
  const std::string model = R"toml(coordinates = ["x"]
[parameters]
m = 1
c = 0.1
k = 2
[energy]
kinetic = "m*x'^2/2"
potential = "k*x^2/2"
[[force]]
coordinate = "x"
value = "-c*x'"
)toml";
  const std::string zeta = "(c/(2*sqrt(k*m)))", omega = "sqrt(k/m)";
  const AuditedClaim textbook =
      verdict_on(model, {"eom[x]", "x'' + 2*" + zeta + "*" + omega + "*x' + " + omega + "^2*x = 0"});
  EXPECT_EQ(textbook.verdict, ClaimVerdict::kProved);
  EXPECT_THAT(textbook.note, HasSubstr("the same equation times 1/m"));
  EXPECT_EQ(verdict_on(model, {"eom[x]", "x'' + " + zeta + "*" + omega + "*x' + " + omega + "^2*x = 0"}).verdict,
            ClaimVerdict::kDisproved);
  const std::string right = "-(c*x' + k*x)/m";
  EXPECT_EQ(verdict_on(model, {"qdd[x]", right + "*sqrt(3 + 2*sqrt(2))/(1 + sqrt(2))"}).verdict,
            has_balls() ? ClaimVerdict::kProved : ClaimVerdict::kUndecided);
  EXPECT_EQ(verdict_on(model, {"qdd[x]", right + "*sin(18 deg)*(1 + sqrt(5))"}).verdict, ClaimVerdict::kProved);
  EXPECT_EQ(verdict_on(model, {"qdd[x]", right + "*sin(18 deg)*3.236067977499789"}).verdict,
            has_balls() ? ClaimVerdict::kDisproved : ClaimVerdict::kUndecided);
}

// Truth: L and L + d/dt f(q, t) have the same equations (Landau and Lifshitz, Mechanics, §2); the rate of x y²/2 is x' y²/2 + x y y'.
TEST(CertainVerdicts, ALagrangianUpToARate) {
  const std::string model = R"toml(coordinates = ["x", "y"]
[parameters]
m = 1
b = 2
[energy]
lagrangian = "m/2*(x'^2 + y'^2) + b/2*(x*y' - y*x')"
)toml";
  const AuditedClaim gauge = verdict_on(model, {"L", "m/2*(x'^2 + y'^2) - b*y*x'"});
  EXPECT_EQ(gauge.verdict, ClaimVerdict::kProved);
  EXPECT_THAT(gauge.note, HasSubstr("up to the rate of a function of positions and time"));
  const std::string L = "m/2*(x'^2 + y'^2) + b/2*(x*y' - y*x')";
  EXPECT_EQ(verdict_on(model, {"L", L + " + x'*y^2/2 + x*y*y'"}).verdict, ClaimVerdict::kProved);
  EXPECT_EQ(verdict_on(model, {"L", L + " + cos(t)*x + sin(t)*x'"}).verdict, ClaimVerdict::kProved);
  EXPECT_EQ(verdict_on(model, {"L", L + " + x'*y^2/2 - x*y*y'"}).verdict, ClaimVerdict::kDisproved);
  EXPECT_EQ(verdict_on(model, {"L", L + " + t*x'"}).verdict, ClaimVerdict::kDisproved);
  EXPECT_EQ(verdict_on(model, {"L", L + " + x'*y", {"y = 0*x"}}).verdict, ClaimVerdict::kProved);
  EXPECT_EQ(verdict_on(model, {"E", "m/2*(x'^2 + y'^2) + x*x'"}).verdict, ClaimVerdict::kDisproved);
}

// Truth: sin 30° = 1/2. What was written with the numbers of the model is wrong for other numbers, and the audit names them.
TEST(CertainVerdicts, FormulasWithNumbersOfTheModel) {
  const std::string model = R"toml(coordinates = [{name = "x", unit = "m"}]
[parameters]
m = "2 kg"
g = "9.81 m/s^2"
alpha = "30 deg"
[energy]
kinetic = "m*x'^2/2"
potential = "-m*g*x*sin(alpha)"
)toml";
  const AuditedClaim half = verdict_on(model, {"eom[x]", "x'' = g/2"});
  EXPECT_EQ(half.verdict, ClaimVerdict::kDisproved);
  EXPECT_THAT(half.note, HasSubstr("it holds for values of this model: state given = [\"alpha = 1/6*pi\"]"));
  EXPECT_EQ(verdict_on(model, {"eom[x]", "x'' = g/2", {"alpha = 1/6*pi"}}).verdict, ClaimVerdict::kProved);
  EXPECT_THAT(verdict_on(model, {"qdd[x]", "4.905"}).note,
              HasSubstr("state given = [\"g = 9.81\", \"alpha = 1/6*pi\"]"));
  EXPECT_THAT(verdict_on(model, {"qdd[x]", "4.9"}).note, Not(HasSubstr("values of this model")));
}

// Truth: N = m g cos(alpha) whatever the friction is; s'' = g sin(alpha) − f/m, of which f = mu N where it slides down alone.
TEST(CertainVerdicts, FrictionForcesAreGiven) {
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT";
  const std::string model = R"toml(coordinates = ["s", "n"]
[parameters]
g = 9.81
m = 2
alpha = 0.3
mu = 0.4
[energy]
kinetic = "m/2*(s'^2 + n'^2)"
potential = "m*g*(n*cos(alpha) - s*sin(alpha))"
[[constraint]]
name = "plane"
holonomic = "n"
[[friction]]
name = "rub"
normal = "lambda(plane)"
velocity = "s'"
coefficient = "mu"
)toml";
  EXPECT_EQ(verdict_on(model, {"lambda[plane]", "m*g*cos(alpha)"}).verdict, ClaimVerdict::kProved);
  EXPECT_EQ(verdict_on(model, {"lambda[plane]", "m*g*sin(alpha)"}).verdict, ClaimVerdict::kDisproved);
  EXPECT_EQ(verdict_on(model, {"qdd[n]", "0"}).verdict, ClaimVerdict::kProved);
  const AuditedClaim sliding = verdict_on(model, {"qdd[s]", "g*(sin(alpha) - mu*cos(alpha))"});
  EXPECT_EQ(sliding.verdict, ClaimVerdict::kUndecided);
  EXPECT_THAT(sliding.note, HasSubstr("not right for every friction force"));
  EXPECT_EQ(verdict_on(model, {"qdd[s]", "g*sin(alpha) - friction(rub)/m"}).verdict, ClaimVerdict::kProved);
  // The symbol of a friction is another one in the equations where rows come after it.
  const std::string more = model + "[[constraint]]\nname = \"again\"\nholonomic = \"n - s + s\"\nunilateral = true\n";
  EXPECT_EQ(verdict_on(more, {"eom[s]", "m*s'' = m*g*sin(alpha) - friction(rub)"}).verdict, ClaimVerdict::kProved);
  EXPECT_EQ(verdict_on(more, {"eom[s]", "m*s'' = m*g*sin(alpha) + friction(rub)"}).verdict, ClaimVerdict::kDisproved);
}

}  // namespace
}  // namespace dalembert
