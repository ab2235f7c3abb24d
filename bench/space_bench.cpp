// SPDX-License-Identifier: Apache-2.0
// Bodies in space, stated as frames: q̈ and λ at states spread over each model's own run.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <vector>

#include "bench/machine.h"
#include "bench/measure.h"
#include "dalembert/compile/compile.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/integrate/integrate.h"

namespace dalembert::bench {
namespace {

constexpr std::size_t kStates = 256;

std::vector<State> states_of(const Equations& equations, double until) {
  const Dynamics dynamics = compile(equations);
  const Assembly start = assemble(dynamics, initial_state(*equations.model), held_values(*equations.model));
  if (!start.ok()) return {};
  const Trajectory run = integrate(dynamics, start.state, {.until = until, .output_step = until / kStates});
  std::vector<State> states;
  for (std::size_t row = 0; row < run.size() && states.size() < kStates; ++row) states.push_back(run.state(row));
  return states;
}

void evaluate(benchmark::State& state, const char* model, double until, bool interpreted) {
  const Equations equations = derive_shipped(model);
  const std::vector<State> states = states_of(equations, until);
  Machine machine(equations, interpreted);
  if (!machine.why_not().empty()) return state.SkipWithError(machine.why_not().c_str());
  std::vector<double> out(machine.outputs());
  for (const State& at : states)
    if (!machine(at.q.data(), at.v.data(), out.data())) return state.SkipWithError("a state was refused");
  if (states.size() < kStates) return state.SkipWithError("the run did not reach its end");
  for (auto _ : state) {
    for (const State& at : states) machine(at.q.data(), at.v.data(), out.data());
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  count_as(state, static_cast<double>(kStates));
  state.counters["instructions"] = static_cast<double>(machine.tape().instructions.size());
}

const bool registered = [] {
  struct Row {
    const char *row, *model;
    double until;
  };
  for (const Row& row : {Row{"ur5.scalar", "ur5", 1}, Row{"whipple_bicycle.scalar", "whipple-bicycle", 5}}) {
    measure(row.row, "dalembert", [=](benchmark::State& state) { evaluate(state, row.model, row.until, false); });
    measure(row.row, "dalembert, interpreter",
            [=](benchmark::State& state) { evaluate(state, row.model, row.until, true); });
  }
  return true;
}();

}  // namespace
}  // namespace dalembert::bench
