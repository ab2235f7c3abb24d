// SPDX-License-Identifier: Apache-2.0
// Numerical results of a system, found by the names of its coordinates and constraint rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/base/text.h"
#include "dalembert/compile/compile.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/model/model.h"
#include "dalembert/model_error.h"

namespace dalembert {

namespace face {  // used by the functions of this header only

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

/// Numbers found by index or by name; an unknown name throws ModelError (E0102).
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

/// A KktSolution (dynamics/kkt.h) whose numbers are found by name.
struct NamedSolution {
  KktStatus status;
  NamedValues qdd;                  ///< accelerations by coordinate
  NamedValues lambda;               ///< multipliers by row: lambda["pin[1]"]
  NamedValues actuation;            ///< forces by prescribed coordinate: actuation["alpha"]
  std::vector<bool> lambda_unique;  ///< by row number: whether this multiplier is determined
  int rank;                         ///< rank of W
  double residual;
};
inline NamedSolution named(const Dynamics& dynamics, const KktSolution& solution) {
  const Names& names = dynamics.names();
  // The rows of prescribed coordinates come last.
  const auto last = [](const auto& list, int count) {
    return list.end() - std::min(static_cast<std::ptrdiff_t>(count), static_cast<std::ptrdiff_t>(list.size()));
  };
  const auto row = last(names.rows, names.actuated);
  const auto force = last(solution.lambda, names.actuated);
  return {solution.status,
          NamedValues("velocity", names.of_motion(), solution.qdd),
          NamedValues("constraint row", {names.rows.begin(), row}, {solution.lambda.begin(), force}),
          NamedValues("prescribed coordinate", {row, names.rows.end()}, {force, solution.lambda.end()}),
          solution.lambda_unique,
          solution.rank,
          solution.residual};
}

/// A State whose numbers are found by name.
struct NamedState {
  double t;
  NamedValues q, v;
  State state() const { return {t, q.values(), v.values()}; }
};
inline NamedState named(const Dynamics& dynamics, const State& state) {
  const Names& names = dynamics.names();
  return {state.t, NamedValues("coordinate", names.coordinates, state.q),
          NamedValues("velocity", names.of_motion(), state.v)};
}

}  // namespace dalembert
