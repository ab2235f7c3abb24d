// SPDX-License-Identifier: Apache-2.0
// Claims with constants whose values the audit finds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/algebra/rational_form.h"
#include "dalembert/analyze/audit.h"
#include "dalembert/modelfile/load.h"
#include "source_tree.h"

namespace dalembert {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct WithConstants {
  std::string entry, equals, constant;
};

// T = m/2 (x'^2 + l^2 theta'^2), V = k/2 x^2 - m g l cos(theta): a mass on a spring, a pendulum beside it.
constexpr const char* kTwo = R"toml(
coordinates = ["x", "theta"]
[parameters]
m = 2
k = 3
l = 1
g = 9.81
[energy]
kinetic = "m/2*(x'^2 + l^2*theta'^2)"
potential = "k/2*x^2 - m*g*l*cos(theta)"
)toml";

AuditedClaim audited(const std::string& model, const WithConstants& claim) {
  const std::string text = model + "[[claim]]\nentry = \"" + claim.entry + "\"\nequals = \"" + claim.equals +
                           "\"\nconstant = " + claim.constant + "\n";
  Result<Model> loaded = load_model(make_source("model.toml", text));
  EXPECT_TRUE(loaded) << render(loaded.diagnostics());
  if (!loaded) return {};
  const Result<Equations> equations = derive(std::make_shared<const Model>(std::move(loaded).value()));
  EXPECT_TRUE(equations) << render(equations.diagnostics());
  const Result<AuditReport> report = audit(*equations);
  EXPECT_TRUE(report) << render(report.diagnostics());
  return report ? report->claims.at(0) : AuditedClaim{};
}

// "proved: c = k" of a claim.
std::string answer(const AuditedClaim& claim) {
  std::string text = to_text(claim.verdict);
  for (const auto& [name, value] : claim.constants) text += ", " + name + " = " + value;
  return text;
}

// Truth: differentiation by hand.
TEST(AuditConstants, AreFoundAsFormulasOfParameters) {
  EXPECT_EQ(answer(audited(kTwo, {"G[x]", "c*x", "\"c\""})), "proved, c = k");
  // Quotients that hide that what is left is a constant must not be taken for a difference.
  EXPECT_NE(audited(kTwo, {"V", "c*x^2 - d*cos(theta) + 5", "[\"c\", \"d\"]"}).verdict, ClaimVerdict::kDisproved);
  if (!has_rational_forms()) return;  // without FLINT the same values are written at greater length
  EXPECT_EQ(answer(audited(kTwo, {"V", "c*x^2 - d*cos(theta) + 5", "[\"c\", \"d\"]"})), "proved, c = 1/2*k, d = m*g*l");
  EXPECT_EQ(answer(audited(kTwo, {"V", "c*x^2 - d*cos(theta) + e", "[\"c\", \"d\", \"e\"]"})),
            "proved, c = 1/2*k, d = m*g*l, e = 0");
  // m g l sin(theta) = m g l (sin(theta + 1) cos(1) - cos(theta + 1) sin(1))
  EXPECT_EQ(answer(audited(kTwo, {"G[theta]", "a*sin(theta + 1) + b*cos(theta + 1)", "[\"a\", \"b\"]"})),
            "proved, a = m*g*l*cos(1), b = -m*g*l*sin(1)");
}

TEST(AuditConstants, OfEquationsWhateverTheirFactor) {
  EXPECT_EQ(answer(audited(kTwo, {"eom[x]", "x'' + c*x = 0", "\"c\""})), "proved, c = k/m");
  EXPECT_EQ(answer(audited(kTwo, {"eom[x]", "c*x'' + k*x = 0", "\"c\""})), "proved, c = m");
  EXPECT_EQ(answer(audited(kTwo, {"eom[x]", "c*x'' + d*x = 0", "[\"c\", \"d\"]"})), "proved, c = m, d = k");
  EXPECT_EQ(answer(audited(kTwo, {"qdd[theta]", "-c*sin(theta)", "\"c\""})), "proved, c = g/l");
}

// Truth: the sleigh's closed forms, as its description states them (Bloch 2015, 1.7).
TEST(AuditConstants, OfTheSleigh) {
  std::ifstream file(source_tree() + "/models/chaplygin-sleigh.toml");
  const std::string sleigh{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(answer(audited(sleigh, {"vdot[u]", "c*omega^2", "\"c\""})), "proved, c = b");
  EXPECT_EQ(answer(audited(sleigh, {"vdot[omega]", "c*u*omega", "\"c\""})), "proved, c = -m*b/(m*b^2 + I)");
  if (!has_rational_forms()) return;  // without FLINT the same values are written at greater length
  EXPECT_EQ(answer(audited(sleigh, {"lambda[knife]", "c*omega*u", "\"c\""})), "proved, c = m*I/(m*b^2 + I)");
}

// Truth: division by hand. Products of constants are found first, then each constant that follows from them.
TEST(AuditConstants, MayBeInProducts) {
  EXPECT_EQ(answer(audited(kTwo, {"G[x]", "x/c", "\"c\""})), "proved, c = 1/k");
  EXPECT_EQ(answer(audited(kTwo, {"G[theta]", "c*d*sin(theta) + (d - 2)*x", "[\"c\", \"d\"]"})),
            "proved, c = 1/2*m*g*l, d = 2");
  EXPECT_EQ(answer(audited(kTwo, {"G[theta]", "c*(sin(theta) + d*x)", "[\"c\", \"d\"]"})), "proved, c = m*g*l, d = 0");
  EXPECT_EQ(answer(audited(kTwo, {"eom[x]", "c*x'' + c*d*x = 0", "[\"c\", \"d\"]"})), "proved, c = m, d = k/m");
  // V may be off by a constant, so c^2 says nothing.
  EXPECT_EQ(answer(audited(kTwo, {"V", "c*x^2 + c^2 - d*cos(theta)", "[\"c\", \"d\"]"})),
            "proved, c = 1/2*k, d = m*g*l");
  const AuditedClaim two = audited(kTwo, {"G[x]", "c*x + c^2*theta", "\"c\""});
  EXPECT_EQ(two.verdict, ClaimVerdict::kDisproved);
  EXPECT_THAT(two.note, HasSubstr("no value of its constant makes it right"));
}

// Truth: w = sqrt(k/m) of an oscillator, in any textbook. −w does as well, and is not shown.
TEST(AuditConstants, OfWhichAPowerIsDeterminedAreRoots) {
  const AuditedClaim square = audited(kTwo, {"qdd[theta]", "-w^2*sin(theta)", "\"w\""});
  EXPECT_EQ(answer(square), "proved, w = sqrt(g/l)");
  EXPECT_THAT(square.note, HasSubstr("only a power of w is determined: the positive root is shown"));
  EXPECT_EQ(answer(audited(kTwo, {"eom[x]", "x'' + w^2*x = 0", "\"w\""})), "proved, w = sqrt(k/m)");
  EXPECT_EQ(answer(audited(kTwo, {"eom[x]", "x'' + (2*pi/T0)^2*x = 0", "\"T0\""})), "proved, T0 = 2*pi*sqrt(m/k)");
  EXPECT_EQ(answer(audited(kTwo, {"eom[x]", "x'' + 2*z*w*x' + w^2*x = 0", "[\"z\", \"w\"]"})),
            "proved, z = 0, w = sqrt(k/m)");
  const AuditedClaim growing = audited(kTwo, {"eom[x]", "x'' - w^2*x = 0", "\"w\""});
  EXPECT_EQ(growing.verdict, ClaimVerdict::kUndecided);
  EXPECT_THAT(growing.note, HasSubstr("it is right where w^2 = -k/m"));
  // Not by c = 1, for c^3 is −1: with c = −1 it is right.
  EXPECT_NE(audited(kTwo, {"T", "m/2*(c^2*x'^2 - c^3*l^2*theta'^2)", "\"c\""}).verdict, ClaimVerdict::kDisproved);
  EXPECT_EQ(audited(kTwo, {"T", "m/2*(c^2*x'^2 + 2*c^3*l^2*theta'^2)", "\"c\""}).verdict, ClaimVerdict::kUndecided);
}

TEST(AuditConstants, OfWhichProductsAloneAreDeterminedAreNotSaid) {
  EXPECT_EQ(audited(kTwo, {"qdd[theta]", "-c/d*sin(theta)", "[\"c\", \"d\"]"}).note,
            "it is right where c/d = g/l, which does not determine each of its constants");
  EXPECT_THAT(audited(kTwo, {"G[theta]", "sin(c*theta)", "\"c\""}).note, HasSubstr("more than products"));
  const AuditedClaim wrong = audited(kTwo, {"G[theta]", "c^2*theta", "\"c\""});
  EXPECT_NE(wrong.verdict, ClaimVerdict::kProved);
  EXPECT_THAT(wrong.note, ::testing::Not(HasSubstr("it is right")));
}

// What is forced at one state fails at another: no constant can be right.
TEST(AuditConstants, ThatDoNotExistAreRefutedByAState) {
  const AuditedClaim square = audited(kTwo, {"G[x]", "c*x^2", "\"c\""});
  EXPECT_EQ(square.verdict, ClaimVerdict::kDisproved);
  EXPECT_THAT(square.note, HasSubstr("no value of its constant makes it right"));
  ASSERT_TRUE(square.point);
  EXPECT_NE(square.point->correct, square.point->claimed);
  EXPECT_EQ(audited(kTwo, {"eom[theta]", "theta'' + c*theta = 0", "\"c\""}).verdict, ClaimVerdict::kDisproved);
  // Only 0 = 0 would have no sin(theta) beside theta, and that is not the equation.
  EXPECT_EQ(audited(kTwo, {"eom[theta]", "c*theta'' + d*theta = 0", "[\"c\", \"d\"]"}).verdict,
            ClaimVerdict::kDisproved);
  EXPECT_EQ(audited(kTwo, {"T", "c*x'^2 + 5", "\"c\""}).verdict, ClaimVerdict::kDisproved);
}

TEST(AuditConstants, ThatAreNotDeterminedAreNotSaid) {
  for (const WithConstants& claim : {WithConstants{"G[theta]", "c*d*sin(theta)", "[\"c\", \"d\"]"},
                                     WithConstants{"G[theta]", "sin(c*theta)", "\"c\""},
                                     WithConstants{"G[theta]", "c*sin(theta) + d*sin(theta)", "[\"c\", \"d\"]"}}) {
    const AuditedClaim open = audited(kTwo, claim);
    EXPECT_EQ(open.verdict, ClaimVerdict::kUndecided) << claim.equals;
    EXPECT_THAT(open.constants, IsEmpty()) << claim.equals;
    EXPECT_FALSE(open.note.empty());
  }
  // Multiples of the equation could be right with other constants, of which nothing is known.
  EXPECT_EQ(audited(kTwo, {"eom[x]", "c*x'' + d*x + 5 = 0", "[\"c\", \"d\"]"}).verdict, ClaimVerdict::kUndecided);
}

TEST(AuditConstants, HaveNamesOfTheirOwn) {
  const auto code = [](const std::string& constant, const char* equals) {
    const auto loaded =
        load_model(make_source("model.toml", std::string(kTwo) + "[[claim]]\nentry = \"V\"\nequals = \"" + equals +
                                                 "\"\nconstant = " + constant + "\n"));
    return loaded ? std::string() : loaded.diagnostics().front().code;
  };
  EXPECT_EQ(code("\"m\"", "m*x"), "E0008");
  EXPECT_EQ(code("[\"c\", \"c\"]", "c*x"), "E0008");
  EXPECT_EQ(code("\"3c\"", "x"), "E0011");
  EXPECT_EQ(code("\"sin\"", "x"), "E0011");
  EXPECT_EQ(code("3", "x"), "E0006");
  EXPECT_EQ(code("[]", "x"), "E0006");
  EXPECT_EQ(code("\"c\"", "d*x"), "E0102");
  // A name is that of its claim alone.
  const auto twice = load_model(
      make_source("model.toml", std::string(kTwo) + "[[claim]]\nentry = \"G[x]\"\nequals = \"c*x\"\nconstant = \"c\"\n"
                                                    "[[claim]]\nentry = \"G[x]\"\nequals = \"c*x\"\n"));
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.diagnostics().front().code, "E0102");
  const auto unused = load_model(make_source(
      "model.toml", std::string(kTwo) + "[[claim]]\nentry = \"G[x]\"\nequals = \"k*x\"\nconstant = \"c\"\n"));
  ASSERT_TRUE(unused);
  EXPECT_THAT(render(unused.diagnostics()), HasSubstr("W0326"));
}

}  // namespace
}  // namespace dalembert
