// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/fit/fit_runs.h"
#if !defined(__wasi__)  // WebAssembly has neither threads nor Ceres Solver here

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/study/threads.h"

namespace dalembert::fitting {
namespace {

constexpr double kTightest = 1e-14;  // of rtol

// The times of rows that a run is asked for: those of the samples on the clock of the model, each once.
std::vector<double> times_of(const FitData& data, double offset) {
  std::vector<double> times;
  for (const double t : data.time)
    if (times.empty() || t + offset > times.back()) times.push_back(t + offset);
  return times;
}

// For each time of the file the row of the run at that time, the last one where there are two.
std::vector<std::size_t> rows_of(const FitData& data, double offset, const Trajectory& run) {
  std::vector<std::size_t> rows;
  std::size_t row = 0;
  for (const double t : data.time) {
    while (row + 1 < run.size() && run.time[row + 1] <= t + offset) ++row;
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

FitRuns::FitRuns(const BuiltModel& system, const Unknowns& unknowns, const std::vector<FitData>& data,
                 const std::vector<SampleSeries>& series, std::vector<int> measured, std::vector<int> rates,
                 const IntegrateOptions& options)
    : unknowns_(unknowns),
      data_(data),
      series_(series),
      measured_(std::move(measured)),
      rates_(std::move(rates)),
      options_(options) {
  for (const SampleSeries& one : series) samples_ += one.rows.size();
  systems_.emplace_back(system, unknowns.quantities);
  systems_.front().compile_derivatives();
}

void FitRuns::use_threads(int threads) {
  const int count = threads_for(threads, static_cast<std::int64_t>(data_.size()));
  systems_.reserve(static_cast<std::size_t>(count));
  while (systems_.size() < static_cast<std::size_t>(count)) systems_.push_back(systems_.front());
}

Evaluation FitRuns::evaluate(const std::vector<double>& x, const RunKind& kind, const std::function<bool()>& keep_on) {
  Evaluation made;
  made.values.resize(samples_);
  if (kind.derivatives) made.jacobian.assign(samples_ * unknowns_.all.size(), 0.0);
  if (kind.judged) made.runs.resize(data_.size());
  std::vector<std::string> why(data_.size());
  // Files are taken in order, so those before one that fails are all made: the first failure does not depend on the threads.
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false, stopped = false;
  const auto make = [&](ChangingSystem& system, const std::function<bool()>& on) {
    for (std::size_t file = next++; file < data_.size() && !failed; file = next++) {
      why[file] = evaluate_file(system, file, x, kind, on, made);
      if (!why[file].empty()) failed = true;
    }
  };
  const auto look = [&] {
    if (!keep_on()) stopped = true;
    return !stopped;
  };
  Threads others(static_cast<int>(systems_.size()) - 1, [&](int thread, const std::atomic<bool>&) {
    make(systems_[static_cast<std::size_t>(thread) + 1], [&] { return !stopped; });
  });
  make(systems_.front(), look);
  others.wait(look, std::chrono::milliseconds(4));
  const auto first = std::ranges::find_if(why, [](const std::string& one) { return !one.empty(); });
  made.ok = first == why.end() && !stopped;
  made.why = stopped ? "interrupted" : made.ok ? "" : *first;
  runs_ += std::min<std::int64_t>(first - why.begin() + 1, static_cast<std::int64_t>(data_.size()));
  return made;
}

std::vector<double> FitRuns::sizes_at(const std::vector<double>& values) const {
  std::vector<double> sizes;
  for (std::size_t q = 0; q < values.size(); ++q) {
    const auto first = static_cast<std::size_t>(unknowns_.of(static_cast<int>(q), 0));
    sizes.push_back(std::max(std::abs(values[q]), unknowns_.all[first].scale));
  }
  return sizes;
}

std::string FitRuns::evaluate_file(ChangingSystem& system, std::size_t file, const std::vector<double>& x,
                                   const RunKind& kind, const std::function<bool()>& keep_on, Evaluation& made) const {
  const FitData& data = data_[file];
  const double offset = unknowns_.offset_of(x, static_cast<int>(file));
  const std::vector<double> values = unknowns_.quantities_of(x, static_cast<int>(file));
  system.set(values);
  const double begin = system.model().initial.t;
  IntegrateOptions options = options_;
  options.output_times = times_of(data, offset);
  if (options.output_times.front() < begin)
    return fmt::format("the sample at {} s is before the start of the run, at {} s",
                       to_text(options.output_times.front(), 9), to_text(begin, 9));
  options.until = options.output_times.back();
  options.rtol = std::max(options.rtol * kind.tighter, std::min(options.rtol, kTightest));
  options.atol *= options.rtol / options_.rtol;
  options.error_estimate = options.power_balance = kind.judged;
  options.progress = [&](const RunPoint&) { return keep_on(); };
  if (!keep_on()) return "interrupted";
  // Before the run: speeds may grow without limit, and then it takes long.
  if (std::string doubt = system.doubt(); !doubt.empty()) return doubt;
  Trajectory run = system.run(std::move(options), kind.derivatives ? sizes_at(values) : std::vector<double>{});
  if (run.status == RunStatus::kStopped) return "interrupted";
  if (run.status == RunStatus::kFailed) return run.reason.empty() ? "the run failed" : run.reason;
  std::string why = read_run(file, run, x, kind.derivatives, made);
  if (kind.judged) made.runs[file] = std::move(run);
  return why;
}

std::string FitRuns::read_run(std::size_t file, const Trajectory& run, const std::vector<double>& x, bool derivatives,
                              Evaluation& made) const {
  const FitData& data = data_[file];
  const double offset = unknowns_.offset_of(x, static_cast<int>(file));
  if (run.size() == 0) return "the run has no rows";
  if (run.ended_by_event() && run.time.back() < data.time.back() + offset)
    return fmt::format("{} ended the run before the last sample", run.events.back().name);
  const std::vector<std::size_t> rows = rows_of(data, offset, run);
  std::vector<std::size_t> places;  // of each quantity, among the unknowns
  for (std::size_t q = 0; derivatives && q < unknowns_.quantities.size(); ++q)
    places.push_back(static_cast<std::size_t>(unknowns_.of(static_cast<int>(q), static_cast<int>(file))));
  std::size_t sample = 0;
  for (const SampleSeries& one : series_) {
    const auto output = static_cast<std::size_t>(measured_[one.column]);
    for (std::size_t k = 0; k < one.rows.size(); ++k, ++sample) {
      if (one.file != file) continue;
      const std::size_t row = rows[one.rows[k]];
      made.values[sample] = run.outputs[output][row];
      if (!std::isfinite(made.values[sample]))
        return fmt::format("what is measured has no value at t = {} s", to_text(run.time[row], 6));
      if (!derivatives) continue;
      double* by = made.jacobian.data() + sample * unknowns_.all.size();
      differentiate(file, places, run, row, one.column, by);
      if (!std::all_of(by, by + unknowns_.all.size(), [](double d) { return std::isfinite(d); }))
        return run.verdict.warnings.empty() ? "derivatives of the run are unknown" : run.verdict.warnings.back();
    }
  }
  return "";
}

void FitRuns::differentiate(std::size_t file, const std::vector<std::size_t>& places, const Trajectory& run,
                            std::size_t row, std::size_t column, double* by) const {
  for (std::size_t q = 0; q < places.size(); ++q)
    by[places[q]] = run.sensitivities[q].outputs[static_cast<std::size_t>(measured_[column])][row];
  if (const int k = unknowns_.of(-1, static_cast<int>(file)); k >= 0)
    by[k] = run.outputs[static_cast<std::size_t>(rates_[column])][row];
}

}  // namespace dalembert::fitting

#endif
