// SPDX-License-Identifier: Apache-2.0
// 09  A controller in the loop: a run step by step.
//
// integrate() makes a whole run; a Stepper makes the same steps one at a time. Between them the state can be seen and
// inputs changed: here a torque, computed a thousand times a second, raises a pendulum and holds it upright.
#include <dalembert/dalembert.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace dalembert;

int main() {
  Model model("pendulum");
  const Coordinate theta = model.coordinate("theta", "rad");  // from the downward vertical
  const Expr g = model.parameter("g", 9.81, "m/s^2"), m = model.parameter("m", 2, "kg"),
             l = model.parameter("l", 0.5, "m");
  model.kinetic(m * l * l / 2 * square(dot(theta)));
  model.potential(-m * g * l * cos(theta));
  model.generalized_force(theta, model.input("tau"));  // zero until something else is said

  const Dynamics dynamics = compile(derive(model));
  const State start = assemble(dynamics, {.fixed = {{theta, 0.0, 0.0}}}).state();

  // Gravity and inertia cancelled ("computed torque"), what is left is critically damped: e'' = −2ω e' − ω² e.
  const double omega = 4, sample = 1e-3, up = std::numbers::pi;
  NamedStepper stepper(dynamics, start, {.until = 3.0});
  double farthest = 0, largest = 0;
  for (int k = 0; !stepper.at_end(); ++k) {
    const double q = stepper.q(theta), v = stepper.v(theta);
    const double torque = 2 * 0.25 * (omega * omega * (up - q) - 2 * omega * v) + 2 * 9.81 * 0.5 * std::sin(q);
    if (!stepper.hold_input("tau", torque)) return fmt::print("{}\n", stepper.why_not()), 1;
    if (!stepper.step_to((k + 1) * sample)) return fmt::print("{}\n", stepper.reason()), 1;
    // Without sampling e = π (1 + ωt) exp(−ωt); a torque that is half a sample old on average shifts it by about that.
    const double wt = omega * stepper.time();
    farthest = std::max(farthest, std::abs(up - stepper.q(theta) - up * (1 + wt) * std::exp(-wt)));
    largest = std::max(largest, std::abs(torque));
  }
  const Path path = stepper.finish();
  fmt::print("{}\n", to_text(path.verdict));
  fmt::print("theta(3 s) = {:.6f} rad, largest torque {:.2f} N m, largest deviation from the ideal loop {:.1e} rad\n",
             path[theta].back(), largest, farthest);
  return path.verdict.holds && farthest < 2 * omega * sample * up && std::abs(path[theta].back() - up) < 1e-3 ? 0 : 1;
}
