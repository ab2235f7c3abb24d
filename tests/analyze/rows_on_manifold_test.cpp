// SPDX-License-Identifier: Apache-2.0
// Rows that follow from others only where these hold, and rows that agree at one state alone. Truth: the same models without the rows that
// follow, whose growth the prime field decides; contradictions by construction.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dalembert/analyze/constraints.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

struct Row {
  std::string kind, formula;
};

System with(const std::string& coordinates, const std::vector<Row>& rows, const std::string& initial = "") {
  std::string names, kinetic;
  for (const char x : coordinates) {
    names += (names.empty() ? "\"" : ", \"") + std::string(1, x) + "\"";
    kinetic += (kinetic.empty() ? "" : " + ") + std::string(1, x) + "'^2/2";
  }
  std::string text = "name = \"rows\"\ncoordinates = [" + names + "]\n[energy]\nkinetic = \"" + kinetic + "\"\n";
  for (std::size_t j = 0; j < rows.size(); ++j)
    text +=
        "[[constraint]]\nname = \"c" + std::to_string(j) + "\"\n" + rows[j].kind + " = \"" + rows[j].formula + "\"\n";
  return System(derive_loaded(load_model(make_source("rows", text + initial))));
}

struct Decided {
  ConstraintRank rank;
  Integrability of;
};

Decided decided(const System& system) {
  const State start = system.start();
  Decided found{find_rank(system.dynamics, start, &system.equations), {}};
  found.of = find_integrability(system.equations, system.dynamics, &start, found.rank.rank);
  return found;
}

// z' = y x' is no constraint of position, whatever else follows from u = 0 where it is kept.
TEST(RowsOnManifold, WhatFollowsThereAloneChangesNoIntegrability) {
  const Row u{"holonomic", "u"}, knife{"pfaffian", "z' - y*x'"};
  const std::string initial = "[initial]\nguess = {x = 0.3, y = 0.2, z = 0.1}\n";
  for (const Row& more :
       {Row{"pfaffian", "u' + u*y'"}, Row{"pfaffian", "(1 + x^2)*u' + u*y'"}, Row{"holonomic", "u^2*(1 + x^2)"},
        Row{"holonomic", "u*(1 + x^2)"}, Row{"holonomic", "u*(1 + x^2 + y)"}}) {
    const Decided found = decided(with("xyzu", {u, more, knife}, initial));
    EXPECT_EQ(found.rank.rank, 2) << more.formula;
    EXPECT_EQ(found.of.kind, "mixed") << more.formula;
    EXPECT_EQ(found.of.integrable, 1) << more.formula;
    EXPECT_EQ(found.of.growth, (std::vector<int>{2, 3})) << more.formula;
    EXPECT_EQ(found.rank.agrees_nearby(), true) << more.formula;
  }
}

// A parallelogram (a, b equal cranks, c the coupler) with a row that follows from it. From positions off the manifold Newton's method with all
// rows goes to the flat position, where ranks are others.
TEST(RowsOnManifold, PositionsOfOtherRankDecideNothing) {
  const Decided found = decided(with("xyzabc",
                                     {{"holonomic", "cos(a) - cos(b) + 2*cos(c) - 2"},
                                      {"holonomic", "sin(a) - sin(b) + 2*sin(c)"},
                                      {"holonomic", "cos(a) - cos(b) + cos(c) - 1 + (1 - cos(c))*x"},
                                      {"pfaffian", "y'*cos(z) - x'*sin(z)"}},
                                     "[initial]\nguess = {a = 0.7, b = 0.7, c = 0}\n"));
  EXPECT_EQ(found.rank.rank, 3);
  EXPECT_EQ(found.of.integrable, 2);
  EXPECT_EQ(found.of.growth, (std::vector<int>{3, 4}));
}

// The square of a row has a derivative of round-off where it is kept. The other rows are as independent as without it.
TEST(RowsOnManifold, ASquareLeavesOtherRowsIndependent) {
  const std::string h = "y + z^2*cos(u)/3 - 4/5 - cos(3/10)/75";
  const Decided found = decided(
      with("xyzuv",
           {{"holonomic", "(" + h + ")^2"}, {"holonomic", h}, {"holonomic", "x + z*u*cos(v) - 2/5 - 3*cos(3/10)/50"}},
           "[initial]\nguess = {x = 0.4, y = 0.8, z = 0.2, u = 0.3, v = 0.3}\n"));
  EXPECT_EQ(found.rank.rank, 2);
  EXPECT_EQ(found.of.growth, (std::vector<int>{3}));
}

// (1 + v²) du + h w, with h = 0 kept, says that u is constant.
TEST(RowsOnManifold, MultiplesOfExactFormsThereAreDecided) {
  const Decided found = decided(
      with("xyzuv",
           {{"pfaffian", "(x + y^2/3 + 3*u*sin(v) - 1 - 2*sin(0.4))*x' + (1 + y^2)*(z' + 3*sin(v)*u' + 3*u*cos(v)*v')"},
            {"holonomic", "x + y^2/3 + 3*u*sin(v) - 1 - 2*sin(0.4)"}},
           "[initial]\nguess = {x = 0.8, y = 0.4, z = 0.5, u = 0.6, v = 0.4}\n"));
  EXPECT_EQ(found.of.kind, "holonomic");
  EXPECT_EQ(found.of.growth, (std::vector<int>{3}));
}

// Both rows of each pair hold at rest at 0 for t = 0. Off it they contradict each other.
TEST(RowsOnManifold, RowsThatAgreeAtTheStateAloneAreTold) {
  for (const std::vector<Row>& rows :
       {std::vector<Row>{{"pfaffian", "x' - y"}, {"pfaffian", "x' - y - y^2"}},
        std::vector<Row>{{"pfaffian", "z' - y*x'"}, {"pfaffian", "2*z' - 2*y*x' + z"}},
        std::vector<Row>{{"holonomic", "x - y"}, {"holonomic", "x - y - t^4"}},
        std::vector<Row>{{"holonomic", "x - sin(t)"}, {"holonomic", "2*x - 2*t"}},
        std::vector<Row>{{"holonomic", "x - y"}, {"holonomic", "y - z"}, {"holonomic", "z - x - 1e-8*t^3"}}}) {
    const Decided found = decided(with("xyz", rows));
    ASSERT_EQ(found.rank.redundant.size(), 1U) << rows.back().formula;
    EXPECT_TRUE(found.rank.redundant[0].exact) << rows.back().formula;
    EXPECT_TRUE(found.rank.redundant[0].consistent) << rows.back().formula;
    EXPECT_EQ(found.rank.agrees_nearby(), false) << rows.back().formula;
  }
}

// These differ by what is 0 wherever the first row holds.
TEST(RowsOnManifold, RowsThatAgreeWhereverTheyHoldAreTold) {
  for (const std::vector<Row>& rows :
       {std::vector<Row>{{"pfaffian", "x' - y"}, {"pfaffian", "(2 + z^2)*(x' - y)"}},
        std::vector<Row>{{"holonomic", "z"}, {"pfaffian", "x' - y"}, {"pfaffian", "x' - y - z"}},
        std::vector<Row>{{"holonomic", "x - sin(t)"}, {"holonomic", "2*x - 2*sin(t)"}}})
    EXPECT_EQ(decided(with("xyz", rows)).rank.agrees_nearby(), true) << rows.back().formula;
}

}  // namespace
}  // namespace dalembert
