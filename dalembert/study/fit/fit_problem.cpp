// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/fit/fit_problem.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "dalembert/analyze/run_options.h"
#include "dalembert/base/text.h"
#include "dalembert/study/measures.h"

namespace dalembert::fitting {
namespace {

constexpr std::size_t kMostNumbers = 50'000'000;  // of the derivatives of all samples: 400 MB

Diagnostic wrong_request(std::string message, const Span& place, std::string help) {
  Diagnostic problem = error("E0430", std::move(message), place);
  problem.help.push_back(std::move(help));
  return problem;
}

// The expression that has the values of a series of that name: "v/theta" is theta', "lambda/pin[1]" is lambda(pin[1]). Other texts stay as they are.
FitRequest::Named expression_of_series(const Model& model, const FitRequest::Named& given) {
  const std::string text = given.text.trimmed().text;
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos || slash + 1 == text.size()) return given;
  const std::string group = text.substr(0, slash), name = text.substr(slash + 1);
  if (quantity_of(model, group) || name.find_first_of("+-*/ ") != std::string::npos) return given;
  struct Form {
    std::string_view group, before, after;
  };
  constexpr std::array kForms{Form{"q", "", ""},
                              Form{"u", "", ""},
                              Form{"output", "", ""},
                              Form{"a", "dot(dot(", "))"},
                              Form{"vdot", "dot(", ")"},
                              Form{"lambda", "lambda(", ")"},
                              Form{"gap", "gap(", ")"},
                              Form{"contact", "closed(", ")"},
                              Form{"F", "actuation(", ")"},
                              Form{"friction", "friction(", ")"},
                              Form{"energy", "energy(", ")"}};
  std::string written;
  if (group == "v") written = model.coordinate_index(name) >= 0 ? fmt::format("dot({})", name) : name;
  for (const Form& form : kForms)
    if (form.group == group) written = fmt::format("{}{}{}", form.before, name, form.after);
  return written.empty() ? given : FitRequest::Named{given.name, MappedText::of(written, text), given.place};
}

const FitData::Column* column_of(const FitData& data, const std::string& name) {
  const auto found = std::ranges::find(data.columns, name, &FitData::Column::name);
  return found == data.columns.end() ? nullptr : &*found;
}

// What no file of samples contains, as read_fit_data() makes sure; arrays may.
Diagnostics check_arrays(const FitData& file) {
  const auto wrong = [](std::string message, std::string help) {
    Diagnostic problem = error("E0431", std::move(message));
    problem.help.push_back(std::move(help));
    return Diagnostics{std::move(problem)};
  };
  for (std::size_t k = 0; k < file.time.size(); ++k) {
    if (!std::isfinite(file.time[k]))
      return wrong(fmt::format("time {} of `{}` is {}", k + 1, file.name, file.time[k]), "leave these samples out");
    if (k > 0 && file.time[k] < file.time[k - 1])
      return wrong(fmt::format("the times of `{}` go back, from {} s to {} s", file.name, to_text(file.time[k - 1], 9),
                               to_text(file.time[k], 9)),
                   "one file is one run; sort its samples by time");
  }
  for (const FitData::Column& column : file.columns) {
    if (column.values.size() != file.time.size())
      return wrong(fmt::format("`{}` of `{}` has {} numbers for {} times", column.name, file.name, column.values.size(),
                               file.time.size()),
                   "`nan` is no sample");
    for (std::size_t k = 0; k < column.values.size(); ++k)
      if (std::isinf(column.values[k]))
        return wrong(fmt::format("sample {} of `{}` of `{}`, at {} s, is {}", k + 1, column.name, file.name,
                                 to_text(file.time[k], 9), column.values[k]),
                     "`nan` is no sample");
  }
  return {};
}

// The samples before the start, which no run has; with offsets a run may.
Diagnostics check_times(const Model& model, const std::vector<FitData>& data, bool offset) {
  if (data.empty()) return {wrong_request("there is no data", {}, "name files after the model")};
  for (const FitData& file : data) {
    if (file.time.empty()) return {error("E0431", fmt::format("`{}` has no samples", file.name))};
    if (Diagnostics problems = check_arrays(file); !problems.empty()) return problems;
    if (offset || file.time.front() >= model.initial.t) continue;
    Diagnostic problem = error("E0431", fmt::format("the sample at {} s is before the start of the model, at {} s",
                                                    to_text(file.time.front(), 9), to_text(model.initial.t, 9)));
    if (file.source && !file.places.empty()) problem.primary.span = {file.source, file.places[0], file.places[0] + 1};
    problem.help.emplace_back("`[initial] time` is when the model starts; `--offset` fits the shift of the clock");
    return {problem};
  }
  return {};
}

// A data column is in the unit of what it measures.
Diagnostics check_units(const FitData& file, const FitData::Column& column, const std::optional<Dimension>& wanted,
                        const std::string& unit) {
  if (!column.dimension || !wanted || *column.dimension == *wanted) return {};
  return {error("E0431",
                fmt::format("the column `{}` of `{}` is in {}, and what it measures in {}", column.name, file.name,
                            unit_name(*column.dimension, Measure::kAngle), unit.empty() ? "1" : unit),
                column.place)};
}

class Preparation {
 public:
  Preparation(const Model& model, const std::vector<FitData>& data, const FitRequest& request)
      : data_(data), request_(request), model_(std::make_shared<Model>(model)), warnings_(model.diagnostics()) {}

  Result<FitProblem> prepare() {
    for (const auto step : {&Preparation::read_measures, &Preparation::read_sigmas})
      if (Diagnostics problems = (this->*step)(); !problems.empty()) return problems;
    if (Diagnostics problems = check_times(*model_, data_, request_.offset); !problems.empty()) return problems;
    append_new(warnings_, doubts_of_data(data_));
    UnitDoubts doubts;
    Result<Unknowns> unknowns = read_unknowns(*model_, request_, data_, doubts);
    if (!unknowns) return unknowns.diagnostics();
    append_new(warnings_, doubts.all());
    if (Diagnostics problems = add_rates(); !problems.empty()) return problems;
    Result<BuiltModel> built = build_model(model_, std::move(warnings_), request_.compile);
    if (!built) return built.diagnostics();
    FitProblem problem{*std::move(built), request_.run, *std::move(unknowns), std::move(columns_), {}};
    const std::vector<std::string>& units = problem.system.dynamics.names().output_units;
    for (MeasuredColumn& column : problem.columns) {
      column.unit = units[static_cast<std::size_t>(column.output)];
      if (column.unit == "1") column.unit.clear();
    }
    if (Diagnostics problems = collect_samples(problem); !problems.empty()) return problems;
    if (Diagnostics problems = start(problem); !problems.empty()) {
      // A start outside of its bounds may be one of a missing unit.
      Diagnostics all = doubts.all();
      append_new(all, problems);
      return all;
    }
    return problem;
  }

 private:
  Diagnostics read_measures() {
    if (request_.measure.empty())
      return {wrong_request("nothing says what the columns measure", {},
                            "--measure \"COLUMN=EXPRESSION\", such as \"theta=theta\"")};
    std::vector<FitRequest::Named> texts;
    for (const FitRequest::Named& one : request_.measure) {
      if (std::ranges::find(texts, one.name, &FitRequest::Named::name) != texts.end())
        return {wrong_request(fmt::format("the column `{}` measures two things", one.name), one.place, "say one")};
      if (std::ranges::none_of(data_, [&](const FitData& file) { return column_of(file, one.name) != nullptr; }))
        return {wrong_request(fmt::format("no file has a column `{}`", one.name), one.place,
                              "a file names its columns in its first line")};
      texts.push_back(expression_of_series(*model_, one));
    }
    const Result<std::vector<int>> outputs = Measures::read_outputs(*model_, texts);
    if (!outputs) return outputs.diagnostics();
    for (std::size_t c = 0; c < texts.size(); ++c)
      columns_.push_back({.name = texts[c].name, .unit = {}, .output = (*outputs)[c], .sigma = {}});
    return {};
  }

  Diagnostics read_sigmas() {
    for (const FitRequest::Named& one : request_.sigma) {
      const auto column = std::ranges::find(columns_, one.name, &MeasuredColumn::name);
      if (column == columns_.end())
        return {wrong_request(fmt::format("`{}` is no measured column", one.name), one.place,
                              "a standard deviation is that of a column which --measure names")};
      const Result<Quantity> number = parse_quantity(one.text);
      const Output& output = model_->outputs[static_cast<std::size_t>(column->output)];
      if (number) {
        if (number->dimension && output.dimension && !(*number->dimension == *output.dimension))
          return {error("E0203",
                        fmt::format("the standard deviation of `{}` cannot be in `{}`", one.name,
                                    unit_name(*number->dimension, Measure::kAngle)),
                        one.text.span())};
        if (!(number->value > 0) || !std::isfinite(number->value))
          return {wrong_request(fmt::format("`{}` is no standard deviation", one.text.text), one.text.span(),
                                "it is above zero: `theta=0.01 rad`, or a column, `theta=theta_sd`")};
        column->sigma = number->value;
        continue;
      }
      column->own_sigma = true;
      sigma_columns_.emplace_back(one.name, one.text.trimmed().text);
      for (const FitData& file : data_)
        if (column_of(file, one.name) != nullptr && column_of(file, sigma_columns_.back().second) == nullptr)
          return {wrong_request(fmt::format("`{}` is neither a number nor a column of `{}`", one.text.text, file.name),
                                one.text.span(), "write `theta=0.01 rad`, or the name of a column")};
    }
    return {};
  }

  // With offsets, the derivatives of what is measured by time.
  Diagnostics add_rates() {
    if (!request_.offset) return {};
    for (MeasuredColumn& column : columns_) {
      const Output measured = model_->outputs[static_cast<std::size_t>(column.output)];
      const Expr rate = model_->dot(measured.expression);
      if (!rate)
        return {wrong_request(
            fmt::format("the offset of the clock cannot be fitted to `{}`, whose rate is not known", column.name), {},
            "rates are known of coordinates, velocities and what is computed from them")};
      column.rate = static_cast<int>(model_->outputs.size());
      const auto per_time = measured.dimension ? std::optional(*measured.dimension / Dimension::time()) : std::nullopt;
      model_->outputs.push_back({fmt::format("rate of {}", measured.name), rate, per_time, {}});
    }
    return {};
  }

  Diagnostics collect_samples(FitProblem& problem) const {
    std::size_t samples = 0;
    for (std::size_t f = 0; f < data_.size(); ++f)
      for (std::size_t c = 0; c < problem.columns.size(); ++c) {
        const MeasuredColumn& measured = problem.columns[c];
        const FitData::Column* column = column_of(data_[f], measured.name);
        if (column == nullptr) continue;
        const auto& dimension = model_->outputs[static_cast<std::size_t>(measured.output)].dimension;
        if (Diagnostics bad = check_units(data_[f], *column, dimension, measured.unit); !bad.empty()) return bad;
        Result<SampleSeries> series = samples_of(f, c, *column, measured.own_sigma);
        if (!series) return series.diagnostics();
        samples += series->rows.size();
        problem.series.push_back(*std::move(series));
      }
    for (std::size_t c = 0; c < problem.columns.size(); ++c)
      if (std::ranges::none_of(problem.series,
                               [&](const SampleSeries& one) { return one.column == c && !one.rows.empty(); }))
        return {error("E0431", fmt::format("the column `{}` has no sample in any file", problem.columns[c].name))};
    if (samples * problem.unknowns.all.size() <= kMostNumbers) return {};
    return {wrong_request(fmt::format("{} samples by {} unknowns are too many", samples, problem.unknowns.all.size()),
                          {},
                          fmt::format("the limit is {} derivatives; every other sample says nearly as much",
                                      to_text(static_cast<double>(kMostNumbers), 2)))};
  }

  Result<SampleSeries> samples_of(std::size_t f, std::size_t c, const FitData::Column& column, bool own_sigma) const {
    SampleSeries series{.file = f, .column = c, .rows = {}, .values = {}, .sigma = {}};
    const FitData::Column* sigma = nullptr;
    if (own_sigma)
      sigma = column_of(data_[f], std::ranges::find(sigma_columns_, column.name, &NamePair::first)->second);
    for (std::size_t row = 0; row < column.values.size(); ++row) {
      if (std::isnan(column.values[row])) continue;
      series.rows.push_back(row);
      series.values.push_back(column.values[row]);
      if (sigma == nullptr) continue;
      if (!(sigma->values[row] > 0)) {
        Diagnostic problem =
            error("E0431", fmt::format("the standard deviation of the sample of `{}` at {} s is {}", column.name,
                                       to_text(data_[f].time[row], 9), to_text(sigma->values[row], 6)));
        if (data_[f].source) problem.primary.span = {data_[f].source, data_[f].places[row], data_[f].places[row] + 1};
        problem.help.emplace_back("it is above zero; a sample that should not count is an empty cell");
        return problem;
      }
      series.sigma.push_back(sigma->values[row]);
    }
    return series;
  }

  // First values and options of runs.
  Diagnostics start(FitProblem& problem) const {
    double duration = 0, end = model_->initial.t;
    for (const FitData& file : data_) {
      duration = std::max(duration, file.time.back() - file.time.front());
      end = std::max(end, file.time.back());
    }
    const Model& model = *problem.system.model;
    if (Diagnostics missing = missing_samples(model, problem.system.dynamics, model.initial.t, end); !missing.empty())
      return missing;
    if (request_.compile.machine_code) problem.system.dynamics.kernel().expect_many_calls();
    if (problem.options.formulation == Formulation::kReduced)
      problem.options.quasi_velocities = compile_quasi_velocities(problem.system.equations);
    const ChangingSystem stated(problem.system, problem.unknowns.quantities);
    return set_starts(problem.unknowns, stated.stated_values(), duration);
  }

  using NamePair = std::pair<std::string, std::string>;
  const std::vector<FitData>& data_;
  const FitRequest& request_;
  std::shared_ptr<Model> model_;
  Diagnostics warnings_;
  std::vector<MeasuredColumn> columns_;
  std::vector<NamePair> sigma_columns_;  // a measured column, and that of its standard deviations
};

}  // namespace

Result<FitProblem> prepare_fit(const Model& model, const std::vector<FitData>& data, const FitRequest& request) {
  return Preparation(model, data, request).prepare();
}

}  // namespace dalembert::fitting
