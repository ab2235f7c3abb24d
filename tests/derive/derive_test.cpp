// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/equations.h"

#include <array>

#include <gtest/gtest.h>

#include "dalembert/algebra/canonical.h"
#include "dalembert/expr/print.h"

namespace dalembert {
namespace {

Equations derived(Model model) {
  auto result = derive(std::make_shared<const Model>(std::move(model)));
  EXPECT_TRUE(result) << render(result.diagnostics());
  return std::move(result).value();
}

std::string refusal(Model model) {
  const auto result = derive(std::make_shared<const Model>(std::move(model)));
  return result ? "accepted" : result.diagnostics().front().code;
}

::testing::AssertionResult equal(const Expr& a, const Expr& b) {
  Canonicalizer canonicalizer(a.graph());
  if (decide_zero(canonicalizer, a - b) == ZeroTest::kZero) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << to_text(a) << "  is not  " << to_text(b);
}

// Oracle: docs/notation.md, pendulum on a cart, angle from upright.
TEST(Derive, CartPendulum) {
  Model model("cart-pendulum");
  const Coordinate x = model.coordinate("x"), theta = model.coordinate("theta");
  const Expr m = model.parameter("m", 1), M = model.parameter("M", 0.2), L = model.parameter("L", 0.5),
             g = model.parameter("g", 9.81);
  model.gravity({model.constant(0), -g});
  model.body("cart", m, {x.q, model.constant(0)});
  model.body("bob", M, {x.q + L * sin(theta.q), L * cos(theta.q)});
  const Equations eq = derived(std::move(model));
  EXPECT_TRUE(equal(eq.M.find(0, 0), m + M));
  EXPECT_TRUE(equal(eq.M.find(0, 1), M * L * cos(theta.q)));
  EXPECT_TRUE(equal(eq.M.find(1, 1), M * L * L));
  EXPECT_TRUE(equal(eq.B[0], -M * L * square(theta.qd) * sin(theta.q)));
  EXPECT_TRUE(equal(eq.B[1], eq.t * 0));
  EXPECT_TRUE(equal(eq.G[0], eq.t * 0));
  EXPECT_TRUE(equal(eq.G[1], -M * g * L * sin(theta.q)));
  EXPECT_TRUE(eq.conservative);
  // x is cyclic: the energy and the horizontal momentum are conserved.
  const auto conserved = conserved_quantities(eq);
  ASSERT_EQ(conserved.size(), 2u);
  EXPECT_EQ(conserved[0].name, "energy");
  EXPECT_EQ(conserved[1].name, "p[x]");
}

// A chain in the angles of its links couples all of them: 501 × 501 entries are refused before any is made, 40 are not.
TEST(Derive, RefusesWhatIsTooLarge) {
  const auto chain = [](int links) {
    Model model("chain");
    Expr x = model.constant(0), y = x;
    for (int i = 0; i < links; ++i) {
      const Expr q = model.coordinate("q" + std::to_string(i + 1)).q;
      x = x + cos(q);
      y = y + sin(q);
      model.body("link" + std::to_string(i + 1), model.constant(1), {x, y});
    }
    return model;
  };
  EXPECT_EQ(refusal(chain(501)), "E0904");
  EXPECT_EQ(refusal(chain(40)), "accepted");
  // By the size of the graph, wherever it is reached: what had been built by then means nothing, and is not talked about.
  for (const std::size_t parts : {500, 1000, 2000, 4000, 8000, 16000}) {
    Model small = chain(40);
    small.graph->limit_parts(parts);
    const auto result = derive(std::make_shared<const Model>(std::move(small)));
    if (result) continue;
    ASSERT_EQ(result.diagnostics().size(), 1u) << parts;
    EXPECT_EQ(result.diagnostics().front().code, "E0904");
  }
  Model full = chain(40);
  full.graph->limit_parts(500);
  EXPECT_EQ(refusal(std::move(full)), "E0904");
}

// Rows that are told from each other only by a factor: the search for momenta weighs its work. That this ends soon is the
// test.
TEST(Derive, ManyRowsOnFewCoordinates) {
  Model model("rows");
  const Expr x = model.coordinate("x").q, y = model.coordinate("y").q;
  model.kinetic((square(model.coordinates[0].qd) + square(model.coordinates[1].qd)) / 2);
  for (int i = 1; i <= 2000; ++i)
    model.holonomic("c" + std::to_string(i), std::vector<Expr>{i * (square(x) + square(y) - 1)});
  const Equations eq = derived(std::move(model));
  EXPECT_EQ(eq.m(), 2000);
  EXPECT_TRUE(eq.conservative);
}

// Every rheonomic term. Oracle: d/dt(∂L/∂q̇) − ∂L/∂q by hand for a bead on a rod that turns at a given angle α(t) = w
// t²: T = m/2 (ẋ² + x² α̇²) + m x ẋ t gives M = m, B = m (x − x α̇²): the time-linear terms t ẋ cancel.
TEST(Derive, TimeDependentKineticEnergy) {
  Model model("bead");
  const Coordinate x = model.coordinate("x");
  const Expr m = model.parameter("m", 1), w = model.parameter("w", 2), t = model.t;
  model.kinetic(m / 2 * (square(x.qd) + square(x.q * 2 * w * t)) + m * x.q * x.qd * t);
  const Equations eq = derived(std::move(model));
  EXPECT_TRUE(equal(eq.M.find(0, 0), m));
  EXPECT_TRUE(equal(eq.B[0], m * x.q - m * x.q * square(2 * w * t)));
  EXPECT_FALSE(eq.conservative);
  EXPECT_TRUE(equal(eq.dLdt, 4 * m * square(x.q * w) * t + m * x.q * x.qd));
}

// Oracle: by hand for h = x cos wt + y sin wt − s and η = ẋ y + t ẏ + y t².
TEST(Derive, RheonomicAndPfaffianRows) {
  Model model("rows");
  const Coordinate x = model.coordinate("x"), y = model.coordinate("y");
  const Expr w = model.parameter("w", 2), t = model.t, m = model.parameter("m", 1);
  model.kinetic(m / 2 * (square(x.qd) + square(y.qd)));
  const Expr s = sin(w * t), c = cos(w * t);
  model.holonomic("h", {x.q * c + y.q * s});
  model.pfaffian("n", {x.qd * y.q + t * y.qd + y.q * square(t)});
  const Equations eq = derived(std::move(model));
  EXPECT_TRUE(equal(eq.W.find(0, 0), c));
  EXPECT_TRUE(equal(eq.W.find(0, 1), s));
  EXPECT_TRUE(equal(eq.a[0], w * (-x.q * s + y.q * c)));
  EXPECT_TRUE(equal(eq.gamma[0], 2 * w * (-x.qd * s + y.qd * c) - w * w * (x.q * c + y.q * s)));
  EXPECT_TRUE(equal(eq.W.find(1, 0), y.q));
  EXPECT_TRUE(equal(eq.W.find(1, 1), t));
  EXPECT_TRUE(equal(eq.a[1], y.q * square(t)));
  EXPECT_TRUE(equal(eq.gamma[1], x.qd * y.qd + y.qd + y.qd * square(t) + 2 * y.q * t));
  EXPECT_TRUE(equal(eq.Wdot.find(0, 0), -w * s));
  EXPECT_EQ(eq.holonomic, std::vector<int>{0});
  EXPECT_FALSE(eq.conservative);
}

// Oracle: the five ways of stating one and the same force on a pendulum give the same F.
TEST(Derive, FiveWaysOfStatingAForce) {
  const auto pendulum = [](auto&& add) {
    Model model("pendulum");
    const Coordinate theta = model.coordinate("theta");
    const Expr L = model.parameter("L", 1), c = model.parameter("c", 0.1);
    model.kinetic(square(L * theta.qd) / 2);
    add(model, theta, L, c);
    return derived(std::move(model));
  };
  const auto check = [&](const Equations& eq) {
    const Expr c = eq.model->parameters[1].symbol;
    EXPECT_TRUE(equal(eq.F[0], -c * eq.qd[0]));
  };
  check(pendulum([](Model& m, const Coordinate& q, Expr L, Expr c) {
    m.force({L * sin(q.q), -L * cos(q.q)}, {-c * q.qd * cos(q.q) / L, -c * q.qd * sin(q.q) / L});
  }));
  check(pendulum([](Model& m, const Coordinate& q, Expr, Expr c) { m.torque(q.q, -c * q.qd); }));
  check(pendulum([](Model& m, const Coordinate& q, Expr, Expr c) { m.generalized_force(q, -c * q.qd); }));
  check(pendulum([](Model& m, const Coordinate& q, Expr, Expr c) { m.dissipation(c / 2 * square(q.qd)); }));
  check(pendulum([](Model& m, const Coordinate& q, Expr, Expr c) { m.damper(q, c); }));
  const Equations by_power =
      pendulum([](Model& m, const Coordinate& q, Expr L, Expr c) { m.power(L * c * sin(m.t) * q.qd); });
  EXPECT_TRUE(equal(by_power.F[0],
                    by_power.model->parameters[0].symbol * by_power.model->parameters[1].symbol * sin(by_power.t)));
}

// Oracle: a relativistic particle, L = −m c² sqrt(1 − ẋ²/c²) − V: M = ∂²L/∂ẋ², V = −L at rest = m c² + V.
TEST(Derive, LagrangianOfAnyForm) {
  Model model("relativistic");
  const Coordinate x = model.coordinate("x");
  const Expr m = model.parameter("m", 1), c = model.parameter("c", 3), k = model.parameter("k", 2);
  const Expr root = sqrt(1 - square(x.qd / c));
  model.lagrangian(-m * c * c * root - k / 2 * square(x.q));
  const Equations eq = derived(std::move(model));
  EXPECT_TRUE(equal(eq.M.find(0, 0), m * pow(root, Rational(-3))));
  EXPECT_TRUE(equal(eq.G[0], k * x.q));
  EXPECT_TRUE(equal(eq.B[0], x.q * 0));
  EXPECT_TRUE(equal(eq.E, m * c * c / root + k / 2 * square(x.q)));
}

TEST(Derive, RefusesWhatTheFormalismDoesNotCover) {
  const auto one = [](auto&& add) {
    Model model("one");
    const Coordinate x = model.coordinate("x");
    model.kinetic(square(x.qd) / 2);
    add(model, x);
    return refusal(std::move(model));
  };
  EXPECT_EQ(one([](Model& m, const Coordinate& x) { m.kinetic(pow(x.qd, Rational(3))); }), "E0220");
  EXPECT_EQ(one([](Model& m, const Coordinate& x) { m.kinetic(sqrt(1 + square(x.qd))); }), "E0220");
  EXPECT_EQ(one([](Model& m, const Coordinate& x) { m.power(-square(x.qd)); }), "E0221");
  EXPECT_EQ(one([](Model& m, const Coordinate& x) { m.pfaffian("n", {square(x.qd) - 1}); }), "E0222");
  // Forces and normal forces are linear in multipliers, sliding speeds affine in velocities.
  const auto held = [&](auto state) {
    return one([&](Model& m, const Coordinate& x) {
      m.holonomic("h", {x.q});
      state(m, x, m.lambda("h"));
    });
  };
  EXPECT_EQ(held([](Model& m, const Coordinate& x, const Expr& l) { m.generalized_force(x, abs(l)); }), "E0270");
  EXPECT_EQ(held([](Model& m, const Coordinate& x, const Expr& l) { m.power(l * l * x.qd); }), "E0270");
  EXPECT_EQ(held([](Model& m, const Coordinate& x, const Expr& l) {
              m.friction("f", {square(l), x.qd, 0.3});
            }),
            "E0270");
  EXPECT_EQ(held([](Model& m, const Coordinate& x, const Expr& l) { m.friction("f", {l, x.qd, l}); }), "E0270");
  EXPECT_EQ(held([](Model& m, const Coordinate& x, const Expr& l) {
              m.friction("f", {l, square(x.qd), 0.3});
            }),
            "E0271");
  EXPECT_EQ(one([](Model& m, const Coordinate& x) { m.potential(x.q * x.qd); }), "E0212");
  // Functions whose slope does not contain the velocity, or is 0, depend on it all the same.
  EXPECT_EQ(one([](Model& m, const Coordinate& x) { m.kinetic(square(x.qd) * sign(x.qd) / 4); }), "E0220");
  for (Expr (*function)(const Expr&) : {&abs, &sign, &sqrt, &cos})
    EXPECT_EQ(one([&](Model& m, const Coordinate& x) { m.pfaffian("n", {function(x.qd - x.q)}); }), "E0222");
  for (Expr (*function)(const Expr&, const Expr&) : {&min, &max, &hypot})
    EXPECT_EQ(one([&](Model& m, const Coordinate& x) { m.pfaffian("n", {function(x.qd, x.q)}); }), "E0222");
  EXPECT_EQ(one([](Model& m, const Coordinate& x) { m.pfaffian("n", {x.qd + sign(x.qd)}); }), "E0222");
  // Terms that only look nonlinear are accepted: (ẋ+1)³ − ẋ³ − 3ẋ² is 3ẋ + 1.
  EXPECT_EQ(one([](Model& m, const Coordinate& x) { m.kinetic(pow(x.qd + 1, Rational(3)) - pow(x.qd, Rational(3))); }),
            "accepted");
}

// (ẋ+1)³ − ẋ³ − 3ẋ² = 3ẋ + 1 and (ẋ² + ẋẏ)/ẋ = ẋ + ẏ: W = (3, 0) and (1, 1), a = 1 and 0. They are evaluated where
// velocities are not known yet, so that nothing of these may be left in them.
TEST(Derive, PfaffianRowsThatOnlyLookNonlinear) {
  Model model("two");
  const Coordinate x = model.coordinate("x"), y = model.coordinate("y");
  model.kinetic((square(x.qd) + square(y.qd)) / 2);
  model.pfaffian("cube", {pow(x.qd + 1, Rational(3)) - pow(x.qd, Rational(3)) - 3 * square(x.qd)});
  model.pfaffian("quotient", {(square(x.qd) + x.qd * y.qd) / x.qd});
  const Equations eq = derived(std::move(model));
  EXPECT_EQ(eq.W.value.size(), 3U);
  EXPECT_TRUE(eq.W.find(0, 0).same(eq.t.graph().constant(3)));
  EXPECT_TRUE(eq.W.find(1, 0).same(eq.t.graph().constant(1)));
  EXPECT_TRUE(eq.W.find(1, 1).same(eq.t.graph().constant(1)));
  EXPECT_TRUE(eq.a[0].same(eq.t.graph().constant(1)));
  EXPECT_TRUE(eq.a[1].is_zero());
}

}  // namespace
}  // namespace dalembert
