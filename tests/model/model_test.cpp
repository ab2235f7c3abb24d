// SPDX-License-Identifier: Apache-2.0
// Models built in code. Oracles: closed forms of theory §10 at one state, and the same system written another way.
#include "dalembert/model/model.h"
#include "dalembert/expr/symbol_name.h"

#include <array>
#include <cmath>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

double value(const Model& model, const Expr& e, const std::map<std::string, double>& at) {
  return evaluate(e, [&](SymbolId id) {
    for (const Parameter& p : model.parameters)
      if (p.symbol.symbol() == id) return p.value;
    return at.at(print_symbol(model.graph->symbol_info(id), Notation::kText));
  });
}

std::string codes(const Model& model) {
  std::string all;
  for (const Diagnostic& d : model.diagnostics()) all += d.code + " ";
  return all;
}

// Pendulum on a cart, θ from upright: 2T = (m+M) ẋ² + 2 M L cos θ ẋ θ̇ + M L² θ̇², V = M g L cos θ.
TEST(Model, CartPendulumFromBodies) {
  Model model("cart");
  const Coordinate x = model.coordinate("x", "m"), theta = model.coordinate("theta", "rad");
  const Expr m = model.parameter("m", 1.5, "kg"), M = model.parameter("M", 200, "g"),
             L = model.parameter("L", 0.7, "m"), g = model.parameter("g", 9.81, "m/s^2");
  model.gravity({model.constant(0), -g});
  model.body("cart", m, {x.q, model.constant(0)});
  model.body("bob", M, {x.q + L * sin(theta.q), L * cos(theta.q)});
  ASSERT_TRUE(model.diagnostics().empty()) << render(model.diagnostics());
  const double th = 0.4, v = 1.3, w = -2.1;
  const std::map<std::string, double> at{{"x", 3}, {"theta", th}, {"x'", v}, {"theta'", w}};
  EXPECT_NEAR(value(model, model.T, at),
              0.5 * 1.7 * v * v + 0.2 * 0.7 * std::cos(th) * v * w + 0.5 * 0.2 * 0.49 * w * w, 1e-14);
  EXPECT_NEAR(value(model, model.V, at), 0.2 * 9.81 * 0.7 * std::cos(th), 1e-14);
  EXPECT_EQ(model.dimension_of(model.T), std::optional(Dimension::energy()));
  EXPECT_EQ(model.space(), 2);
}

TEST(Model, GravityMayComeAfterTheBodies) {
  const auto energy = [](bool first) {
    Model model;
    const Coordinate y = model.coordinate("y", "m");
    const Expr zero = model.constant(0), g = model.constant(-10);
    if (first) model.gravity({zero, g});
    model.body("b", model.constant(3), {zero, y.q});
    if (!first) model.gravity({zero, g});
    return value(model, model.V, {{"y", 2}});
  };
  EXPECT_EQ(energy(true), 60);
  EXPECT_EQ(energy(false), 60);
}

// d/dt by central differences along q(t) = (0.3 + 0.5 t, 1.1 − 0.2 t + 0.4 t²); step 1e-5 leaves about 1e-10.
TEST(Model, DotIsTheTimeDerivative) {
  Model model;
  const Coordinate x = model.coordinate("x"), y = model.coordinate("y");
  const Expr e = sin(x.q * y.q) + square(model.t) * x.q + y.qd * x.q;
  const auto state = [](double t) {
    return std::map<std::string, double>{{"t", t},
                                         {"x", 0.3 + 0.5 * t},
                                         {"x'", 0.5},
                                         {"x''", 0},
                                         {"y", 1.1 - 0.2 * t + 0.4 * t * t},
                                         {"y'", -0.2 + 0.8 * t},
                                         {"y''", 0.8}};
  };
  const double h = 1e-5, t = 0.7;
  const double expected = (value(model, e, state(t + h)) - value(model, e, state(t - h))) / (2 * h);
  EXPECT_NEAR(value(model, model.dot(e), state(t)), expected, 1e-8);
  EXPECT_FALSE(model.dot(model.input("u") * x.q));
  EXPECT_FALSE(model.dot(x.qdd));
}

TEST(Model, RowsAndTheirMultipliers) {
  Model model;
  const Coordinate x = model.coordinate("x", "m"), y = model.coordinate("y", "m");
  model.holonomic("one", {x.q - y.q});
  model.holonomic("two", {x.q, y.q});
  model.pfaffian("roll", {x.qd - y.qd});
  model.coincide("pin", {x.q, y.q}, {model.constant(1), model.constant(2)});
  model.distance("rod", {x.q, y.q}, {model.constant(0), model.constant(0)}, model.constant(5));
  ASSERT_TRUE(model.diagnostics().empty()) << render(model.diagnostics());
  std::vector<std::string> names;
  for (const ConstraintRow* row : model.rows()) names.push_back(row->name);
  EXPECT_EQ(names, (std::vector<std::string>{"one", "two[1]", "two[2]", "roll", "pin.x", "pin.y", "rod"}));
  for (const ConstraintRow* row : model.rows()) EXPECT_TRUE(model.lambda(row->name).same(row->lambda));
  EXPECT_FALSE(model.lambda("none"));
  EXPECT_EQ(value(model, model.rows()[6]->expression, {{"x", 3}, {"y", 4}}), 0);
  EXPECT_EQ(model.rows()[6]->dimension, std::optional(Dimension::length()));
  EXPECT_EQ(model.rows()[3]->dimension, std::optional(Dimension::length() / Dimension::time()));
}

// Each wrong statement is one diagnostic, and nothing of it becomes part of the model.
TEST(Model, RefusesWhatTheTheoryExcludes) {
  struct Case {
    const char* code;
    void (*state)(Model&, const Coordinate&, const Expr& u);
  };
  const Case table[] = {
      {"E0210 ", [](Model& m, const Coordinate& x, const Expr&) { m.kinetic(x.qdd); }},
      {"E0211 ", [](Model& m, const Coordinate&, const Expr& u) { m.potential(u); }},
      {"E0211 ", [](Model& m, const Coordinate& x, const Expr& u) { m.holonomic("h", {x.q - u}); }},
      {"E0212 ", [](Model& m, const Coordinate& x, const Expr&) { m.potential(x.qd); }},
      {"E0212 ", [](Model& m, const Coordinate& x, const Expr&) { m.holonomic("h", {x.qd}); }},
      {"E0212 ",
       [](Model& m, const Coordinate& x, const Expr&) {
         m.point("P", {x.qd, x.q});
       }},
      {"E0214 ",
       [](Model& m, const Coordinate& x, const Expr&) {
         m.body("b", x.q, {x.q, x.q});
       }},
      {"E0215 ", [](Model& m, const Coordinate& x, const Expr&) { m.set_input("u", x.q); }},
      {"E0216 ", [](Model& m, const Coordinate& x, const Expr&) { m.point("P", {x.q}); }},
      {"E0216 ",
       [](Model& m, const Coordinate& x, const Expr&) {
         m.point("P", {x.q, x.q}), m.point("Q", {x.q, x.q, x.q});
       }},
      {"E0218 ", [](Model& m, const Coordinate& x, const Expr&) { m.lagrangian(x.qd), m.kinetic(x.qd); }},
      {"E0219 ",
       [](Model& m, const Coordinate& x, const Expr&) {
         m.damper({x.q, x.q}, {x.q, x.q}, m.constant(1));
       }},
      {"E0223 ", [](Model& m, const Coordinate&, const Expr&) { m.holonomic("h", {m.constant(1)}); }},
      {"E0223 ", [](Model& m, const Coordinate&, const Expr&) { m.holonomic("h", {}); }},
      {"E0289 ", [](Model& m, const Coordinate& x, const Expr&) { m.pfaffian("h", {x.q}); }},
      {"E0008 ", [](Model& m, const Coordinate&, const Expr&) { m.parameter("x", 1); }},
      {"E0008 ", [](Model& m, const Coordinate& x, const Expr&) { m.holonomic("h", {x.q}), m.pfaffian("h", {x.qd}); }},
      {"E0008 ", [](Model& m, const Coordinate& x, const Expr&) { m.output("o", x.q), m.output("o", x.q); }},
      {"E0011 ", [](Model& m, const Coordinate&, const Expr&) { m.coordinate(""); }},
      {"E0011 ", [](Model& m, const Coordinate&, const Expr&) { m.coordinate("sin"); }},
      {"E0011 ", [](Model& m, const Coordinate&, const Expr&) { m.parameter("a b", 1); }},
      {"E0108 ", [](Model& m, const Coordinate&, const Expr&) { m.parameter("p", std::nan("")); }},
      {"E0201 ", [](Model& m, const Coordinate&, const Expr&) { m.parameter("p", 1, "kilos"); }},
      {"E0217 ", [](Model& m, const Coordinate&, const Expr&) { m.coordinate("p", "deg"); }},
      {"E0213 ",
       [](Model& m, const Coordinate& x, const Expr&) { m.holonomic("h", {x.q}), m.potential(m.lambda("h") * x.q); }},
      {"E0271 ",
       [](Model& m, const Coordinate& x, const Expr&) {
         m.holonomic("h", {x.q}), m.friction("f", {m.lambda("h"), x.q, 0.3});
       }},
      {"E0008 ",
       [](Model& m, const Coordinate& x, const Expr&) {
         m.holonomic("h", {x.q});
         for (int i = 0; i < 2; ++i) m.friction("f", {m.lambda("h"), x.qd, 0.3});
       }},
  };
  const Case of_integrals[] = {
      {"E0288 ", [](Model& m, const Coordinate& x, const Expr&) { m.integral(x.q * m.integral(x.q)); }},
      {"E0288 ",
       [](Model& m, const Coordinate& x, const Expr&) {
         m.integral(m.graph->function(Op::kLess, std::array{x.q, m.constant(1)}));
       }},
      {"E0111 ", [](Model& m, const Coordinate&, const Expr&) { m.integral({}); }},
      {"E0213 ", [](Model& m, const Coordinate& x, const Expr&) { m.potential(m.integral(x.q)); }},
      {"E0213 ", [](Model& m, const Coordinate& x, const Expr&) { m.generalized_force(x, m.integral(x.q)); }},
      {"E0213 ", [](Model& m, const Coordinate& x, const Expr&) { m.set_input("u", m.integral(x.q)); }},
  };
  std::vector<Case> all(std::begin(table), std::end(table));
  all.insert(all.end(), std::begin(of_integrals), std::end(of_integrals));
  for (const Case& c : all) {
    Model model;
    const Coordinate x = model.coordinate("x");
    const Expr u = model.input("u");
    c.state(model, x, u);
    EXPECT_EQ(codes(model), c.code) << render(model.diagnostics());
  }
}

TEST(Model, IntegralsHaveOneSymbolForOneIntegrand) {
  Model model;
  const Coordinate x = model.coordinate("x", "m");
  const Expr way = model.integral(x.qd), path = model.integral(abs(x.qd)), sum = model.integral(x.q + x.qdd * 2);
  EXPECT_TRUE(model.integral(x.qd).same(way));
  EXPECT_FALSE(way.same(path));
  ASSERT_EQ(model.integrals.size(), 3u);
  EXPECT_EQ(model.dimension_of(way), std::optional(Dimension::length()));
  EXPECT_EQ(model.dimension_of(way / x.q), std::optional(Dimension::none()));
  EXPECT_EQ(print(way * 2, Notation::kText), "2*integral(x')");
  EXPECT_EQ(print(way * 2, Notation::kUnicode), "2 (∫ x' dt)");
  EXPECT_EQ(print(sum, Notation::kLatex), "\\left(\\int \\left(x + 2 \\ddot{x}\\right) \\,\\mathrm{d}t\\right)");
  Expr long_one = x.q;
  for (int i = 1; i < 400; ++i) long_one = long_one + pow(x.q, i);
  EXPECT_EQ(print(model.integral(long_one), Notation::kText), "integral(#4)");
  EXPECT_TRUE(model.diagnostics().empty()) << render(model.diagnostics());
}

TEST(Model, ManyBodiesCostTheirNumber) {
  Model model;
  std::vector<Body> chain;
  Expr px = model.constant(0), py = model.constant(0);
  for (int i = 0; i < 1000; ++i) {
    const Coordinate theta = model.coordinate("theta" + std::to_string(i));
    px = px + cos(theta.q);
    py = py + sin(theta.q);
    chain.push_back({"link" + std::to_string(i), model.constant(1), model.constant(1), {px, py}, theta.q, {}});
  }
  model.add_bodies(chain);
  ASSERT_TRUE(model.diagnostics().empty());
  EXPECT_EQ(model.bodies.size(), 1000u);
  EXPECT_LT(count_operations(std::array{model.T}), 20000u);  // a fixed number for each body
}

}  // namespace
}  // namespace dalembert
