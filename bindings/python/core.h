// SPDX-License-Identifier: Apache-2.0
// What the parts of the Python module share. Each part binds one subject (bind_*.cpp names it); none has logic of its own.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/dalembert.h"

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
  /// Before a statement: throws where the equations were looked at already; the statement's place is that of the
  /// caller's script.
  Model& stating();
  /// After it: what is wrong with it is thrown. The model stays wrong, and says so again when it is used.
  void check();
  PyExpr expression(const Expr& e) const { return {model->graph, e}; }

 private:
  std::optional<Equations> equations_;
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

/// What JSON says, as Python's own values.
py::object to_python(const Json& json);

void bind_arrays(py::module_& module);
void bind_errors(py::module_& module);
void bind_expressions(py::module_& module);
void bind_model(py::module_& module);
void bind_equations(py::module_& module);
void bind_functions(py::module_& module);
void bind_motion(py::module_& module);

}  // namespace dalembert::python
