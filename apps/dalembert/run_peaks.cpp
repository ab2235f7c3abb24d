// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/run_peaks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "apps/dalembert/layout.h"
#include "dalembert/dynamics/output_names.h"
#include "dalembert/figure/rich_text.h"
#include "dalembert/report/multipliers.h"
#include "dalembert/store/json_parts.h"

namespace dalembert::app {
namespace {

constexpr std::size_t kWidth = 110;  // columns
constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// What it is and on which body, without which way is positive: `derive` tells that.
std::string short_meaning(const std::string& words) { return words.substr(0, words.find(';')); }

std::string at_or_empty(const std::vector<std::string>& list, std::size_t i) { return i < list.size() ? list[i] : ""; }

}  // namespace

void RunPeaks::add(const Trajectory& run) {
  const auto groups = {&run.lambda, &run.friction, &run.outputs};
  if (extremes_.empty()) extremes_.resize(run.lambda.size() + run.friction.size() + run.outputs.size());
  for (; seen_ < run.rows_of_run(); ++seen_) {
    const std::size_t row = seen_ == 0 ? 0 : seen_ - run.forgotten;
    std::size_t at = 0;
    for (const auto* group : groups)
      for (const std::vector<double>& series : *group) {
        Extremes& extremes = extremes_[at++];
        const double value = series[row];
        if (!std::isfinite(value)) continue;
        if (!extremes.any || value < extremes.min) {
          extremes.min = value;
          extremes.t_min = run.time[row];
        }
        if (!extremes.any || value > extremes.max) {
          extremes.max = value;
          extremes.t_max = run.time[row];
        }
        extremes.any = true;
      }
  }
}

std::vector<RunPeaks::Line> RunPeaks::lines(const Trajectory& run) const {
  const Names& names = run.names;
  std::vector<Line> lines;
  for (std::size_t i = 0; i < extremes_.size(); ++i) {
    if (!extremes_[i].any) continue;
    std::size_t k = i;
    Line line{{}, {}, extremes_[i], kNone};
    if (k < run.lambda.size()) {
      const bool driven = k >= names.constraint_rows();
      line.name = fmt::format("{}/{}", driven ? "F" : "lambda", at_or_empty(names.rows, k));
      line.unit = at_or_empty(names.lambda_units, k);
      if (!driven) line.row = k;
    } else if ((k -= run.lambda.size()) < run.friction.size()) {
      line.name = "friction/" + at_or_empty(names.frictions, k);
      line.unit = at_or_empty(names.friction_units, k);
    } else {
      k -= run.friction.size();
      // Velocities with names of their own are kept among the outputs.
      if (is_series_name(at_or_empty(names.outputs, k))) continue;
      line.name = "output/" + at_or_empty(names.outputs, k);
      line.unit = at_or_empty(names.output_units, k);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

Json RunPeaks::json(const Trajectory& run) const {
  Json peaks = Json::object();
  for (const Line& line : lines(run))
    peaks.append(line.name, {{"min", line.extremes.min},
                             {"t_min", line.extremes.t_min},
                             {"max", line.extremes.max},
                             {"t_max", line.extremes.t_max},
                             {"unit", text_or_null(line.unit)}});
  return peaks;
}

std::string RunPeaks::text(const Trajectory& run, const Equations& equations, std::size_t limit) const {
  const std::vector<Line> all = lines(run);
  if (all.empty()) return {};
  const std::vector<MultiplierMeaning> meanings = explain_multipliers(equations);
  const std::size_t shown = all.size() <= limit + 1 ? all.size() : limit;
  Table table;
  table.add({"peaks", "smallest", "at", "largest", "at", "unit"});
  for (std::size_t i = 0; i < shown; ++i) {
    const Extremes& extremes = all[i].extremes;
    table.add({shortened(all[i].name, 40), shown_number(extremes.min, 5), shown_number(extremes.t_min, 4) + " s",
               shown_number(extremes.max, 5), shown_number(extremes.t_max, 4) + " s", all[i].unit});
  }
  // The meanings behind it, as far as there is room; a row without a unit ends before its last column.
  std::istringstream rows(table.text());
  std::vector<std::string> written;
  std::size_t widest = 0;
  for (std::string row; std::getline(rows, row); written.push_back(row)) widest = std::max(widest, row.size());
  std::string text;
  for (std::size_t i = 0; i < written.size(); ++i) {
    text += written[i];
    const std::size_t row = i == 0 ? kNone : all[i - 1].row;
    if (row < meanings.size() && widest + 24 < kWidth)
      text += std::string(widest - written[i].size() + 2, ' ') +
              shortened(short_meaning(meanings[row].words), kWidth - widest - 2);
    text += "\n";
  }
  if (shown < all.size()) text += fmt::format("  … and {} more: --json has them all\n", all.size() - shown);
  return text;
}

}  // namespace dalembert::app
