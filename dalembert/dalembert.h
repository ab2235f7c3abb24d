// SPDX-License-Identifier: Apache-2.0
// The whole library in one include, and its face for C++ programs:
//
//   using namespace dalembert;
//   const Equations equations = derive(model);                      // throws ModelError
//   const Dynamics dynamics = compile(equations);
//   const State start = assemble(dynamics, {.fixed = {{theta, 1.05, 4.0}}, .guess = {{phi, 2.8}, {x, 0.8}}}).state();
//   const NamedSolution now = named(dynamics, solve_kkt(dynamics, start));  // now.qdd[theta], now.lambda["pin[1]"]
//   const Trajectory path = integrate(dynamics, start, {.until = 10.0, .rtol = 1e-9});
//
// Here are overloads in the namespace of the layers, told apart by their arguments: derive(Model) throws
// where derive(shared_ptr<const Model>) returns a Result; assemble() takes values by coordinate, or a model's own,
// beside a State. Numerical outcomes stay values, as below: path.status, now.status. The layers' headers say everything
// else.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dalembert/analyze/audit.h"
#include "dalembert/base/diagnostic.h"
#include "dalembert/base/source.h"
#include "dalembert/base/text.h"
#include "dalembert/base/units.h"
#include "dalembert/compile/compile.h"
#include "dalembert/compile/kernel_jacobian.h"
#include "dalembert/compile/lanes.h"
#include "dalembert/derive/closed_form.h"
#include "dalembert/derive/entry.h"
#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/expr.h"
#include "dalembert/expr/parse.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/integrate/stepper.h"
#include "dalembert/integrate/trajectory.h"
#include "dalembert/model/model.h"
#include "dalembert/model_error.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/report/derivation_steps.h"
#include "dalembert/report/equations_text.h"
#include "dalembert/report/multipliers.h"
#include "dalembert/store/csv.h"
#include "dalembert/store/json.h"
#include "dalembert/tape/c_source.h"
#include "dalembert/vec2.h"

namespace dalembert {

/// A model from the text of a model file. Throws ModelError. From a file: or_throw(load_model_file(path)).
inline Model parse_model(std::string text) { return or_throw(load_model(make_source("<model>", std::move(text)))); }

/// Throws ModelError. Warnings are in equations.model->diagnostics().
inline Equations derive(Model model) { return or_throw(derive(std::make_shared<const Model>(std::move(model)))); }

/// print_equations(equations, {}) as LaTeX.
inline std::string latex(const Equations& equations) {
  EquationsFormat format;
  format.notation = Notation::kLatex;
  return print_equations(equations, format);
}

/// A coordinate, or its name.
struct CoordinateName {
  std::string name;
  CoordinateName(const Coordinate& coordinate) : name(coordinate.name) {}
  CoordinateName(std::string_view text) : name(text) {}
  CoordinateName(const char* text) : name(text) {}
};

namespace face {  // what the functions of this header are made of

inline std::size_t find(const std::vector<std::string>& names, std::string_view name, std::string_view kind) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  Diagnostic unknown = error("E0102", "unknown " + std::string(kind) + " `" + std::string(name) + "`");
  if (const auto near = nearest(name, names))
    unknown.help.push_back("did you mean `" + *near + "`?");
  else if (!names.empty())
    unknown.help.push_back("known: " + join_words(names));
  throw ModelError({std::move(unknown)});
}

}  // namespace face

/// Where to start, by coordinate: `{.fixed = {{theta, 1.05, 4.0}}, .guess = {{phi, 2.8}, {"x", 0.8}}, .t = 0}`. Fixed
/// values are kept exactly, guesses may move; what is not named starts from the guess 0. SI.
struct Start {
  struct Value {
    CoordinateName coordinate;
    std::optional<double> position = {}, velocity = {};
  };
  std::vector<Value> fixed = {}, guess = {};
  double t = 0;
};

/// The outcome of assembly: a state, or the reason why there is none.
class Assembled {
 public:
  Assembled(const Dynamics& dynamics, const State& guess, const AssembleOptions& options)
      : assembly_(dalembert::assemble(dynamics, guess, options)) {
    if (!assembly_.ok()) diagnostics_.push_back(explain_failure(dynamics, assembly_, options));
  }
  bool ok() const { return assembly_.ok(); }
  /// Consistent. Throws ModelError (E0301 to E0303) when there is none.
  State state() const { return ok() ? assembly_.state : throw ModelError(diagnostics_); }
  const Assembly& assembly() const { return assembly_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  Assembly assembly_;
  Diagnostics diagnostics_;
};

/// Throws ModelError (E0102) for a name that is no coordinate.
inline Assembled assemble(const Dynamics& dynamics, const Start& start) {
  const auto n = static_cast<std::size_t>(dynamics.n());
  State state{start.t, std::vector<double>(n), std::vector<double>(n)};
  AssembleOptions options;
  options.hold_position.assign(n, false);
  options.hold_velocity.assign(n, false);
  const auto set = [&](const Start::Value& value, bool hold) {
    const std::size_t i = face::find(dynamics.names().coordinates, value.coordinate.name, "coordinate");
    if (value.position) state.q[i] = *value.position, options.hold_position[i] = hold;
    if (value.velocity) state.v[i] = *value.velocity, options.hold_velocity[i] = hold;
  };
  for (const Start::Value& value : start.guess) set(value, false);
  for (const Start::Value& value : start.fixed) set(value, true);  // overrides a guess of the same coordinate
  return {dynamics, state, options};
}

/// From the initial values that the model states ([initial] of a model file).
inline Assembled assemble(const Dynamics& dynamics, const Model& model) {
  const InitialState initial = initial_state(model);
  AssembleOptions options;
  options.hold_position = initial.hold_position;
  options.hold_velocity = initial.hold_velocity;
  return {dynamics, initial.state, options};
}

/// Numbers by index or by name; an unknown name throws ModelError (E0102).
class NamedValues {
 public:
  NamedValues(std::string kind, std::vector<std::string> names, std::vector<double> values)
      : kind_(std::move(kind)), names_(std::move(names)), values_(std::move(values)) {}
  double operator[](std::string_view name) const { return values_[face::find(names_, name, kind_)]; }
  double operator[](const Coordinate& coordinate) const { return (*this)[coordinate.name]; }
  double operator[](std::size_t index) const { return values_[index]; }
  std::size_t size() const { return values_.size(); }
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<double>& values() const { return values_; }

 private:
  std::string kind_;
  std::vector<std::string> names_;
  std::vector<double> values_;
};

/// A KktSolution (dynamics/kkt.h) whose numbers have names.
struct NamedSolution {
  KktStatus status;
  NamedValues qdd;                  ///< by coordinate
  NamedValues lambda;               ///< by row: lambda["pin[1]"]
  std::vector<bool> lambda_unique;  ///< by row number
  int rank;                         ///< of W
  double residual;
};
inline NamedSolution named(const Dynamics& dynamics, const KktSolution& solution) {
  const Names& names = dynamics.names();
  return {solution.status,
          NamedValues("coordinate", names.coordinates, solution.qdd),
          NamedValues("constraint row", names.rows, solution.lambda),
          solution.lambda_unique,
          solution.rank,
          solution.residual};
}

/// A State whose numbers have names, by coordinate.
struct NamedState {
  double t;
  NamedValues q, v;
};
inline NamedState named(const Dynamics& dynamics, const State& state) {
  const auto& names = dynamics.names().coordinates;
  return {state.t, NamedValues("coordinate", names, state.q), NamedValues("coordinate", names, state.v)};
}

}  // namespace dalembert
