// SPDX-License-Identifier: Apache-2.0
// Derivatives of runs by two quantities: of the slider-crank of an example of IDAS, a functional of its run and its gradient (cases §30), and of shipped
// models beside the same run without derivatives.
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/measure.h"
#include "bench/shipped.h"
#include "dalembert/compile/compile.h"
#include "dalembert/dynamics/linearization.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/study/system_at.h"
#include "tests/oracles/idas_slider_crank.h"

namespace dalembert::bench {
namespace {

// A model with code for everything that a run calls, and the derivatives of its start.
struct Differentiated {
  Differentiated(Model model, IntegrateOptions asked, const std::vector<std::string>& names)
      : system(value_or_abort(build_model(std::make_shared<const Model>(std::move(model))))),
        start(assemble_start(system.equations, system.dynamics).state),
        options(std::move(asked)) {
    for (const std::string& name : names) options.tangents.push_back({.name = name});
    if (!find_tangents(system, options).empty()) std::abort();
    system.dynamics.kernel().expect_many_calls();
    if (options.derivatives != nullptr) options.derivatives->note_calls(1'000'000, 0);
  }
  Trajectory run() const { return integrate(system.dynamics, start, options); }

  BuiltModel system;
  State start;
  IntegrateOptions options;
};

void measure_run(benchmark::State& state, const Differentiated& model) {
  Trajectory path;
  for (auto _ : state) {
    path = model.run();
    benchmark::DoNotOptimize(path.q.data());
  }
  if (path.status != RunStatus::kOk) return state.SkipWithError(path.reason.c_str());
  count_as(state, 1);
  state.counters["steps"] = static_cast<double>(path.steps);
}

// The derivatives by k and c, which dop853 and radau find alike at rtol 1e-13 to 14 digits; cases §30 has nine of them.
constexpr double kByK = 0.333448106128437, kByC = -0.363754033970951;
constexpr double kTolerance = 3e-11;

void functional(benchmark::State& state) {
  const Model model = value_or_abort(load_model(make_source("idas", oracles::idas_slider_crank()), {}));
  const Differentiated ours(
      model, {.until = 10, .rtol = kTolerance, .atol = kTolerance, .output_times = {10}, .error_estimate = false},
      {"k", "c"});
  measure_run(state, ours);
  const Trajectory run = ours.run();
  const auto error = [&](const char* name, double exact) { return std::abs(run.series(name).back() - exact); };
  state.counters["error"] = std::max(error("sens/k/output/G", kByK), error("sens/c/output/G", kByC));
}

struct Shipped {
  std::string model;
  std::vector<std::string> names;
  double until;
};

void shipped(benchmark::State& state, const Shipped& one, std::size_t quantities) {
  const std::vector<std::string> names(one.names.begin(), one.names.begin() + static_cast<std::ptrdiff_t>(quantities));
  measure_run(state, {value_or_abort(load_model_file(model_path(one.model), {})), {.until = one.until}, names});
}

const bool registered = [] {
  measure("gradient.idas_slider_crank", "dalembert", functional);
  static const std::vector<Shipped> list{{"slider-crank", {"L1", "m1"}, 10},
                                         {"four-bar", {"l1", "g"}, 10},
                                         {"rolling-disk", {"r", "g"}, 10},
                                         {"spatial-slider-crank", {"r", "g"}, 10}};
  for (const Shipped& one : list)
    for (const std::size_t quantities : {std::size_t{0}, std::size_t{1}, std::size_t{2}})
      measure("gradient." + one.model,
              quantities == 0   ? std::string("plain run")
              : quantities == 1 ? std::string("one quantity")
                                : std::string("dalembert"),
              [&one, quantities](benchmark::State& state) { shipped(state, one, quantities); });
  return true;
}();

}  // namespace
}  // namespace dalembert::bench
