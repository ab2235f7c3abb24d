// SPDX-License-Identifier: Apache-2.0
// Parameters and initial values from measurements.
#include <fmt/format.h>

#include <utility>

#include "bindings/python/arrays.h"
#include "bindings/python/core.h"
#include "dalembert/model/initial_values.h"
#include "dalembert/study/fit.h"
#include "dalembert/study/quantities.h"

namespace dalembert::python {
namespace {

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

std::vector<FitRequest::Named> named_texts(const py::dict& asked, const char* key) {
  std::vector<FitRequest::Named> all;
  for (const auto& [name, text] : asked[key].cast<NamedTexts>())
    all.push_back({name, MappedText::of(text, fmt::format("<{}>", key)), {}});
  return all;
}

FitRequest request_of(const Model& model, const py::dict& asked, const py::dict& settings) {
  FitRequest request;
  request.measure = named_texts(asked, "measure");
  request.bounds = named_texts(asked, "bounds");
  request.prior = named_texts(asked, "prior");
  request.sigma = named_texts(asked, "sigma");
  request.free = asked["free"].cast<std::vector<std::string>>();
  request.per_file = asked["per_file"].cast<std::vector<std::string>>();
  request.offset = asked["offset"].cast<bool>();
  request.most_iterations = asked["max_iterations"].cast<int>();
  request.starts = asked["starts"].cast<int>();
  request.seed = asked["seed"].cast<std::uint64_t>();
  request.threads = asked["threads"].cast<int>();
  request.run = run_options_of(model, model.initial.t, settings);
  return request;
}

// Columns given as arrays: (name, its unit or "", numbers); the first one has the times.
FitData data_of(const std::string& name, const py::list& columns) {
  FitData data{.name = name, .time = {}, .columns = {}};
  std::size_t count = 0;
  bool is_time = true;
  for (const py::handle& item : columns) {
    const auto column = item.cast<py::tuple>();
    const auto called = column[0].cast<std::string>(), unit = column[1].cast<std::string>();
    if (is_time) count = py::len(column[2]);
    std::vector<double> values = doubles_of(column[2], count, called.c_str());
    std::optional<Dimension> dimension;
    if (!unit.empty()) {
      const Unit known = or_throw(parse_unit(MappedText::of(unit, called)));
      for (double& value : values) value *= known.factor;
      dimension = known.dimension;
    }
    if (is_time && dimension && !(*dimension == Dimension::time())) {
      Diagnostic wrong =
          error("E0431", fmt::format("the times, `{} [{}]`, are not in a unit of time", called, unit), caller());
      wrong.help.emplace_back("the times are in the column `time`, else in the first one");
      throw ModelError({std::move(wrong)});
    }
    if (std::exchange(is_time, false))
      data.time = std::move(values);
    else
      data.columns.push_back({called, std::move(values), dimension, {}});
  }
  return data;
}

// The model that begins at other values.
Model beginning_at(const Model& stated, const std::vector<std::pair<std::string, double>>& values) {
  Model model = stated;
  for (const auto& [name, value] : values) {
    const StudyQuantity quantity = or_throw(find_quantity(model, name, {}));
    if (quantity.parameter >= 0) model.parameters[static_cast<std::size_t>(quantity.parameter)].value = value;
  }
  evaluate_initial_formulas(model);
  for (const auto& [name, value] : values)
    if (const StudyQuantity quantity = or_throw(find_quantity(model, name, {})); quantity.parameter < 0)
      hold(model.initial, quantity.place, value, {});
  return model;
}

py::dict fit_of(PyModel& m, const py::list& files, const py::dict& asked, const py::dict& settings,
                const std::vector<std::pair<std::string, double>>& begin) {
  const BuiltModel built = m.built_with({});  // reports what is wrong with the model itself
  const Model model = beginning_at(*built.model, begin);
  FitRequest request = request_of(model, asked, settings);
  std::vector<FitData> data;
  for (const py::handle& file : files) {
    const auto given = file.cast<py::tuple>();
    const auto name = given[0].cast<std::string>();
    data.push_back(given[1].is_none() ? or_throw(read_fit_data(name, request))
                                      : data_of(name, given[1].cast<py::list>()));
  }
  KeepOn keep_on;
  request.progress = [&](std::int64_t, double) { return keep_on(); };
  std::optional<Result<Fit>> found;
  {
    const Unlocked without;
    found.emplace(fit(model, data, request));
  }
  keep_on.raise();
  const Fit fitted = or_throw(std::move(*found));
  py::dict answer;
  answer["document"] = to_python(fit_json(fitted));
  answer["residuals"] = array_of(fitted.residuals);
  answer["jacobian"] = array_of(fitted.jacobian);
  answer["svg"] = fitted.columns.empty() ? "" : fit_svg(fitted, model.name);
  answer["interrupted"] = fitted.end == Fit::End::kInterrupted;
  answer["warnings"] = render(fitted.warnings);
  return answer;
}

}  // namespace

void bind_fits(py::module_& module) {
  module.def("fit", &fit_of, py::arg("model"), py::arg("files"), py::arg("asked"), py::arg("settings"),
             py::arg("begin"));
}

}  // namespace dalembert::python
