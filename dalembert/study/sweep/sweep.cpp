// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "dalembert/analyze/run_options.h"
#include "dalembert/base/sha256.h"
#include "dalembert/base/text.h"
#include "dalembert/study/sweep/sweep_count.h"
#include "dalembert/study/sweep/sweep_parts.h"
#include "dalembert/study/system_at.h"

namespace dalembert {

using sweeping::Axis;
using sweeping::Sampled;

namespace {

Diagnostic study_problem(std::string message, const Span& span, std::string help) {
  Diagnostic problem = error("E0422", std::move(message), span);
  problem.help.push_back(std::move(help));
  return problem;
}

Span place_in(const StudyStatement& study, const std::string& key) {
  const auto place = study.places.find(key);
  return place == study.places.end() ? Span{} : place->second;
}

}  // namespace

Diagnostics Sweep::Parts::read_quantities(const Model& model, const StudyStatement& study) {
  Diagnostics problems;
  UnitDoubts doubts;
  for (const StudyStatement::Named& text : study.vary) {
    Result<Axis> axis = sweeping::read_axis(model, text, doubts);
    if (!axis)
      append_new(problems, axis.diagnostics());
    else
      axes.push_back(*std::move(axis));
  }
  for (const StudyStatement::Named& text : study.sample) {
    Result<Sampled> sampled = sweeping::read_sampled(model, text, doubts);
    if (!sampled)
      append_new(problems, sampled.diagnostics());
    else
      samples.push_back(*std::move(sampled));
  }
  for (const Axis& axis : axes) quantities.push_back(axis.quantity);
  for (const Sampled& sampled : samples) quantities.push_back(sampled.quantity);
  append_new(warnings, doubts.all());
  return problems;
}

Diagnostics Sweep::Parts::read_sampling(const StudyStatement& study) {
  if (study.sampling) {
    const auto known = sweeping::parse_sampling(*study.sampling);
    if (!known)
      return {study_problem(fmt::format("there is no sampling `{}`", *study.sampling), place_in(study, "sampling"),
                            "it is `random`, `lhs` or `sobol`")};
    sampling.sampling = *known;
  }
  sampling.seed = static_cast<std::uint64_t>(study.seed.value_or(0));
  if (sampling.sampling == sweeping::Sampling::kSobol && samples.size() > sweeping::kMostSobol)
    return {study_problem(
        fmt::format("a Sobol' sequence here has at most {} quantities, not {}", sweeping::kMostSobol, samples.size()),
        place_in(study, "sampling"), "`random` and `lhs` have no limit")};
  return {};
}

Diagnostics Sweep::Parts::read_rows(const Model& model, const StudyRows& given) {
  Diagnostics problems;
  for (std::size_t k = 0; k < given.names.size(); ++k) {
    const Span place = k < given.places.size() ? given.places[k] : Span{};
    Result<StudyQuantity> quantity = find_quantity(model, given.names[k], place);
    if (!quantity) {
      append_new(problems, quantity.diagnostics());
      continue;
    }
    if (k < given.dimensions.size() && given.dimensions[k] && quantity->dimension &&
        !(*given.dimensions[k] == *quantity->dimension))
      problems.push_back(error("E0203",
                               fmt::format("`{}` must be in `{}`, not in `{}`", quantity->name, quantity->unit,
                                           unit_name(*given.dimensions[k], Measure::kAngle)),
                               place));
    quantities.push_back(*std::move(quantity));
  }
  rows = given;
  return problems;
}

Diagnostics Sweep::Parts::count_runs(const StudyStatement& study) {
  for (std::size_t k = 0; k < quantities.size(); ++k)
    for (std::size_t j = 0; j < k; ++j)
      if (quantities[j].name == quantities[k].name)
        return {study_problem(fmt::format("`{}` is changed twice", quantities[k].name), {},
                              "a quantity has one value in a run")};
  if (!rows.names.empty()) {
    runs = static_cast<std::int64_t>(rows.values.size());
  } else if (quantities.empty()) {
    return {study_problem(
        "the study changes nothing", {},
        "--vary \"L1=0.1:0.3:21\", --sample \"k~normal(20,2)\", --runs-from FILE.csv; or [study] in the model")};
  }
  double count = static_cast<double>(runs);
  for (const Axis& axis : axes) count *= static_cast<double>(axis.count);
  if (!samples.empty()) {
    const std::int64_t wanted = study.runs.value_or(0);
    if (!study.runs) return {study_problem("a study with samples needs their number", {}, "--runs 1000")};
    if (wanted < 1)
      return {study_problem(fmt::format("there cannot be {} samples", wanted), place_in(study, "runs"),
                            "--runs takes a whole number from 1 on")};
    count *= static_cast<double>(wanted);
    sampling.count = static_cast<std::uint64_t>(wanted);
  } else if (study.runs) {
    return {study_problem("a number of runs is that of samples, and nothing is sampled", place_in(study, "runs"),
                          "a grid has its own number of runs")};
  }
  if (!(count >= 1 && count <= static_cast<double>(kMostRuns)))
    return {study_problem(count < 1 ? "the study has no runs" : fmt::format("the study has {} runs", to_text(count, 4)),
                          {}, fmt::format("the limit is {} runs", to_text(static_cast<double>(kMostRuns), 2)))};
  runs = static_cast<std::int64_t>(std::llround(count));
  return {};
}

// Everything that rows depend on: the model as it was read, with values that options replaced, and the study.
void Sweep::Parts::describe(const Model& model, const StudyStatement& study, bool machine_code) {
  std::string& text = description;
  const auto number = [&](double value) { text += to_text(value, 17) + " "; };
  text = "model " + (model.source ? sha256(model.source->text()) : model.name) + "\n";
  for (const Parameter& one : model.parameters) number(one.value);
  const Initial& initial = model.initial;
  for (const auto* list : {&initial.position, &initial.velocity, &initial.position_guess, &initial.velocity_guess,
                           &initial.angular, &initial.angular_guess, &initial.quasi_velocity})
    for (const InitialValue& one : *list) {
      text += fmt::format("{}:", one.coordinate);
      number(one.value);
    }
  text += fmt::format("\ncoordinates {} rows {}\n", model.coordinates.size(), system->dynamics.m());
  std::string samples_of_inputs;
  for (const Input& input : model.inputs) {
    if (input.value && input.span)
      text += input.span.source->text().substr(input.span.begin, input.span.end - input.span.begin) + "\n";
    for (const auto* list : {&input.time, &input.sample})
      for (const double value : *list) samples_of_inputs += to_text(value, 17) + " ";
  }
  text += "tables " + sha256(samples_of_inputs) + "\nrun ";
  for (const double value : {options.until, options.rtol, options.atol, options.max_step, options.output_step,
                             static_cast<double>(options.max_steps), options.cross_check ? 1.0 : 0.0})
    number(value);
  text += fmt::format("{} {} {}\n", machine_code ? "code" : "interpreter", to_text(options.method),
                      options.formulation == Formulation::kReduced ? "reduced" : "index1");
  for (const Axis& axis : axes) {
    text += fmt::format("vary {} {} ", axis.quantity.name, axis.count);
    number(axis.first);
    number(axis.last);
    for (const double value : axis.listed) number(value);
    text += "\n";
  }
  for (const Sampled& sampled : samples) {
    text += fmt::format("sample {} {} ", sampled.quantity.name, static_cast<int>(sampled.distribution.kind));
    for (const double value : sampled.distribution.numbers) number(value);
    text += "\n";
  }
  if (!samples.empty())
    text += fmt::format("sampling {} {} {}\n", static_cast<int>(sampling.sampling), sampling.seed, sampling.count);
  std::string given;
  for (const auto& row : rows.values)
    for (const double value : row) given += to_text(value, 17) + " ";
  if (!rows.names.empty()) text += fmt::format("rows {} {}\n", fmt::join(rows.names, ","), sha256(given));
  for (const StudyStatement::Named& one : study.measure)
    text += fmt::format("measure {} = {}\n", one.name, one.text.text);
}

namespace {

// The measures of a study that states none: outputs at the end, or coordinates if the model has no outputs.
std::vector<StudyStatement::Named> measures_of(const Model& model, const StudyStatement& study) {
  std::vector<StudyStatement::Named> measures = study.measure;
  const auto at_end = [&](const std::string& name) {
    measures.push_back({"final_" + name, MappedText::of("final(" + name + ")"), {}});
  };
  if (!study.measure.empty()) return measures;
  for (const Output& output : model.outputs) at_end(output.name);
  if (model.outputs.empty())
    for (const Coordinate& coordinate : model.coordinates) at_end(coordinate.name);
  return measures;
}

// Refuses a measure with the name of another column.
Diagnostics check_columns(const std::vector<StudyQuantity>& quantities,
                          const std::vector<StudyStatement::Named>& measures) {
  Diagnostics problems;
  std::vector<std::string> taken{"index", "holds", "status", "error", "reason"};
  for (const StudyQuantity& quantity : quantities) taken.push_back(quantity.name);
  for (const StudyStatement::Named& one : measures)
    if (std::ranges::find(taken, one.name) != taken.end()) {
      problems.push_back(error("E0420", fmt::format("the result has another column `{}`", one.name), one.place));
      problems.back().help.emplace_back("give the measure another name");
    }
  return problems;
}

}  // namespace

Diagnostics Sweep::Parts::read(Model& model, const StudyStatement& study, const StudyRows& given) {
  Diagnostics problems = read_quantities(model, study);
  append_new(problems, read_rows(model, given));
  append_new(problems, read_sampling(study));
  if (!given.names.empty() && study.vary.size() + study.sample.size() > 0)
    problems.push_back(study_problem("rows of values leave nothing to vary or sample", {},
                                     "leave out --runs-from, or --vary and --sample"));
  if (problems.empty()) append_new(problems, count_runs(study));
  const std::vector<StudyStatement::Named> texts = measures_of(model, study);
  append_new(problems, check_columns(quantities, texts));
  Result<Measures> read = Measures::read(model, texts);
  if (read)
    measures = *std::move(read);
  else
    append_new(problems, read.diagnostics());
  return problems;
}

Diagnostics Sweep::check(const Model& model) {
  const StudyStatement& study = model.study;
  if (study.vary.empty() && study.sample.empty() && study.measure.empty()) return {};
  Parts parts;
  Model measured = model;
  if (!study.vary.empty() || !study.sample.empty()) return parts.read(measured, study, {});
  // A file may state measures alone, for quantities that options of `sweep` name.
  const Result<Measures> measures = Measures::read(measured, study.measure);
  return measures ? Diagnostics{} : measures.diagnostics();
}

Result<Sweep> Sweep::prepare(const Model& model, const StudyStatement& study, const StudyRows& rows,
                             const IntegrateOptions& options, const CompileOptions& compile) {
  auto parts = std::make_shared<Parts>();
  parts->options = options;
  auto measured = std::make_shared<Model>(model);
  if (Diagnostics problems = parts->read(*measured, study, rows); !problems.empty()) return problems;

  Result<BuiltModel> built = build_model(std::move(measured), model.diagnostics(), compile);
  if (!built) return built.diagnostics();
  parts->system = *std::move(built);
  if (Diagnostics missing =
          missing_samples(*parts->system->model, parts->system->dynamics, model.initial.t, options.until);
      !missing.empty())
    return missing;
  std::vector<int> changed;
  for (const StudyQuantity& quantity : parts->quantities)
    if (quantity.parameter >= 0) changed.push_back(quantity.parameter);
  append_new(parts->warnings,
             parts->measures.doubt_times(*parts->system->model, model.initial.t, options.until, changed));
  // All runs use one code, whichever is made first: the digits of a row do not depend on the runs before it.
  if (compile.machine_code) parts->system->dynamics.kernel().expect_many_calls();
  if (parts->options.formulation == Formulation::kReduced)
    parts->options.quasi_velocities = compile_quasi_velocities(parts->system->equations);
  for (const StudyQuantity& quantity : parts->quantities) {
    parts->names.push_back(quantity.name);
    parts->units.push_back(quantity.unit);
  }
  parts->measure_units = parts->measures.units(*parts->system->model);
  Diagnostics of_model = parts->system->warnings;
  append_new(of_model, parts->warnings);
  parts->warnings = std::move(of_model);
  parts->describe(model, study, compile.machine_code);
  Sweep sweep;
  sweep.parts_ = std::move(parts);
  return sweep;
}

std::int64_t Sweep::runs() const { return parts_->runs; }
const std::string& Sweep::model() const { return parts_->system->model->name; }
const std::vector<std::string>& Sweep::quantities() const { return parts_->names; }
const std::vector<std::string>& Sweep::quantity_units() const { return parts_->units; }
const std::vector<std::string>& Sweep::measures() const { return parts_->measures.names(); }
std::vector<std::int64_t> Sweep::grid() const {
  std::vector<std::int64_t> counts;
  for (const Axis& axis : parts_->axes) counts.push_back(axis.count);
  return counts;
}
std::int64_t Sweep::samples() const {
  return parts_->samples.empty() ? 0 : static_cast<std::int64_t>(parts_->sampling.count);
}
const std::vector<std::string>& Sweep::measure_units() const { return parts_->measure_units; }
const Diagnostics& Sweep::warnings() const { return parts_->warnings; }
const std::string& Sweep::description() const { return parts_->description; }

std::vector<double> Sweep::values(std::int64_t index) const {
  const Parts& parts = *parts_;
  if (!parts.rows.names.empty()) return parts.rows.values[static_cast<std::size_t>(index)];
  std::vector<double> values(parts.quantities.size());
  std::int64_t rest = index;
  if (!parts.samples.empty()) {
    const auto count = static_cast<std::int64_t>(parts.sampling.count);
    const auto which = static_cast<std::uint64_t>(rest % count);
    rest /= count;
    for (std::size_t k = 0; k < parts.samples.size(); ++k)
      values[parts.axes.size() + k] =
          parts.samples[k].distribution.quantile(sweeping::sample(parts.sampling, which, k));
  }
  for (std::size_t k = parts.axes.size(); k-- > 0;) {
    values[k] = parts.axes[k].value(rest % parts.axes[k].count);
    rest /= parts.axes[k].count;
  }
  return values;
}

}  // namespace dalembert
