// SPDX-License-Identifier: Apache-2.0
// 03  What a multiplier says.
//
// The equations are M q̈ + B + G = F + Wᵀλ with W = ∂h/∂q: λ is the force along growing h, in J per unit of h. So the
// same rod, written in three ways, has three multipliers and one tension:
//
//     h = r − L           λ in newtons, λ = −tension (it pulls towards smaller r)
//     h = L − r           λ = +tension
//     h = (r² − L²)/2     λ in N/m,     λ = −tension/L
#include <dalembert/dalembert.h>
#include <fmt/format.h>

#include <cmath>
#include <functional>

using namespace dalembert;

constexpr double kMass = 0.5, kLength = 0.8, kGravity = 9.81;

// λ of a pendulum at its lowest point, passing with the angular velocity w, for h(r, L).
double multiplier(const std::function<Expr(const Expr& r, const Expr& L)>& h, double w) {
  Model model("pendulum");
  const Coordinate x = model.coordinate("x", "m"), y = model.coordinate("y", "m");
  const Expr m = model.parameter("m", kMass, "kg"), L = model.parameter("L", kLength, "m");
  const Expr g = model.parameter("g", kGravity, "m/s^2");
  const Vec2 bob{x, y};
  model.gravity(Vec2{0, -g});
  model.body("bob", m, bob);
  model.holonomic("rod", {h(sqrt(norm2(bob)), L)});

  const Dynamics dynamics = compile(derive(model));
  const State start = assemble(dynamics, {.fixed = {{x, 0, w * kLength}, {y, -kLength, 0}}}).state();
  const NamedSolution now = named(dynamics, solve_kkt(dynamics, start));
  fmt::print("  w = {} rad/s: lambda[rod] = {:+.6f} {}\n", w, now.lambda["rod"], dynamics.names().lambda_units[0]);
  return now.lambda["rod"];
}

int main() {
  bool right = true;
  const auto expect = [&](double value, double exact) { right = right && std::abs(value - exact) < 1e-12; };

  for (const double w : {0.0, 2.0}) {
    const double tension = kMass * (kGravity + kLength * w * w);  // weight, and what bends the path
    fmt::print("tension {:.6f} N\n", tension);
    expect(multiplier([](const Expr& r, const Expr& L) { return r - L; }, w), -tension);
    expect(multiplier([](const Expr& r, const Expr& L) { return L - r; }, w), +tension);
    expect(multiplier([](const Expr& r, const Expr& L) { return (square(r) - square(L)) / 2; }, w), -tension / kLength);
  }
  return right ? 0 : 1;
}
