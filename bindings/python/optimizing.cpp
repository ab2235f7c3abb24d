// SPDX-License-Identifier: Apache-2.0
// Values of parameters for which a measure of the run is least or greatest.
#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "bindings/python/core.h"
#include "dalembert/modelfile/new_values.h"
#include "dalembert/study/optimize.h"

namespace dalembert::python {
namespace {

py::object optimize_model(PyModel& m, const py::dict& problem, const py::dict& settings, const py::dict& parameters,
                          const py::dict& how) {
  const BuiltModel built = m.built_with(parameters);  // reports what is wrong with the model itself
  const Model& model = *built.model;
  OptimizationStatement statement;
  statement.maximize = problem["maximize"].cast<bool>();
  statement.objective = MappedText::of(problem["objective"].cast<std::string>(), "<objective>");
  for (const auto& [name, range] : problem["free"].cast<std::vector<std::pair<std::string, std::string>>>())
    statement.free.push_back({name, MappedText::of(range, "<free>"), {}});
  for (const std::string& one : problem["subject_to"].cast<std::vector<std::string>>())
    statement.constraints.push_back(MappedText::of(one, "<subject_to>"));
  OptimizeOptions options;
  options.starts = how["starts"].cast<int>();
  options.seed = how["seed"].cast<std::uint64_t>();
  options.threads = how["threads"].cast<int>();
  options.max_points = how["max_points"].cast<int>();
  KeepOn keep_on;
  options.progress = [&](std::int64_t) { return keep_on(); };
  const IntegrateOptions run = run_options_of(model, model.initial.t, settings);
  std::optional<Result<Optimum>> found;
  {
    const Unlocked without;
    found.emplace(optimize(model, statement, run, options));
  }
  keep_on.raise();
  return to_python(optimum_json(or_throw(std::move(*found))));
}

// The text of the model's file, with these values and those of parameters; without a value, with the one that the model has now.
std::string text_with(PyModel& m, const std::vector<std::pair<std::string, std::optional<double>>>& values,
                      const py::dict& parameters) {
  std::vector<NewValue> given;
  const BuiltModel built = m.built_with(parameters);
  for (const Parameter& one : built.model->parameters)
    if (parameters.contains(one.name)) given.push_back({one.name, one.value});
  for (const auto& [name, value] : values) {
    std::erase_if(given, [&](const NewValue& one) { return one.name == name; });
    const std::optional<double> known = value ? value : stated_value(*m.model, name);
    if (!known)
      throw ModelError({error("E0436", fmt::format("`{}` is neither a parameter nor a held initial value, whose "
                                                   "numbers alone can be written",
                                                   name))});
    given.push_back({name, *known});
  }
  LoadOptions reading;
  if (m.model->source) reading.directory = std::filesystem::path(m.model->source->name()).parent_path().string();
  reading.allow_files = true;
  return or_throw(with_new_values(*m.model, given, reading));
}

}  // namespace

void bind_optimizing(py::module_& module) {
  module.def("optimize", &optimize_model, py::arg("model"), py::arg("problem"), py::arg("settings"),
             py::arg("parameters"), py::arg("how"));
  module.def("text_with", &text_with, py::arg("model"), py::arg("values"), py::arg("parameters"));
}

}  // namespace dalembert::python
