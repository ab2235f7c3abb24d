// SPDX-License-Identifier: Apache-2.0
// Kinds of constraints. One description of each, from which follow its keys in a model file, its rows, their names and
// units, and what its multipliers mean: constraint_kind.cpp is the place to add one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/model/argument.h"

namespace dalembert {

class Model;
struct Constraint;
struct ConstraintRow;

enum class RowNames {
  kNumbers,  ///< `pin` for a single row, pin[1], pin[2], … for several
  kAxes,     ///< pin.x, pin.y, pin.z
};

struct ConstraintKind {
  std::string_view key;      ///< in [[constraint]]
  std::string_view meaning;  ///< for the reference
  bool velocity;             ///< rows are η(q, q̇, t), affine in q̇; else h(q, t)
  RowNames row_names;
  std::vector<ArgumentDescription> arguments;
  std::string_view sample;  ///< of the table that holds several arguments, for messages
  /// h or η of each row; null for one that is left out.
  std::vector<Expr> (*rows)(const Model& model, const Arguments& arguments);
  /// The dimension of a row's h or η.
  DimensionTerm (*dimension)(const Arguments& arguments, std::size_t row);
  /// What the row's multiplier is in a designer's words; `unit`: of λ, empty where it is not known.
  std::string (*multiplier)(const Constraint& constraint, const ConstraintRow& row, std::string_view unit);
};

std::span<const ConstraintKind> constraint_kinds();
/// The kind of that key, which must exist.
const ConstraintKind& constraint_kind(std::string_view key);

}  // namespace dalembert
