// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/reduce.h"

#include <array>
#include <memory>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/algebra/canonical.h"
#include "dalembert/derive/short_forms.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

Result<Equations> derivation_of(Model model) { return derive(std::make_shared<const Model>(std::move(model))); }

::testing::AssertionResult equals(const Expr& a, const Expr& b) {
  Canonicalizer canonicalizer(common_graph(std::array{a, b}));
  if (decide_zero(canonicalizer, a - b) == ZeroTest::kZero) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << to_text(a) << "  is not  " << to_text(b);
}

Expr entry(const SparseMatrix& matrix, int i, int j, const Expr& any) {
  const Expr value = matrix.find(i, j);
  return value ? value : any * 0;
}

// Chaplygin's sleigh in the coordinates of its centre of mass.
struct Sleigh : Model {
  // Symbols as they are known to what was derived.
  void adopt_in(Graph& known) {
    for (Expr* e : {&m, &I, &b, &s, &c}) *e = known.adopt(*e);
  }
  Coordinate x = coordinate("x"), y = coordinate("y"), theta = coordinate("theta");
  Expr m = parameter("m", 1.3), I = parameter("I", 0.7), b = parameter("b", 0.4);
  Expr s = sin(theta), c = cos(theta);
  Sleigh() : Model("sleigh") {
    kinetic(m / 2 * (square(x.qd) + square(y.qd)) + I / 2 * square(theta.qd));
    pfaffian("knife", {-x.qd * s + y.qd * c - b * theta.qd});
  }
  void state_velocities() {
    quasi_velocity("u", x.qd * c + y.qd * s);
    quasi_velocity("omega", theta.qd);
  }
};

// Oracle: theory §4 and §10 (Bloch, section 1.7): S = [cos θ, −b sin θ; sin θ, b cos θ; 0, 1], its rate, SᵀMS =
// diag(m, I + m b²), u̇ = b ω², ω̇ = −m b/(I + m b²) u ω, λ = m I/(I + m b²) ω u.
TEST(Reduce, SleighInForwardSpeedAndYawRate) {
  Sleigh model;
  model.state_velocities();
  Sleigh symbols = model;
  const auto eq = derivation_of(std::move(model));
  ASSERT_TRUE(eq) << render(eq.diagnostics());
  const auto r = reduce(*eq);
  ASSERT_TRUE(r) << render(r.diagnostics());
  symbols.adopt_in(*r->graph);
  const auto& [m, I, b, s, c] = std::tie(symbols.m, symbols.I, symbols.b, symbols.s, symbols.c);
  ASSERT_EQ(r->nv(), 2);
  EXPECT_FALSE(r->chosen);
  const Expr u = r->velocities[0].v, omega = r->velocities[1].v;
  EXPECT_EQ(to_text(u), "u");
  EXPECT_EQ(to_text(r->velocities[1].vdot), "omega'");
  const Expr S[3][2] = {{c, -b * s}, {s, b * c}, {m * 0, m * 0 + 1}};
  const Expr rate[3][2] = {{-omega * s, -b * omega * c}, {omega * c, -b * omega * s}, {m * 0, m * 0}};
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(r->s0[static_cast<std::size_t>(i)].is_zero());
    for (int k = 0; k < 2; ++k) {
      EXPECT_TRUE(equals(entry(r->S, i, k, m), S[i][k])) << i << k;
      EXPECT_TRUE(equals(entry(r->Sdot, i, k, m), rate[i][k])) << i << k;
    }
  }
  EXPECT_TRUE(equals(entry(r->M, 0, 0, m), m));
  EXPECT_TRUE(equals(entry(r->M, 0, 1, m), m * 0));
  EXPECT_TRUE(equals(entry(r->M, 1, 1, m), I + m * b * b));
  EXPECT_TRUE(equals(r->b[0], -m * b * square(omega)));
  EXPECT_TRUE(equals(r->b[1], m * b * u * omega));
  EXPECT_TRUE(r->closed);
  ASSERT_EQ(r->vdot.size(), 2u);
  EXPECT_EQ(to_text(r->vdot[0]), "b*omega^2");
  EXPECT_TRUE(equals(r->vdot[1], -m * b * u * omega / (I + m * b * b)));
  ASSERT_EQ(r->lambda.size(), 1u);
  EXPECT_TRUE(equals(r->lambda[0], m * I * u * omega / (I + m * b * b)));
  // [S_u, S_ω] = (sin θ, −cos θ, 0): nothing along u and ω, W of it is −1.
  const auto hamel = hamel_coefficients(*eq, *r);
  ASSERT_EQ(hamel.size(), 1u);
  EXPECT_EQ(hamel[0].s, 2);
  EXPECT_TRUE(equals(hamel[0].value, m * 0 - 1));
}

// Oracle: the same system. Where none are stated, the program finds the same two.
TEST(Reduce, ChoosesForwardSpeedAndYawRateOfASleigh) {
  const auto eq = derivation_of(Sleigh());
  const auto r = reduce(*eq);
  ASSERT_TRUE(r);
  EXPECT_TRUE(r->chosen);
  EXPECT_TRUE(r->closed);
  ASSERT_EQ(r->nv(), 2);
  EXPECT_EQ(r->velocities[0].name, "theta'");
  EXPECT_EQ(to_text(r->velocities[1].definition), "x'*cos(theta) + y'*sin(theta)");
  EXPECT_EQ(to_text(r->vdot[1]), "b*theta'^2");
}

// Oracle: a bob of mass m on a rod of length L: L² θ̈ = −g L sin θ, here with r for L, which the constraint makes it.
TEST(Reduce, PendulumInPolarCoordinates) {
  Model model("pendulum");
  const Coordinate r = model.coordinate("r"), theta = model.coordinate("theta");
  const Expr m = model.parameter("m", 1), g = model.parameter("g", 9.81), L = model.parameter("L", 2);
  model.kinetic(m / 2 * (square(r.qd) + square(r.q * theta.qd)));
  model.potential(-m * g * r.q * cos(theta));
  model.holonomic("rod", {r.q - L});
  const auto eq = derivation_of(std::move(model));
  const auto reduced = reduce(*eq);
  ASSERT_TRUE(reduced);
  ASSERT_EQ(reduced->nv(), 1);
  EXPECT_EQ(reduced->velocities[0].name, "theta'");
  const auto known = [&](const Expr& e) { return reduced->graph->adopt(e); };
  const Expr mass = known(m), weight = known(m) * known(g), radius = known(r.q), angle = known(theta.q);
  EXPECT_TRUE(equals(reduced->M.find(0, 0), mass * square(radius)));
  EXPECT_TRUE(equals(reduced->b[0], weight * radius * sin(angle)));
  EXPECT_FALSE(reduced->closed);
  EXPECT_TRUE(equals(reduced->lambda[0], -mass * radius * square(known(theta.qd)) - weight * cos(angle)));
}

// Oracle: a bead on a rod that turns at the rate w: ṙ is free, q̇ = (cos wt, sin wt) ṙ + w (−y, x), so r̈ = w² r with
// r = x cos wt + y sin wt, by hand.
TEST(Reduce, RheonomicConstraintGivesS0) {
  Model model("bead");
  const Coordinate x = model.coordinate("x"), y = model.coordinate("y");
  const Expr w = model.parameter("w", 1.2), m = model.parameter("m", 0.8);
  const Expr s = sin(w * model.t), c = cos(w * model.t);
  model.kinetic(m / 2 * (square(x.qd) + square(y.qd)));
  model.holonomic("rod", {y.q * c - x.q * s});
  model.quasi_velocity("v", x.qd * c + y.qd * s + w * (y.q * c - x.q * s));
  const auto eq = derivation_of(std::move(model));
  ASSERT_TRUE(eq) << render(eq.diagnostics());
  const auto r = reduce(*eq);
  ASSERT_TRUE(r) << render(r.diagnostics());
  const auto known = [&](const Expr& e) { return r->graph->adopt(e); };
  const Expr px = known(x.q), py = known(y.q), rate = known(w), sine = known(s), cosine = known(c);
  EXPECT_TRUE(equals(r->S.find(0, 0), cosine));
  EXPECT_TRUE(equals(r->S.find(1, 0), sine));
  // W s₀ + a = 0 and Y s₀ + y₀ = 0
  EXPECT_TRUE(equals(r->s0[1] * cosine - r->s0[0] * sine, rate * (px * cosine + py * sine)));
  EXPECT_TRUE(equals(r->s0[0] * cosine + r->s0[1] * sine, -rate * (py * cosine - px * sine)));
  // On the rod, where y cos wt = x sin wt: r̈ = w² r.
  const Expr on_rod = substitute(r->vdot[0], {{py.symbol(), px * sine / cosine}});
  EXPECT_TRUE(equals(on_rod, rate * rate * px / cosine));
}

std::string refusal(Sleigh model) {
  const auto result = derivation_of(std::move(model));
  return result ? "accepted" : render(result.diagnostics());
}

// Each says which is wrong and what would complete them.
TEST(Reduce, QuasiVelocitiesThatDoNotDetermineTheVelocities) {
  Sleigh few;
  few.quasi_velocity("u", few.x.qd * few.c + few.y.qd * few.s);
  std::string text = refusal(few);
  EXPECT_NE(text.find("E0261"), std::string::npos) << text;
  EXPECT_NE(text.find("1 quasi-velocity where 2 are needed"), std::string::npos) << text;
  EXPECT_NE(text.find("would complete them"), std::string::npos) << text;

  Sleigh many;
  many.state_velocities();
  many.quasi_velocity("w", many.x.qd);
  text = refusal(many);
  EXPECT_NE(text.find("E0261"), std::string::npos) << text;
  EXPECT_NE(text.find("the constraints determine `w` together with `u` and `omega`"), std::string::npos) << text;
  EXPECT_NE(text.find("leave out `w`"), std::string::npos) << text;

  Sleigh dependent;
  dependent.quasi_velocity("omega", dependent.theta.qd);
  dependent.quasi_velocity("slip", -dependent.x.qd * dependent.s + dependent.y.qd * dependent.c);
  text = refusal(dependent);
  EXPECT_NE(text.find("E0262"), std::string::npos) << text;
  EXPECT_NE(text.find("the constraints determine `slip` together with `omega`"), std::string::npos) << text;
  EXPECT_NE(text.find("`x'` would complete them"), std::string::npos) << text;

  Sleigh square_of_one;
  square_of_one.quasi_velocity("u", square(square_of_one.x.qd));
  square_of_one.quasi_velocity("omega", square_of_one.theta.qd);
  text = refusal(square_of_one);
  EXPECT_NE(text.find("E0260"), std::string::npos) << text;
  EXPECT_NE(text.find("quasi-velocity `u`"), std::string::npos) << text;

  Sleigh of_positions;
  of_positions.quasi_velocity("u", of_positions.x.q * of_positions.theta.q);
  of_positions.quasi_velocity("omega", of_positions.theta.qd);
  text = refusal(of_positions);
  EXPECT_NE(text.find("E0260"), std::string::npos) << text;
  EXPECT_NE(text.find("`u` contains no velocity"), std::string::npos) << text;
}

// Oracle: six pins of three free bars in a row need more than anybody reads; the answer is a diagnostic, not a wait.
TEST(Reduce, LargeSystemsAreRefused) {
  Model model("chain");
  for (int i = 0; i < 120; ++i) {
    const Coordinate q = model.coordinate("q" + std::to_string(i));
    model.kinetic(square(q.qd));
  }
  const auto eq = derivation_of(std::move(model));
  const auto r = reduce(*eq);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.diagnostics().front().code, "E0263");
}

// Oracle: S and s₀ asked for alone. Where the equations are too large, here by a potential of 60 terms, one reduction says both.
TEST(Reduce, VelocitiesAloneWhereTheEquationsAreTooLarge) {
  for (const bool large : {false, true}) {
    Model model("sleigh");
    const Coordinate x = model.coordinate("x"), y = model.coordinate("y"), theta = model.coordinate("theta");
    model.kinetic(square(x.qd) + square(y.qd) + square(theta.qd));
    for (int i = 1; large && i <= 60; ++i) model.potential(pow(x.q, Rational(i)) * sin(Rational(i) * y.q));
    model.pfaffian("skid", {-x.qd * sin(theta.q) + y.qd * cos(theta.q)});
    const auto eq = derivation_of(std::move(model));
    const ReduceOptions options{.max_cost = 300, .or_velocities = true};
    const auto both = reduce(*eq, options), velocities = reduce(*eq, {.max_cost = 300, .equations = false});
    ASSERT_TRUE(both && velocities);
    EXPECT_EQ(both->no_equations.has_value(), large);
    EXPECT_EQ(reduce(*eq, {.max_cost = 300}).ok(), !large);
    EXPECT_EQ(both->b.empty(), large);
    ASSERT_EQ(both->S.value.size(), velocities->S.value.size());
    for (std::size_t e = 0; e < both->S.value.size(); ++e)
      EXPECT_EQ(to_text(both->S.value[e]), to_text(velocities->S.value[e]));
  }
}

// What another has shortened is what it would have found itself: the same expressions, costs, work and end.
TEST(ShortForms, SharedOnesAreTheSame) {
  Graph graph;
  const auto coordinate = [&](const char* name, int i) {
    return graph.add_symbol({name, SymbolKind::kCoordinate, i, {}});
  };
  const Expr x = coordinate("x", 0), y = coordinate("y", 1);
  Expr longer = x;
  for (int i = 1; i < 40; ++i) longer = longer + sin(i * x) * pow(y, Rational(i));
  const std::vector<Expr> expressions{square(sin(x)) + square(cos(x)), sin(x) * cos(y) + cos(x) * sin(y),
                                      square(x) + 2 * x * y + square(y), square(sin(x)) + square(cos(x)) - 1, longer};
  constexpr int kCost = 100;
  const auto known = std::make_shared<Shortened>();
  ShortForms first(graph, kCost), second(graph, kCost);
  first.share(known);
  second.share(known);
  for (const Expr& e : expressions) {
    ShortForms alone(graph, kCost);
    const Expr expected = alone.shorten(e), one = first.shorten(e), other = second.shorten(e);
    EXPECT_TRUE(one.same(expected));
    EXPECT_TRUE(other.same(expected));
    EXPECT_EQ(second.cost(other), alone.cost(expected));
    EXPECT_EQ(second.work(), first.work());
    EXPECT_EQ(first.possible(), alone.possible());
    EXPECT_EQ(second.possible(), alone.possible());
  }
  EXPECT_FALSE(second.possible());
}

}  // namespace
}  // namespace dalembert
