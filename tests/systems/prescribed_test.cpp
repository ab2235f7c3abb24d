// SPDX-License-Identifier: Apache-2.0
// Coordinates that follow a function of time, and the force that they take.
#include <array>
#include <cmath>
#include <memory>
#include <numbers>

#include <gtest/gtest.h>

#include "dalembert/compile/compile.h"
#include "dalembert/derive/equation_of_motion.h"
#include "dalembert/derive/equations.h"
#include "dalembert/derive/reduce.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/modelfile/load.h"

namespace dalembert {
namespace {

struct Made {
  std::shared_ptr<const Model> model;
  Equations equations;
  Dynamics dynamics;
};

Made made(Model model) {
  auto shared = std::make_shared<const Model>(std::move(model));
  auto derived = derive(shared);
  EXPECT_TRUE(derived) << render(derived.diagnostics());
  Equations equations = std::move(derived).value();
  Dynamics dynamics = compile(equations);
  return {std::move(shared), std::move(equations), std::move(dynamics)};
}

Assembly start_of(const Made& system) {
  return assemble(system.dynamics, initial_state(*system.model), held_values(*system.model));
}

Trajectory run(const Made& system, double until, double step) {
  const Assembly start = start_of(system);
  EXPECT_TRUE(start.ok());
  return integrate(system.dynamics, start.state, {.until = until, .rtol = 1e-11, .atol = 1e-13, .output_step = step});
}

enum class Drive { kPrescribed, kForce };

// A bob of mass M on a rod of length L below a cart of mass m. The cart is prescribed, or a force drives it.
Model cart(Drive drive) {
  Model model("cart");
  const Coordinate x = model.coordinate("x", "m"), theta = model.coordinate("theta", "rad");
  const Expr m = model.parameter("m", 1.5, "kg"), M = model.parameter("M", 0.4, "kg"),
             L = model.parameter("L", 0.7, "m"), g = model.parameter("g", 9.81, "m/s^2");
  const Expr bx = x.q + L * sin(theta.q), by = -L * cos(theta.q);
  model.kinetic(m / 2 * square(x.qd) + M / 2 * (square(model.dot(bx)) + square(model.dot(by))));
  model.potential(M * g * by);
  const Expr t = model.t;
  if (drive == Drive::kPrescribed) {
    model.prescribe(x, model.constant(Rational(1, 5)) * sin(3 * t));
    model.output("power", model.actuation("x") * x.qd);
  } else {
    model.generalized_force(x, model.spline_input("F"));
  }
  model.initial.position_guess.push_back({1, 0.3, {}});
  return model;
}

// Oracle: Newton for the cart and the bob by hand: F = (m + M) ẍ + M L (θ̈ cos θ − θ̇² sin θ), θ̈ = −(g sin θ + ẍ cos θ)/L.
TEST(Prescribed, ForceOnACartUnderAPendulum) {
  const Made system = made(cart(Drive::kPrescribed));
  EXPECT_FALSE(system.equations.conservative);
  EXPECT_EQ(system.equations.m(), 0);
  const Assembly start = start_of(system);
  ASSERT_TRUE(start.ok());
  EXPECT_EQ(start.state.q[0], 0);
  EXPECT_NEAR(start.state.v[0], 0.6, 1e-15);
  EXPECT_EQ(start.state.v[1], 0);  // nothing else moves for it
  const Trajectory path = run(system, 4, 0.05);
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_TRUE(path.verdict.holds);
  EXPECT_EQ(path.verdict.rows, 0);
  const auto F = path.series("F/x"), power = path.series("output/power"), rate = path.series("v/x");
  ASSERT_EQ(F.size(), path.size());
  for (std::size_t r = 0; r < path.size(); ++r) {
    const double t = path.time[r], a = -1.8 * std::sin(3 * t), theta = path.q[1][r], w = path.v[1][r];
    EXPECT_NEAR(path.q[0][r], 0.2 * std::sin(3 * t), 1e-14);
    const double alpha = -(9.81 * std::sin(theta) + a * std::cos(theta)) / 0.7;
    const double force = 1.9 * a + 0.4 * 0.7 * (alpha * std::cos(theta) - w * w * std::sin(theta));
    EXPECT_NEAR(F[r], force, 1e-12);
    EXPECT_NEAR(power[r], F[r] * rate[r], 1e-12);
  }
  for (const Trajectory::Column& column : path.columns()) EXPECT_NE(column.name, "lambda/x");
}

// Oracle: the definition. The force that was found, as samples 0.001 s apart (a cubic spline through them is off by
// h⁴/384 F⁗ ≈ 2e-13), drives the free system along the same motion.
TEST(Prescribed, TheForceFoundGivesTheSameMotion) {
  const Trajectory path = run(made(cart(Drive::kPrescribed)), 4, 0.001);
  const auto F = path.series("F/x");
  Model model = cart(Drive::kForce);
  model.set_samples("F", path.time, {F.begin(), F.end()});
  model.initial.velocity.push_back({0, 0.6, {}});
  const Trajectory driven = run(made(std::move(model)), 4, 0.5);
  ASSERT_EQ(driven.status, RunStatus::kOk) << driven.reason;
  for (std::size_t r = 0; r < driven.size(); ++r) {
    EXPECT_NEAR(driven.q[0][r], 0.2 * std::sin(3 * driven.time[r]), 1e-9);
    EXPECT_NEAR(driven.q[1][r], path.q[1][r * 500], 1e-9);
  }
}

// Oracle: the closed form against the KKT solve at a state, an independent way.
TEST(Prescribed, ClosedFormIsWhatTheSolveGives) {
  const Made system = made(cart(Drive::kPrescribed));
  const auto form = solve_closed_form(system.equations);
  ASSERT_TRUE(form);
  ASSERT_EQ(form->actuation.size(), 1u);
  const double t = 0.4;
  const State state{t, {0.2 * std::sin(3 * t), 0.7}, {0.6 * std::cos(3 * t), -1.1}};
  const KktSolution solution = solve_kkt(system.dynamics, state);
  const auto value_of = [&](SymbolId s) {
    const Symbol& symbol = form->graph->symbol_info(s);
    const auto i = static_cast<std::size_t>(symbol.index);
    switch (symbol.kind) {
      case SymbolKind::kCoordinate:
        return state.q[i];
      case SymbolKind::kVelocity:
        return state.v[i];
      case SymbolKind::kAcceleration:
        return -1.8 * std::sin(3 * t);
      default:
        return system.model->parameters[i].value;
    }
  };
  EXPECT_NEAR(evaluate(form->qdd[1], value_of), solution.qdd[1], 1e-13);
  EXPECT_NEAR(evaluate(form->actuation[0], value_of), solution.lambda[0], 1e-13);
}

// Oracle: the same motion by a holonomic row with the same function, the older way of saying it.
TEST(Prescribed, SamplesFollowTheSpline) {
  std::vector<double> time, value;
  for (int k = 0; k <= 80; ++k) {
    time.push_back(0.05 * k);
    value.push_back(0.2 * std::sin(3 * time.back()));
  }
  Model by_samples = cart(Drive::kPrescribed);
  const Coordinate x = by_samples.coordinates[0];
  by_samples.prescribed.clear();
  by_samples.outputs.clear();
  Model by_row("row");
  {
    const Coordinate rx = by_row.coordinate("x", "m"), theta = by_row.coordinate("theta", "rad");
    const Expr m = by_row.parameter("m", 1.5, "kg"), M = by_row.parameter("M", 0.4, "kg"),
               L = by_row.parameter("L", 0.7, "m"), g = by_row.parameter("g", 9.81, "m/s^2");
    const Expr bx = rx.q + L * sin(theta.q), by = -L * cos(theta.q);
    by_row.kinetic(m / 2 * square(rx.qd) + M / 2 * (square(by_row.dot(bx)) + square(by_row.dot(by))));
    by_row.potential(M * g * by);
    by_row.holonomic("drive", {rx.q - by_row.spline_input("f")});
    by_row.set_samples("f", time, value);
    by_row.initial.position_guess.push_back({1, 0.3, {}});
    by_row.initial.velocity.push_back({1, 0.0, {}});
  }
  by_samples.prescribe(x, time, value);
  const Trajectory a = run(made(std::move(by_samples)), 3.5, 0.5), b = run(made(std::move(by_row)), 3.5, 0.5);
  ASSERT_EQ(a.status, RunStatus::kOk) << a.reason;
  ASSERT_EQ(a.size(), b.size());
  const auto F = a.series("F/x"), lambda = b.series("lambda/drive");
  for (std::size_t r = 0; r < a.size(); ++r) {
    EXPECT_NEAR(a.q[1][r], b.q[1][r], 1e-9);
    EXPECT_NEAR(F[r], lambda[r], 1e-8);
  }
}

// Oracle: two equal times are no function.
TEST(Prescribed, SamplesAtEqualTimesAreRefused) {
  Model model = cart(Drive::kForce);
  model.prescribe(model.coordinates[0], {0, 1, 1, 2}, {0, 1, 2, 3});
  ASSERT_TRUE(has_errors(model.diagnostics()));
  EXPECT_EQ(model.diagnostics().front().code, "E0504");
}

TEST(Prescribed, TwiceIsRefused) {
  Model model = cart(Drive::kPrescribed);
  model.prescribe(model.coordinates[0], sin(model.t));
  ASSERT_TRUE(has_errors(model.diagnostics()));
  EXPECT_EQ(model.diagnostics().front().code, "E0008");
}

// By hand: what is written, its slope on both sides of where a condition changes, and where that is; the cart starts at 0 and
// runs to 6 s. A kink of the velocity is a jump of the actuation alone.
TEST(Prescribed, WhatJumpsIsRefusedWhereItJumps) {
  struct Case {
    std::string text, message;  // empty: it is fine
  };
  const Case cases[] = {
      {"if(t < 1, 0, 0.5)", "the prescribed `x` jumps at t = 1 s, from 0 to 0.5"},
      {"sign(t - 2)", "the prescribed `x` jumps at t = 2 s, from -1 to 1"},
      {"floor(t + 0.5)/10", "the prescribed `x` jumps at t = 0.5 s, from 0 to 0.1"},
      {"2*abs(sin(t))", "the velocity of the prescribed `x` jumps at t = 3.1415927 s, from -2 to 2"},
      {"max(0, t - 1)", "the velocity of the prescribed `x` jumps at t = 1 s, from 0 to 1"},
      {"if(t < 5, t, 5 - t) + if(t < 3, t, 2*t - 3)",
       "the velocity of the prescribed `x` jumps at t = 3 s, from 2 to 3"},
      {"abs(t + 1)", ""},
      {"abs(t - 20)", ""},  // after its end
      {"max(0, t - 1)^2", ""},
      {"abs(sin(t))^3", ""},
      {"if(t < 1, t, 1 + (t - 1) + (t - 1)^3)", ""},
      {"min(t, 9)", ""},
  };
  for (const Case& c : cases) {
    const Result<Model> model = load_model(make_source("cart",
                                                       "coordinates = [\"x\"]\n[parameters]\nm = 1\n[energy]\n"
                                                       "kinetic = \"m/2*x'^2\"\n[prescribed]\nx = \"" +
                                                           c.text + "\"\n[simulation]\nuntil = 6\n"));
    ASSERT_TRUE(model.ok()) << render(model.diagnostics());
    const Result<Equations> equations = derive(std::make_shared<const Model>(*model));
    EXPECT_EQ(equations.ok(), c.message.empty()) << c.text;
    if (c.message.empty() || equations.ok()) continue;
    EXPECT_EQ(equations.diagnostics().front().code, "E0323");
    EXPECT_EQ(equations.diagnostics().front().message, c.message);
  }
}

// Oracle: theory §6, equation (6.2): the actuation is in the equation of its coordinate and in no other.
TEST(Prescribed, ActuationIsInItsEquation) {
  const Made system = made(cart(Drive::kPrescribed));
  const Equations eq = on_overlay(system.equations);
  EXPECT_TRUE(actuation_of(eq, 0));
  EXPECT_FALSE(actuation_of(eq, 1));
  EXPECT_NE(to_text(equation_of_motion(eq, 0)).find("actuation(x)"), std::string::npos);
  EXPECT_EQ(to_text(equation_of_motion(eq, 1)).find("actuation(x)"), std::string::npos);
}

// The cause of first steps of no length is named where the numbers of an input cannot be squared.
TEST(Inputs, TooLargeForTheFirstStepAreNamed) {
  Model model("pushed");
  const Coordinate x = model.coordinate("x");
  model.kinetic(square(x.qd) / 2);
  model.generalized_force(x, model.input("small") + model.input("f"));
  model.set_samples("small", {0, 3}, {0, 1});
  model.set_samples("f", {0, 1, 3}, {0, 1e308, 1e308});
  const Trajectory path = run(made(std::move(model)), 3, 1);
  EXPECT_EQ(path.status, RunStatus::kFailed);
  EXPECT_NE(path.reason.find("the input `f` is 0 there and changes by 1e+308 in a second"), std::string::npos)
      << path.reason;
}

}  // namespace
}  // namespace dalembert
