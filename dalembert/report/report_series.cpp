// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/report_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dalembert/expr/print.h"
#include "dalembert/report/equation_layout.h"
#include "dalembert/report/equations_text.h"
#include "dalembert/report/packed_numbers.h"
#include "dalembert/report/run_peaks.h"

namespace dalembert {
namespace {

constexpr std::size_t kMostColumns = 400;
constexpr std::size_t kFewestStretches = 100, kMostStretches = 2'000;

// Rows of the smallest and the largest finite value among rows [from, to); `to` if there is none.
std::pair<std::size_t, std::size_t> extremes(const std::vector<double>& values, std::size_t from, std::size_t to) {
  std::size_t low = to, high = to;
  for (std::size_t row = from; row < to; ++row) {
    if (!std::isfinite(values[row])) continue;
    if (low == to || values[row] < values[low]) low = row;
    if (high == to || values[row] > values[high]) high = row;
  }
  return {low, high};
}

// Divides the rows of a run into stretches if it is too long to be kept as it is.
struct Stretches {
  // Number of rows, and of stretches into which they are divided; 0: all rows are kept.
  std::size_t rows = 0, count = 0;
  std::size_t begin(std::size_t i) const { return rows * i / count; }

  std::vector<double> values(const std::vector<double>& of) const {
    if (count == 0) return of;
    std::vector<double> kept;
    for (std::size_t i = 0; i < count; ++i) {
      const auto [low, high] = extremes(of, begin(i), begin(i + 1));
      const double nothing = std::numeric_limits<double>::quiet_NaN();
      const bool any = low < begin(i + 1);
      kept.insert(kept.end(), {any ? of[std::min(low, high)] : nothing, any ? of[std::max(low, high)] : nothing});
    }
    return kept;
  }
  std::vector<double> times(const std::vector<double>& of) const {
    if (count == 0) return of;
    std::vector<double> kept;
    for (std::size_t i = 0; i < count; ++i) kept.insert(kept.end(), {of[begin(i)], of[begin(i + 1) - 1]});
    return kept;
  }
};

std::string word(std::string_view text) { return "\\text{" + latex_prose(text) + "}"; }

}  // namespace

std::string series_latex(const std::string& series, const Equations& equations) {
  const std::size_t slash = series.find('/');
  const std::string group = series.substr(0, slash), name = slash == std::string::npos ? "" : series.substr(slash + 1);
  const Model& model = *equations.model;
  if (series == "time") return "t";
  if (group == "balance") return name == "energy" ? "|E - E_0 - A|" : "|\\Delta\\," + word(name) + "|";
  if (group == "energy") return name == "kinetic" ? "T" : name == "potential" ? "V" : "E";
  for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
    if (model.coordinates[i].name != name) continue;
    if (group == "q") return to_latex(equations.q[i]);
    if (group == "v" || group == "a") return to_latex(group == "v" ? equations.qd[i] : equations.qdd[i]);
    if (group == "F") return "F_{" + to_latex(equations.q[i]) + "}";
  }
  for (const QuasiVelocity& v : model.quasi_velocities)
    if (v.name == name && (group == "v" || group == "vdot")) return to_latex(group == "v" ? v.v : v.vdot);
  for (std::size_t i = 0; i < equations.v.size(); ++i)
    if (model.velocity_name(model.velocity_places()[i]) == name && (group == "v" || group == "vdot"))
      return to_latex(group == "v" ? equations.v[i] : equations.vdot[i]);
  for (std::size_t r = 0; r < equations.rows.size(); ++r) {
    if (equations.rows[r] != name) continue;
    const std::string lambda = to_latex(equations.lambda[r]);
    if (group == "lambda") return lambda;
    // The residual has the same index as the multiplier: \lambda_{\mathrm{pin,1}}.
    if (group == "residual" && lambda.starts_with("\\lambda")) return "h" + lambda.substr(7);
  }
  for (const Input& input : model.inputs)
    if (group == "u" && input.name == name) return to_latex(input.symbol);
  if (group == "friction") return "f_{" + word(name) + "}";
  if (group == "gap") return "\\mathrm{gap}_{" + word(name) + "}";
  if (group == "contact") return "\\mathrm{closed}_{" + word(name) + "}";
  return word(name.empty() ? series : name);
}

Table with_balances(Table rows, const Trajectory* run) {
  if (run == nullptr || run->size() != rows.rows() || run->size() < 2) return rows;
  const auto add = [&](const std::string& name, const std::string& unit, std::vector<double> values) {
    rows.units.resize(rows.names.size());
    rows.names.push_back("balance/" + name);
    rows.units.push_back(unit);
    rows.columns.push_back(std::move(values));
  };
  const auto off = [&](const std::vector<double>& values) {
    std::vector<double> distance;
    for (const double value : values) distance.push_back(std::abs(value - values.front()));
    return distance;
  };
  if (run->total.size() == rows.rows()) {
    std::vector<double> kept = run->total;
    for (std::size_t row = 0; row < kept.size() && row < run->work.size(); ++row) kept[row] -= run->work[row];
    add("energy", "J", off(kept));
  }
  for (std::size_t i = 0; i < run->conserved.size(); ++i)
    if (i < run->names.conserved.size() && run->conserved[i].size() == rows.rows())
      add(run->names.conserved[i], "", off(run->conserved[i]));
  return rows;
}

Json peaks_json(const Table& rows, const Trajectory* run) {
  Json peaks = Json::array();
  const auto add = [&](const std::string& series, const Extremes& found) {
    peaks.push_back(
        {{"series", series}, {"min", found.min}, {"t_min", found.t_min}, {"max", found.max}, {"t_max", found.t_max}});
  };
  if (run != nullptr && !run->peaks.empty()) {
    for (const PeakLine& line : peak_lines(*run)) add(line.name, line.extremes);
    return peaks;
  }
  const std::vector<double>& time = rows.columns[0];
  for (std::size_t c = 1; c < rows.columns.size(); ++c) {
    const std::string group = rows.names[c].substr(0, rows.names[c].find('/'));
    if (group != "lambda" && group != "F" && group != "friction" && group != "output") continue;
    const std::vector<double>& values = rows.columns[c];
    const auto [low, high] = extremes(values, 0, values.size());
    if (low != values.size()) add(rows.names[c], {values[low], time[low], values[high], time[high], true});
  }
  return peaks;
}

Json series_json(const Table& run, const Equations& equations) {
  const std::size_t columns = std::min(run.columns.size(), kMostColumns);
  Stretches kept{run.rows(), 0};
  if (run.rows() * columns > kReportNumbers)
    kept.count = std::clamp(kReportNumbers / (2 * columns), kFewestStretches, kMostStretches);
  if (2 * kept.count >= run.rows()) kept.count = 0;

  std::string note;
  if (kept.count > 0)
    note = fmt::format("{} rows are shown as {} stretches, each by the smallest and the largest value of every series.",
                       run.rows(), kept.count);
  if (columns < run.columns.size())
    note += fmt::format("{}The first {} of {} series are here.", note.empty() ? "" : " ", columns - 1,
                        run.columns.size() - 1);

  const std::vector<MultiplierMeaning> meanings = explain_multipliers(equations);
  Json list = Json::array();
  for (std::size_t c = 1; c < columns; ++c) {
    const std::string& name = run.names[c];
    std::string words;
    for (const MultiplierMeaning& meaning : meanings)
      if (name == "lambda/" + meaning.row) words = meaning.words;
    const std::string unit = c < run.units.size() ? run.units[c] : "";
    list.push_back({{"name", name},
                    {"latex", series_latex(name, equations)},
                    {"unit", unit == "1" ? "" : unit},
                    {"meaning", words},
                    {"data", packed(kept.values(run.columns[c]))}});
  }
  const std::vector<double> times = kept.times(run.columns[0]);
  return {{"rows", run.rows()}, {"kept", times.size()},  {"decimated", kept.count > 0},
          {"note", note},       {"time", packed(times)}, {"columns", std::move(list)}};
}

}  // namespace dalembert
