// SPDX-License-Identifier: Apache-2.0
// Arguments of constraints and forces. A kind (constraint_kind.h, force_kind.h) describes its arguments; a model file or a C++ program supplies them.
#pragma once

#include <string_view>
#include <vector>

#include "dalembert/base/units.h"
#include "dalembert/model/roles.h"
#include "dalembert/model/statements.h"

namespace dalembert {

enum class ArgumentType {
  kExpression,
  kExpressions,  ///< one or several; each becomes a row
  kVector,       ///< components along the ground axes
  kMoment,       ///< one expression in the plane, a vector in space
  kPoint,
  kPoints,  ///< two points
  kFrame,
  kBody,
  kCoordinate,
};

struct ArgumentDescription {
  std::string_view key;  ///< the argument's key in the file; empty: it is the value of the kind's own key
  ArgumentType type;
  std::string_view meaning;     ///< a text for the reference page and for messages about a missing argument
  Role role = Role::kGeometry;  ///< determines what the argument's expressions may depend on
  std::string_view what = {};   ///< the argument in errors about units: "a force on `{}`", {} is the first one
  /// The dimension of the argument's expressions, given the arguments before it; null: any dimension.
  DimensionTerm (*dimension)(const Arguments&) = nullptr;
  Measure measure = Measure::kAny;
  bool beside = false;    ///< the argument is optional, and its key is beside the kind's key, not in the kind's table
  bool optional = false;  ///< the argument may be left out of the kind's table
};

}  // namespace dalembert
