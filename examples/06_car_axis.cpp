// SPDX-License-Identifier: Apache-2.0
// 06  A constraint that moves: the car axis, and where its energy comes from.
//
// An axle on two springs; the right wheel follows a wavy road, h(q, t) = 0. A moving constraint does work: with
// a = ∂h/∂t,   dE/dt = F·q̇ − λᵀa − ∂L/∂t.   So energy is not a check here, but this balance is, and every run keeps it.
// Test Set for IVP Solvers, F. Mazzia, C. Magherini, University of Bari 2008, chapter II-8 (car axis problem).
#include <dalembert/dalembert.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

using namespace dalembert;

int main() {
  Model model("car-axis");  // without units, as published
  const Coordinate xl = model.coordinate("xl"), yl = model.coordinate("yl");
  const Coordinate xr = model.coordinate("xr"), yr = model.coordinate("yr");
  const Expr m = model.parameter("m", 5e-4), g = model.parameter("g", 1), k = model.parameter("k", 1);
  const Expr L = model.parameter("L", 1), L0 = model.parameter("L0", 0.5);
  const Expr r = model.parameter("r", 0.1), w = model.parameter("w", 10);

  const Expr yb = r * sin(w * model.t);
  const Vec2 left{xl, yl}, right{xr, yr}, right_road{sqrt(square(L) - square(yb)), yb}, left_road = 0 * right_road;
  model.gravity(Vec2{0, -g});
  model.body("left_mass", m, left);
  model.body("right_mass", m, right);
  model.spring(left_road, left, k, L0);
  model.spring(right_road, right, k, L0);
  model.holonomic("upright", {inner(left, right_road)});
  model.holonomic("axle", {norm2(left - right) - square(L)});

  fmt::print("a[upright] = {}\n", to_text(derive(model).a[0]));
  const Start start{.position = {{xl, 0}, {yl, 0.5}, {xr, 1}, {yr, 0.5}},
                    .velocity = {{xl, -0.5}, {yl, 0}, {xr, -0.5}, {yr, 0}}};
  const Path path = simulate(model, start, {.until = 3, .rtol = 1e-10});
  fmt::print("{}\n", to_text(path.verdict));

  // E(t) − E(0) is the road's work, −∫ λᵀa dt − ∫ ∂L/∂t dt, at every output row.
  const auto [least, most] = std::minmax_element(path.total.begin(), path.total.end());
  fmt::print("E between {:.6f} and {:.6f}; balance off by {:.1e} of the largest\n", *least, *most,
             path.verdict.power_balance_error);
  const Moment end = path.at(3);
  const double error =
      std::max({std::abs(end.q(xl) - 0.0493455784275402809), std::abs(end.q(yl) - 0.496989460230171154),
                std::abs(end.q(xr) - 1.04174252488542152), std::abs(end.q(yr) - 0.373911027265361257)});
  fmt::print("q(3) off by {:.1e} from the published digits\n", error);
  return path.verdict.holds && path.verdict.power_balance_error < 1e-8 && *most - *least > 1e-3 && error < 1e-9 ? 0 : 1;
}
