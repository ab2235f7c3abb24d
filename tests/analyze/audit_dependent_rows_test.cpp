// SPDX-License-Identifier: Apache-2.0
// Claims about the motion of models with rows that follow from others. Truth: the same model with these rows left out, solved by hand; what of the
// multipliers is determined is what every solution of M q̈ = F − B − G + Wᵀλ has in common.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/algebra/rational_form.h"
#include "dalembert/analyze/audit.h"
#include "dalembert/modelfile/load.h"

namespace dalembert {
namespace {

using ::testing::HasSubstr;

// A pendulum of angle th whose bob is (x, y), with a row that repeats the one of x.
constexpr const char* kTwice = R"toml(coordinates = ["x", "y", "th"]
[parameters]
m = 1
J = 0.2
L = 1
g = 9.81
[energy]
kinetic = "m/2*(x'^2 + y'^2) + J/2*th'^2"
potential = "m*g*y"
[[constraint]]
name = "a"
holonomic = "x - L*sin(th)"
[[constraint]]
name = "b"
holonomic = "y + L*cos(th)"
[[constraint]]
name = "c"
holonomic = "2*x/L - 2*sin(th)"
)toml";

// Three disks that turn together, held to each other in a ring.
constexpr const char* kRing = R"toml(coordinates = ["p", "q", "s"]
[parameters]
J = 0.2
k = 1
[energy]
kinetic = "J/2*(p'^2 + q'^2 + s'^2)"
potential = "k*cos(p)"
[[constraint]]
name = "a"
holonomic = "p - q"
[[constraint]]
name = "b"
holonomic = "q - s"
[[constraint]]
name = "c"
holonomic = "s - p"
)toml";

struct OfRows {
  std::string entry, equals, given = {};
};

AuditedClaim of_rows(const std::string& model, const OfRows& said) {
  const std::string given = said.given.empty() ? "" : "given = [\"" + said.given + "\"]\n";
  auto loaded = load_model(make_source(
      "test.toml", model + "[[claim]]\nentry = \"" + said.entry + "\"\nequals = \"" + said.equals + "\"\n" + given));
  EXPECT_TRUE(loaded.ok()) << render(loaded.diagnostics());
  auto equations = derive(std::make_shared<const Model>(std::move(loaded).value()));
  EXPECT_TRUE(equations.ok()) << render(equations.diagnostics());
  const auto report = audit(*equations);
  EXPECT_TRUE(report.ok()) << render(report.diagnostics());
  return report.ok() ? report->claims.at(0) : AuditedClaim{};
}

ClaimVerdict verdict_of_rows(const std::string& model, const OfRows& said) { return of_rows(model, said).verdict; }

TEST(AuditDependentRows, AccelerationsAreUnique) {
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT";
  const AuditedClaim right = of_rows(kTwice, {"qdd[th]", "-m*g*L*sin(th)/(J + m*L^2)"});
  EXPECT_EQ(right.verdict, ClaimVerdict::kProved);
  EXPECT_THAT(right.note, HasSubstr("the row c follows from a"));
  EXPECT_EQ(verdict_of_rows(kTwice, {"qdd[x]", "-L*cos(th)*m*g*L*sin(th)/(J + m*L^2) - L*sin(th)*th'^2"}),
            ClaimVerdict::kProved);
  const AuditedClaim wrong = of_rows(kTwice, {"qdd[th]", "m*g*L*sin(th)/(J + m*L^2)"});
  EXPECT_EQ(wrong.verdict, ClaimVerdict::kDisproved);
  EXPECT_THAT(wrong.note, HasSubstr("the sign is wrong"));
  ASSERT_TRUE(wrong.point);
  EXPECT_DOUBLE_EQ(wrong.point->correct, -wrong.point->claimed);
  EXPECT_EQ(verdict_of_rows(kRing, {"qdd[s]", "k*sin(p)/(3*J)"}), ClaimVerdict::kProved);
  EXPECT_EQ(verdict_of_rows(kRing, {"qdd[s]", "k*sin(s)/(3*J)", "s = p"}), ClaimVerdict::kProved);
  EXPECT_EQ(verdict_of_rows(kRing, {"qdd[s]", "k*sin(s)/(3*J)"}), ClaimVerdict::kDisproved);
  EXPECT_EQ(verdict_of_rows(kRing, {"qdd[s]", "k*sin(p)/(2*J)"}), ClaimVerdict::kDisproved);
}

TEST(AuditDependentRows, MultipliersThatAreUnique) {
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT";
  const std::string load = "m*g - m*L*sin(th)*m*g*L*sin(th)/(J + m*L^2)";
  EXPECT_EQ(verdict_of_rows(kTwice, {"lambda[b]", load + " + m*L*cos(th)*th'^2"}), ClaimVerdict::kProved);
  EXPECT_EQ(verdict_of_rows(kTwice, {"lambda[b]", load + " - m*L*cos(th)*th'^2"}), ClaimVerdict::kDisproved);
}

TEST(AuditDependentRows, MultipliersThatAreNotUnique) {
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT";
  const AuditedClaim one = of_rows(kTwice, {"lambda[a]", "m*x''"});
  EXPECT_EQ(one.verdict, ClaimVerdict::kUndecided);
  EXPECT_THAT(one.note, HasSubstr("the equations do not determine it: the row c follows from a"));
  // Together they are: the force along x.
  EXPECT_EQ(verdict_of_rows(kTwice, {"lambda[a]", "m*x'' - 2/L*lambda(c)"}), ClaimVerdict::kProved);
  EXPECT_EQ(verdict_of_rows(kTwice, {"lambda[a]", "m*x'' - 2/L*lambda(c) + m*g"}), ClaimVerdict::kDisproved);
  EXPECT_EQ(verdict_of_rows(kRing, {"qdd[p]", "(k*sin(p) + lambda(a) - lambda(c))/J"}), ClaimVerdict::kProved);
  // It holds where a + b + c = 0, as of least squares, and not with other multipliers.
  EXPECT_EQ(verdict_of_rows(kRing, {"qdd[p]", "k*sin(p)/(3*J) + lambda(a) + lambda(b) + lambda(c)"}),
            ClaimVerdict::kUndecided);
}

// Truth: η_b = (1 + y²) η_a, so the rate of η_b contains η_a, which is 0 on the velocities of a alone.
TEST(AuditDependentRows, RowsThatFollowOnSomeStatesAloneAreLeftOpen) {
  const std::string model = R"toml(coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
[[constraint]]
name = "a"
pfaffian = "x' - x*y'"
[[constraint]]
name = "b"
pfaffian = "(1 + y^2)*(x' - x*y')"
)toml";
  EXPECT_EQ(verdict_of_rows(model, {"qdd[x]", "x*x'*y'"}), ClaimVerdict::kUndecided);
}

}  // namespace
}  // namespace dalembert
