// SPDX-License-Identifier: Apache-2.0
// Runs step by step, with inputs that the caller changes on the way.
#include <fmt/format.h>

#include "bindings/python/arrays.h"
#include "bindings/python/core.h"
#include "bindings/python/numbers.h"
#include "dalembert/integrate/integrate.h"

namespace dalembert::python {
namespace {

// A Stepper with names. It asks for Ctrl-C while it steps.
class PyStepper {
 public:
  PyStepper(const Numbers& system, const State& start, const py::dict& settings, const py::dict& parameters)
      : dynamics_(system.with(parameters)), keep_on_(std::make_shared<std::optional<KeepOn>>()) {
    IntegrateOptions options = run_options_of(*system.built.model, start.t, settings);
    if (options.formulation == Formulation::kReduced)
      options.quasi_velocities = compile_quasi_velocities(system.built.equations);
    if (Diagnostics missing = missing_samples(*system.built.model, dynamics_, start.t, options.until); !missing.empty())
      throw ModelError(std::move(missing));
    options.progress_every = 1;
    options.progress = [keep_on = keep_on_](const RunPoint&) { return !*keep_on || (**keep_on)(); };
    dynamics_.kernel().expect_many_calls();
    until_ = options.until;
    {
      const Unlocked without;
      stepper_.emplace(dynamics_, start, std::move(options));
    }
    if (stepper_->status() == RunStatus::kFailed) refuse_start(system.built, dynamics_, start, stepper_->reason());
  }

  void hold(const std::string& input, double value) {
    if (!running().hold_input(input, value)) throw ModelError({error("E0403", running().why_not())});
  }
  bool step(std::optional<double> to) {
    Stepper& stepper = running();
    keep_on_->emplace();
    bool made = false;
    {
      const Unlocked without;
      made = to ? stepper.step_to(*to) : stepper.step();
    }
    const KeepOn asked = std::move(**keep_on_);
    keep_on_->reset();
    asked.raise();
    return made;
  }
  std::shared_ptr<Trajectory> finish() {
    // Ctrl-C may come between the end of the run and the assignment of what is returned, which is then asked for again.
    if (!finished_) finished_ = std::make_shared<Trajectory>(running().finish());
    stepper_.reset();
    return finished_;
  }
  double value(const std::string& name) {
    const Names& names = dynamics_.names();
    const RunPoint at = running().point();
    const auto in = [&](const std::vector<std::string>& list, std::span<const double> values,
                        const char* ending) -> std::optional<double> {
      for (std::size_t i = 0; i < list.size() && i < values.size(); ++i)
        if (list[i] + ending == name) return values[i];
      return std::nullopt;
    };
    const std::vector<std::string> rates = names.velocity_names();
    for (const auto& found : {in(names.coordinates, at.q, ""), in(rates, at.v, ""), in(rates, at.qdd, "'"),
                              in(names.rows, at.lambda, ""), in(names.inputs, stepper_->inputs(), "")})
      if (found) return *found;
    std::vector<std::string> known = names.coordinates;
    for (const auto* list : {&rates, &names.rows, &names.inputs}) known.insert(known.end(), list->begin(), list->end());
    return static_cast<double>(face::find(known, name, "quantity"));  // throws, naming the nearest
  }
  Stepper& running() {
    if (!stepper_) throw py::value_error("the run is finished");
    return *stepper_;
  }
  double until() const { return until_; }

 private:
  Dynamics dynamics_;
  double until_ = 0;
  std::optional<Stepper> stepper_;
  std::shared_ptr<Trajectory> finished_;
  std::shared_ptr<std::optional<KeepOn>> keep_on_;
};

py::object array_of_span(std::span<const double> values) { return array_of({values.begin(), values.end()}); }

// The system with other samples of its inputs: linear between them.
std::shared_ptr<Numbers> with_samples(
    const PyModel& m, const std::map<std::string, std::pair<std::vector<double>, std::vector<double>>>& samples) {
  const auto model = std::make_shared<Model>(*m.model);
  for (const auto& [name, of] : samples) {
    std::vector<std::string> names;
    for (const Input& one : model->inputs) names.push_back(one.name);
    const std::size_t at = face::find(names, name, "input");  // throws, naming the nearest
    model->inputs[at].span = caller();
    model->set_samples(name, of.first, of.second);
  }
  if (!model->diagnostics().empty() && model->diagnostics().back().level == Level::kError)
    throw ModelError(model->diagnostics());
  return std::make_shared<Numbers>(Numbers{or_throw(build_model(std::shared_ptr<const Model>(model)))});
}

}  // namespace

void bind_steppers(py::module_& module) {
  module.def("with_samples", &with_samples, py::arg("model"), py::arg("samples"));
  py::class_<PyStepper, std::shared_ptr<PyStepper>>(module, "Stepper")
      .def(py::init<const Numbers&, const State&, const py::dict&, const py::dict&>(), py::arg("system"),
           py::arg("start"), py::arg("settings"), py::arg("parameters"))
      .def("hold", &PyStepper::hold, py::arg("input"), py::arg("value"))
      .def("step", &PyStepper::step, py::arg("to"))
      .def("finish", &PyStepper::finish)
      .def("value", &PyStepper::value, py::arg("name"))
      .def_property_readonly("until", &PyStepper::until)
      .def_property_readonly("t", [](PyStepper& s) { return s.running().time(); })
      .def_property_readonly("q", [](PyStepper& s) { return array_of_span(s.running().q()); })
      .def_property_readonly("v", [](PyStepper& s) { return array_of_span(s.running().v()); })
      .def_property_readonly("qdd", [](PyStepper& s) { return array_of_span(s.running().qdd()); })
      .def_property_readonly("lam", [](PyStepper& s) { return array_of_span(s.running().lambda()); })
      .def(
          "round_to_row", [](PyStepper& s, double t) { return s.running().round_to_row(t); }, py::arg("t"))
      .def_property_readonly("at_end", [](PyStepper& s) { return s.running().at_end(); })
      .def_property_readonly("failed", [](PyStepper& s) { return s.running().status() == RunStatus::kFailed; });
}

}  // namespace dalembert::python
