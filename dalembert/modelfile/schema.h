// SPDX-License-Identifier: Apache-2.0
// The sections and keys of a model file: one table that the reader, the messages and docs/model-format.md follow.
#pragma once

#include <span>
#include <string_view>

#include "dalembert/base/diagnostic.h"
#include "dalembert/modelfile/document.h"

namespace dalembert::modelfile {

enum class Kind {
  kText,         // a string for people
  kName,         // a string that names something; `{i}` is replaced
  kNames,        // a list of two names
  kExpression,   // a string or a number
  kExpressions,  // one expression, or a list of them
  kVector,       // a list of 2 or 3 expressions
  kInertia,      // an expression; lists are for three dimensions
  kRotation,     // an expression; a list is for three dimensions
  kQuantity,     // a number, or a string "0.15 m"
  kPositive,     // such a quantity, above zero
  kInteger,
  kBoolean,
  kRange,        // "i in 1..N"
  kBetween,      // {between = [P, Q], value = expression}
  kQuantities,   // a table of quantities by coordinate
  kInput,        // an expression or {file, column}
  kCoordinates,  // a list of names or tables
  kAnything,     // judged by nobody yet
};

struct Key {
  std::string_view name;
  Kind kind;
  std::string_view meaning;
  bool required = false;
  bool later = false;  // known, and not supported yet
};

enum class Shape {
  kValue,  // key = value at the top of the file
  kTable,  // [section] with the keys below
  kNamed,  // [section] with names of the user's choice, all of the kind of its only key
  kArray,  // [[section]]
};

struct Section {
  std::string_view name;
  Shape shape;
  std::string_view meaning;
  std::span<const Key> keys;
  bool later = false;
};

std::span<const Section> schema();
const Section* find_section(std::string_view name);
/// The keys of a table in `coordinates`.
std::span<const Key> coordinate_keys();
/// The keys of {file, column} in [inputs], and of {between, value}.
std::span<const Key> input_keys();
std::span<const Key> between_keys();

/// Holds the document against the schema. Nodes that do not fit are reported and marked `bad`; unknown keys are
/// reported. Errors: E0005, E0006, E0007, E0009, E0010.
void validate(Document& document, Diagnostics& diagnostics);

}  // namespace dalembert::modelfile
