// SPDX-License-Identifier: Apache-2.0
// What a program can do wrong with expressions is an error with a name, never a crash.
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/derive/equations.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"
#include "dalembert/vec2.h"

namespace dalembert {
namespace {

// Truth: the codes' explanations in base/explain.cpp.
std::string code_of(Model model) {
  const Result<Equations> equations = derive(std::make_shared<const Model>(std::move(model)));
  return equations ? "none" : equations.diagnostics().front().code;
}

// Every way of combining expressions.
const std::vector<std::function<Expr(const Expr&, const Expr&)>>& combinations() {
  static const std::vector<std::function<Expr(const Expr&, const Expr&)>> all{
      [](const Expr& a, const Expr& b) { return a + b; },
      [](const Expr& a, const Expr& b) { return a - b; },
      [](const Expr& a, const Expr& b) { return a * b; },
      [](const Expr& a, const Expr& b) { return a / b; },
      [](const Expr& a, const Expr& b) { return pow(a, b); },
      [](const Expr& a, const Expr& b) { return atan2(a, b); },
      [](const Expr& a, const Expr& b) { return min(a, b); },
      [](const Expr& a, const Expr& b) { return max(a, b); },
      [](const Expr& a, const Expr& b) { return hypot(a, b); },
      [](const Expr& a, const Expr& b) { return mod(a, b); },
      [](const Expr& a, const Expr& b) { return 2 * -sin(square(a) + 1) / sqrt(b - 0.5); },
      [](const Expr& a, const Expr& b) { return exp(a) + log(abs(b)) + 1 / cos(a); },
      [](const Expr& a, const Expr& b) {
        return inner(Vec2{a, 0}, Vec2{1, b});
      },
  };
  return all;
}

TEST(Misuse, ExpressionsOfTwoModelsAreRefused) {
  Model one("one"), two("two");
  const Coordinate x = one.coordinate("x"), y = two.coordinate("y");
  for (const auto& combine : combinations()) {
    EXPECT_EQ(combine(x.q, y.q).misuse(), Misuse::kTwoGraphs);
    EXPECT_EQ(combine(combine(x.q, y.q), x.q).misuse(), Misuse::kTwoGraphs);
  }
  Model model = one;
  model.kinetic(square(x.qd) + square(y.qd));
  EXPECT_EQ(code_of(model), "E0112");
  Model other = one;
  other.kinetic(square(y.qd));
  EXPECT_EQ(code_of(other), "E0112");
}

TEST(Misuse, EmptyExpressionsAreRefused) {
  Model model("m");
  const Coordinate x = model.coordinate("x");
  const Expr nothing;
  for (const auto& combine : combinations()) {
    EXPECT_EQ(combine(x.q, nothing).misuse(), Misuse::kEmpty);
    EXPECT_EQ(combine(nothing, x.q).misuse(), Misuse::kEmpty);
  }
  EXPECT_EQ(to_text(nothing), "(nothing)");
  EXPECT_TRUE(std::isnan(evaluate(nothing, [](SymbolId) { return 1.0; })));
}

TEST(Misuse, NumbersThatAreNotFiniteAreRefused) {
  Model model("m");
  const Coordinate x = model.coordinate("x");
  for (const double number : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    for (const Expr& made : {x.q + number, number - x.q, number * x.q, x.q / number, (Vec2{x.q, number}).y})
      EXPECT_EQ(made.misuse(), Misuse::kNotFinite);
    Model wrong = model;
    wrong.kinetic(number * square(x.qd));
    EXPECT_EQ(code_of(wrong), "E0108");
  }
}

// Every statement of a model, made with an empty expression and with one of another model.
TEST(Misuse, EveryStatementNamesIt) {
  Model elsewhere("elsewhere");
  const Expr alien = elsewhere.coordinate("z").q;
  using Statement = std::function<void(Model&, const Coordinate&, const Expr&, const Expr&)>;
  const std::vector<Statement> statements{
      [](Model& m, const Coordinate&, const Expr&, const Expr& e) { m.kinetic(e); },
      [](Model& m, const Coordinate&, const Expr&, const Expr& e) { m.potential(e); },
      [](Model& m, const Coordinate&, const Expr&, const Expr& e) { m.dissipation(e); },
      [](Model& m, const Coordinate&, const Expr&, const Expr& e) { m.power(e); },
      [](Model& m, const Coordinate& x, const Expr&, const Expr& e) { m.generalized_force(x, e); },
      [](Model& m, const Coordinate& x, const Expr&, const Expr& e) { m.torque(x.q, e); },
      [](Model& m, const Coordinate&, const Expr& k, const Expr& e) { m.torque(e, k); },
      [](Model& m, const Coordinate&, const Expr& k, const Expr& e) {
        m.frame("f", {.origin = {k, e}});
      },
      [](Model& m, const Coordinate& x, const Expr& k, const Expr& e) {
        m.force({x.q, e}, {k, k});
      },
      [](Model& m, const Coordinate&, const Expr&, const Expr& e) { m.holonomic("h", {e}); },
      [](Model& m, const Coordinate&, const Expr&, const Expr& e) { m.pfaffian("h", {e}); },
      [](Model& m, const Coordinate& x, const Expr& k, const Expr& e) {
        m.coincide("h", {x.q, e}, {k, k});
      },
      [](Model& m, const Coordinate& x, const Expr& k, const Expr& e) {
        m.distance("h", {x.q, e}, {k, k}, k);
      },
      [](Model& m, const Coordinate& x, const Expr& k, const Expr& e) {
        m.distance("h", {x.q, k}, {k, k}, e);
      },
      [](Model& m, const Coordinate& x, const Expr&, const Expr& e) { m.spring(x, e); },
      [](Model& m, const Coordinate& x, const Expr& k, const Expr& e) {
        m.spring({x.q, e}, {k, k}, k);
      },
      [](Model& m, const Coordinate& x, const Expr&, const Expr& e) { m.damper(x, e); },
      [](Model& m, const Coordinate& x, const Expr& k, const Expr& e) {
        m.damper({x.q, e}, {k, k}, k);
      },
      [](Model& m, const Coordinate&, const Expr& k, const Expr& e) {
        m.gravity({k, e});
      },
      [](Model& m, const Coordinate& x, const Expr& k, const Expr& e) {
        m.body("b", e, {x.q, k});
      },
      [](Model& m, const Coordinate& x, const Expr& k, const Expr& e) {
        m.body("b", k, {x.q, e});
      },
      [](Model& m, const Coordinate& x, const Expr& k, const Expr& e) {
        m.body("b", k, k, {x.q, k}, e);
      },
      [](Model& m, const Coordinate&, const Expr&, const Expr& e) { m.output("o", e); },
      [](Model& m, const Coordinate& x, const Expr&, const Expr& e) {
        m.point("p", {x.q, e});
      },
      [](Model& m, const Coordinate&, const Expr&, const Expr& e) { m.set_input("u", e); },
  };
  for (std::size_t i = 0; i < statements.size(); ++i) {
    for (const bool empty : {true, false}) {
      Model model("m");
      const Coordinate x = model.coordinate("x");
      const Expr k = model.parameter("k", 1);
      model.input("u");
      model.kinetic(square(x.qd));
      statements[i](model, x, k, empty ? Expr() : alien);
      EXPECT_EQ(code_of(std::move(model)), empty ? "E0111" : "E0112") << "statement " << i;
    }
  }
}

}  // namespace
}  // namespace dalembert
