// SPDX-License-Identifier: Apache-2.0
// Rows that hold nothing, and rows that follow from others where these hold. Truth: with h = g^2 dh/dq = 2 g dg/dq, 0 where g is; with h = f g dh/dq = f dg/dq there, a multiple of dg/dq.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/algebra/rational_form.h"
#include "dalembert/analyze/audit.h"
#include "dalembert/analyze/audit/squared_rows.h"
#include "dalembert/modelfile/load.h"

namespace dalembert {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A point mass on a circle by these rows; `mass` is half of the kinetic energy's factor.
Equations on_circle(const std::vector<std::string>& rows, const std::string& mass = "m/2") {
  std::string text =
      "name = \"circle\"\ncoordinates = [\"x\", \"y\"]\n[parameters]\nm = 2\nL = 1.5\ng = 9.81\n"
      "[energy]\nkinetic = \"" +
      mass + "*(x'^2 + y'^2)\"\npotential = \"m*g*y\"\n";
  for (std::size_t i = 0; i < rows.size(); ++i)
    text += "[[constraint]]\nname = \"r" + std::to_string(i) + "\"\n" + rows[i] + "\n";
  auto model = load_model(make_source("model.toml", text));
  EXPECT_TRUE(model) << render(model.diagnostics());
  auto equations = derive(std::make_shared<const Model>(std::move(model).value()));
  EXPECT_TRUE(equations) << render(equations.diagnostics());
  return std::move(equations).value();
}
std::string held(const std::string& h) { return "holonomic = \"" + h + "\""; }
const std::string kCircle = held("x^2 + y^2 - L^2");

TEST(SquaredRows, WhatHasNoDerivativeWhereItHolds) {
  for (const char* h : {"(x^2 + y^2 - L^2)^2", "(x^2 + y^2 - L^2)^3", "(x - 1)^2 + (y - 2)^2", "-m*(x - y)^2",
                        "x^2*y^4", "(1 + x^2)*(x - y)^2", "cosh(x)*y^2"})
    EXPECT_THAT(squared_rows(on_circle({held(h)})), ElementsAre(0)) << h;
  // What holds something: along each of two lines, on the circle, by a sum that has both signs.
  for (const char* h : {"(x - 1)*(y - 2)", "x^2 + y^2 - L^2", "(x - 1)^2*(y - 2)", "(1 + x^2)*(x^2 + y^2 - L^2)",
                        "x^2 - y^2", "x^3 + y"})
    EXPECT_THAT(squared_rows(on_circle({held(h)})), IsEmpty()) << h;
  EXPECT_THAT(squared_rows(on_circle({kCircle, held("(x - y)^2"), "pfaffian = \"x*x' + y*y'\""})), ElementsAre(1));
  EXPECT_THAT(squared_rows(on_circle({held("x^2") + "\nunilateral = true"})), IsEmpty());
}

TEST(SquaredRows, MultipliedOut) {
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT";
  EXPECT_THAT(squared_rows(on_circle({held("x^2 - 2*x*y + y^2")})), ElementsAre(0));
  EXPECT_THAT(squared_rows(on_circle({held("x^4 + 2*x^2*y^2 + y^4 - 2*L^2*x^2 - 2*L^2*y^2 + L^4")})), ElementsAre(0));
  EXPECT_THAT(squared_rows(on_circle({held("x^2 + 2*x*y - y^2")})), IsEmpty());
}

// Where the row of the claiming model holds nothing, nothing is proved by dividing by its derivative.
TEST(SquaredRows, AreNotComparedAlong) {
  const std::vector<StudyStatement::Named> map{
      {"x", MappedText::of("x", "formula"), MappedText::of("x", "name").span()}};
  const auto refused =
      compare_models(on_circle({held("(x^2 + y^2 - L^2)^2")}), on_circle({kCircle}), Notation::kText, map);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.diagnostics().front().code, "E0243");
  EXPECT_THAT(refused.diagnostics().front().notes.front(),
              HasSubstr("derivative of the constraint `r0` of circle is 0 wherever it holds"));
}

// Accelerations have no closed form on the constraints, the equations along the free velocity have.
TEST(RowsThatFollowOnTheConstraints, AreComparedAlongFreeVelocities) {
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT";
  const auto verdict = [](const Equations& a, const Equations& b) {
    auto result = compare_models(a, b);
    EXPECT_TRUE(result) << render(result.diagnostics());
    const AuditReport& report = result->report;
    if (report.count(ClaimVerdict::kDisproved) > 0) return std::string("different");
    return std::string(report.count(ClaimVerdict::kUndecided) > 0 ? "open" : "same");
  };
  const Equations circle = on_circle({kCircle}), heavy = on_circle({kCircle}, "m");
  for (const std::string& more :
       {held("(1 + x^2)*(x^2 + y^2 - L^2)"), held("sqrt(x^2 + y^2) - L"), held("(x^2 + y^2 - L^2)^2"),
        std::string("pfaffian = \"x*x' + y*y'\""), std::string("pfaffian = \"(L^2 - y^2)*x'/x + y*y'\"")}) {
    const Equations twice = on_circle({kCircle, more});
    EXPECT_EQ(verdict(circle, twice), "same") << more;
    EXPECT_EQ(verdict(twice, circle), "same") << more;
    EXPECT_EQ(verdict(heavy, twice), "different") << more;
    EXPECT_EQ(verdict(twice, heavy), "different") << more;
  }
  // A row that looks alike and takes the freedom.
  EXPECT_EQ(verdict(circle, on_circle({kCircle, std::string("pfaffian = \"x*x' - y*y'\"")})), "different");
}

}  // namespace
}  // namespace dalembert
