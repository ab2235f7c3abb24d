// SPDX-License-Identifier: Apache-2.0
// Runs of a study on one core: what counts is one run with its row.
#include <cstdint>
#include <string>

#include "bench/measure.h"
#include "bench/shipped.h"
#include "dalembert/analyze/run_options.h"
#include "dalembert/study/sweep.h"

namespace dalembert::bench {
namespace {

constexpr std::int64_t kRuns = 2000;

void study_of_slider_crank(benchmark::State& state, bool in_lanes) {
  const Model model = value_or_abort(load_model_file(model_path("slider-crank")));
  SimulationSettings settings = model.simulation;
  settings.until = 1;
  IntegrateOptions options = value_or_abort(run_options(settings, model, 0));
  options.rtol = options.atol = 1e-9;
  StudyStatement study;
  study.vary = {{"L1", MappedText::of("0.1:0.2:" + std::to_string(kRuns)), {}}};
  study.measure = {{"x", MappedText::of("final(x)"), {}}};
  const Sweep sweep = value_or_abort(Sweep::prepare(model, study, {}, options));
  Sweep::Worker worker(sweep);
  std::int64_t made = 0;
  const auto make_all = [&] {
    std::int64_t next = 0;
    if (!in_lanes)
      for (; next < kRuns; ++next) made += worker.run(next) ? 1 : 0;
    else
      worker.run_all([&] { return next < kRuns ? next++ : -1; }, [&](StudyRun) { ++made; });
  };
  make_all();  // what runs in lanes need is made while the first runs are made
  for (auto _ : state) make_all();
  benchmark::DoNotOptimize(made);
  count_as(state, static_cast<double>(kRuns));
}

const auto* const kInLanes =
    measure("study.slider_crank", "dalembert", [](benchmark::State& state) { study_of_slider_crank(state, true); })
        -> Unit(benchmark::kMillisecond);
const auto* const kAlone =
    measure("study.slider_crank", "one by one", [](benchmark::State& state) { study_of_slider_crank(state, false); })
        -> Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dalembert::bench
