// SPDX-License-Identifier: Apache-2.0
// The names of a model file: where each is declared, and where it is used. What looks a name up while it is typed must not wait for the
// model to be right, so this reads the text alone: what of it is TOML, and of each expression the tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/editor/positions.h"
#include "dalembert/modelfile/document.h"

namespace dalembert::editor {

enum class NameKind : std::uint8_t {
  kCoordinate,
  kParameter,
  kInteger,  // of [structure]
  kDefinition,
  kInput,
  kQuasiVelocity,
  kPoint,
  kFrame,
  kBody,
  kConstraint,
  kFriction,
  kEvent,
  kOutput,
};

/// A set of kinds: what a name may mean where it stands.
using NameKinds = std::uint32_t;
constexpr NameKinds set_of(NameKind kind) { return NameKinds{1} << static_cast<int>(kind); }
/// What has a value in expressions.
inline constexpr NameKinds kValues = set_of(NameKind::kCoordinate) | set_of(NameKind::kParameter) |
                                     set_of(NameKind::kInteger) | set_of(NameKind::kDefinition) |
                                     set_of(NameKind::kInput) | set_of(NameKind::kQuasiVelocity);

/// "coordinate", "parameter", "integer", …
std::string_view word(NameKind kind);

struct DeclaredName {
  NameKind kind;
  std::string name;     ///< as written: `theta{i}` for what `for` repeats
  Range place;          ///< the name alone, without quotes
  Range whole;          ///< the entry: of a table its header
  std::string unit;     ///< of a coordinate, as written; may be empty
  std::string written;  ///< the value as written: of a parameter, a definition, an input; may be empty
  std::string meaning;  ///< the key `meaning`, else the comment behind the entry on its line; may be empty
  bool repeated() const { return name.find('{') != std::string::npos; }
};

struct UsedName {
  NameKinds kinds;
  std::string name;  ///< as written
  Range place;
  bool may_be_unit = false;  ///< it stands behind a number, where it is a unit; `kinds` is 0 then
};

struct NameTable {
  SourcePtr source;
  bool is_toml = false;          ///< the whole text is TOML; else lines that are not were left out
  Diagnostics problems;          ///< why it is not
  modelfile::Document document;  ///< the tree of what is TOML, in places of `source`
  std::vector<DeclaredName> declared;
  std::vector<UsedName> used;

  /// The declaration that a name means: one with the same name, else one that `for` repeats and that makes such names (`theta3`,
  /// `theta{i-1}` of `theta{i}`), else the first of those that the name stands for (`tau1` of `tau{k}`). Null if there is none.
  const DeclaredName* find(NameKinds kinds, std::string_view name) const;
  const DeclaredName* declaration_of(const UsedName& use) const { return find(use.kinds, use.name); }
  /// The declaration whose name is at the place, or the one that the name used there means; null if there is none.
  const DeclaredName* at(std::uint32_t offset) const;
  /// The use at the place; null if there is none.
  const UsedName* use_at(std::uint32_t offset) const;
};

/// Whether a pattern such as `theta{i-1}` stands for a name: each group for a number, or for another group.
bool stands_for(std::string_view pattern, std::string_view name);

/// Reads a text, whatever it is. Time is in proportion to the text, but for texts with many lines that are not TOML, of which 60 are left out
/// one by one.
NameTable read_names(SourcePtr source);

}  // namespace dalembert::editor
