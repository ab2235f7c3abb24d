// SPDX-License-Identifier: Apache-2.0
// What the parts of the Python module share. Each part binds one subject (bind_*.cpp names it); none has logic of its own.
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
#include "dalembert/study/state_values.h"

namespace dalembert::python {

namespace py = pybind11;

/// An expression that keeps its graph.
struct PyExpr {
  std::shared_ptr<Graph> graph;
  Expr e;
};

/// A coordinate: its value, with the rates beside.
struct PyCoordinate : PyExpr {
  Coordinate coordinate;
};

/// A model while it is stated and, from the first look at its equations on, as it stays.
class PyModel {
 public:
  explicit PyModel(std::string name) : model(std::make_shared<Model>(std::move(name))) {}
  explicit PyModel(Model loaded) : model(std::make_shared<Model>(std::move(loaded))) {}

  std::shared_ptr<Model> model;

  /// Derived once. Throws ModelError.
  const Equations& equations();
  bool is_derived() const { return equations_.has_value(); }
  /// Built once. Throws ModelError.
  const BuiltModel& built();
  /// The same with other values of parameters, by name.
  BuiltModel built_with(const py::dict& parameters);
  /// Before a statement: throws where the equations were looked at already; the statement's place is that of the
  /// caller's script.
  Model& stating();
  /// After it: what is wrong with it is thrown. The model stays wrong, and says so again when it is used.
  void check();
  PyExpr expression(const Expr& e) const { return {model->graph, e}; }

 private:
  std::optional<Equations> equations_;
  std::optional<BuiltModel> built_;
  std::size_t said_ = 0;  // diagnostics before the statement
};

/// A number, a string that is one, or an expression.
Component component_of(const py::handle& value);
Components components_of(const py::handle& values);
Expr expression_in(Model& model, const py::handle& value);
std::vector<Expr> expressions_in(Model& model, const py::handle& values);

/// The line of the script that calls, outside of this package; no place where there is none.
Span caller();

/// Python without its lock. A thread that comes back to a Python that ends waits for the end of the process.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

/// Whether work goes on: false from Ctrl-C on. Asked now and then while Python's lock is released (signals are looked at
/// 20 times a second); waits for the end of the process where Python ends.
class KeepOn {
 public:
  /// In the thread that will ask, which has the lock.
  KeepOn();
  bool operator()();
  bool interrupted() const { return interrupted_; }
  /// What a signal handler of the user's own raised, raised here.
  void raise() const;

 private:
  bool hears_signals_;  // Python's main thread alone does
  std::chrono::steady_clock::time_point looked_ = std::chrono::steady_clock::now();
  bool interrupted_ = false;
  std::unique_ptr<py::error_already_set> raised_;
};

/// What JSON says, as Python's own values.
py::object to_python(const Json& json);

/// {"t": 0.5, "q": {"theta": 1.0}, "qd": {…}, "v": {…}}; nothing of None.
std::optional<StateValues> state_values_of(const py::object& at);
py::dict to_python(const StateValues& values);
/// Values of all parameters: those of the model but for these.
std::vector<double> parameters_of(const Dynamics& dynamics, const py::dict& parameters);

void bind_arrays(py::module_& module);
void bind_errors(py::module_& module);
void bind_expressions(py::module_& module);
void bind_model(py::module_& module);
void bind_equations(py::module_& module);
void bind_functions(py::module_& module);
void bind_motion(py::module_& module);
void bind_studies(py::module_& module);
void bind_pictures(py::module_& module);

}  // namespace dalembert::python
