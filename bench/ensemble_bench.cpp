// SPDX-License-Identifier: Apache-2.0
// Many systems at once: steps of the classical Runge–Kutta method with a fixed step, on one core unless the name says otherwise. What counts is one
// step of one system.
#include <sched.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "bench/measure.h"
#include "bench/reference/reference.h"
#include "bench/shipped.h"
#include "bench/states.h"
#include "bench/systems.h"
#include "dalembert/compile/compile.h"

namespace dalembert::bench {
namespace {

constexpr int kSystems = 1024, kSteps = 100;
constexpr double kStep = 1e-3;
// Threads are started anew for so many times these steps, as a program would start them for its work.
constexpr int kRoundsOfThreads = 20;

/// Where the systems start: entry i of system j at [i · count + j], positions and then velocities.
std::vector<double> pendulum_start() {
  std::vector<double> state(4 * kSystems);
  for (std::size_t j = 0; j < kSystems; ++j) {
    state[j] = -kPi / 2 + std::sin(0.01 * static_cast<double>(j));
    state[kSystems + j] = -kPi / 2 + std::cos(0.017 * static_cast<double>(j));
  }
  return state;
}

std::vector<double> slider_crank_start() {
  std::vector<double> state(6 * kSystems);
  for (std::size_t j = 0; j < kSystems; ++j) {
    double q[3], v[3];
    slider_crank_state(0.1 + 2 * kPi * static_cast<double>(j) / kSystems, 10, q, v);
    for (std::size_t i = 0; i < 3; ++i) {
      state[i * kSystems + j] = q[i];
      state[(3 + i) * kSystems + j] = v[i];
    }
  }
  return state;
}

// Keeps this thread on a processor, also where the program is kept on another one.
void use_processor(std::size_t number) {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  CPU_SET(number, &processors);
  sched_setaffinity(0, sizeof processors, &processors);
}

Equations equations_of(const std::shared_ptr<Model>& model) { return value_or_abort(derive(model)); }
Equations two_rods() {
  const std::shared_ptr<Model> model = chain(2);
  for (Parameter& parameter : model->parameters)
    if (parameter.name != "g") parameter.value = 1;  // m and l
  return equations_of(model);
}

struct Ensemble {
  std::string row;
  Equations (*equations)();
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

void by_us(benchmark::State& state, const Ensemble& ensemble, int lanes, std::size_t threads = 1) {
  const Equations equations = ensemble.equations();
  std::vector<LaneKernel> kernels;
  for (std::size_t k = 0; k < threads; ++k) kernels.emplace_back(compile(equations), lanes);
  if (!kernels[0].machine_code()) return state.SkipWithError(kernels[0].why_no_machine_code().c_str());
  const std::vector<double> start = ensemble.start();
  std::vector<double> expected = start;
  ensemble.steps(expected.data(), kSystems, kSteps, kStep, 1);
  const auto width = static_cast<std::size_t>(lanes), size = 2 * static_cast<std::size_t>(equations.n());
  // Block b of lanes, entry i, lane l.
  const auto blocks = [&](const std::vector<double>& all) {
    std::vector<double> result(all.size());
    for (std::size_t j = 0; j < kSystems; ++j)
      for (std::size_t i = 0; i < size; ++i) result[(j / width * size + i) * width + j % width] = all[i * kSystems + j];
    return result;
  };
  const std::vector<double> from = blocks(start);
  std::vector<double> systems = from;
  std::atomic<int> refused = 0;
  int rounds = 1;
  const auto advance_share = [&](std::size_t share) {
    const std::size_t end = systems.size() / threads * (share + 1);
    for (int round = 0; round < rounds; ++round)
      for (std::size_t at = systems.size() / threads * share; at < end; at += size * width)
        refused += kernels[share].advance(&systems[at], 0, kStep, kSteps);
  };
  const auto advance = [&] {
    std::vector<std::thread> others;
    for (std::size_t share = 1; share < threads; ++share)
      others.emplace_back([&, share] {
        use_processor(share - 1);  // ./dev bench keeps the program on the last one
        advance_share(share);
      });
    advance_share(0);
    for (std::thread& other : others) other.join();
  };
  advance();
  if (refused != 0) return state.SkipWithError("some systems were refused");
  if (!same_physics(state, difference(systems, blocks(expected)), 1e-11)) return;
  if (threads > 1) rounds = kRoundsOfThreads;
  for (auto _ : state) {
    systems = from;
    advance();
    benchmark::DoNotOptimize(systems.data());
    benchmark::ClobberMemory();
  }
  count_as(state, double{kSystems} * kSteps * rounds);
}

const bool registered = [] {
  static const std::vector<Ensemble> ensembles{
      {"ensemble.double_pendulum", two_rods, pendulum_start, reference::double_pendulum_steps},
      {"ensemble.slider_crank", [] { return derive_shipped("slider-crank"); }, slider_crank_start,
       reference::slider_crank_steps}};
  for (const Ensemble& ensemble : ensembles) {
    const auto hand = [&](const std::string& who, int lanes) {
      measure(ensemble.row, who, [&ensemble, lanes](benchmark::State& state) { by_hand(state, ensemble, lanes); });
    };
    hand("hand", 16);
    hand("hand, 8 lanes", 8);
    hand("hand, 4 lanes", 4);
    hand("hand, one at a time", 1);
    const auto ours = [&](const std::string& who, int lanes) {
      measure(ensemble.row, who, [&ensemble, lanes](benchmark::State& state) { by_us(state, ensemble, lanes); });
    };
    ours("dalembert", 8);
    ours("dalembert, 4 lanes", 4);
    measure(ensemble.row, "dalembert, two threads", [&ensemble](benchmark::State& state) {
      by_us(state, ensemble, 8, 2);
    })->UseRealTime();
  }
  return true;
}();

}  // namespace
}  // namespace dalembert::bench
