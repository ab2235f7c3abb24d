// SPDX-License-Identifier: Apache-2.0
// Kinds of constraints. Each has one description, which determines its keys in a model file, its rows, their names and units, and the meaning
// of its multipliers. New kinds are added in constraint_kind.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/model/argument_description.h"

namespace dalembert {

class Model;
struct Constraint;
struct ConstraintRow;

enum class RowNames {
  kNumbers,  ///< numbered: `pin` for a single row; pin[1], pin[2], … for several
  kAxes,     ///< by axis: pin.x, pin.y, pin.z
};

struct ConstraintKind {
  /// Key in [[constraint]]. Kinds with the same key, which stand next to each other, differ in the arguments of their tables.
  std::string_view key;
  std::string_view meaning;  ///< text for the reference page
  bool velocity;             ///< whether rows are η(q, q̇, t), affine in q̇; else they are h(q, t)
  RowNames row_names;
  std::vector<ArgumentDescription> arguments;
  std::string_view sample;  ///< example of the table that holds several arguments, for messages
  /// h or η of each row; null for a row that is left out.
  std::vector<Expr> (*rows)(const Model& model, const Arguments& arguments);
  /// The dimension of a row's h or η.
  DimensionTerm (*dimension)(const Arguments& arguments, std::size_t row);
  /// The meaning of the row's multiplier in a designer's words. `unit` is the unit of λ; empty if it is unknown.
  std::string (*multiplier)(const Constraint& constraint, const ConstraintRow& row, std::string_view unit);
  bool unilateral = false;  ///< h >= 0 by itself; other kinds become one-sided by Model::unilateral
  /// The speed with which the bodies slide on each other in the plane; null where the kind does not know it.
  std::vector<Expr> (*sliding_speed)(const Model& model, const Arguments& arguments) = nullptr;
};

std::span<const ConstraintKind> constraint_kinds();
/// The kind with that key, which must exist; the first one if several have it.
const ConstraintKind& constraint_kind(std::string_view key);
/// The kind with that key and an argument with the key `argument`, which must exist.
const ConstraintKind& constraint_kind(std::string_view key, std::string_view argument);

}  // namespace dalembert
