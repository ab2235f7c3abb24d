// SPDX-License-Identifier: Apache-2.0
// Toys and vehicles that wheels and a driven shape move: kinematic and mixed systems.
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/algebra/rational_form.h"
#include "dalembert/derive/local_connection.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"
#include "dalembert/integrate/integrate.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

Trajectory run(const System& system, double until, double step) {
  return integrate(system.dynamics, system.start(),
                   {.until = until, .rtol = 1e-11, .atol = 1e-13, .output_step = step});
}

// Oracle: the recursion for trailers hitched at the axles, by hand: v_i = v_(i−1) cos(θ_(i−1) − θ_i),
// θ_i' = v_(i−1) sin(θ_(i−1) − θ_i)/d, θ_0' = v tan φ/l; integrated here by classical Runge–Kutta with step h, error h⁴.
TEST(RidingToys, TrailersFollowTheRecursion) {
  for (const int trailers : {1, 5}) {
    const System system = shipped("trailer", {"N=" + std::to_string(trailers)});
    const Equations eq = on_overlay(system.equations);
    const std::vector<int> actuated = eq.model->actuated();
    ASSERT_EQ(actuated.size(), 2u);
    EXPECT_EQ(eq.m(), eq.n() - 2);  // kinematic
    const auto form = build_kinematic(eq, actuated, 2000);
    ASSERT_TRUE(form);
    const auto count = static_cast<std::size_t>(trailers) + 3;
    const auto slope = [&](double t, const std::vector<double>& y) {
      std::vector<double> rate(count);
      const double phi = 0.3 * std::sin(t / 2);
      double v = 2;
      rate[0] = v * std::cos(y[2]);
      rate[1] = v * std::sin(y[2]);
      rate[2] = v * std::tan(phi) / 2.5;
      for (std::size_t i = 3; i < count; ++i) {
        rate[i] = v * std::sin(y[i - 1] - y[i]) / 4;
        v *= std::cos(y[i - 1] - y[i]);
      }
      return rate;
    };
    std::vector<double> y(count);
    constexpr double h = 1e-3;
    for (int k = 0; k < 8000; ++k) {
      const double t = k * h;
      const auto shifted = [&](const std::vector<double>& by, double factor) {
        std::vector<double> z = y;
        for (std::size_t i = 0; i < count; ++i) z[i] += factor * by[i];
        return z;
      };
      const auto a = slope(t, y), b = slope(t + h / 2, shifted(a, h / 2)), c = slope(t + h / 2, shifted(b, h / 2)),
                 d = slope(t + h, shifted(c, h));
      for (std::size_t i = 0; i < count; ++i) y[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
    }
    const Trajectory path = run(system, 8, 8);
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_TRUE(path.verdict.holds);
    for (std::size_t i = 0; i < count; ++i) EXPECT_NEAR(path.q[i].back(), y[i], 1e-9) << path.names.coordinates[i];
    // The formulas say the same rates.
    const auto rates = slope(8, y);
    for (std::size_t i = 0; i < count; ++i)
      EXPECT_NEAR(evaluate(form->qdot[i],
                           [&](SymbolId s) {
                             const Symbol& symbol = eq.graph->symbol_info(s);
                             const auto k = static_cast<std::size_t>(symbol.index);
                             if (symbol.kind == SymbolKind::kParameter) return eq.model->parameters[k].value;
                             return symbol.kind == SymbolKind::kCoordinate ? path.q[k].back() : path.v[k].back();
                           }),
                  rates[i], 1e-8);
  }
}

// Oracle: the run of the whole dynamics. Along it the momentum, as it is defined, changes at the rate that the momentum
// equation says (differences over 2h: error h²/6 p''' ≈ 1e-6 of p), and ξ = −A q̇_a + B p holds at each point.
TEST(RidingToys, MomentumEquationHoldsAlongTheMotion) {
  for (const char* name : {"twistcar", "roller-racer", "snakeboard"}) {
    const System system = shipped(name);
    const Equations eq = on_overlay(system.equations);
    const auto form = build_local_connection(eq, eq.model->actuated(), 2000);
    if (!form && !has_rational_forms()) continue;  // without FLINT the roller racer's is too long
    ASSERT_TRUE(form) << name;
    ASSERT_EQ(form->p.size(), 1u);
    EXPECT_TRUE(form->rest[0].is_zero());
    constexpr double h = 1e-3;
    const Trajectory path = run(system, 3, h);
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_TRUE(path.verdict.holds) << name;
    const auto body = [&](std::size_t row) {
      const double theta = path.q[2][row], c = std::cos(theta), s = std::sin(theta);
      return std::array{c * path.v[0][row] + s * path.v[1][row], c * path.v[1][row] - s * path.v[0][row],
                        path.v[2][row]};
    };
    const auto at_row = [&](const Expr& e, std::size_t row, double p) {
      const auto xi = body(row);
      return evaluate(e, [&](SymbolId s) {
        const Symbol& symbol = eq.graph->symbol_info(s);
        const auto k = static_cast<std::size_t>(symbol.index);
        if (s == form->p[0].symbol()) return p;
        for (std::size_t i = 0; i < 3; ++i)
          if (s == form->xi[i].symbol()) return xi[i];
        if (symbol.kind == SymbolKind::kParameter) return eq.model->parameters[k].value;
        return symbol.kind == SymbolKind::kCoordinate ? path.q[k][row] : path.v[k][row];
      });
    };
    double largest = 0;
    for (std::size_t row = 200; row + 200 < path.size(); row += 200) {
      const double p = at_row(form->momentum[0], row, 0);
      const double rate = (at_row(form->momentum[0], row + 1, 0) - at_row(form->momentum[0], row - 1, 0)) / (2 * h);
      largest = std::max({largest, std::abs(p), std::abs(rate)});
      EXPECT_NEAR(at_row(form->pdot[0], row, p), rate, 1e-4 * std::max(largest, 0.01))
          << name << " at " << path.time[row];
      for (std::size_t i = 0; i < 3; ++i) {
        double xi = at_row(form->B[i][0], row, p) * p;
        for (std::size_t j = 0; j < form->parts.actuated.size(); ++j)
          xi -= at_row(form->A[i][j], row, p) * path.v[static_cast<std::size_t>(form->parts.actuated[j])][row];
        EXPECT_NEAR(xi, body(row)[i], 1e-9) << name;
      }
    }
    EXPECT_GT(largest, 1e-3) << name;  // it moved
  }
}

// Truth: cases §22, Ostrowski et al.: where J + Jr + 2 Jw = m l², the momentum p obeys ṗ = Jr ψ̇ φ̇ cos φ, so it is the integral
// of that (Simpson, 2,000 parts), and constant where the wheels are not turned; and with the board's velocity along itself u,
// the one across is 0 and u sin φ = l θ̇ cos φ.
TEST(RidingToys, TheSnakeboardsMomentumObeysItsLaw) {
  const std::vector<std::string> parameters{"m=4 kg", "l=0.2 m", "Jr=0.02 kg*m^2", "Jw=0.003 kg*m^2", "J=0.134 kg*m^2"};
  const auto law = [](double t) { return 0.02 * 0.7 * std::cos(t) * 0.3 * std::cos(t) * std::cos(0.3 * std::sin(t)); };
  const System system = shipped("snakeboard", parameters);
  const Trajectory path = run(system, 6, 1);
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  const std::span<const double> momentum = path.series("momentum");
  for (std::size_t row = 0; row < path.size(); ++row) {
    const double t = path.time[row], h = t / 2000;
    double integral = 0;
    for (int k = 0; k < 1000; ++k)
      integral += h / 3 * (law(2 * k * h) + 4 * law((2 * k + 1) * h) + law((2 * k + 2) * h));
    EXPECT_NEAR(momentum[row] - momentum[0], integral, 1e-11);
    const double c = std::cos(path.q[2][row]), s = std::sin(path.q[2][row]), phi = 0.3 * std::sin(t);
    const double along = c * path.v[0][row] + s * path.v[1][row];
    EXPECT_NEAR(c * path.v[1][row] - s * path.v[0][row], 0, 1e-13);
    EXPECT_NEAR(along * std::sin(phi), 0.2 * path.v[2][row] * std::cos(phi), 1e-13);
  }
  EXPECT_GT(momentum.back() - momentum[0], 0.01);
  const System held = modified("snakeboard", {{"phi = \"0.3*sin(t)\"", "phi = \"0.3\""}}, parameters);
  const Trajectory still = run(held, 6, 1);
  ASSERT_EQ(still.status, RunStatus::kOk) << still.reason;
  for (const double p : still.series("momentum")) EXPECT_NEAR(p, still.series("momentum")[0], 1e-12);
  EXPECT_GT(std::abs(still.q[0].back()), 1e-3) << "it moves";
}

}  // namespace
}  // namespace dalembert
