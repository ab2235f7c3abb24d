// SPDX-License-Identifier: Apache-2.0
// Many systems at once: steps of the classical Runge–Kutta method with a fixed step, on one core. What counts is one
// step of one system.
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/reference/reference.h"
#include "bench/states.h"

namespace dalembert::bench {
namespace {

constexpr int kSystems = 1024, kSteps = 100;
constexpr double kStep = 1e-3;

/// Where the systems start: entry i of system j at [i · count + j], positions and then velocities.
std::vector<double> pendulum_start() {
  std::vector<double> state(4 * kSystems);
  for (std::size_t j = 0; j < kSystems; ++j) {
    state[j] = -std::numbers::pi / 2 + std::sin(0.01 * static_cast<double>(j));
    state[kSystems + j] = -std::numbers::pi / 2 + std::cos(0.017 * static_cast<double>(j));
  }
  return state;
}

std::vector<double> slider_crank_start() {
  std::vector<double> state(6 * kSystems);
  for (std::size_t j = 0; j < kSystems; ++j) {
    double q[3], v[3];
    slider_crank_state(0.1 + 2 * std::numbers::pi * static_cast<double>(j) / kSystems, 10, q, v);
    for (std::size_t i = 0; i < 3; ++i) {
      state[i * kSystems + j] = q[i];
      state[(3 + i) * kSystems + j] = v[i];
    }
  }
  return state;
}

struct Ensemble {
  std::string row;
  std::vector<double> (*start)();
  void (*steps)(double* state, int count, int steps, double h, int lanes);
};

void by_hand(benchmark::State& state, const Ensemble& ensemble, int lanes) {
  const std::vector<double> start = ensemble.start();
  std::vector<double> expected = start, systems = start;
  ensemble.steps(expected.data(), kSystems, kSteps, kStep, 1);
  ensemble.steps(systems.data(), kSystems, kSteps, kStep, lanes);
  if (!same_physics(state, difference(systems, expected), 1e-11)) return;
  for (auto _ : state) {
    systems = start;
    ensemble.steps(systems.data(), kSystems, kSteps, kStep, lanes);
    benchmark::DoNotOptimize(systems.data());
    benchmark::ClobberMemory();
  }
  count_as(state, double{kSystems} * kSteps);
}

const bool registered = [] {
  static const std::vector<Ensemble> ensembles{
      {"ensemble.double_pendulum", pendulum_start, reference::double_pendulum_steps},
      {"ensemble.slider_crank", slider_crank_start, reference::slider_crank_steps}};
  for (const Ensemble& ensemble : ensembles) {
    const auto hand = [&](const std::string& who, int lanes) {
      measure(ensemble.row, who, [&ensemble, lanes](benchmark::State& state) { by_hand(state, ensemble, lanes); });
    };
    hand("hand", 16);
    hand("hand, 8 lanes", 8);
    hand("hand, one at a time", 1);
  }
  return true;
}();

}  // namespace
}  // namespace dalembert::bench
