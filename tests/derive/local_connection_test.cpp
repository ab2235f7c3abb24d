// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/local_connection.h"

#include <array>

#include <gtest/gtest.h>

#include "dalembert/algebra/canonical.h"
#include "dalembert/algebra/rational_form.h"
#include "dalembert/derive/kinematic.h"
#include "dalembert/expr/print.h"

namespace dalembert {
namespace {

Equations overlaid(Model model) {
  auto result = derive(std::make_shared<const Model>(std::move(model)));
  EXPECT_TRUE(result) << render(result.diagnostics());
  return on_overlay(result.value());
}

::testing::AssertionResult same_value(const Expr& a, const Expr& b) {
  Canonicalizer canonicalizer(common_graph(std::array{a, b}));
  if (decide_zero(canonicalizer, a - b) == ZeroTest::kZero) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << to_text(a) << "  is not  " << to_text(b);
}

// A wheel pair at (x, y) with this heading does not skid.
Expr no_skid(const Model& model, const Expr& x, const Expr& y, const Expr& heading) {
  return model.dot(y) * cos(heading) - model.dot(x) * sin(heading);
}

struct Snake {
  Model model{"snake"};
  Coordinate x = model.coordinate("x", "m"), y = model.coordinate("y", "m"), theta = model.coordinate("theta", "rad"),
             a1 = model.coordinate("alpha1", "rad"), a2 = model.coordinate("alpha2", "rad");
  Expr R = model.parameter("R", 1.0 / 6, "m"), L = model.parameter("L", 1.0 / 6, "m");
  Snake() {
    const Expr behind = theta.q - a1.q, ahead = theta.q + a2.q;
    const Expr x1 = x.q - L * cos(theta.q) - R * cos(behind), y1 = y.q - L * sin(theta.q) - R * sin(behind);
    const Expr x3 = x.q + L * cos(theta.q) + R * cos(ahead), y3 = y.q + L * sin(theta.q) + R * sin(ahead);
    model.pfaffian("wheels",
                   {no_skid(model, x.q, y.q, theta.q), no_skid(model, x1, y1, behind), no_skid(model, x3, y3, ahead)});
  }
};

// Oracle: the connection of the three-link kinematic snake, theory §6.
TEST(LocalConnection, ThreeLinkSnake) {
  Snake s;
  const Equations eq = overlaid(std::move(s.model));
  const auto in = [&](const Expr& e) { return eq.graph->adopt(e); };
  const Expr R = in(s.R), L = in(s.L), a1 = in(s.a1.q), a2 = in(s.a2.q);
  const auto form = build_local_connection(eq, {3, 4}, 2000);
  ASSERT_TRUE(form);
  EXPECT_FALSE(form->mixed());
  const Expr D = R * (sin(a1) - sin(a2)) + L * sin(a1 - a2);
  EXPECT_TRUE(same_value(form->A[0][0] * D, R * (R + L * cos(a2))));
  EXPECT_TRUE(same_value(form->A[0][1] * D, R * (R + L * cos(a1))));
  EXPECT_TRUE(form->A[1][0].is_zero());
  EXPECT_TRUE(form->A[1][1].is_zero());
  EXPECT_TRUE(same_value(form->A[2][0] * D, R * sin(a2)));
  EXPECT_TRUE(same_value(form->A[2][1] * D, R * sin(a1)));
  // Its only singular shapes are those where D vanishes.
  ASSERT_EQ(form->singular.size(), 1u);
  EXPECT_TRUE(same_value(square(form->singular[0]), square(D)));

  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT common factors stay in quotients";
  // What the printed forms are: over D, not over its conjugate.
  EXPECT_EQ(to_text(form->A[2][0]), "R*sin(alpha2)/(R*sin(alpha1) - R*sin(alpha2) + L*sin(alpha1 - alpha2))");

  // The same in the coordinates of the ground, where it is q̇_p = −A q̇_a: A[x] is cos θ times the first row.
  const auto kinematic = build_kinematic(eq, {3, 4}, 2000);
  ASSERT_TRUE(kinematic);
  EXPECT_TRUE(same_value(kinematic->A[0][0] * D, cos(in(s.theta.q)) * R * (R + L * cos(a2))));
  EXPECT_TRUE(same_value(kinematic->A[2][1] * D, R * sin(a1)));
}

// Oracle: cases §22 with any inertias: p = m l u cos φ + (J_all θ' + Jr ψ') sin φ; with J + Jr + 2 Jw = m l² its rate is
// Jr ψ' φ' cos φ.
TEST(LocalConnection, SnakeboardMomentum) {
  Model model("snakeboard");
  const Coordinate x = model.coordinate("x", "m"), y = model.coordinate("y", "m"),
                   theta = model.coordinate("theta", "rad"), psi = model.coordinate("psi", "rad"),
                   phi = model.coordinate("phi", "rad");
  const Expr m = model.parameter("m", 6, "kg"), J = model.parameter("J", 0.06, "kg*m^2"),
             Jr = model.parameter("Jr", 0.167, "kg*m^2"), Jw = model.parameter("Jw", 0.00167, "kg*m^2"),
             l = model.parameter("l", 0.3, "m");
  model.kinetic(m / 2 * (square(x.qd) + square(y.qd)) + J / 2 * square(theta.qd) + Jr / 2 * square(theta.qd + psi.qd) +
                Jw * (square(theta.qd) + square(phi.qd)));
  const Expr front = theta.q + phi.q, back = theta.q - phi.q;
  model.pfaffian("wheels", {no_skid(model, x.q + l * cos(theta.q), y.q + l * sin(theta.q), front),
                            no_skid(model, x.q - l * cos(theta.q), y.q - l * sin(theta.q), back)});
  const Equations eq = overlaid(std::move(model));
  if (!has_rational_forms()) GTEST_SKIP() << "without FLINT p is another multiple of the momentum";
  const auto form = build_local_connection(eq, {3, 4}, 2000);
  ASSERT_TRUE(form);
  ASSERT_EQ(form->p.size(), 1u);
  const auto in = [&](const Expr& e) { return eq.graph->adopt(e); };
  const Expr f = in(phi.q), all = in(J) + in(Jr) + 2 * in(Jw);
  const Expr D = in(m)*square(in(l)) * square(cos(f)) + all * square(sin(f));
  // Momentum up to a factor, which N[x] = l cos φ fixes.
  EXPECT_TRUE(same_value(form->N[0][0], in(l)*cos(f)));
  EXPECT_TRUE(same_value(form->N[2][0], sin(f)));
  EXPECT_TRUE(same_value(form->momentum[0],
                         in(m)*in(l)*cos(f) * form->xi[0] + (all * form->xi[2] + in(Jr)*in(psi.qd)) * sin(f)));
  EXPECT_TRUE(same_value(form->B[0][0] * D, in(l)*cos(f)));
  EXPECT_TRUE(same_value(form->B[2][0] * D, sin(f)));
  EXPECT_TRUE(same_value(form->A[2][0] * D, in(Jr)*square(sin(f))));
  // N' = (−l sin φ, 0, cos φ) φ', and the constraints let no momentum across turn the axes: p' = N'·P.
  const Expr u = form->B[0][0] * form->p[0] - form->A[0][0] * in(psi.qd);
  const Expr w = form->B[2][0] * form->p[0] - form->A[2][0] * in(psi.qd);
  EXPECT_TRUE(
      same_value(form->pdot[0], in(phi.qd) * (-in(m)*in(l)*sin(f) * u + cos(f) * (all * w + in(Jr)*in(psi.qd)))));
  EXPECT_TRUE(form->rest[0].is_zero());
}

}  // namespace
}  // namespace dalembert
