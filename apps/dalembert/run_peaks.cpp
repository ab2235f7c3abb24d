// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/run_peaks.h"

#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "apps/dalembert/layout.h"
#include "dalembert/figure/rich_text.h"
#include "dalembert/report/equations_text.h"

namespace dalembert::app {
namespace {

constexpr std::size_t kPeakColumns = 110;  // width of the table, columns

// What the force is and on which body it acts, without its sign convention, which `derive` explains.
std::string short_meaning(const std::string& words) { return words.substr(0, words.find(';')); }

}  // namespace

std::string peaks_text(const Trajectory& run, const Equations& equations, std::size_t limit) {
  const std::vector<PeakLine> all = peak_lines(run);
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
  // Append the meanings if there is room. Rows without a unit are shorter, so they are padded first.
  std::istringstream rows(table.text());
  std::vector<std::string> written;
  std::size_t widest = 0;
  for (std::string row; std::getline(rows, row); written.push_back(row)) widest = std::max(widest, row.size());
  std::string text;
  for (std::size_t i = 0; i < written.size(); ++i) {
    text += written[i];
    const std::size_t row = i == 0 ? PeakLine::kNoRow : all[i - 1].row;
    if (row < meanings.size() && widest + 24 < kPeakColumns) {
      const std::string turns = std::isnan(all[i - 1].extremes.t_turn) ? "" : "changes its sign: ";
      text += std::string(widest - written[i].size() + 2, ' ') +
              shortened(turns + short_meaning(meanings[row].words), kPeakColumns - widest - 2);
    }
    text += "\n";
  }
  if (shown < all.size()) text += fmt::format("  … and {} more: --json has them all\n", all.size() - shown);
  return text;
}

}  // namespace dalembert::app
