// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/cross_check.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dalembert/base/numeric.h"
#include "dalembert/integrate/final_error.h"
#include "dalembert/integrate/run.h"

namespace dalembert::integration {
namespace {

// |y − y₂| bounds the error of y when that of y₂ is at most half of it: a tenth is what the tolerance asks for.
constexpr double kFromDifference = 2;
// Newton's iterations, and steps that end where conditions change in both runs alike, leave errors that smaller tolerances
// make no smaller, and two such runs may be near each other: so much more is named then, up to this part of the motion.
constexpr double kFromBoth = 4, kMostOfBoth = 1e-6;
// Two runs agree in a component by chance, hardly in all: none counts as better than this part of the worst (with 0.3 the
// error of one run in 5,000 was 1.05 times what was named, tests/judge/judge_verdicts.py). Of each value the last digits, in
// units of round-off.
constexpr double kByChance = 0.5, kRoundoffOfRuns = 16;
constexpr double kTighter = 0.1, kLeastRtol = 1e-15;
// Where a second run is to decide about a verdict, it must be better by far also at loose tolerances, where errors follow
// them roughly.
constexpr double kMuchTighter = 0.01;
// A hundredth of the tolerances takes 1.8 times the steps of order 8, 2.6 of order 5. Where they are below what round-off leaves of the
// accelerations, as in long chains at rest, steps follow noise, a hundred times as many: nothing that a second run is made for unasked.
constexpr std::int64_t kMostOfFirst = 8, kFewTries = 200;
// Entries of M and W, coordinates and rows, times evaluations.
constexpr double kLittleWork = 3e7;

}  // namespace

bool was_little_work(const Dynamics& dynamics, std::int64_t evaluations) {
  const Layout& layout = dynamics.layout();
  const std::size_t entries = layout.M.row.size() + layout.W.row.size();
  return static_cast<double>(evaluations) * static_cast<double>(entries + index(layout.nv + layout.multipliers())) <=
         kLittleWork;
}

bool cross_check(const Dynamics& dynamics, const State& start, const IntegrateOptions& options, Trajectory& path) {
  const bool unasked = !options.cross_check && path.verdict.error.relative <= kDigitsLost;
  IntegrateOptions again = options;
  again.error_estimate = again.second_run = again.cross_check = again.find_peaks = false;
  again.recorded = {};
  again.take_rows = {};
  again.max_step = 0;
  again.power_balance = false;
  again.output_step = 0;
  // Every row of a cross-check, else the end alone.
  again.output_times = {path.time.back()};
  if (options.cross_check) {
    again.output_times.clear();
    for (double t : path.time)
      if (again.output_times.empty() || t != again.output_times.back()) again.output_times.push_back(t);
  }
  again.until = path.time.back();
  // Also where other things than the tolerances kept steps short.
  for (const StepHistory::Stretch& stretch : path.step_lengths.stretches())
    again.max_step = std::max(again.max_step, stretch.longest / 2);
  if (!options.adaptive) again.initial_step = options.initial_step / 2;
  again.max_steps =
      options.max_steps < std::numeric_limits<std::int64_t>::max() / 16 ? 16 * options.max_steps : options.max_steps;
  if (!options.cross_check)
    again.max_steps = std::min(again.max_steps, kMostOfFirst * (path.steps + path.rejected) + kFewTries);
  // Beside a singular position steps may come to their end for tolerances near round-off, for others not, as the last bits have it: what
  // is said of the run must not hang on those.
  std::vector<double> tighter{1};
  if (options.adaptive && kTighter * options.rtol >= kLeastRtol) {
    tighter = {kTighter};
    const double most = std::max(kMuchTighter, kLeastRtol / options.rtol);
    if (!options.cross_check && most < kTighter) tighter.insert(tighter.begin(), most);
  } else if (options.adaptive) {
    again.method = options.method == Method::kDop853 ? Method::kDopri5 : Method::kDop853;
  }
  Trajectory second;
  for (const double times : tighter) {
    again.rtol = times * options.rtol;
    again.atol = times * options.atol;
    second = run_once(dynamics, start, again);
    if ((second.status == RunStatus::kOk && second.size() > 0) || second.status == RunStatus::kStopped || unasked)
      break;
  }
  Verdict& verdict = path.verdict;
  if (second.status != RunStatus::kOk || second.size() == 0) {
    if (unasked) return false;
    verdict.warnings.push_back(fmt::format("the second run that was to check this one did not reach its end{}{}",
                                           second.reason.empty() ? "" : ": ", second.reason));
    return false;
  }
  const std::size_t n = path.q.size(), last = path.size() - 1;
  std::vector<double> errors(n + path.v.size());
  double relative = 0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const auto& [one, two] =
        i < n ? std::pair(path.q[i][last], second.q[i].back()) : std::pair(path.v[i - n][last], second.v[i - n].back());
    errors[i] = kFromDifference * std::abs(one - two) + kRoundoffOfRuns * kEps * std::abs(one);
    if (may_be_implicit(options.method) || verdict.switches > 0)
      errors[i] += std::min(kFromBoth * std::abs(one - two), kMostOfBoth * verdict.motion[i]);
    if (verdict.motion[i] > 0) relative = std::max(relative, errors[i] / verdict.motion[i]);
  }
  // The worst is told by what was found, where several are taken to be as bad.
  const std::vector<double> differences = errors;
  for (std::size_t i = 0; i < errors.size(); ++i)
    errors[i] = std::max(errors[i], kByChance * relative * verdict.motion[i]);
  FinalError error;
  error.made = true;
  error.method = "cross-check";
  summarize_errors(path.names, n, verdict.motion, errors, differences, error);
  // Along the way, where it was looked at.
  if (options.cross_check) {
    double along = error.largest, relative_along = 0;
    if (n > 0 && verdict.motion[error.worst] > 0) relative_along = error.q[error.worst] / verdict.motion[error.worst];
    for (std::size_t row = 0, k = 0; row < path.size() && k < second.size(); ++row) {
      if (path.time[row] != second.time[k]) ++k;
      if (k == second.size()) break;
      double share = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const double difference = kFromDifference * std::abs(path.q[i][row] - second.q[i][k]);
        along = std::max(along, difference);
        if (verdict.motion[i] > 0) share = std::max(share, difference / verdict.motion[i]);
      }
      relative_along = std::max(relative_along, share);
      if (share > kDigitsLost && !error.lost_at) error.lost_at = path.time[row];
      if (share <= kDigitsLost) error.lost_at.reset();
    }
    error.along = along;
    error.relative_along = relative_along;
  }
  if (error.relative > kDigitsLost && !error.lost_at) error.lost_at = verdict.error.lost_at;
  verdict.error = error;
  return true;
}

}  // namespace dalembert::integration
