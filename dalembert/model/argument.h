// SPDX-License-Identifier: Apache-2.0
// What kinds of constraints and forces are stated with. A kind (constraint_kind.h, force_kind.h) describes its
// arguments; a model file and C++ give them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dalembert/expr/dimension_solver.h"
#include "dalembert/model/geometry.h"
#include "dalembert/model/roles.h"

namespace dalembert {

enum class ArgumentType {
  kExpression,
  kExpressions,  ///< one or several; each becomes a row
  kVector,       ///< along the ground axes
  kMoment,       ///< one expression in the plane, a vector in space
  kPoint,
  kPoints,  ///< two
  kFrame,
  kBody,
  kCoordinate,
};

/// An argument as it was given. Which members hold it, its type says.
struct Argument {
  std::string name = {};                      ///< of what was named; empty: nothing was
  std::vector<Expr> expressions = {};         ///< kExpression, kExpressions, kVector, kMoment; kCoordinate: q_i
  std::vector<Point> points = {};             ///< kPoint, kPoints
  Frame frame = {};                           ///< kFrame; the ground where none was given
  Body body = {};                             ///< kBody
  std::vector<DimensionTerm> dimension = {};  ///< of each expression, of points; empty where it is not asked for
};
using Arguments = std::vector<Argument>;

struct ArgumentDescription {
  std::string_view key;  ///< in the file; empty: the value of the kind's own key
  ArgumentType type;
  std::string_view meaning;     ///< for the reference and for messages about what is missing
  Role role = Role::kGeometry;  ///< what its expressions may depend on
  std::string_view what = {};   ///< its name where its unit is wrong: "a force on `{}`", {} the first argument's name
  /// What its expressions are measured in, given the arguments before it; null: anything.
  DimensionTerm (*dimension)(const Arguments&) = nullptr;
  Measure measure = Measure::kAny;
  bool beside = false;  ///< optional, and a key of the entry itself, not of the kind's table
};

}  // namespace dalembert
