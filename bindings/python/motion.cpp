// SPDX-License-Identifier: Apache-2.0
// A consistent start, runs, and what a run recorded.
#include <fmt/format.h>

#include <atomic>
#include <limits>

#include "bindings/python/arrays.h"
#include "bindings/python/core.h"
#include "bindings/python/numbers.h"
#include "dalembert/model/limit_words.h"
#include "dalembert/store/run_bytes.h"
#include "dalembert/study/massless.h"
#include "dalembert/study/report_page.h"
#include "dalembert/study/start_warnings.h"
#include "dalembert/study/system_at.h"
#include "dalembert/study/threads.h"

namespace dalembert::python {
namespace {

constexpr double kUnset = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> series_names(const Trajectory& run) {
  std::vector<std::string> names;
  for (const Trajectory::Column& column : run.columns()) names.push_back(column.name);
  return names;
}

Trajectory::Column find_column(const Trajectory& run, const std::string& name) {
  std::vector<std::string> names = series_names(run);
  if (const auto found = find_series(names, name)) return run.columns()[*found];
  const std::size_t series = names.size();
  for (std::size_t i = 0; i < series; ++i)
    if (names[i].starts_with("v/")) names.push_back(names[i].substr(2) + "'");  // which `theta_dot` means
  if (const auto near = nearest(name, names)) {
    Diagnostic unknown = error("E0102", fmt::format("unknown series `{}`", name), caller());
    unknown.help.push_back(fmt::format("did you mean `{}`?", *near));
    throw ModelError({std::move(unknown)});
  }
  names.resize(series);
  face::find(names, name, "series");  // throws
  throw py::key_error(name);
}

// The system with the parameter values of `dynamics`; initial values that are formulas of parameters follow.
BuiltModel with_parameters_of(const BuiltModel& system, const Dynamics& dynamics) {
  const std::span<const double> p = dynamics.parameters();
  return with_parameters(system, {p.begin(), p.end()});
}

Assembly start_of(const BuiltModel& given, const Dynamics& dynamics, const py::dict& q, const py::dict& v,
                  const py::dict& q_guess, const py::dict& v_guess, std::optional<double> t) {
  const BuiltModel system = with_parameters_of(given, dynamics);
  State guess = initial_state(*system.model, t.value_or(system.model->initial.t));
  AssembleOptions hold = held_values(*system.model);
  const Names& names = dynamics.names();
  const auto set = [](const py::dict& values, const std::vector<std::string>& of, const char* kind,
                      std::vector<double>& state, std::vector<bool>& flags, bool held) {
    for (const auto& [key, value] : values) {
      const std::string name = given_text(key, kind);
      const std::size_t i = find_coordinate(of, name, kind, "`v={{\"{0}\": …}}` has its rate");
      state[i] = given_number(value, name);
      flags[i] = held;
    }
  };
  set(q_guess, names.coordinates, "coordinate", guess.q, hold.hold_position, false);
  set(q, names.coordinates, "coordinate", guess.q, hold.hold_position, true);
  set(v_guess, names.of_motion(), "velocity", guess.v, hold.hold_velocity, false);
  set(v, names.of_motion(), "velocity", guess.v, hold.hold_velocity, true);
  if (Diagnostics missing = missing_samples(*system.model, dynamics, guess.t, guess.t); !missing.empty())
    throw ModelError(std::move(missing));
  ModelStart start{guess, hold, assemble_start(system.equations, dynamics, guess, hold)};
  if (!start.assembly.ok()) throw ModelError({explain_start(system, start)});
  project(dynamics, start.assembly.state);
  return std::move(start.assembly);
}

}  // namespace

void refuse_start(const BuiltModel& system, const Dynamics& dynamics, const State& start, const std::string& reason) {
  Diagnostic wrong = error("E0304", "the run cannot start: " + reason, caller());
  if (!check_consistency(dynamics, start, IntegrateOptions().start_tolerance).ok())
    wrong.help.push_back("`model.consistent(…)` finds a state on the constraints, with named values held");
  for (std::string& advice : help_for_massless(system.equations))
    wrong.help.push_back(system.model->source ? std::move(advice) : in_words_of_python(std::move(advice)));
  throw ModelError({std::move(wrong)});
}

namespace {

std::shared_ptr<Trajectory> simulate(const BuiltModel& system, const Dynamics& dynamics, const State& start,
                                     const py::dict& settings, const py::object& times, bool cross_check,
                                     const std::vector<std::string>& sensitivity,
                                     const std::vector<std::string>& gradient_of) {
  // As where a model with these values is loaded.
  if (std::string why = refuse_limits(*with_parameters_of(system, dynamics).model); !why.empty())
    refuse_start(system, dynamics, start, why);
  IntegrateOptions options = run_options_of(*system.model, start.t, settings);
  if (!times.is_none())
    for (const py::handle time : py::reinterpret_borrow<py::iterable>(times))
      options.output_times.push_back(given_number(time, "times"));
  options.cross_check = cross_check;
  std::optional<RunGradients> gradients;
  for (const std::string& name : sensitivity) options.tangents.push_back({.name = name});
  if (!sensitivity.empty() || !gradient_of.empty()) {
    const BuiltModel changed = with_parameters_of(system, dynamics);
    if (Diagnostics problems = find_tangents(changed, options); !problems.empty())
      throw ModelError(std::move(problems));
    std::vector<MappedText> numbers;
    for (const std::string& number : gradient_of) numbers.push_back(MappedText::of(number, "<gradient_of>"));
    if (!numbers.empty()) gradients = or_throw(RunGradients::prepare(changed, numbers));
    if (gradients) {
      gradients->ask(options);
      for (const Diagnostic& one : gradients->warnings())
        if (PyErr_WarnEx(py::module_::import("dalembert").attr("ModelWarning").ptr(),
                         fmt::format("{}: {}", one.code, one.message).c_str(), 1) < 0)
          throw py::error_already_set();
    }
    options.second_run = true;  // gives the errors of the derivatives
  }
  if (options.formulation == Formulation::kReduced)
    options.quasi_velocities = compile_quasi_velocities(system.equations);
  if (Diagnostics missing = missing_samples(*system.model, dynamics, start.t, options.until); !missing.empty())
    throw ModelError(std::move(missing));
  if (settings.contains("for_report")) choose_report_rows(start.t, options);
  KeepOn keep_on;
  options.progress_every = 1;
  options.progress = [&](const RunPoint&) { return keep_on(); };
  auto run = std::make_shared<Trajectory>();
  {
    Unlocked unlocked;
    *run = integrate(dynamics, start, options);
    if (gradients) gradients->finish(options, start, *run);
  }
  keep_on.raise();
  if (run->status == RunStatus::kFailed && run->size() == 0 && !keep_on.interrupted())
    refuse_start(system, dynamics, start, run->reason);
  if (keep_on.interrupted())
    run->reason = fmt::format("interrupted at t = {} s", run->size() > 0 ? to_text(run->time.back(), 6) : "?");
  return run;
}

// Many runs, by several threads. Each begins at its state, or where that is None at the model's own start with its parameters. Runs for which there is no start fail,
// with the reason.
std::vector<std::shared_ptr<Trajectory>> simulate_many(const Numbers& system,
                                                       const std::vector<std::optional<State>>& starts,
                                                       const std::vector<py::dict>& parameters,
                                                       const py::dict& settings, int threads) {
  IntegrateOptions options = run_options_of(*system.built.model, system.built.model->initial.t, settings);
  if (options.formulation == Formulation::kReduced)
    options.quasi_velocities = compile_quasi_velocities(system.built.equations);
  std::vector<std::vector<double>> values;
  for (const py::dict& one : parameters) values.push_back(parameters_of(system.built.dynamics, one));
  if (Diagnostics missing =
          missing_samples(*system.built.model, system.built.dynamics, system.built.model->initial.t, options.until);
      !missing.empty())
    throw ModelError(std::move(missing));
  std::vector<std::shared_ptr<Trajectory>> runs(starts.size());
  KeepOn keep_on;
  bool interrupted = false;
  {
    const Unlocked without;
    system.built.dynamics.kernel().expect_many_calls();
    std::atomic<std::size_t> next = 0;
    Threads workers(threads_for(threads, static_cast<std::int64_t>(starts.size())),
                    [&](int, const std::atomic<bool>& stopped) {
                      IntegrateOptions own = options;
                      own.progress = [&](const RunPoint&) { return !stopped; };
                      for (std::size_t k = next++; k < starts.size() && !stopped; k = next++) {
                        const BuiltModel built = with_parameters(system.built, values[k]);
                        runs[k] = std::make_shared<Trajectory>();
                        if (std::string why = refuse_limits(*built.model); !why.empty()) {
                          runs[k]->status = RunStatus::kFailed;
                          runs[k]->reason = std::move(why);
                          continue;
                        }
                        State start;
                        if (starts[k]) {
                          start = *starts[k];
                        } else {
                          const ModelStart found = assemble_model_start(built);
                          if (!found.assembly.ok()) {
                            runs[k]->status = RunStatus::kFailed;
                            runs[k]->reason = explain_start(built, found).message;
                            continue;
                          }
                          start = found.assembly.state;
                        }
                        *runs[k] = integrate(built.dynamics, start, own);
                      }
                    });
    interrupted = workers.wait([&] { return keep_on(); });
  }
  keep_on.raise();
  if (interrupted) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }
  return runs;
}

}  // namespace

IntegrateOptions run_options_of(const Model& model, double start, const py::dict& settings) {
  SimulationSettings wanted = model.simulation;
  for (const Setting& setting : kSettings) {
    const std::string name = keyword(setting);
    if (!settings.contains(name)) continue;
    if (setting.name)
      wanted.*setting.name = given_text(settings[name.c_str()], name);
    else
      wanted.*setting.number = given_number(settings[name.c_str()], name);
  }
  IntegrateOptions options = or_throw(run_options(wanted, model, start));
  if (settings.contains("max_steps")) options.max_steps = given_integer(settings["max_steps"], "max_steps");
  return options;
}

void bind_motion(py::module_& module) {
  // The keywords by which a run takes the settings that a model may state.
  module.def("settings", [] {
    std::vector<std::string> keywords;
    for (const Setting& setting : kSettings) keywords.push_back(keyword(setting));
    return keywords;
  });

  py::class_<State>(module, "State")
      .def(py::init([](double t, const py::object& q, const py::object& v, std::size_t nq, std::size_t nv) {
             return State{t, doubles_of(q, nq, "q"), doubles_of(v, nv, "v")};
           }),
           py::arg("t"), py::arg("q"), py::arg("v"), py::arg("nq"), py::arg("nv"))
      .def_readonly("t", &State::t)
      .def_property_readonly("q", [](const State& s) { return array_of(s.q); })
      .def_property_readonly("v", [](const State& s) { return array_of(s.v); });

  py::class_<Numbers, std::shared_ptr<Numbers>>(module, "System")
      .def(py::init([](PyModel& m) { return std::make_shared<Numbers>(Numbers{m.built()}); }), py::arg("model"))
      .def_property_readonly("nq", [](const Numbers& s) { return s.built.dynamics.nq(); })
      .def_property_readonly("nv", [](const Numbers& s) { return s.built.dynamics.nv(); })
      .def_property_readonly("coordinate_names", [](const Numbers& s) { return s.built.dynamics.names().coordinates; })
      .def_property_readonly("velocity_names", [](const Numbers& s) { return s.built.dynamics.names().of_motion(); })
      // Such as "3 velocities - rank 2 = 1 freedom", at the model's own start.
      .def_property_readonly(
          "freedoms", [](const Numbers& s) { return describe_freedoms(s.built, or_throw(find_model_start(s.built))); })
      // Names for velocities of a state: rates of coordinates, and angular velocities of frames.
      .def_property_readonly("rate_names", [](const Numbers& s) { return velocity_names(*s.built.model); })
      .def(
          "start",
          [](const Numbers& s, const py::dict& q, const py::dict& v, const py::dict& q_guess, const py::dict& v_guess,
             std::optional<double> t, const py::dict& parameters) {
            return start_of(s.built, s.with(parameters), q, v, q_guess, v_guess, t).state;
          },
          py::arg("q"), py::arg("v"), py::arg("q_guess"), py::arg("v_guess"), py::arg("t"), py::arg("parameters"))
      // What is doubtful about a run that begins at this time.
      .def(
          "doubts_of_run",
          [](const Numbers& s, double start, const py::dict& settings) {
            return run_warnings(*s.built.model, start, run_options_of(*s.built.model, start, settings).until);
          },
          py::arg("start"), py::arg("settings"))
      // What is doubtful about the model and its own start, in the order in which the command says it.
      .def(
          "doubts",
          [](const Numbers& s, const py::dict& parameters) {
            const BuiltModel built = parameters.empty() ? s.built : with_parameters_of(s.built, s.with(parameters));
            const Unlocked unlocked;
            Diagnostics doubts = built.warnings;
            const Result<ModelStart> start = find_model_start(built);
            if (!start || !start->assembly.ok()) return doubts;
            append_new(doubts, start_warnings(built, *start));
            append_new(doubts, inertia_warnings(built, start->assembly.state));
            return doubts;
          },
          py::arg("parameters"))
      .def(
          "terms",
          [](const Numbers& s, const State& state, const py::dict& parameters) {
            const Dynamics dynamics = s.with(parameters);
            return to_python(terms_json(*s.built.model, dynamics, state, evaluate_terms(dynamics, state)));
          },
          py::arg("state"), py::arg("parameters"))
      .def("simulate_many", &simulate_many, py::arg("starts"), py::arg("parameters"), py::arg("settings"),
           py::arg("threads"))
      .def(
          "simulate",
          [](const Numbers& s, const State& start, const py::dict& settings, const py::object& times,
             const py::dict& parameters, bool cross_check, const std::vector<std::string>& sensitivity,
             const std::vector<std::string>& gradient_of) {
            return simulate(s.built, s.with(parameters), start, settings, times, cross_check, sensitivity, gradient_of);
          },
          py::arg("start"), py::arg("settings"), py::arg("times"), py::arg("parameters"), py::arg("cross_check"),
          py::arg("sensitivity"), py::arg("gradient_of"));

  py::class_<Trajectory, std::shared_ptr<Trajectory>>(module, "Run")
      .def("__len__", &Trajectory::size)
      .def_property_readonly("status", [](const Trajectory& r) { return std::string(to_text(r.status)); })
      .def_readonly("reason", &Trajectory::reason)
      .def_property_readonly("model_name", [](const Trajectory& r) { return r.names.model; })
      .def_property_readonly("gradient",
                             [](const Trajectory& r) {
                               py::dict all;
                               for (const Gradient& gradient : r.gradients) {
                                 py::dict by;
                                 for (const Gradient::By& one : gradient.by) by[py::str(one.name)] = one.value;
                                 all[py::str(gradient.output)] = by;
                               }
                               return all;
                             })
      .def_readonly("steps", &Trajectory::steps)
      .def_readonly("evaluations", &Trajectory::evaluations)
      .def_readonly("computed_by", &Trajectory::computed_by)
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
                               std::vector<std::tuple<std::string, double, std::string>> all;
                               for (const RunEvent& event : r.events)
                                 all.emplace_back(event.name, event.t, to_text(event.kind));
                               return all;
                             })
      .def_property_readonly("json",
                             [](const Trajectory& r) {
                               // Nothing was moved by assembly; a run without rows has no start.
                               const std::size_t nq = r.names.coordinates.size(), nv = r.names.of_motion().size();
                               Assembly start;
                               start.moved_q.assign(nq, 0.0);
                               start.moved_v.assign(nv, 0.0);
                               start.state = {0, std::vector<double>(nq, kUnset), std::vector<double>(nv, kUnset)};
                               if (r.size() > 0) start.state = r.state(0);
                               return to_python(run_json(r, start, r.names, 0));
                             })
      .def("final_state",
           [](const Trajectory& r) {
             if (r.size() == 0) throw py::index_error("the run has no rows");
             return r.final_state();
           })
      // Returns diagnostics; none on success.
      .def(
          "write",
          [](const Trajectory& r, const std::string& path, bool json) {
            const Unlocked unlocked;
            return json ? write_json(r, path) : write_csv(r, path);
          },
          py::arg("path"), py::arg("json"))
      .def(py::pickle([](const Trajectory& r) { return py::bytes(run_bytes(r)); },
                      [](const py::bytes& bytes) {
                        return std::make_shared<Trajectory>(or_throw(run_from_bytes(std::string_view(bytes))));
                      }));
}

}  // namespace dalembert::python
