// SPDX-License-Identifier: Apache-2.0
// Stiff runs: a hanging chain whose joints are damped so strongly that stability sets the steps of explicit methods, by
// each method to rtol 1e-6; and what implicit steps of long chains cost. "difference" is that of the last joint angle to
// a run at rtol 1e-11.
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/started.h"
#include "dalembert/integrate/integrate.h"

namespace dalembert::bench {
namespace {

void damped_chain(benchmark::State& state, Method method) {
  const std::optional<Started> chain = started("n-link-chain", {"N=20", "c=10 N*m*s"});
  if (!chain) return state.SkipWithError("no consistent start");
  const Trajectory exact =
      integrate(chain->dynamics, chain->start, {.until = 0.1, .rtol = 1e-11, .atol = 1e-13, .method = Method::kRadau});
  Trajectory path;
  for (auto _ : state) {
    path = integrate(chain->dynamics, chain->start,
                     {.until = 0.1, .rtol = 1e-6, .atol = 1e-9, .method = method, .output_times = {0.1}});
    benchmark::DoNotOptimize(path.q.data());
  }
  if (path.status != RunStatus::kOk) return state.SkipWithError(path.reason.c_str());
  count_as(state, 1);
  state.counters["steps"] = static_cast<double>(path.steps);
  state.counters["difference"] = std::abs(path.q.back().back() - exact.q.back().back());
}

void long_chain(benchmark::State& state, int links) {
  const std::optional<Started> chain = started("n-link-chain-maximal", {"N=" + std::to_string(links)});
  if (!chain) return state.SkipWithError("no consistent start");
  Trajectory path;
  for (auto _ : state) {
    path = integrate(chain->dynamics, chain->start,
                     {.until = 0.05, .rtol = 1e-6, .atol = 1e-9, .method = Method::kRadau, .output_times = {0.05}});
    benchmark::DoNotOptimize(path.q.data());
  }
  if (path.status != RunStatus::kOk) return state.SkipWithError(path.reason.c_str());
  // Seconds of a link in a step.
  count_as(state, static_cast<double>(path.steps) * static_cast<double>(links));
}

const bool registered = [] {
  for (const Method method : {Method::kDop853, Method::kRadau, Method::kAuto})
    measure("stiff.damped_chain", method == Method::kRadau ? "dalembert" : std::string(to_text(method)),
            [method](benchmark::State& state) { damped_chain(state, method); });
  for (const int links : {10, 100, 1000})
    measure("stiff.maximal_chain." + std::to_string(links), "dalembert",
            [links](benchmark::State& state) { long_chain(state, links); });
  return true;
}();

}  // namespace
}  // namespace dalembert::bench
