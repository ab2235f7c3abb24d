// SPDX-License-Identifier: Apache-2.0
// A consistent start, runs, and what a run recorded.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <sstream>

#include "bindings/python/arrays.h"
#include "bindings/python/core.h"

namespace dalembert::python {
namespace {

// Signals are looked at this often: a run of microseconds should not pay for them, and nobody waits longer.
constexpr auto kPatience = std::chrono::milliseconds(50);

std::vector<std::string> series_names(const Trajectory& run) {
  std::vector<std::string> names;
  for (const Trajectory::Column& column : run.columns()) names.push_back(column.name);
  return names;
}

Trajectory::Column find_column(const Trajectory& run, const std::string& name) {
  const std::vector<std::string> names = series_names(run);
  const auto found = find_series(names, name);
  return run.columns()[found ? *found : face::find(names, name, "series")];  // throws, with the nearest name
}

// A model as numbers, with its own start.
struct System {
  explicit System(PyModel& m) : model(m.model), equations(m.equations()), dynamics(compile(equations)) {}
  std::shared_ptr<const Model> model;
  Equations equations;
  Dynamics dynamics;

  Dynamics with(const py::dict& parameters) const {
    if (parameters.empty()) return dynamics;
    std::vector<double> values(dynamics.parameters().begin(), dynamics.parameters().end());
    for (const auto& [name, value] : parameters)
      values[face::find(dynamics.names().parameters, name.cast<std::string>(), "parameter")] = value.cast<double>();
    return dynamics.with_parameters(std::move(values));
  }
};

Assembly start_of(const System& system, const Dynamics& dynamics, const py::dict& q, const py::dict& v,
                  const py::dict& q_guess, const py::dict& v_guess, std::optional<double> t) {
  InitialState initial = initial_state(*system.model, t.value_or(system.model->initial.t));
  const Names& names = dynamics.names();
  const auto set = [](const py::dict& values, const std::vector<std::string>& of, const char* kind,
                      std::vector<double>& state, std::vector<bool>& hold, bool held) {
    for (const auto& [name, value] : values) {
      const std::size_t i = face::find(of, name.cast<std::string>(), kind);
      state[i] = value.cast<double>();
      hold[i] = held;
    }
  };
  set(q_guess, names.coordinates, "coordinate", initial.state.q, initial.hold_position, false);
  set(q, names.coordinates, "coordinate", initial.state.q, initial.hold_position, true);
  set(v_guess, names.of_motion(), "velocity", initial.state.v, initial.hold_velocity, false);
  set(v, names.of_motion(), "velocity", initial.state.v, initial.hold_velocity, true);
  Assembly assembly = assemble_start(system.equations, dynamics, initial);
  if (!assembly.ok())
    throw ModelError({explain_failure(
        dynamics, assembly, {.hold_position = initial.hold_position, .hold_velocity = initial.hold_velocity})});
  project(dynamics, assembly.state);
  return assembly;
}

std::shared_ptr<Trajectory> simulate(const System& system, const Dynamics& dynamics, const State& start,
                                     const py::dict& settings, const py::object& times, bool cross_check) {
  SimulationSettings wanted = system.model->simulation;
  for (const auto& [name, value] : settings) {
    const auto key = name.cast<std::string>();
    if (key == "until") wanted.until = value.cast<double>();
    if (key == "rtol") wanted.rtol = value.cast<double>();
    if (key == "atol") wanted.atol = value.cast<double>();
    if (key == "every") wanted.output_step = value.cast<double>();
    if (key == "max_step") wanted.max_step = value.cast<double>();
    if (key == "method") wanted.method = value.cast<std::string>();
    if (key == "formulation") wanted.formulation = value.cast<std::string>();
  }
  IntegrateOptions options = or_throw(run_options(wanted, start.t));
  if (settings.contains("max_steps")) options.max_steps = settings["max_steps"].cast<std::int64_t>();
  if (!times.is_none())
    for (const py::handle time : py::reinterpret_borrow<py::iterable>(times))
      options.output_times.push_back(time.cast<double>());
  options.cross_check = cross_check;
  if (options.formulation == Formulation::kReduced)
    options.quasi_velocities = compile_quasi_velocities(system.equations);
  if (Diagnostics missing = missing_samples(*system.model, dynamics, start.t, options.until); !missing.empty())
    throw ModelError(std::move(missing));
  bool interrupted = false;
  std::unique_ptr<py::error_already_set> raised;
  options.progress_every = 1;
  auto looked = std::chrono::steady_clock::now();
  options.progress = [&](double) {
    const auto now = std::chrono::steady_clock::now();
    // What the run works with goes when Python ends; until the process is gone, it waits.
    while (_Py_IsFinalizing()) pause();
    if (now - looked < kPatience) return !interrupted;
    looked = now;
    const py::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) {
      interrupted = true;
      if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt))
        PyErr_Clear();
      else
        raised = std::make_unique<py::error_already_set>();  // by a handler of the user's own
    }
    return !interrupted;
  };
  auto run = std::make_shared<Trajectory>();
  {
    Unlocked unlocked;
    *run = integrate(dynamics, start, options);
  }
  if (raised) throw py::error_already_set(*raised);
  if (interrupted)
    run->reason = fmt::format("interrupted at t = {} s", run->size() > 0 ? to_text(run->time.back(), 6) : "?");
  return run;
}

}  // namespace

void bind_motion(py::module_& module) {
  py::class_<State>(module, "State")
      .def(py::init([](double t, const py::object& q, const py::object& v, std::size_t nq, std::size_t nv) {
             return State{t, doubles_of(q, nq, "q"), doubles_of(v, nv, "v")};
           }),
           py::arg("t"), py::arg("q"), py::arg("v"), py::arg("nq"), py::arg("nv"))
      .def_readonly("t", &State::t)
      .def_property_readonly("q", [](const State& s) { return array_of(s.q); })
      .def_property_readonly("v", [](const State& s) { return array_of(s.v); });

  py::class_<System, std::shared_ptr<System>>(module, "System")
      .def(py::init([](PyModel& m) { return std::make_shared<System>(m); }), py::arg("model"))
      .def_property_readonly("nq", [](const System& s) { return s.dynamics.nq(); })
      .def_property_readonly("nv", [](const System& s) { return s.dynamics.nv(); })
      .def_property_readonly("coordinate_names", [](const System& s) { return s.dynamics.names().coordinates; })
      .def_property_readonly("velocity_names", [](const System& s) { return s.dynamics.names().of_motion(); })
      .def(
          "start",
          [](const System& s, const py::dict& q, const py::dict& v, const py::dict& q_guess, const py::dict& v_guess,
             std::optional<double> t,
             const py::dict& parameters) { return start_of(s, s.with(parameters), q, v, q_guess, v_guess, t).state; },
          py::arg("q"), py::arg("v"), py::arg("q_guess"), py::arg("v_guess"), py::arg("t"), py::arg("parameters"))
      .def(
          "terms",
          [](const System& s, const State& state, const py::dict& parameters) {
            const Dynamics dynamics = s.with(parameters);
            return to_python(terms_json(*s.model, dynamics, state, evaluate_terms(dynamics, state)));
          },
          py::arg("state"), py::arg("parameters"))
      .def(
          "simulate",
          [](const System& s, const State& start, const py::dict& settings, const py::object& times,
             const py::dict& parameters,
             bool cross_check) { return simulate(s, s.with(parameters), start, settings, times, cross_check); },
          py::arg("start"), py::arg("settings"), py::arg("times"), py::arg("parameters"), py::arg("cross_check"));

  py::class_<Trajectory, std::shared_ptr<Trajectory>>(module, "Run")
      .def("__len__", &Trajectory::size)
      .def_property_readonly("status", [](const Trajectory& r) { return std::string(to_text(r.status)); })
      .def_readonly("reason", &Trajectory::reason)
      .def_property_readonly("model_name", [](const Trajectory& r) { return r.names.model; })
      .def_readonly("steps", &Trajectory::steps)
      .def_readonly("evaluations", &Trajectory::evaluations)
      .def_readonly("wall_seconds", &Trajectory::wall_seconds)
      .def_property_readonly("series_names", &series_names)
      .def(
          "unit", [](const Trajectory& r, const std::string& name) { return find_column(r, name).unit; },
          py::arg("name"))
      .def(
          "series",
          [](const std::shared_ptr<Trajectory>& r, const std::string& name) {
            return view_of(find_column(*r, name).values, py::cast(r));
          },
          py::arg("name"))
      .def("has_series",
           [](const Trajectory& r, const std::string& name) { return find_series(series_names(r), name).has_value(); })
      .def_property_readonly("holds", [](const Trajectory& r) { return r.verdict.holds; })
      .def_property_readonly("verdict_text", [](const Trajectory& r) { return to_text(r.verdict); })
      .def_property_readonly("warnings", [](const Trajectory& r) { return r.verdict.warnings; })
      .def_property_readonly("events",
                             [](const Trajectory& r) {
                               std::vector<std::pair<std::string, double>> all;
                               for (const RunEvent& event : r.events) all.emplace_back(event.name, event.t);
                               return all;
                             })
      .def_property_readonly("json",
                             [](const Trajectory& r) {
                               Assembly start;
                               if (r.size() > 0) start.state = r.state(0);
                               return to_python(run_json(r, start, r.names, 0));
                             })
      .def("final_state",
           [](const Trajectory& r) {
             if (r.size() == 0) throw py::index_error("the run has no rows");
             return r.final_state();
           })
      .def("csv", [](const Trajectory& r) {
        std::ostringstream out;
        write_csv(r, out);
        return out.str();
      });
}

}  // namespace dalembert::python
