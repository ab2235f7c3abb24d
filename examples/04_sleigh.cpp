// SPDX-License-Identifier: Apache-2.0
// 04  A nonholonomic constraint: Chaplygin's sleigh.
//
// A body slides on ice on a blade that cannot skid. No position is forbidden, only a direction of motion: the
// constraint is on velocities and has no position level. The blade's force does no work, so the energy stays; yet the
// sleigh forgets how it started and ends running straight ahead with its centre of mass in front. With forward speed u
// and yaw rate w:   u' = b w²,   w' = −m b u w/(I + m b²),   λ = m I u w/(I + m b²).
#include <dalembert/dalembert.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

using namespace dalembert;

constexpr double kMass = 1.3, kInertia = 0.7, kB = 0.4;

int main() {
  Model model("chaplygin-sleigh");
  const Coordinate x = model.coordinate("x", "m"), y = model.coordinate("y", "m");
  const Coordinate theta = model.coordinate("theta", "rad");
  const Expr m = model.parameter("m", kMass, "kg"), I = model.parameter("I", kInertia, "kg*m^2");
  const Expr b = model.parameter("b", kB, "m");

  // Never put the constraint into T before differentiating: that gives other, wrong equations.
  const Vec2 C{x, y};
  const Vec2 blade = C - b * direction(theta);
  model.body("sleigh", m, I, C, theta);
  model.pfaffian("knife", {inner(dot(blade), normal(theta))});
  model.output("u", inner(dot(C), direction(theta)));

  // Forward 0.3 m/s, turning with 1.7 rad/s: the knife finds the sideways velocity that belongs to it.
  const Dynamics dynamics = compile(derive(model));
  const State start = assemble(dynamics, {.fixed = {{x, 0.4, 0.3}, {y, 0.0}, {theta, 0.0, 1.7}}}).state();
  const Trajectory path = integrate(dynamics, start, {.until = 10, .rtol = 1e-10, .output_step = 0.1});
  fmt::print("{}\n", to_text(path.verdict));

  const auto u = path.series("output/u"), w = path.series("theta'"), force = path.series("lambda/knife");
  const auto energy = path.series("energy/total");
  double wrong_force = 0, lost_energy = 0;
  for (std::size_t k = 0; k < path.size(); ++k) {
    const double exact = kMass * kInertia / (kInertia + kMass * kB * kB) * u[k] * w[k];
    wrong_force = std::max(wrong_force, std::abs(force[k] - exact));
    lost_energy = std::max(lost_energy, std::abs(energy[k] - energy[0]) / energy[0]);
  }
  // All of the energy is in the forward motion in the end; u grew without any force in that direction.
  fmt::print("u: {:.4f} -> {:.4f} m/s, w: {:.4f} -> {:.1e} rad/s\n", u.front(), u.back(), w.front(), w.back());
  fmt::print("blade force off by {:.1e} N, energy by {:.1e}\n", wrong_force, lost_energy);
  const double straight = std::sqrt(2 * energy[0] / kMass);
  return path.verdict.holds && wrong_force < 1e-12 && lost_energy < 1e-8 && std::abs(u.back() - straight) < 1e-6 ? 0
                                                                                                                 : 1;
}
