// SPDX-License-Identifier: Apache-2.0
// What `fit` prints as JSON, and its picture.
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/figure/chart.h"
#include "dalembert/figure/rich_text.h"
#include "dalembert/report/json_documents.h"
#include "dalembert/study/charts.h"
#include "dalembert/study/degrees.h"
#include "dalembert/study/fit.h"

namespace dalembert {
namespace {

// Samples that are drawn as rings; more of them are a curve.
constexpr std::size_t kMostRings = 1000;

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json parameters_json(const Fit& fit) {
  Json all = Json::object();
  for (const Fit::Parameter& one : fit.parameters) {
    Json parameter = Json::object();
    parameter.append("value", one.value);
    parameter.append("sigma", number_or_null(one.sigma));
    parameter.append("unit", one.unit);
    parameter.append("start", one.start);
    parameter.append("lower", number_or_null(one.lower));
    parameter.append("upper", number_or_null(one.upper));
    parameter.append("at_bound", one.at_bound == 0 ? Json() : Json(std::string(one.at_bound < 0 ? "lower" : "upper")));
    parameter.append("determined", fit.columns.empty() ? Json() : Json(one.determined));
    all.append(one.name, std::move(parameter));
  }
  return all;
}

std::string status_of(Fit::End end) {
  return end == Fit::End::kConverged ? "converged" : end == Fit::End::kInterrupted ? "interrupted" : "not converged";
}

Json starts_json(const Fit& fit) {
  std::vector<std::string> names;
  for (const Fit::Parameter& one : fit.parameters) names.push_back(one.name);
  Json all = Json::array();
  for (const Fit::Start& one : fit.starts)
    all.push_back({{"from", named_json(names, one.from)},
                   {"to", one.to.empty() ? Json(nullptr) : named_json(names, one.to)},
                   {"status", status_of(one.end)},
                   {"reason", one.message},
                   {"worse_by", number_or_null(one.worse_by)},
                   {"minimum", one.minimum < 0 ? Json(nullptr) : Json(one.minimum)},
                   {"holds", one.holds},
                   {"iterations", one.iterations},
                   {"runs", one.runs}});
  return all;
}

Json combinations_json(const Fit& fit) {
  Json all = Json::array();
  for (const Fit::Combination& one : fit.unidentifiable) {
    Json parts = Json::object();
    for (const auto& [name, part] : one.parts) parts.append(name, part);
    Json combination = Json::object();
    combination.append("combination", std::move(parts));
    combination.append("text", one.text);
    all.push_back(std::move(combination));
  }
  return all;
}

// The curves of a chart: for each column a panel of samples and model, and one of differences. `chart` refers to `differences`.
void add_panels(const Fit& fit, const Fit::Column& column, std::map<std::size_t, std::vector<double>>& differences,
                Chart& chart) {
  ChartPanel values{
      .label = with_unit({{column.name}}, column.unit), .shorter = with_unit({}, column.unit), .curves = {}};
  ChartPanel left{.label = with_unit({{column.name + ": model − sample"}}, column.unit),
                  .shorter = with_unit({{"model − sample"}}, column.unit),
                  .curves = {}};
  std::size_t samples = 0;
  for (const Fit::Series& one : fit.series)
    if (one.column == column.name) samples += one.time.size();
  for (std::size_t i = 0; i < fit.series.size(); ++i) {
    const Fit::Series& one = fit.series[i];
    if (one.column != column.name) continue;
    std::vector<double>& difference = differences[i];
    for (std::size_t k = 0; k < one.time.size(); ++k) difference.push_back(one.computed[k] - one.measured[k]);
    values.curves.push_back({one.time, one.computed, {{one.file}}});
    if (samples > kMostRings) {
      values.curves.push_back({one.time, one.measured, {{"samples"}}});
      left.curves.push_back({one.time, difference, {{one.file}}});
      continue;
    }
    left.curves.push_back({one.time, std::span<const double>(difference), {{one.file}}});
    for (std::size_t k = 0; k < one.time.size(); ++k) {
      values.marks.push_back({one.time[k], one.measured[k]});
      left.marks.push_back({one.time[k], difference[k]});
    }
  }
  chart.panels.push_back(std::move(values));
  chart.panels.push_back(std::move(left));
}

// The fit with samples and curves of angles in degrees.
Fit in_degrees(Fit fit) {
  for (Fit::Column& column : fit.columns)
    if (auto unit = unit_in_degrees(column.unit)) column.unit = *std::move(unit);
  for (Fit::Series& one : fit.series)
    if (auto unit = unit_in_degrees(one.unit)) {
      one.unit = *std::move(unit);
      for (std::vector<double>* values : {&one.measured, &one.computed})
        for (double& value : *values) value *= kDegreesPerRadian;
    }
  return fit;
}

}  // namespace

Json fit_json(const Fit& fit) {
  Json document = Json::object();
  document.append("status", status_of(fit.end));
  document.append("reason", fit.message);
  document.append("parameters", parameters_json(fit));
  Json rows = Json::array();
  for (const std::vector<double>& row : fit.correlation) {
    Json entries = Json::array();
    for (const double entry : row) entries.push_back(number_or_null(entry));
    rows.push_back(std::move(entries));
  }
  document.append("correlation", std::move(rows));
  Json rms = Json::object(), columns = Json::object();
  for (const Fit::Column& one : fit.columns) {
    rms.append(one.name, one.rms);
    Json column = Json::object();
    column.append("samples", one.samples);
    column.append("unit", one.unit);
    column.append("sigma", number_or_null(one.sigma));
    column.append("sigma_given", one.sigma_given);
    columns.append(one.name, std::move(column));
  }
  document.append("rms", std::move(rms));
  document.append("columns", std::move(columns));
  document.append("unidentifiable", combinations_json(fit));
  document.append("cost", fit.cost);
  document.append("freedoms", fit.freedoms);
  document.append("best_start", static_cast<std::int64_t>(fit.best));
  document.append("starts", starts_json(fit));
  document.append("iterations", fit.iterations);
  document.append("runs", fit.runs);
  Json failures = Json::object();
  for (const auto& [reason, count] : fit.failures) failures.append(reason, count);
  document.append("failures", std::move(failures));
  document.append("verdict", fit.columns.empty() ? Json() : verdict_json(fit.verdict));
  return document;
}

std::string fit_svg(const Fit& fit, const std::string& title, bool degrees) {
  if (degrees) return fit_svg(in_degrees(fit), title, false);
  std::map<std::size_t, std::vector<double>> differences;
  Chart chart{.title = title,
              .description = "Samples as rings and the fitted model as a curve; below, the model less the samples.",
              .x_label = {{"time [s]"}},
              .panels = {},
              .x_unit = "s"};
  for (const Fit::Column& column : fit.columns) add_panels(fit, column, differences, chart);
  return draw_chart(chart).svg;
}

}  // namespace dalembert
