// SPDX-License-Identifier: Apache-2.0
// Declarations that the parts of the Python module share. Each bind_… function binds one subject; the logic is in the
// library.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/dalembert.h"
#include "dalembert/study/built_model.h"
#include "dalembert/study/system_at.h"

namespace dalembert::python {

namespace py = pybind11;

/// An expression that keeps its graph alive.
struct PyExpr {
  std::shared_ptr<Graph> graph;
  Expr e;
};

/// The number that a caller gave for `what`. TypeError "`L1` must be a number, not [1]" for anything else.
double given_number(const py::handle& value, const std::string& what);
std::int64_t given_integer(const py::handle& value, const std::string& what);
/// The text that a caller gave for `what`, a setting or a key; TypeError for anything else.
std::string given_text(const py::handle& value, const std::string& what);

/// A coordinate: an expression for its value, with its rates.
struct PyCoordinate : PyExpr {
  Coordinate coordinate;
};

/// A model that is being stated. It is frozen when its equations are first used.
class PyModel {
 public:
  explicit PyModel(std::string name) : model(std::make_shared<Model>(std::move(name))) {}
  /// Throws ModelError where nothing was loaded.
  explicit PyModel(Result<Model> loaded) : loaded_with(loaded.diagnostics()) {
    model = std::make_shared<Model>(or_throw(std::move(loaded)));
  }

  std::shared_ptr<Model> model;

  /// Derives on first use. Throws ModelError.
  const Equations& equations();
  bool is_derived() const { return equations_.has_value(); }
  /// Builds on first use. Throws ModelError.
  const BuiltModel& built();
  /// The system with other values of the named parameters.
  BuiltModel built_with(const py::dict& parameters);
  /// Called before each statement: throws if the equations were used already, and records the caller's script line as
  /// position of the statement.
  Model& stating();
  /// Called after each statement: throws its errors. The model remains invalid and reports them again when it is used.
  void check();
  PyExpr expression(const Expr& e) const { return {model->graph, e}; }
  /// Whether it was stated in a script, and not loaded from a file.
  bool is_stated() const { return model->source == nullptr; }

  /// An energy as a formula, which may be replaced, beside what bodies, springs and dampers add.
  struct Energy {
    Expr Model::*sum;
    Expr formula = {};  // null: none was set
    Expr others = {};   // the sum without the formula
  };
  Energy kinetic{&Model::T}, potential{&Model::V}, dissipation{&Model::R};
  /// Called before the first derivation; may throw.
  py::object before_deriving;
  /// What is doubtful in the file that it was loaded from.
  Diagnostics loaded_with;

 private:
  std::optional<Equations> equations_;
  Diagnostics derived_with_;
  std::optional<BuiltModel> built_;
  std::size_t said_ = 0;  // number of diagnostics before the statement
};

/// Converts a number, a string that is a number, or an expression.
Component component_of(const py::handle& value);
Components components_of(const py::handle& values);
Expr expression_in(Model& model, const py::handle& value);
std::vector<Expr> expressions_in(Model& model, const py::handle& values);

/// Advice that names sections and keys of a model file, by the methods of a model that is stated in Python.
std::string in_words_of_python(std::string advice);
/// The same for the notes and the help of diagnostics.
Diagnostics in_words_of_python(Diagnostics all);

/// The index of a coordinate, or another `kind` of name. Throws ModelError (E0102); of a rate, `dtheta`, its help is `of_rate` with the coordinate's name in the place of {}.
std::size_t find_coordinate(const std::vector<std::string>& names, const std::string& name, const char* kind,
                            const char* of_rate);

/// The line of the calling script, outside this package; empty if there is none.
Span caller();

/// Releases Python's lock during its lifetime. If Python ends meanwhile, the thread waits for the end of the process.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

/// Tells whether work may go on: false after Ctrl-C. Called while Python's lock is released; it checks signals 20 times
/// a second. If Python ends, it waits for the end of the process.
class KeepOn {
 public:
  /// Must be created in the thread that will call it, while that holds the lock.
  KeepOn();
  bool operator()();
  bool interrupted() const { return interrupted_; }
  /// Raises the exception that a signal handler of the user raised, if any.
  void raise() const;

 private:
  bool hears_signals_;  // true in Python's main thread only
  std::chrono::steady_clock::time_point looked_ = std::chrono::steady_clock::now();
  bool interrupted_ = false;
  std::unique_ptr<py::error_already_set> raised_;
};

/// The JSON document as Python objects.
py::object to_python(const Json& json);

/// Reads {"t": 0.5, "q": {"theta": 1.0}, "qd": {…}, "v": {…}}; nothing for None.
std::optional<Start> start_at(const py::object& at);
py::dict to_python(const Start& start);
/// The options of a run from keywords (`until`, `rtol`, `max_steps` …) and the settings of the model.
IntegrateOptions run_options_of(const Model& model, double start, const py::dict& settings);
/// Throws what a run from `start` says that has no rows.
[[noreturn]] void refuse_start(const BuiltModel& system, const Dynamics& dynamics, const State& start,
                               const std::string& reason);
/// Values of all parameters: those given, else the model's.
std::vector<double> parameters_of(const Dynamics& dynamics, const py::dict& parameters);

void bind_arrays(py::module_& module);
void bind_checks(py::module_& module);
void bind_errors(py::module_& module);
void bind_expressions(py::module_& module);
void bind_model(py::module_& module);
void bind_equations(py::module_& module);
void bind_functions(py::module_& module);
void bind_motion(py::module_& module);
void bind_steppers(py::module_& module);
void bind_studies(py::module_& module);
void bind_sweeps(py::module_& module);
void bind_fits(py::module_& module);
void bind_optimizing(py::module_& module);
void bind_pictures(py::module_& module);

}  // namespace dalembert::python
