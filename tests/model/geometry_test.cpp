// SPDX-License-Identifier: Apache-2.0
// Frames, points and bodies built in code. Oracles: the definitions by finite differences, closed forms of theory §10.
#include "dalembert/model/geometry.h"
#include "dalembert/expr/symbol_name.h"

#include <array>
#include <cmath>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"
#include "dalembert/model/model.h"

namespace dalembert {
namespace {

using Values = std::map<std::string, double>;

double value_at(const Model& model, const Expr& e, const Values& at) {
  return evaluate(e, [&](SymbolId id) {
    for (const Parameter& p : model.parameters)
      if (p.symbol.symbol() == id) return p.value;
    return at.at(print_symbol(model.graph->symbol_info(id), Notation::kText));
  });
}

// Along a(t) = 0.3 + 0.5 t, b(t) = 1.1 − 0.2 t + 0.4 t², c(t) = −0.7 + 2 t, with their rates.
Values angles(double t) {
  return {{"a", 0.3 + 0.5 * t},   {"a'", 0.5},         {"b", 1.1 - 0.2 * t + 0.4 * t * t},
          {"b'", -0.2 + 0.8 * t}, {"c", -0.7 + 2 * t}, {"c'", 2}};
}

// Truth: Ṙ = R [ω]ₓ with ω along the frame's axes, by central differences of R with h = 1e-5: h² of the third derivative
// (below 30) and round-off eps/h leave less than 1e-8. R is a rotation: RᵀR = 1, det R = 1.
TEST(Geometry, AngularVelocityIsThatOfTheAxes) {
  Model model;
  const Coordinate a = model.coordinate("a"), b = model.coordinate("b"), c = model.coordinate("c");
  const Frame inner = model.frame("inner", {.origin = {0, 0, 0}, .rotate = {{'z', a.q}, {'x', b.q}}});
  const Frame frame = model.frame("frame", {.parent = inner, .rotate = {{'y', c.q}, {'z', a.q * b.q}}});
  ASSERT_TRUE(model.diagnostics().empty()) << render(model.diagnostics());
  const auto R = [&](int i, int j, double t) {
    return value_at(model,
                    rotation_entry(frame, *model.graph, static_cast<std::size_t>(i), static_cast<std::size_t>(j)),
                    angles(t));
  };
  const double t = 0.4, h = 1e-5;
  std::array<double, 3> w{};
  for (std::size_t k = 0; k < 3; ++k) w[k] = value_at(model, frame.omega[k], angles(t));
  const double cross[3][3] = {{0, -w[2], w[1]}, {w[2], 0, -w[0]}, {-w[1], w[0], 0}};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      double expected = 0, unit = 0;
      for (int k = 0; k < 3; ++k) expected += R(i, k, t) * cross[k][j], unit += R(k, i, t) * R(k, j, t);
      EXPECT_NEAR((R(i, j, t + h) - R(i, j, t - h)) / (2 * h), expected, 1e-8) << i << j;
      EXPECT_NEAR(unit, i == j ? 1 : 0, 1e-15);
    }
  }
  EXPECT_NEAR(R(0, 0, t) * (R(1, 1, t) * R(2, 2, t) - R(1, 2, t) * R(2, 1, t)) -
                  R(0, 1, t) * (R(1, 0, t) * R(2, 2, t) - R(1, 2, t) * R(2, 0, t)) +
                  R(0, 2, t) * (R(1, 0, t) * R(2, 1, t) - R(1, 1, t) * R(2, 0, t)),
              1, 1e-15);
}

// Truth: theory §10, T of a rolling sphere by Euler's angles; and the power of a torque τ along the ground axes, τ·ω with
// ω = (θ̇ cos ψ + φ̇ sin θ sin ψ, θ̇ sin ψ − φ̇ sin θ cos ψ, ψ̇ + φ̇ cos θ) (Goldstein, §4.9).
TEST(Geometry, ASphereTurnsInSpace) {
  Model model("sphere");
  const Coordinate x = model.coordinate("x"), y = model.coordinate("y"), psi = model.coordinate("psi"),
                   theta = model.coordinate("theta"), phi = model.coordinate("phi");
  const Expr m = model.parameter("m", 1.7), r = model.parameter("r", 0.3);
  const Frame frame = model.frame("ball", {.origin = {x, y, r}, .rotate = {{'z', psi}, {'x', theta}, {'z', phi}}});
  const Expr I = 2 * m * r * r / 5;
  const Body ball = model.body("ball", {.mass = m, .inertia = {I, I, I}, .frame = frame});
  model.torque(ball, {1.5, -2, 0.7});
  ASSERT_TRUE(model.diagnostics().empty()) << render(model.diagnostics());
  const Values at{{"x", 1},    {"y", 2},     {"psi", 0.4},  {"theta", 1.2},   {"phi", -0.8},
                  {"x'", 0.3}, {"y'", -0.9}, {"psi'", 1.1}, {"theta'", -0.6}, {"phi'", 2.3}};
  const double turn = 1.1 * 1.1 + 0.6 * 0.6 + 2.3 * 2.3 + 2 * 1.1 * 2.3 * std::cos(1.2);
  EXPECT_NEAR(value_at(model, model.T, at), 0.85 * (0.09 + 0.81) + 0.2 * 1.7 * 0.09 * turn, 1e-14);
  double power = 0;
  for (const Contribution& part : model.forces[0].parts)
    power += value_at(model, part.along, at) * value_at(model, part.factor, at);
  const double w[3] = {-0.6 * std::cos(0.4) + 2.3 * std::sin(1.2) * std::sin(0.4),
                       -0.6 * std::sin(0.4) - 2.3 * std::sin(1.2) * std::cos(0.4), 1.1 + 2.3 * std::cos(1.2)};
  EXPECT_NEAR(power, 1.5 * w[0] - 2 * w[1] + 0.7 * w[2], 1e-14);
}

// Truth: the columns of R; of a frame that is not turned the unit vectors.
TEST(Geometry, AxesOfFrames) {
  Model model;
  const Coordinate a = model.coordinate("a"), b = model.coordinate("b");
  const Frame turned = model.frame("turned", {.rotate = {{'z', a}, {'x', b}}});
  const Frame plain = model.frame("plain", {.origin = {a, b, 0}});
  const Vector z = axis(turned, 'z').in(*model.graph), y = axis(plain, 'y').in(*model.graph);
  const Values at{{"a", 0.3}, {"b", 0.9}};
  EXPECT_NEAR(value_at(model, z[0], at), std::sin(0.3) * std::sin(0.9), 1e-15);
  EXPECT_NEAR(value_at(model, z[1], at), -std::cos(0.3) * std::sin(0.9), 1e-15);
  EXPECT_NEAR(value_at(model, z[2], at), std::cos(0.9), 1e-15);
  EXPECT_TRUE(y[0].is_zero() && y[1].same(model.constant(1)) && y[2].is_zero());
}

// Truth: ½ ωᵀ I ω of a whole tensor, term by term, with the body's own axes moved away from its centre of mass.
TEST(Geometry, ATensorOfInertia) {
  Model model;
  const Coordinate a = model.coordinate("a"), b = model.coordinate("b");
  const Frame frame = model.frame("f", {.rotate = {{'z', a}, {'x', b}}});
  model.body("b", {.mass = 2, .inertia = {{5, 1, 0.5}, {1, 6, -1}, {0.5, -1, 7}}, .frame = frame, .com = {0, 0, 0.4}});
  ASSERT_TRUE(model.diagnostics().empty()) << render(model.diagnostics());
  const Values at = {{"a", 0.3}, {"a'", 0.5}, {"b", 1.1}, {"b'", -0.2}};
  // ω along the frame: (b', a' sin b, a' cos b); the centre moves with ω × (0, 0, 0.4).
  const double w[3] = {-0.2, 0.5 * std::sin(1.1), 0.5 * std::cos(1.1)};
  const double turning =
      5 * w[0] * w[0] + 6 * w[1] * w[1] + 7 * w[2] * w[2] + 2 * (w[0] * w[1] + 0.5 * w[0] * w[2] - w[1] * w[2]);
  EXPECT_NEAR(value_at(model, model.T, at), turning / 2 + 0.4 * 0.4 * (w[0] * w[0] + w[1] * w[1]), 1e-15);
}

// Truth: Rodrigues' formula by its properties: the axis stays, R is a rotation, Ṙ = R [ω]ₓ by central differences as above; a
// turn about (0, 0, −2) is one about z by the opposite angle.
TEST(Geometry, TurnsAboutAnyAxis) {
  Model model;
  const Coordinate a = model.coordinate("a"), b = model.coordinate("b");
  const Expr one = model.constant(1), two = model.constant(2), zero = model.constant(0);
  const Frame frame = model.frame("frame", {.rotate = {{'x', a}, {'z', b, {one, -two, two}}}});
  const Frame tilted = model.frame("tilted", {.rotate = {{'z', b, {one, -two, two}}}});
  const Frame down = model.frame("down", {.rotate = {{'x', a, {zero, zero, -two}}}});
  const Frame minus = model.frame("minus", {.rotate = {{'z', -a.q}}});
  ASSERT_TRUE(model.diagnostics().empty()) << render(model.diagnostics());
  const auto entry = [&](const Frame& f, std::size_t i, std::size_t j, double t) {
    return value_at(model, rotation_entry(f, *model.graph, i, j), angles(t));
  };
  const double t = 0.4, h = 1e-5, n[3] = {1 / 3., -2 / 3., 2 / 3.};
  std::array<double, 3> w{};
  for (std::size_t k = 0; k < 3; ++k) w[k] = value_at(model, frame.omega[k], angles(t));
  const double cross[3][3] = {{0, -w[2], w[1]}, {w[2], 0, -w[0]}, {-w[1], w[0], 0}};
  for (std::size_t i = 0; i < 3; ++i) {
    double stays = 0;
    for (std::size_t k = 0; k < 3; ++k) stays += entry(tilted, i, k, t) * n[k];
    EXPECT_NEAR(stays, n[i], 1e-15);
    for (std::size_t j = 0; j < 3; ++j) {
      double expected = 0, unit = 0;
      for (std::size_t k = 0; k < 3; ++k)
        expected += entry(frame, i, k, t) * cross[k][j], unit += entry(frame, k, i, t) * entry(frame, k, j, t);
      EXPECT_NEAR((entry(frame, i, j, t + h) - entry(frame, i, j, t - h)) / (2 * h), expected, 1e-8) << i << j;
      EXPECT_NEAR(unit, i == j ? 1 : 0, 1e-15);
      EXPECT_NEAR(entry(down, i, j, t), entry(minus, i, j, t), 1e-15);
    }
  }
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(value_at(model, down.omega[k], angles(t)), value_at(model, minus.omega[k], angles(t)), 1e-15);
}

// Truth: of all points o + r d of the rim none is lower, tried all round; the upper side is the other one with gravity
// along +z. The energies of spinning bodies that motion_of() shortens are those of their tensor along their own axes.
TEST(Geometry, LowestPointsOfRims) {
  for (const bool downwards : {false, true}) {
    Model model;
    const Coordinate a = model.coordinate("a"), b = model.coordinate("b"), c = model.coordinate("c");
    model.gravity({0, 0, downwards ? 9.81 : -9.81});
    const Frame disk = model.frame("disk", {.origin = {c, 1, 2}, .rotate = {{'z', a}, {'x', b}, {'y', a * c}}});
    const Frame other = model.frame("other", {.rotate = {{'x', a}, {'y', b}, {'z', c}}});
    const Point lowest = model.rim("lowest", disk, {0, 3, 0}, 0.5);
    const Point of_other = model.rim("of_other", other, {1, 2, 2}, 0.5);
    ASSERT_TRUE(model.diagnostics().empty()) << render(model.diagnostics());
    for (double t : {0.4, 3.1}) {
      const Values at = angles(t);
      const auto entry = [&](const Frame& f, std::size_t i, std::size_t j) {
        return value_at(model, rotation_entry(f, *model.graph, i, j), at);
      };
      const double side = downwards ? -1 : 1;
      for (int k = 0; k < 360; ++k) {
        const double x = std::cos(k * M_PI / 180), z = std::sin(k * M_PI / 180);
        EXPECT_LE(side * value_at(model, lowest.position[2], at),
                  side * (2 + 0.5 * (x * entry(disk, 2, 0) + z * entry(disk, 2, 2))) + 1e-15);
        // (2, −2, 1)/3 and (2, 1, −2)/3 are at right angles to (1, 2, 2).
        const double u = (2 * x + 2 * z) / 3, v = (-2 * x + z) / 3, w = (x - 2 * z) / 3;
        EXPECT_LE(side * value_at(model, of_other.position[2], at),
                  side * 0.5 * (u * entry(other, 2, 0) + v * entry(other, 2, 1) + w * entry(other, 2, 2)) + 1e-15);
      }
      double distance = 0;
      for (std::size_t i = 0; i < 3; ++i)
        distance += std::pow(value_at(model, lowest.position[i], at) - value_at(model, disk.origin[i], at), 2);
      EXPECT_NEAR(std::sqrt(distance), 0.5, 1e-15);
    }
  }
}

// Truth: ½ m |ṙ|² with ṙ the rate of the place along the ground's axes, and ½ ωᵀ I ω along the body's own; of a body that is
// the same all round its axis and of one that is not, with centres on and off the axis.
TEST(Geometry, EnergiesDoNotDependOnTheAxesTheyAreTakenAlong) {
  for (const bool round : {false, true}) {
    Model model;
    const Coordinate a = model.coordinate("a"), b = model.coordinate("b"), c = model.coordinate("c");
    const Frame first = model.frame("first", {.origin = {a, 0, 1}, .rotate = {{'z', a}, {'x', b}}});
    const Frame frame = model.frame("frame", {.parent = first, .origin = {0, b, 0.3}, .rotate = {{'y', c}}});
    const Body body = model.body(
        "body", {.mass = 2, .inertia = {3, 4, round ? 3 : 5}, .frame = frame, .com = {round ? 0.0 : 0.2, 0.7, 0}});
    ASSERT_TRUE(model.diagnostics().empty()) << render(model.diagnostics());
    const Values at = angles(0.4);
    double expected = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      expected += std::pow(value_at(model, model.dot(body.position[i]), at), 2);
      expected += (i == 1 ? 4 : i == 2 && !round ? 5 : 3) / 2. * std::pow(value_at(model, frame.omega[i], at), 2);
    }
    EXPECT_NEAR(value_at(model, model.T, at), expected, 1e-14 * expected);
    EXPECT_EQ(depends_on(model.T, std::array{c.q}), !round);
  }
}

// Truth: R = [c −s; s c]; a frame in a frame adds the angles. Numbers stand for themselves, along the frame's axes.
TEST(Geometry, PointsOfFramesInThePlane) {
  Model model;
  const Coordinate a = model.coordinate("a"), b = model.coordinate("b");
  const Frame first = model.frame("first", {.origin = {1, 2}, .rotate = a});
  const Frame second = model.frame("second", {.parent = first, .origin = {3, 0}, .rotate = b});
  const Point P = model.point("P", second, {0.5, -1});
  const Body body = model.body("body", {.mass = 2, .inertia = 3, .frame = second});
  ASSERT_TRUE(model.diagnostics().empty()) << render(model.diagnostics());
  const Values at{{"a", 0.3}, {"b", 0.9}, {"a'", 2}, {"b'", -0.5}};
  EXPECT_NEAR(value_at(model, P.position[0], at), 1 + 3 * std::cos(0.3) + 0.5 * std::cos(1.2) + std::sin(1.2), 1e-15);
  EXPECT_NEAR(value_at(model, P.position[1], at), 2 + 3 * std::sin(0.3) + 0.5 * std::sin(1.2) - std::cos(1.2), 1e-15);
  EXPECT_NEAR(value_at(model, model.T, at), 9 * 4 + 1.5 * 1.5 * 1.5, 1e-14);
  const Vector omega = angular_velocity(second, [&](const Expr& e) { return model.dot(e); });
  EXPECT_NEAR(value_at(model, omega.at(0), at), 1.5, 1e-15);
  model.coincide("pin", P, {0, 0});
  model.torque(body, 4);
  ASSERT_EQ(model.constraints.size(), 1u) << render(model.diagnostics());
  EXPECT_EQ(model.constraints[0].points, (std::vector<std::string>{"P", ""}));
  EXPECT_TRUE(model.frames.size() == 2 && model.points.size() == 1 && model.forces.size() == 1);
}

// Truth: theory §10, the rolling sphere: velocities with r φ̇ sin θ + ẋ cos ψ + ẏ sin ψ = 0 and r θ̇ − ẋ sin ψ + ẏ cos ψ = 0
// are those at which the lowest point is at rest; nothing moves along the normal, so no row is left there.
TEST(Geometry, ASphereRollsWithoutSlipping) {
  Model model("sphere");
  const Coordinate x = model.coordinate("x", "m"), y = model.coordinate("y", "m"), psi = model.coordinate("psi", "rad"),
                   theta = model.coordinate("theta", "rad"), phi = model.coordinate("phi", "rad");
  const Expr r = model.parameter("r", 0.3, "m");
  const Frame ball = model.frame("ball", {.origin = {x, y, r}, .rotate = {{'z', psi}, {'x', theta}, {'z', phi}}});
  const Point lowest = model.point("lowest", {x, y, 0});
  model.no_slip("roll", lowest, ball);
  model.no_skid("side", lowest, {0, 1, 0}, ball);
  ASSERT_TRUE(model.diagnostics().empty()) << render(model.diagnostics());
  const auto rows = model.rows();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0]->name + rows[1]->name + rows[2]->name, "roll.xroll.yside");
  EXPECT_EQ(rows[0]->dimension, std::optional(Dimension::length() / Dimension::time()));
  const double p = 0.4, th = 1.2, turn = 2.3, tilt = -0.6;
  const double along = -0.3 * turn * std::sin(th), across = 0.3 * tilt;  // ẋ cos ψ + ẏ sin ψ, ẋ sin ψ − ẏ cos ψ
  const Values rolling{{"x", 1},
                       {"y", 2},
                       {"psi", p},
                       {"theta", th},
                       {"phi", -0.8},
                       {"psi'", 1.1},
                       {"theta'", tilt},
                       {"phi'", turn},
                       {"x'", along * std::cos(p) + across * std::sin(p)},
                       {"y'", along * std::sin(p) - across * std::cos(p)}};
  for (const ConstraintRow* row : rows) EXPECT_NEAR(value_at(model, row->expression, rolling), 0, 1e-15) << row->name;
  Values slipping = rolling;
  slipping["y'"] += 0.5;
  EXPECT_NEAR(value_at(model, rows[0]->expression, slipping), 0, 1e-15);
  EXPECT_NEAR(value_at(model, rows[1]->expression, slipping), 0.5, 1e-15);
  EXPECT_NEAR(value_at(model, rows[2]->expression, slipping), 0.5, 1e-15);
}

// Truth: a wheel of radius r in the plane rolls as ẋ + r θ̇ = 0 where θ counts counter-clockwise; the blade of the sleigh
// (theory §10) is a point of its body that does not skid: −ẋ sin θ + ẏ cos θ − b θ̇.
TEST(Geometry, WheelsAndBladesInThePlane) {
  Model model;
  const Coordinate x = model.coordinate("x"), y = model.coordinate("y"), theta = model.coordinate("theta");
  const Expr b = model.parameter("b", 0.4);
  const Frame wheel = model.frame("wheel", {.origin = {x, 0.3}, .rotate = theta});
  model.no_slip("roll", {x, 0}, wheel);
  const Frame sleigh = model.frame("sleigh", {.origin = {x, y}, .rotate = theta});
  model.no_skid("knife", model.point("blade", sleigh, {-b, 0}), axis(sleigh, 'y'));
  ASSERT_TRUE(model.diagnostics().empty()) << render(model.diagnostics());
  ASSERT_EQ(model.rows().size(), 2u);
  EXPECT_EQ(model.rows()[0]->name, "roll.x");
  const Values at{{"x", 1}, {"y", 2}, {"theta", 0.7}, {"x'", 0.3}, {"y'", -0.8}, {"theta'", 1.9}};
  EXPECT_NEAR(value_at(model, model.rows()[0]->expression, at), 0.3 + 0.3 * 1.9, 1e-15);
  EXPECT_NEAR(value_at(model, model.rows()[1]->expression, at), -0.3 * std::sin(0.7) - 0.8 * std::cos(0.7) - 0.4 * 1.9,
              1e-15);
}

// Truth: geometry.h and explain E0225: what turns in the plane and what in space.
TEST(Geometry, RefusesMixturesOfPlaneAndSpace) {
  struct Case {
    const char* code;
    void (*state)(Model&, const Coordinate&);
  };
  const Case table[] = {
      {"E0225",
       [](Model& m, const Coordinate& x) {
         m.frame("f", {.origin = {0, 0, 0}, .rotate = x});
       }},
      {"E0225",
       [](Model& m, const Coordinate& x) {
         m.frame("f", {.origin = {0, 0}, .rotate = {{'z', x}}});
       }},
      {"E0225",
       [](Model& m, const Coordinate& x) {
         m.frame("f", {.rotate = {{'w', x}}});
       }},
      {"E0225",
       [](Model& m, const Coordinate& x) {
         m.body("b", {.mass = 1, .inertia = 1, .position = {x, 0, 0}});
       }},
      {"E0225",
       [](Model& m, const Coordinate& x) {
         m.body("b", {.mass = 1, .inertia = {1, 2, 3}, .position = {x, 0}, .angle = x});
       }},
      {"E0225",
       [](Model& m, const Coordinate& x) {
         const Frame f = m.frame("f", {.rotate = {{'z', x}}});
         m.body("b", {.mass = 1, .inertia = {{1, 2, 0}, {0, 1, 0}, {0, 0, 1}}, .frame = f});
       }},
      {"E0012", [](Model& m, const Coordinate&) { m.body("b", {.mass = 1}); }},
      {"E0214",
       [](Model& m, const Coordinate& x) {
         m.body("b", {.mass = x, .position = {x, 0}});
       }},
      {"E0224",
       [](Model& m, const Coordinate& x) {
         m.torque(m.body("b", {.mass = 1, .position = {x, 0}}), 1);
       }},
  };
  for (const Case& c : table) {
    Model model;
    const Coordinate x = model.coordinate("x");
    c.state(model, x);
    ASSERT_EQ(model.diagnostics().size(), 1u) << c.code << render(model.diagnostics());
    EXPECT_EQ(model.diagnostics()[0].code, c.code) << render(model.diagnostics());
  }
}

}  // namespace
}  // namespace dalembert
