// SPDX-License-Identifier: Apache-2.0
// What is doubtful about the times of measurements, though a fit takes them.
#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/study/fit.h"

namespace dalembert {
namespace {

// A sample is far beyond those before it if the data last so many times as long with it.
constexpr double kFarBeyond = 100;

Span place_of(const FitData& file, std::size_t row) {
  if (!file.source || row >= file.places.size()) return {};
  return {file.source, file.places[row], file.places[row] + 1};
}

// A run goes on to the last sample, so that one time with a wrong exponent makes it long.
void doubt_far_samples(const FitData& file, Diagnostics& doubts) {
  const std::vector<double>& time = file.time;
  for (std::size_t row = 1; row < time.size(); ++row) {
    const double before = time[row - 1] - time.front(), now = time[row] - time.front();
    if (!(before > 0) || !(now >= kFarBeyond * before)) continue;
    const std::size_t beyond = time.size() - row;
    Diagnostic doubt =
        warning("W0431",
                fmt::format("{} of `{}` {} far beyond the others: from {} s on, and those before it end at {} s",
                            beyond == 1 ? "a sample" : fmt::format("{} samples", beyond), file.name,
                            beyond == 1 ? "is" : "are", to_text(time[row], 9), to_text(time[row - 1], 9)),
                place_of(file, row));
    doubt.notes.push_back(fmt::format("each run goes on to {} s, the last sample", to_text(time.back(), 9)));
    doubt.help.emplace_back("if this time is wrong, mend it or leave its line out");
    doubts.push_back(std::move(doubt));
    return;
  }
}

// Measurements may be repeated; a line that was copied twice by mistake counts twice.
void doubt_repeated_times(const FitData& file, Diagnostics& doubts) {
  std::size_t repeated = 0, first = 0;
  for (std::size_t row = 1; row < file.time.size(); ++row) {
    if (file.time[row] != file.time[row - 1]) continue;
    if (repeated == 0) first = row;
    repeated += row < 2 || file.time[row - 2] != file.time[row] ? 1 : 0;
  }
  if (repeated == 0) return;
  Diagnostic doubt = warning(
      "W0432",
      fmt::format("`{}` has {} more than once, first {} s: each sample counts as a measurement of its own", file.name,
                  repeated == 1 ? "a time" : fmt::format("{} times", repeated), to_text(file.time[first], 9)),
      place_of(file, first));
  doubts.push_back(std::move(doubt));
}

}  // namespace

Diagnostics doubts_of_data(const std::vector<FitData>& data) {
  Diagnostics doubts;
  for (const FitData& file : data) {
    doubt_far_samples(file, doubts);
    doubt_repeated_times(file, doubts);
  }
  return doubts;
}

}  // namespace dalembert
