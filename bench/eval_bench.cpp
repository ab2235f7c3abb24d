// SPDX-License-Identifier: Apache-2.0
// One evaluation of a kernel by the tape interpreter.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdlib>
#include <tuple>

#include "bench/systems.h"
#include "dalembert/compile/tape_kernel.h"
#include "dalembert/derive/equations.h"

namespace dalembert::bench {
namespace {

void evaluate(benchmark::State& state, const std::shared_ptr<Model>& model, KernelFunction function) {
  const Result<Equations> equations = derive(model);
  if (!equations) std::abort();
  const TapeKernel kernel(*equations);
  const Layout& layout = kernel.layout();
  const auto n = static_cast<std::size_t>(layout.nv);
  std::vector<double> q(n), v(n), qdd(n), lambda(static_cast<std::size_t>(layout.m)), p, work(layout.work),
      u(static_cast<std::size_t>(layout.inputs)), out(output_size(layout, function));
  for (std::size_t i = 0; i < n; ++i) q[i] = std::sin(1 + static_cast<double>(i));
  for (const Parameter& parameter : model->parameters) p.push_back(parameter.value);
  std::vector<double> prepared(layout.prepared);
  kernel.prepare(p.data(), prepared.data());
  for (auto _ : state) {
    q[0] += 1e-9;  // each call sees another state
    kernel.call(function,
                {.q = q.data(),
                 .v = v.data(),
                 .qdd = qdd.data(),
                 .lambda = lambda.data(),
                 .u = u.data(),
                 .p = p.data(),
                 .prepared = prepared.data(),
                 .work = work.data()},
                out.data());
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  const double instructions = static_cast<double>(kernel.tape(function).instructions.size());
  state.counters["instructions"] = instructions;
  state.counters["registers"] = static_cast<double>(kernel.tape(function).registers);
  state.counters["per_instruction"] =
      benchmark::Counter(instructions, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK_CAPTURE(evaluate, slider_crank_rates, slider_crank(), KernelFunction::kRates);
BENCHMARK_CAPTURE(evaluate, slider_crank_terms, slider_crank(), KernelFunction::kTerms);
BENCHMARK_CAPTURE(evaluate, slider_crank_position, slider_crank(), KernelFunction::kPosition);
BENCHMARK_CAPTURE(evaluate, four_bar_rates, four_bar(), KernelFunction::kRates);
BENCHMARK_CAPTURE(evaluate, chain_10_rates, chain(10), KernelFunction::kRates);
BENCHMARK_CAPTURE(evaluate, chain_20_rates, chain(20), KernelFunction::kRates);

}  // namespace
}  // namespace dalembert::bench
