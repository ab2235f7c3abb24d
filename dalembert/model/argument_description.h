// SPDX-License-Identifier: Apache-2.0
// What kinds of constraints and forces are stated with. A kind (constraint_kind.h, force_kind.h) describes its
// arguments; a model file and C++ give them.
#pragma once

#include <string_view>
#include <vector>

#include "dalembert/base/units.h"
#include "dalembert/model/argument.h"
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
