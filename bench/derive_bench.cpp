// SPDX-License-Identifier: Apache-2.0
// From a model to equations, and from equations to tapes.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <tuple>

#include "bench/systems.h"
#include "dalembert/compile/kernel_expressions.h"
#include "dalembert/compile/tape_kernel.h"
#include "dalembert/derive/equations.h"

namespace dalembert::bench {
namespace {

Equations equations_of(const std::shared_ptr<Model>& model) {
  Result<Equations> result = derive(model);
  if (!result) std::abort();
  return std::move(result).value();
}

// A graph remembers what was derived before, so every round starts from a new model; building it is part of the time.
void derive_system(benchmark::State& state, std::shared_ptr<Model> (*build)()) {
  std::size_t nodes = 0;
  for (auto _ : state) {
    const std::shared_ptr<Model> model = build();
    benchmark::DoNotOptimize(equations_of(model));
    nodes = model->graph->size();
  }
  state.counters["nodes"] = static_cast<double>(nodes);
}
BENCHMARK_CAPTURE(derive_system, slider_crank, slider_crank)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(derive_system, four_bar, four_bar)->Unit(benchmark::kMillisecond);  // < 5 ms

void derive_chain(benchmark::State& state) {
  std::size_t nodes = 0;
  for (auto _ : state) {
    const std::shared_ptr<Model> model = chain(static_cast<int>(state.range(0)));
    benchmark::DoNotOptimize(equations_of(model));
    nodes = model->graph->size();
  }
  state.counters["nodes"] = static_cast<double>(nodes);
}
BENCHMARK(derive_chain)->Arg(5)->Arg(10)->Arg(20)->Unit(benchmark::kMillisecond);  // 20 links: < 200 ms

// The tape of kRates alone.
void tape_of_rates(benchmark::State& state) {
  const std::shared_ptr<Model> model = chain(static_cast<int>(state.range(0)));
  const Equations equations = equations_of(model);
  const std::vector<Expr> rates = kernel_expressions(equations, KernelFunction::kRates);
  Tape tape;
  for (auto _ : state) tape = make_tape(rates);
  state.counters["instructions"] = static_cast<double>(tape.instructions.size());
  state.counters["registers"] = static_cast<double>(tape.registers);
}
BENCHMARK(tape_of_rates)->Arg(5)->Arg(10)->Arg(20)->Unit(benchmark::kMillisecond);  // 3000 instructions: 1 ms

// All eight functions.
void whole_kernel(benchmark::State& state, std::shared_ptr<Model> (*build)()) {
  const std::shared_ptr<Model> model = build();
  const Equations equations = equations_of(model);
  for (auto _ : state) benchmark::DoNotOptimize(TapeKernel(equations));
}
BENCHMARK_CAPTURE(whole_kernel, slider_crank, slider_crank)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whole_kernel, four_bar, four_bar)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dalembert::bench
