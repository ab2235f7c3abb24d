// SPDX-License-Identifier: Apache-2.0
// The answers of analyze, linearize, gait and cycle; models as source code in other languages.
#include "bindings/python/arrays.h"
#include "bindings/python/core.h"
#include "dalembert/analyze/run_options.h"
#include "dalembert/codegen/fmu.h"
#include "dalembert/study/analysis.h"
#include "dalembert/study/cycle.h"
#include "dalembert/study/export_model.h"
#include "dalembert/study/gait_study.h"
#include "dalembert/study/linearization.h"

namespace dalembert::python {
namespace {

// An analysis together with its system.
struct PyAnalysis {
  BuiltModel system;
  Analysis found;
};

SystemAt at_state(BuiltModel built, const std::optional<Start>& start) {
  return or_throw(system_at(std::move(built), start ? &*start : nullptr));
}

template <class Work>
auto unlocked(const Work& work) {
  const Unlocked without;
  return work();
}

std::shared_ptr<PyAnalysis> analyze(PyModel& m, const py::object& at, const py::dict& parameters) {
  BuiltModel built = m.built_with(parameters);
  const std::optional<Start> start = start_at(at);
  return unlocked([&] {
    const auto stated = static_cast<std::ptrdiff_t>(built.warnings.size());
    const SystemAt given = or_throw(with_contacts_held(at_state(std::move(built), start)));
    Analysis found = or_throw(analyze_system(given, true));
    const Diagnostics& all = given.system.warnings;  // those of the model, and that contacts are held
    found.warnings.insert(found.warnings.begin(), all.begin() + stated, all.end());
    return std::make_shared<PyAnalysis>(PyAnalysis{given.system, std::move(found)});
  });
}

std::shared_ptr<LinearizedModel> linearize_model(PyModel& m, const py::object& at, const py::dict& parameters,
                                                 bool settle) {
  BuiltModel built = m.built_with(parameters);
  const std::optional<Start> start = start_at(at);
  return unlocked([&] {
    return std::make_shared<LinearizedModel>(or_throw(linearize_at(at_state(std::move(built), start), settle)));
  });
}

py::object matrix_of(const Matrix& matrix) {
  py::object array = empty_array({static_cast<Py_ssize_t>(matrix.rows), static_cast<Py_ssize_t>(matrix.cols)});
  Doubles buffer;
  if (!buffer.write(array.ptr())) throw py::type_error("numpy.empty made no array of doubles");
  std::copy(matrix.entries.begin(), matrix.entries.end(), buffer.data());
  return array;
}

py::object vary_linearization(const LinearizedModel& from, const std::string& name, const std::vector<double>& values) {
  KeepOn keep_on;
  const Variation variation = unlocked([&] { return or_throw(vary(name, values, from, [&] { return keep_on(); })); });
  keep_on.raise();
  return to_python(variation_json(variation));
}

py::object control_of(const LinearizedModel& model, const std::optional<std::string>& lqr,
                      const std::optional<std::string>& kalman, std::optional<double> period) {
  ControlRequest request;
  if (lqr) request.lqr = MappedText::of(*lqr, "<lqr>");
  if (kalman) request.kalman = MappedText::of(*kalman, "<kalman>");
  request.period = period;
  return to_python(control_json(or_throw(design_control(model, request))));
}

py::tuple gait_of(PyModel& m, const std::optional<std::string>& cycle, const py::dict& parameters,
                  std::optional<double> period, int cycles, int harmonics, bool optimize) {
  // With a cycle, the model is copied, so that the original keeps what it prescribes.
  BuiltModel built = cycle ? [&] {
    const auto prescribed = std::make_shared<Model>(*m.model);
    Diagnostics problems = prescribe_cycle(make_source("<cycle>", *cycle), *prescribed);
    if (!problems.empty()) throw ModelError(std::move(problems));
    BuiltModel made = or_throw(build_model(std::shared_ptr<const Model>(prescribed), prescribed->diagnostics()));
    return parameters.empty() ? made : with_parameters(made, parameters_of(made.dynamics, parameters));
  }()
                           : m.built_with(parameters);
  const GaitStudy study = or_throw(study_gait(std::move(built), {period, cycles, harmonics}));
  const auto [run, best] = unlocked([&] {
    GaitRun found = or_throw(run_gait(study));
    std::optional<BestGait> farthest;
    if (optimize) farthest = or_throw(best_gait(study, harmonics));
    return std::pair(std::move(found), std::move(farthest));
  });
  return py::make_tuple(to_python(gait_json(study, run, best ? &*best : nullptr)), py::cast(study.warnings));
}

py::dict cycle_of(PyModel& m, const py::object& at, const py::dict& parameters, const std::string& section,
                  std::optional<double> period, int turns, std::optional<double> until) {
  BuiltModel built = m.built_with(parameters);
  const std::optional<Start> start = start_at(at);
  const Json document = unlocked([&] {
    const SystemAt given = at_state(std::move(built), start);
    CycleRequest request{period, section, turns, or_throw(run_options(*given.system.model))};
    if (until) request.run.until = *until;
    return cycle_json(given.system, or_throw(find_cycle(given.system, given.state, request)));
  });
  return to_python(document);
}

}  // namespace

void bind_studies(py::module_& module) {
  py::class_<PyAnalysis, std::shared_ptr<PyAnalysis>>(module, "Analysis")
      .def_property_readonly("json", [](const PyAnalysis& a) { return to_python(analysis_json(a.system, a.found)); })
      .def_property_readonly("searched", [](const PyAnalysis& a) { return a.found.searched; })
      .def_property_readonly("warnings", [](const PyAnalysis& a) { return a.found.warnings; })
      .def_property_readonly("states", [](const PyAnalysis& a) {
        py::list states;
        for (const Found& one : a.found.equilibria) states.append(to_python(start_of(a.system, a.found, one)));
        return states;
      });
  module.def("analyze", &analyze, py::arg("model"), py::arg("at"), py::arg("parameters"));

  module.def("cycle", &cycle_of, py::arg("model"), py::arg("at"), py::arg("parameters"), py::arg("section"),
             py::arg("period"), py::arg("turns"), py::arg("until"));
  module.def(
      "state_at",
      [](PyModel& m, const py::object& at, const py::dict& parameters) {
        BuiltModel built = m.built_with(parameters);
        const std::optional<Start> start = start_at(at);
        return unlocked([&] { return at_state(std::move(built), start).state; });
      },
      py::arg("model"), py::arg("at"), py::arg("parameters"));

  py::class_<LinearizedModel, std::shared_ptr<LinearizedModel>>(module, "Linearization")
      .def_property_readonly("A", [](const LinearizedModel& l) { return matrix_of(l.motion.A); })
      .def_property_readonly("B", [](const LinearizedModel& l) { return matrix_of(l.motion.B); })
      .def_property_readonly(
          "C", [](const LinearizedModel& l) { return matrix_of(own_outputs(l.given->system, l.motion).C); })
      .def_property_readonly(
          "D", [](const LinearizedModel& l) { return matrix_of(own_outputs(l.given->system, l.motion).D); })
      .def_property_readonly(
          "json",
          [](const LinearizedModel& l) { return to_python(linearization_json(*l.given, l.motion, l.stability)); })
      .def_property_readonly(
          "formulas",
          [](const LinearizedModel& l) {
            return to_python(formulas_json(unlocked([&] { return stability_texts(l.given->system, l.motion); })));
          })
      .def_property_readonly("warnings", [](const LinearizedModel& l) { return l.warnings; })
      .def("control", &control_of, py::arg("lqr"), py::arg("kalman"), py::arg("period"))
      .def("vary", &vary_linearization, py::arg("name"), py::arg("values"));
  module.def("linearize", &linearize_model, py::arg("model"), py::arg("at"), py::arg("parameters"), py::arg("settle"));

  module.def("gait", &gait_of, py::arg("model"), py::arg("cycle"), py::arg("parameters"), py::arg("period"),
             py::arg("cycles"), py::arg("harmonics"), py::arg("optimize"));

  module.def("export_languages", &export_languages);
  module.def(
      "export",
      [](PyModel& m, const std::string& to, const std::vector<std::string>& only, const std::string& precision) {
        const std::optional<CodePrecision> known = parse_code_precision(precision);
        if (!known) throw py::value_error("precision is \"double\" or \"single\", not \"" + precision + "\"");
        const Equations& equations = m.equations();
        std::vector<std::pair<std::string, std::string>> files;
        for (CodeFile& file : unlocked([&] { return or_throw(export_model(equations, to, only, *known)); }))
          files.emplace_back(std::move(file.name), std::move(file.text));
        return files;
      },
      py::arg("model"), py::arg("to"), py::arg("only"), py::arg("precision"));
  // Returns the identifier, the files, the names of those to compile, and the compiler options.
  module.def(
      "export_fmu",
      [](PyModel& m, const std::string& tool) {
        const Equations& equations = m.equations();
        ExportedFmu fmu = unlocked([&] { return or_throw(export_fmu(equations, tool)); });
        std::vector<std::pair<std::string, std::string>> files;
        for (CodeFile& file : fmu.files) files.emplace_back(std::move(file.name), std::move(file.text));
        return std::tuple(fmu.identifier, std::move(files), fmu.sources, ExportedFmu::compiler_options());
      },
      py::arg("model"), py::arg("tool"));
}

}  // namespace dalembert::python
