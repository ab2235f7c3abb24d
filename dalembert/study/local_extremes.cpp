// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/local_extremes.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "dalembert/base/numeric.h"

namespace dalembert {
namespace {

// Rows in a step, and at least in the run.
constexpr std::size_t kRowsInStep = 4, kRowsInRun = 64;
// Rows about an extreme are this fraction of the step away from it.
constexpr double kNear = 0.02;
constexpr double kNoJump = 1e-12;  // of the value: two sides of a change are one up to round-off
constexpr double kSameRow = 256;   // units of round-off of the length of the run

struct Place {
  double t = 0, near = 0;          // near: the distance of the rows beside it
  std::optional<std::size_t> row;  // of an extreme that is at a row of the first run
};

// Where in (0, 1) the rate of the cubic polynomial with these values and slopes, per step, at its ends becomes 0 from above.
double zero_of_rate(double from, double to, double slope, double end_slope) {
  const double a = 3 * (slope + end_slope) - 6 * (to - from), b = 6 * (to - from) - 4 * slope - 2 * end_slope;
  const double root = b * b - 4 * a * slope;
  double at = slope / (slope - end_slope);
  if (root >= 0) {
    const double q = -(b + std::copysign(std::sqrt(root), b)) / 2;
    for (const double zero : {a != 0 ? q / a : -1, q != 0 ? slope / q : -1})
      if (zero >= 0 && zero <= 1 && 2 * a * zero + b <= 0) at = zero;
  }
  return std::clamp(at, 0.0, 1.0);
}

std::vector<Place> find_places(const Trajectory& run, const Sought& sought) {
  std::vector<Place> places;
  const std::vector<double>&values = run.outputs[sought.output], &rates = run.output_rates[sought.output];
  const double ahead = run.time.size() > 1 && run.time.back() < run.time.front() ? -1 : 1;
  // The sign with which the extremes are greatest ones, and rates are along the run.
  const double sign = sought.greatest ? 1 : -1;
  for (std::size_t r = 0; r < run.size(); ++r) {
    const bool begins = r == 0 || run.time[r - 1] == run.time[r];
    const bool ends = r + 1 == run.size() || run.time[r + 1] == run.time[r];
    const double rate = sign * ahead * rates[r];
    // Where nothing jumps between the two rows of a change, a value that rises or falls on both sides has no extreme.
    const auto goes_on = [&](std::size_t other) {
      const double beyond = sign * ahead * rates[other];
      return run.time[other] == run.time[r] && std::abs(values[other] - values[r]) <= kNoJump * std::abs(values[r]) &&
             ((rate > 0 && beyond > 0) || (rate < 0 && beyond < 0));
    };
    const bool passes = (begins && r > 0 && goes_on(r - 1)) || (ends && r + 1 < run.size() && goes_on(r + 1));
    if (!passes && ((begins && rate <= 0) || (ends && rate >= 0))) places.push_back({run.time[r], 0, r});
    if (ends) continue;
    const double length = std::abs(run.time[r + 1] - run.time[r]), next = sign * ahead * rates[r + 1];
    if (!(rate >= 0 && next < 0) || (begins && rate == 0)) continue;
    const double at = zero_of_rate(sign * values[r], sign * values[r + 1], length * rate, length * next);
    // The rows beside it stay in the step.
    const double near = kNear * length, t = std::clamp(at * length, near, length - near);
    places.push_back({run.time[r] + ahead * t, near, {}});
  }
  return places;
}

std::optional<std::size_t> row_near(const Trajectory& run, double t) {
  const double same = kSameRow * kEps * std::max(std::abs(run.time.front()), std::abs(run.time.back()));
  for (std::size_t r = 0; r < run.size(); ++r)
    if (std::abs(run.time[r] - t) <= same) return r;
  return std::nullopt;
}

// Of an extreme at a row of the first run, which is at the start, at the end, or beside a jump, whose instant moves.
std::optional<LocalExtreme> at_row(const Trajectory& run, std::size_t row, const Sought& sought) {
  LocalExtreme found{run.time[row], run.outputs[sought.output][row], {}};
  const bool last = row + 1 == run.size() && run.ended_by_event();
  const auto change = last ? run.changes.end() : std::ranges::find(run.changes, run.time[row], &RunChange::t);
  for (std::size_t k = 0; k < run.sensitivities.size(); ++k) {
    double by = run.sensitivities[k].outputs[sought.output][row];
    if (change != run.changes.end()) {
      if (change->sensitivity.empty()) return std::nullopt;
      by += run.output_rates[sought.output][row] * change->sensitivity[k];
    }
    if (!std::isfinite(by)) return std::nullopt;
    found.by.push_back(by);
  }
  return found;
}

// Of an extreme within a step: parabolas through three rows about it.
std::optional<LocalExtreme> within(const Trajectory& run, const Place& place, const Sought& sought) {
  const auto before = row_near(run, place.t - place.near), at = row_near(run, place.t),
             after = row_near(run, place.t + place.near);
  if (!before || !at || !after) return std::nullopt;
  const std::vector<double>& rates = run.output_rates[sought.output];
  const double bend = (rates[*after] - rates[*before]) / 2;
  const double shift = bend != 0 ? std::clamp(-rates[*at] / bend, -1.0, 1.0) : 0;
  LocalExtreme found{place.t + shift * place.near,
                     run.outputs[sought.output][*at] + shift * place.near * (rates[*at] + shift * bend / 2),
                     {}};
  for (const Sensitivity& by : run.sensitivities) {
    const std::vector<double>& values = by.outputs[sought.output];
    const double slope = (values[*after] - values[*before]) / 2,
                 curve = values[*after] - 2 * values[*at] + values[*before];
    found.by.push_back(values[*at] + shift * (slope + shift * curve / 2));
    if (!std::isfinite(found.by.back())) return std::nullopt;
  }
  return found;
}

}  // namespace

void ask_fine_rows(const Trajectory& plain, IntegrateOptions& options) {
  options.find_peaks = false;
  options.output_rates = true;
  options.output_step = 0;
  const std::size_t steps = std::max<std::size_t>(plain.size(), 2) - 1;
  const std::size_t parts = std::max(kRowsInStep, (kRowsInRun + steps - 1) / steps);
  std::vector<double>& times = options.output_times;
  times.clear();
  for (std::size_t r = 0; r + 1 < plain.size(); ++r)
    for (std::size_t k = 0; k < parts && plain.time[r] != plain.time[r + 1]; ++k)
      times.push_back(plain.time[r] +
                      static_cast<double>(k) / static_cast<double>(parts) * (plain.time[r + 1] - plain.time[r]));
  times.push_back(options.until);
  times.erase(std::unique(times.begin(), times.end()), times.end());
}

void ask_local_extremes(const Trajectory& steps, std::span<const Sought> sought, IntegrateOptions& options) {
  options.find_peaks = false;
  options.output_rates = true;
  options.output_step = 0;
  std::vector<double>& times = options.output_times;
  times = {options.until};
  for (const Sought& one : sought)
    for (const Place& place : find_places(steps, one))
      if (!place.row)
        for (const double t : {place.t - place.near, place.t, place.t + place.near}) times.push_back(t);
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  if (steps.time.size() > 1 && steps.time.back() < steps.time.front()) std::ranges::reverse(times);
}

std::vector<LocalExtreme> local_extremes(const Trajectory& steps, const Trajectory& second, const Sought& sought) {
  std::vector<LocalExtreme> all;
  if (second.time.empty()) return all;
  for (const Place& place : find_places(steps, sought))
    if (std::optional<LocalExtreme> found =
            place.row ? at_row(steps, *place.row, sought) : within(second, place, sought))
      all.push_back(*std::move(found));
  return all;
}

}  // namespace dalembert
