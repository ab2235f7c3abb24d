// SPDX-License-Identifier: Apache-2.0
// Whole runs: from a consistent start to the end, with what they cost and how far from the truth they end.
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/motions.h"
#include "bench/reference/reference.h"
#include "bench/started.h"
#include "bench/states.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/integrate/method.h"
#include "dalembert/integrate/runge_kutta.h"

namespace dalembert::bench {
namespace {

using reference::Trigonometry;

reference::Dop853 coefficients() {
  const Tableau& tableau = dormand_prince_853();
  reference::Dop853 method{};
  for (std::size_t i = 0; i < 12; ++i) {
    method.c[i] = tableau.c[i];
    std::copy(tableau.a[i].begin(), tableau.a[i].end(), method.a[i]);
    method.b[i] = tableau.b[i];
    method.e[i] = tableau.e[i];
    method.e_low[i] = tableau.e_low[i];
  }
  return method;
}

void by_hand(benchmark::State& state, const Motion& motion, Trigonometry trigonometry) {
  const reference::Dop853 method = coefficients();
  const std::vector<double> start = motion.start();
  std::vector<double> y;
  reference::Dop853Counts counts;
  const auto run = [&](double tolerance) {
    y = start;
    counts = motion.by_hand(method, trigonometry, y.data(), {motion.until, tolerance, tolerance});
    return std::abs(y[motion.coordinate] - motion.end);
  };
  const double tolerance = tolerance_of(motion, run);
  if (!(tolerance > 0)) return state.SkipWithError("no tolerance reaches the error");
  for (auto _ : state) {
    run(tolerance);
    benchmark::DoNotOptimize(y.data());
    benchmark::ClobberMemory();
  }
  count_as(state, 1);
  state.counters["tolerance"] = tolerance;
  state.counters["steps"] = static_cast<double>(counts.steps);
  state.counters["evaluations"] = static_cast<double>(counts.evaluations);
  state.counters["error"] = std::abs(y[motion.coordinate] - motion.end);
}

void by_us(benchmark::State& state, const Motion& motion) {
  const std::optional<Started> system = started(motion.model, motion.set);
  if (!system) return state.SkipWithError("no consistent start");
  Trajectory run;
  const auto error_at = [&](double tolerance) {
    const IntegrateOptions options{
        .until = motion.until, .rtol = tolerance, .atol = tolerance, .output_times = {motion.until}};
    run = integrate(system->dynamics, system->start, options);
    return run.status == RunStatus::kOk ? std::abs(run.final_state().q[motion.coordinate] - motion.end) : std::nan("");
  };
  const double tolerance = tolerance_of(motion, error_at);
  if (!(tolerance > 0)) return state.SkipWithError("no tolerance reaches the error");
  for (auto _ : state) {
    error_at(tolerance);
    benchmark::DoNotOptimize(run.q.data());
  }
  if (run.status != RunStatus::kOk) return state.SkipWithError(run.reason.c_str());
  count_as(state, 1);
  state.counters["tolerance"] = tolerance;
  state.counters["steps"] = static_cast<double>(run.steps);
  state.counters["evaluations"] = static_cast<double>(run.evaluations);
  state.counters["error"] = std::abs(run.final_state().q[motion.coordinate] - motion.end);
  state.counters["position_residual"] = run.verdict.max_position_residual;
  state.counters["velocity_residual"] = run.verdict.max_velocity_residual;
}

const bool registered = [] {
  static const std::vector<Motion> list = motions();
  for (const Motion& motion : list) {
    measure(motion.row, "hand",
            [&motion](benchmark::State& state) { by_hand(state, motion, Trigonometry::kPolynomial); });
    measure(motion.row, "hand, libm",
            [&motion](benchmark::State& state) { by_hand(state, motion, Trigonometry::kLibrary); });
    measure(motion.row, "dalembert", [&motion](benchmark::State& state) { by_us(state, motion); });
  }
  return true;
}();

}  // namespace
}  // namespace dalembert::bench
