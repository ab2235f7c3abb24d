// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/gait.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "dalembert/derive/local_connection.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr double kPi = std::numbers::pi;

Equations derived(Model model) {
  auto result = derive(std::make_shared<const Model>(std::move(model)));
  EXPECT_TRUE(result) << render(result.diagnostics());
  return on_overlay(result.value());
}

// A wheel pair at (x, y) with this heading does not skid.
Expr no_skid(const Model& model, const Expr& x, const Expr& y, const Expr& heading) {
  return model.dot(y) * cos(heading) - model.dot(x) * sin(heading);
}

Equations snake() {
  Model model("snake");
  const Coordinate x = model.coordinate("x"), y = model.coordinate("y"), theta = model.coordinate("theta"),
                   a1 = model.coordinate("alpha1"), a2 = model.coordinate("alpha2");
  const Expr R = model.parameter("R", 1.0 / 6), L = model.parameter("L", 1.0 / 6);
  const Expr behind = theta.q - a1.q, ahead = theta.q + a2.q;
  const Expr x1 = x.q - L * cos(theta.q) - R * cos(behind), y1 = y.q - L * sin(theta.q) - R * sin(behind);
  const Expr x3 = x.q + L * cos(theta.q) + R * cos(ahead), y3 = y.q + L * sin(theta.q) + R * sin(ahead);
  model.pfaffian("wheels",
                 {no_skid(model, x.q, y.q, theta.q), no_skid(model, x1, y1, behind), no_skid(model, x3, y3, ahead)});
  return derived(std::move(model));
}

// `mass` a mass that its front carries, whose place across the rotor is a coordinate of its own with a holonomic row, or
// substituted.
enum class Mass { kNone, kSubstituted, kHeld };

Equations snakeboard(Mass mass = Mass::kNone) {
  Model model("snakeboard");
  const Coordinate x = model.coordinate("x"), y = model.coordinate("y"), theta = model.coordinate("theta"),
                   psi = model.coordinate("psi"), phi = model.coordinate("phi");
  const Expr m = model.parameter("m", 6), J = model.parameter("J", 0.06), Jr = model.parameter("Jr", 0.167),
             Jw = model.parameter("Jw", 0.00167), l = model.parameter("l", 0.3);
  Expr kinetic = m / 2 * (square(x.qd) + square(y.qd)) + J / 2 * square(theta.qd) + Jr / 2 * square(theta.qd + psi.qd) +
                 Jw * (square(theta.qd) + square(phi.qd));
  if (mass == Mass::kSubstituted)
    kinetic = kinetic + square(x.qd - l * theta.qd * sin(theta.q) + l * psi.qd * cos(psi.q));
  if (mass == Mass::kHeld) {
    const Coordinate c = model.coordinate("c");
    kinetic = kinetic + square(c.qd);
    model.holonomic("carried", {c.q - x.q - l * cos(theta.q) - l * sin(psi.q)});
  }
  model.kinetic(kinetic);
  const Expr front = theta.q + phi.q, back = theta.q - phi.q;
  model.pfaffian("wheels", {no_skid(model, x.q + l * cos(theta.q), y.q + l * sin(theta.q), front),
                            no_skid(model, x.q - l * cos(theta.q), y.q - l * sin(theta.q), back)});
  return derived(std::move(model));
}

// Oracle: the kinematic snake's displacement, theory §6: ten digits.
TEST(Gait, ThreeLinkSnake) {
  const Equations eq = snake();
  const Expr& t = eq.t;
  const Gait gait{{3, 4}, {kPi / 4 + kPi / 8 * cos(t), -kPi / 4 + kPi / 8 * sin(t)}, 0, 2 * kPi, {}};
  const GaitSystem system(eq, gait, true);
  const GaitRun run = system.run({0, 0, 0}, {}, {});
  ASSERT_TRUE(run.ok()) << run.failure;
  EXPECT_NEAR(run.displacement[0], 0.0829144658, 5e-11);
  EXPECT_NEAR(run.displacement[1], -0.0442797587, 5e-11);
  EXPECT_NEAR(run.displacement[2], 0, 1e-11);
  // ∫ (π/8)² (sin² t + cos² t) dt
  EXPECT_NEAR(run.effort, 2 * kPi * kPi * kPi / 64, 1e-11);
}

// Oracle: the snakeboard's cycle from rest, theory §6: twelve digits.
TEST(Gait, Snakeboard) {
  const Equations eq = snakeboard();
  const Expr& t = eq.t;
  const Gait gait{{3, 4}, {0.7 * sin(t), 0.3 * sin(t)}, 0, 2 * kPi, {}};
  const GaitSystem system(eq, gait, false);
  const GaitRun run = system.run({0, 0, 0}, {}, {});
  ASSERT_TRUE(run.ok()) << run.failure;
  EXPECT_NEAR(run.displacement[0], 0.191817933777, 5e-13 + 1e-12);
  EXPECT_NEAR(run.displacement[1], -0.001886383992, 5e-13 + 1e-12);
  EXPECT_NEAR(run.displacement[2], -0.062141819678, 5e-13 + 1e-12);
  EXPECT_NEAR(std::hypot(run.velocity[0], run.velocity[1]), 0.0617007634, 5e-11);
}

// Oracle: central differences of runs at changed coefficients, whose error is h²/6 f''' + 1e-12/h.
TEST(Gait, SensitivitiesAreThoseOfTheFlow) {
  for (const bool kinematic : {true, false}) {
    const Equations eq = kinematic ? snake() : snakeboard();
    const Expr& t = eq.t;
    const Gait plain = kinematic
                           ? Gait{{3, 4}, {kPi / 4 + kPi / 8 * cos(t), -kPi / 4 + kPi / 8 * sin(t)}, 0, 2 * kPi, {}}
                           : Gait{{3, 4}, {0.7 * sin(t) + 0.1, 0.3 * sin(t) + 0.2}, 0, 2 * kPi, {}};
    const Gait gait = perturbed_gait(plain, *eq.model, 2);
    ASSERT_EQ(gait.parameters.size(), 10u);
    const GaitSystem system(eq, gait, kinematic);
    const std::vector<double> zero(10);
    const GaitRun run = system.run({0.1, 0.2, 0.3}, zero, {});
    ASSERT_TRUE(run.ok()) << run.failure;
    for (std::size_t k = 0; k < 10; ++k) {
      constexpr double h = 1e-4;
      std::vector<double> values(10);
      values[k] = h;
      const GaitRun after = system.run({0.1, 0.2, 0.3}, values, {});
      values[k] = -h;
      const GaitRun before = system.run({0.1, 0.2, 0.3}, values, {});
      for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(run.displacement_by[i][k], (after.displacement[i] - before.displacement[i]) / (2 * h), 2e-6)
            << gait.parameters[k].name << " " << i;
      EXPECT_NEAR(run.effort_by[k], (after.effort - before.effort) / (2 * h), 1e-6);
    }
  }
}

// Oracle: a shape that is a series has its own coefficients.
// Oracle: the same system with the holonomic row substituted; and where the shape's start stays where it is (its sines) the
// same slopes. For those of its start, which takes the held coordinate along, central differences.
TEST(Gait, HolonomicRowsGoWithTheShape) {
  const auto gait_of = [](const Equations& eq) {
    return perturbed_gait({{3, 4}, {0.7 * sin(eq.t) + 0.1, 0.3 * sin(eq.t) + 0.2}, 0, 2 * kPi, {}}, *eq.model, 1);
  };
  const Equations held = snakeboard(Mass::kHeld), substituted = snakeboard(Mass::kSubstituted);
  const GaitSystem system(held, gait_of(held), false), plain(substituted, gait_of(substituted), false);
  const std::vector<GaitParameter> parameters = gait_of(held).parameters;
  const double c = 0.1 + 0.3 * std::cos(0.3) + 0.3 * std::sin(0.1);
  const std::vector<double> zero(parameters.size());
  const GaitRun run = system.run({0.1, 0.2, 0.3, c}, zero, {}), other = plain.run({0.1, 0.2, 0.3}, zero, {});
  ASSERT_TRUE(run.ok()) << run.failure;
  ASSERT_TRUE(other.ok()) << other.failure;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(run.displacement[i], other.displacement[i], 1e-11) << i;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      if (parameters[k].name.find("sin") == std::string::npos) continue;
      EXPECT_NEAR(run.displacement_by[i][k], other.displacement_by[i][k], 1e-9) << parameters[k].name << " " << i;
    }
  }
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    constexpr double h = 1e-4;
    std::vector<double> values = zero;
    values[k] = h;
    const GaitRun after = system.run({0.1, 0.2, 0.3, c}, values, {});
    values[k] = -h;
    const GaitRun before = system.run({0.1, 0.2, 0.3, c}, values, {});
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(run.displacement_by[i][k], (after.displacement[i] - before.displacement[i]) / (2 * h), 2e-6)
          << parameters[k].name << " " << i;
  }
}

TEST(Gait, FourierSeriesOfAShape) {
  const Equations eq = snake();
  const Expr& t = eq.t;
  const Gait plain{{3, 4}, {0.25 + 0.5 * cos(2 * t) - 0.125 * sin(4 * t), 0.75 * sin(2 * t)}, 0, kPi, {}};
  EXPECT_NEAR(find_period(plain.shape, *eq.model), kPi, 1e-14);
  const Gait series = fourier_gait(plain, *eq.model, 2);
  const double expected[] = {0.25, 0.5, 0, 0, -0.125, 0, 0, 0.75, 0, 0};
  std::vector<double> values;
  for (std::size_t k = 0; k < 10; ++k) {
    values.push_back(series.parameters[k].value);
    EXPECT_NEAR(values[k], expected[k], 1e-14) << series.parameters[k].name;
  }
}

// Oracle: Stokes' theorem. A loop of radius r displaces by −π r² times the curvature, up to terms of order r⁴; the
// second number is made by the bracket of se(2) alone.
TEST(Gait, SmallLoopsDisplaceByTheCurvature) {
  const Equations eq = snake();
  const Expr& t = eq.t;
  const auto form = build_local_connection(eq, {3, 4}, 2000);
  ASSERT_TRUE(form);
  ASSERT_EQ(form->curvature.size(), 1u);
  const double centre[] = {0.9, -0.4}, radius = 1e-3;
  const Gait gait{{3, 4}, {centre[0] + radius * cos(t), centre[1] + radius * sin(t)}, 0, 2 * kPi, {}};
  const GaitRun run = GaitSystem(eq, gait, true).run({0, 0, 0}, {}, {});
  ASSERT_TRUE(run.ok()) << run.failure;
  for (std::size_t i = 0; i < 3; ++i) {
    const double curvature = evaluate(form->curvature[0][i], [&](SymbolId s) {
      const Symbol& symbol = eq.graph->symbol_info(s);
      return symbol.kind == SymbolKind::kParameter ? 1.0 / 6 : centre[symbol.index - 3];
    });
    EXPECT_NE(curvature, 0);
    // The body turns by the loop's own turn, of order r, before it has gone anywhere: relative error of order r.
    EXPECT_NEAR(run.displacement[i], -kPi * radius * radius * curvature, 5 * kPi * radius * radius * radius);
  }
}

// Truth: the snake is singular where R sin α₁ − R sin α₂ + L sin(α₁ − α₂) = 0, at α₁ = α₂. The shapes α₁ = A cos t,
// α₂ = (1 + 0.2 sin t)/2 touch that line where A² = 0.24 and cross it beyond: right behind it twice within a short time, in
// which the determinant becomes negative by a part of 1e-8. No step may pass that unseen.
TEST(Gait, CyclesThroughSingularShapesAreRefused) {
  const Equations eq = snake();
  const Expr& t = eq.t;
  const auto run_of = [&](double amplitude) {
    const Gait gait{{3, 4}, {amplitude * cos(t), 0.5 + 0.1 * sin(t)}, 0, 2 * kPi, {}};
    return GaitSystem(eq, gait, true).run({0, 0, 0}, {}, {});
  };
  const double touches = std::sqrt(0.24);
  for (const double more : {0.0, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1}) {
    const GaitRun run = run_of(touches * (1 + more));
    EXPECT_TRUE(run.singular) << more << ": " << run.failure;
    EXPECT_FALSE(run.ok());
  }
  for (const double less : {1e-3, 1e-2, 0.1}) {
    const GaitRun run = run_of(touches * (1 - less));
    EXPECT_TRUE(run.ok()) << less << ": " << run.failure;
  }
}

// What cannot be followed for another reason says so. Truth: 58 steps a cycle; sin t in a period of 1e60 s.
TEST(Gait, LimitsAreNotCalledSingular) {
  const Equations eq = snake();
  const Expr& t = eq.t;
  const std::vector<Expr> shape{kPi / 4 + kPi / 8 * cos(t), -kPi / 4 + kPi / 8 * sin(t)};
  const GaitRun many = GaitSystem(eq, {{3, 4}, shape, 0, 2 * kPi, {}}, true).run({0, 0, 0}, {}, {.cycles = 100000});
  EXPECT_FALSE(many.ok());
  EXPECT_FALSE(many.singular);
  EXPECT_NE(many.failure.find("cycles can be followed"), std::string::npos) << many.failure;
  EXPECT_LT(many.steps, 200);
  const GaitRun fast = GaitSystem(eq, {{3, 4}, shape, 0, 1e60, {}}, true).run({0, 0, 0}, {}, {});
  EXPECT_FALSE(fast.ok());
  EXPECT_FALSE(fast.singular) << fast.failure;
}

// Truth: per effort the snake's distance grows without bound towards singular shapes, so there is no optimum. What is told
// is a cycle that a more accurate run confirms; the search ends where it should.
TEST(Gait, SingularShapesAreABarrierToTheBest) {
  const Equations eq = snake();
  const Expr& t = eq.t;
  const Gait gait =
      fourier_gait({{3, 4}, {kPi / 4 + kPi / 8 * cos(t), -kPi / 4 + kPi / 8 * sin(t)}, 0, 2 * kPi, {}}, *eq.model, 1);
  const GaitSystem system(eq, gait, true);
  std::vector<double> values;
  for (const GaitParameter& p : gait.parameters) values.push_back(p.value);
  const GaitRun given = system.run({0, 0, 0}, values, {});
  ASSERT_TRUE(given.ok());
  const GaitOptimum best = optimize_gait(system, {0, 0, 0}, values, 0, 1, {.rtol = 1e-10, .atol = 1e-13});
  EXPECT_FALSE(best.converged);
  EXPECT_NE(best.remark.find("singular"), std::string::npos) << best.remark;
  EXPECT_GE(best.run.margin, 0.01 * given.margin);
  const GaitRun again = system.run({0, 0, 0}, best.values, {});
  ASSERT_TRUE(again.ok()) << again.failure;
  EXPECT_NEAR(std::hypot(again.displacement[0], again.displacement[1]) / again.effort, best.best, 1e-6 * best.best);
  const GaitOptimum early =
      optimize_gait(system, {0, 0, 0}, values, 0, 1, {.rtol = 1e-10, .atol = 1e-13, .most_work = 1e4});
  EXPECT_NE(early.remark.find("work limit"), std::string::npos) << early.remark;
  EXPECT_GT(early.best, early.start);
}

// Oracle: at what was found the distance per effort has no slope, and it is above that of the start.
TEST(Gait, OptimumIsStationary) {
  const Equations eq = snakeboard();
  const Expr& t = eq.t;
  const Gait gait = fourier_gait({{3, 4}, {0.7 * sin(t), 0.3 * sin(t)}, 0, 2 * kPi, {}}, *eq.model, 1);
  const GaitSystem system(eq, gait, false);
  std::vector<double> values;
  for (const GaitParameter& p : gait.parameters) values.push_back(p.value);
  const GaitOptions options{.rtol = 1e-10, .atol = 1e-13};
  const GaitOptimum best = optimize_gait(system, {0, 0, 0}, values, 0, 1, options);
  ASSERT_TRUE(best.converged) << best.remark;
  EXPECT_GT(best.best, best.start);
  const double distance = std::hypot(best.run.displacement[0], best.run.displacement[1]);
  EXPECT_NEAR(best.best, distance / best.run.effort, 1e-9);
  for (std::size_t k = 0; k < best.values.size(); ++k) {
    constexpr double h = 1e-4;
    double slope = 0;
    for (const double side : {1.0, -1.0}) {
      std::vector<double> near = best.values;
      near[k] += side * h;
      const GaitRun run = system.run({0, 0, 0}, near, options);
      slope += side * std::hypot(run.displacement[0], run.displacement[1]) / run.effort / (2 * h);
    }
    EXPECT_NEAR(slope, 0, 1e-5) << gait.parameters[k].name;
  }
}

}  // namespace
}  // namespace dalembert
