// SPDX-License-Identifier: Apache-2.0
// 07  Eight systems at once: how fast double pendulums that begin a hair's breadth apart part.
//
// LaneKernel compiles the accelerations, and the Runge–Kutta step around them, for eight states in one vector register.
// Small deviations grow like e^(Λt); Λ, the largest Lyapunov exponent, is positive where the motion is chaotic. Held
// against: the energy, which each lane keeps to the error of the method, and integrate() for the lane in front.
#include <dalembert/dalembert.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace dalembert;

int main() {
  Model model("double-pendulum");
  const Coordinate a = model.coordinate("a"), b = model.coordinate("b");  // angles from the vertical, m = l = 1
  const Expr g = model.parameter("g", 9.81), m = model.parameter("m", 1);
  const Vec2 first{sin(a), -cos(a)}, second = first + Vec2{sin(b), -cos(b)};
  model.gravity(Vec2{0, -g});
  model.body("upper", m, first);
  model.body("lower", m, second);

  const Equations equations = derive(model);
  const Dynamics dynamics = compile(equations);
  constexpr int kLanes = 8;
  LaneKernel kernel(dynamics, kLanes);
  fmt::print("eight lanes by {}\n", kernel.machine_code() ? "machine code" : kernel.why_no_machine_code());

  // a, b, a', b'; entry i of lane l at [i · 8 + l]. Lane l begins l · 1e-9 rad further.
  std::vector<double> state(4 * kLanes);
  for (std::size_t l = 0; l < kLanes; ++l) {
    state[l] = 2.0 + 1e-9 * static_cast<double>(l);
    state[kLanes + l] = 2.5;
  }
  const auto energy_of = [&](std::size_t l) {
    return energy(dynamics, {0, {state[l], state[kLanes + l]}, {state[2 * kLanes + l], state[3 * kLanes + l]}}).total;
  };
  const double before = energy_of(0);

  constexpr double h = 1e-3;
  double apart_at_5 = 0, apart_at_15 = 0, lane_0_at_2 = 0;
  for (int second_of_time = 1; second_of_time <= 15; ++second_of_time) {
    kernel.advance(state.data(), 0, h, 1000);
    if (second_of_time == 2) lane_0_at_2 = state[0];
    if (second_of_time == 5) apart_at_5 = std::abs(state[7] - state[0]);
    if (second_of_time == 15) apart_at_15 = std::abs(state[7] - state[0]);
  }
  double drift = 0;
  for (std::size_t l = 0; l < kLanes; ++l) drift = std::max(drift, std::abs(energy_of(l) / before - 1));

  const Path path = simulate(model, {.position = {{a, 2.0}, {b, 2.5}}, .velocity = {{a, 0}, {b, 0}}}, {.until = 2});
  const double difference = std::abs(path.at(2).q(a) - lane_0_at_2);
  const double exponent = std::log(apart_at_15 / apart_at_5) / 10;
  fmt::print("lanes 0 and 7, 7e-9 rad apart at first: {:.1e} rad at 5 s, {:.1e} rad at 15 s, exponent {:.2f} 1/s\n",
             apart_at_5, apart_at_15, exponent);
  fmt::print("energy kept to {:.1e}; lane 0 at 2 s off by {:.1e} rad from an adaptive run\n", drift, difference);
  return drift < 1e-5 && difference < 1e-6 && exponent > 0.5 ? 0 : 1;
}
