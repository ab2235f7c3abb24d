// SPDX-License-Identifier: Apache-2.0
// 02  A slider-crank, stated in C++.
//
// Expressions are ordinary values: coordinates and parameters are made by the model, the rest is arithmetic. Three
// coordinates for one freedom, so two equations close the loop, and their multipliers are the forces in the pin.
#include <dalembert/dalembert.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

using namespace dalembert;

int main() {
  Model model("slider-crank");
  const Coordinate theta = model.coordinate("theta", "rad");  // crank
  const Coordinate phi = model.coordinate("phi", "rad");      // rod, from the slider to the crank pin
  const Coordinate x = model.coordinate("x", "m");            // slider
  const Expr g = model.parameter("g", 9.81, "m/s^2");
  const Expr L1 = model.parameter("L1", 0.15, "m"), L2 = model.parameter("L2", 0.35, "m");  // half lengths
  const Expr m1 = model.parameter("m1", 0.36, "kg"), m2 = model.parameter("m2", 0.84, "kg");
  const Expr m3 = model.parameter("m3", 1.2, "kg");
  const Expr I1 = model.parameter("I1", 0.0027, "kg*m^2"), I2 = model.parameter("I2", 0.0343, "kg*m^2");

  const Vec2 C1 = L1 * direction(theta);       // centre of the crank
  const Vec2 A = 2 * L1 * direction(theta);    // crank pin
  const Vec2 C2 = A - L2 * direction(phi);     // centre of the rod
  const Vec2 P = A - 2 * L2 * direction(phi);  // end of the rod
  model.kinetic(m1 / 2 * norm2(dot(C1)) + I1 / 2 * square(dot(theta)) + m2 / 2 * norm2(dot(C2)) +
                I2 / 2 * square(dot(phi)) + m3 / 2 * square(dot(x)));
  model.potential(g * (m1 * C1.y + m2 * C2.y));
  model.holonomic("pin", {P.x - x, P.y});  // rows pin[1] and pin[2]

  const Equations equations = derive(model);
  fmt::print("{}\n", print_equations(equations, {}));

  // Fixed values are kept, guesses are moved until the loop closes: rod and slider follow from the crank.
  const Dynamics dynamics = compile(equations);
  const State start =
      assemble(dynamics, {.fixed = {{theta, std::numbers::pi / 4, 10.0}}, .guess = {{phi, 2.8}, {x, 0.8}}}).state();

  // Accelerations and constraint forces at one instant.
  const NamedSolution now = named(dynamics, solve_kkt(dynamics, start));
  fmt::print("at the start: theta'' = {:.6f} rad/s^2, lambda[pin[1]] = {:.6f} N, rank W = {}\n", now.qdd[theta],
             now.lambda["pin[1]"], now.rank);

  const Trajectory path = integrate(dynamics, start, {.until = 10.0, .rtol = 1e-9});
  fmt::print("{}\n", to_text(path.verdict));

  // The same motion computed in the one coordinate theta, independently: 132.93240949566545 rad after ten seconds.
  const double turned = path.series("theta").back();
  fmt::print("theta(10 s) = {:.8f} rad\n", turned);

  // The slider feels nothing but the pin: row x of M q'' + B + G = Wᵀλ is m3 x'' = −λ[pin[1]].
  const bool newton = std::abs(1.2 * now.qdd[x] + now.lambda["pin[1]"]) < 1e-10;
  return path.verdict.holds && newton && std::abs(turned - 132.93240949566545) < 1e-6 ? 0 : 1;
}
