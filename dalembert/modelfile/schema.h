// SPDX-License-Identifier: Apache-2.0
// The sections and keys of a model file, in one table that the reader, the messages and docs/model-format.md use. Keys of constraints and forces
// come from their kinds (model/constraint_kind.h, force_kind.h).
#pragma once

#include <span>
#include <string_view>

#include "dalembert/base/diagnostic.h"
#include "dalembert/modelfile/document.h"

namespace dalembert::modelfile {

/// The type of a value in a model file.
enum class Kind {
  kText,         // a text for people
  kName,         // a string that names something; `{i}` is replaced
  kNames,        // a list of two names
  kFourNames,    // a list of four names
  kExpression,   // a string or a number
  kExpressions,  // one expression, or a list of them
  kVector,       // a list of 2 or 3 expressions
  kMoment,       // an expression in the plane, a list of 3 in space
  kInertia,      // an expression in the plane; in space 3 of them, or 3 lists of 3
  kRotation,     // an expression in the plane; in space a list of [axis, expression]
  kQuantity,     // a number, or a string "0.15 m"
  kPositive,     // a quantity greater than zero
  kInteger,
  kBoolean,
  kRange,           // "i in 1..N"
  kParts,           // a table whose keys are in `parts`
  kQuantities,      // a table of quantities, with coordinates as keys
  kSettings,        // a table of expressions, with coordinates and velocities as keys
  kTexts,           // a table of texts
  kParameter,       // a quantity or {value, latex, meaning}
  kInput,           // an expression or {file, column}
  kLines,           // a list of lists of names
  kCircles,         // a list of tables whose keys are in `parts`
  kNameList,        // a list of names
  kOneOrMoreNames,  // a name or a list of names
  kCoordinates,     // a list of names or tables
  kAnything,        // any type; not checked
};

struct Key {
  std::string_view name;
  Kind kind;
  std::string_view meaning;
  bool required = false;
  std::span<const Key> parts = {};
  std::string_view sample = {};  // example of a table with `parts`, for messages
};

enum class Shape {
  kValue,  // key = value at the top of the file
  kTable,  // [section] with the keys below
  kNamed,  // [section] whose keys are names chosen by the user; all values have the kind of the section's only key
  kArray,  // [[section]]
};

struct Section {
  std::string_view name;
  Shape shape;
  std::string_view meaning;
  std::span<const Key> keys;
};

std::span<const Section> schema();
const Section* find_section(std::string_view name);
/// The keys of a table in `coordinates`.
std::span<const Key> coordinate_keys();
/// The keys of {file, column} in [inputs].
std::span<const Key> input_keys();
/// The keys of a parameter that is a table.
std::span<const Key> parameter_keys();

/// Checks the document against the schema. Nodes of a wrong type are reported and marked `bad`; unknown keys are reported. Errors: E0005,
/// E0006, E0007, E0010.
void validate(Document& document, Diagnostics& diagnostics);

}  // namespace dalembert::modelfile
