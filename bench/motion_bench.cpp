// SPDX-License-Identifier: Apache-2.0
// Whole runs: from a consistent start to the end, with what they cost and how far from the truth they end.
#include <cmath>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/reference/reference.h"
#include "bench/shipped.h"
#include "bench/states.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/integrate/integrate.h"
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

// How to measure one run, and what is known about its end. Each program gets the loosest of the tolerances
// 10^(-k/4), relative and absolute alike, from which on all tighter ones (to 1e-13) end within `goal`; or `tolerance`.
struct Motion {
  std::string row, model;
  std::vector<std::string> set;  // as behind --set
  double until, tolerance, goal;
  std::size_t coordinate;  // the one whose end is known
  double end;
  std::vector<double> (*start)();  // q, then v
  reference::Dop853Counts (*by_hand)(const reference::Dop853&, Trigonometry, double*, const reference::Dop853Run&);
};

std::vector<double> slider_crank_start() {
  std::vector<double> y(6);
  slider_crank_state(kPi / 4, 10, y.data(), y.data() + 3);
  return y;
}
std::vector<double> andrews_at_rest() {
  std::vector<double> y = andrews_start();
  y.resize(14);
  return y;
}

// Truths: slider-crank by integration in 34 digits; Andrews as in tests/systems (Hairer & Wanner VII.7, recomputed).
std::vector<Motion> motions() {
  const std::vector<std::string> crank{"theta=0.78539816339744830961566", "theta'=10", "g=9.81"};
  constexpr double kBeta = 15.81077119515370896575;
  return {
      {"motion.slider_crank", "slider-crank", crank, 10, 1e-9, 0, 0, 132.93240949566545, slider_crank_start,
       reference::slider_crank_run},
      {"motion.andrews.2e-8", "andrews-squeezer", {}, 0.03, 0, 2e-8, 0, kBeta, andrews_at_rest, reference::andrews_run},
      {"motion.andrews.2e-12",
       "andrews-squeezer",
       {},
       0.03,
       0,
       2e-12,
       0,
       kBeta,
       andrews_at_rest,
       reference::andrews_run}};
}

// error_at(tolerance) makes one run.
template <class Run>
double tolerance_of(const Motion& motion, Run&& error_at) {
  if (motion.tolerance > 0) return motion.tolerance;
  double tolerance = 1e-13;
  for (int k = 51; k >= 16; --k) {
    const double looser = std::pow(10, -k / 4.0);
    if (!(error_at(looser) <= motion.goal)) break;
    tolerance = looser;
  }
  return tolerance;
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
  const Equations equations = derive_shipped(motion.model, motion.set);
  const Dynamics dynamics = compile(equations);
  const InitialState guess = initial_state(*equations.model);
  Assembly assembly =
      assemble(dynamics, guess.state, {.hold_position = guess.hold_position, .hold_velocity = guess.hold_velocity});
  if (!assembly.ok() || !project(dynamics, assembly.state).ok) return state.SkipWithError("no consistent start");
  Trajectory run;
  const auto error_at = [&](double tolerance) {
    const IntegrateOptions options{
        .until = motion.until, .rtol = tolerance, .atol = tolerance, .output_times = {motion.until}};
    run = integrate(dynamics, assembly.state, options);
    return run.status == RunStatus::kOk ? std::abs(run.final_state().q[motion.coordinate] - motion.end) : std::nan("");
  };
  const double tolerance = tolerance_of(motion, error_at);
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
