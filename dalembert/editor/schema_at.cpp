// SPDX-License-Identifier: Apache-2.0
#include "dalembert/editor/schema_at.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "dalembert/model/constraint_kind.h"
#include "dalembert/model/force_kind.h"

namespace dalembert::editor {
namespace {

using modelfile::Key;
using modelfile::Kind;
using modelfile::Shape;

constexpr NameKinds kPoints = set_of(NameKind::kPoint), kFrames = set_of(NameKind::kFrame),
                    kCoordinates = set_of(NameKind::kCoordinate);

NameKinds kinds_of(ArgumentType type) {
  switch (type) {
    case ArgumentType::kPoint:
    case ArgumentType::kPoints:
      return kPoints;
    case ArgumentType::kFrame:
      return kFrames;
    case ArgumentType::kBody:
      return set_of(NameKind::kBody);
    case ArgumentType::kCoordinate:
      return kCoordinates;
    default:
      return 0;
  }
}

// What the string at a key names, in sections but for constraints and forces, whose kinds say it.
NameKinds named_at(std::string_view key) {
  struct Row {
    std::string_view key;
    NameKinds kinds;
  };
  constexpr std::array<Row, 9> kRows{{{"frame", kFrames},
                                      {"parent", kFrames},
                                      {"coordinate", kCoordinates},
                                      {"quaternion", kCoordinates},
                                      {"between", kPoints},
                                      {"at", kPoints},
                                      {"lines", kPoints},
                                      {"trace", kPoints},
                                      {"labels", kPoints}}};
  const auto row = std::ranges::find(kRows, key, &Row::key);
  return row == kRows.end() ? 0 : row->kinds;
}

NameKinds argument_kinds(std::span<const ArgumentDescription> arguments, std::string_view key) {
  for (const ArgumentDescription& argument : arguments)
    if (argument.key == key && kinds_of(argument.type) != 0) return kinds_of(argument.type);
  return 0;
}

// The keys from the top of the file: those of the header `initial.position`, then those of the path.
std::vector<std::string> all_keys(const Cursor& cursor) {
  std::vector<std::string> keys;
  for (std::size_t from = 0; from < cursor.section.size();) {
    const std::size_t end = std::min(cursor.section.find('.', from), cursor.section.size());
    keys.push_back(cursor.section.substr(from, end - from));
    from = end + 1;
  }
  keys.insert(keys.end(), cursor.path.begin(), cursor.path.end());
  return keys;
}

// What a value of this key is and, if it is a table, what it may hold.
void enter(SchemaPlace& place, const Key& key) {
  place.key = &key;
  place.kind = key.kind;
  place.keys = {};
  place.names_as_keys = false;
  if (key.kind == Kind::kParts || key.kind == Kind::kCircles) place.keys = key.parts;
  if (key.kind == Kind::kCoordinates) place.keys = modelfile::coordinate_keys();
  if (key.kind == Kind::kParameter) place.keys = modelfile::parameter_keys();
  if (key.kind == Kind::kInput) place.keys = modelfile::input_keys();
  place.names_as_keys = key.kind == Kind::kQuantities || key.kind == Kind::kSettings || key.kind == Kind::kTexts;
}

// The value at a name that the user chose, or that is one of the model.
void enter_named(SchemaPlace& place) {
  place.names_as_keys = false;
  place.kind = place.kind == Kind::kQuantities ? Kind::kQuantity : Kind::kExpression;
}

}  // namespace

SchemaPlace schema_at(const Cursor& cursor) {
  SchemaPlace place;
  const std::vector<std::string> keys = all_keys(cursor);
  if (keys.empty()) return place;
  place.section = modelfile::find_section(keys[0]);
  if (!place.section) return place;
  const Shape shape = place.section->shape;
  std::size_t next = 1;
  if (shape == Shape::kTable || shape == Shape::kArray) {
    place.keys = place.section->keys;
  } else if (shape == Shape::kValue) {
    enter(place, place.section->keys[0]);
  } else {
    // The keys of [prescribed] are coordinates; those of others are the user's.
    place.names_as_keys = place.section->name == "prescribed";
    if (keys.size() > 1) enter(place, place.section->keys[0]), next = 2;
  }
  for (; next < keys.size(); ++next) {
    if (place.names_as_keys) {
      enter_named(place);
      continue;
    }
    const auto key = std::ranges::find(place.keys, keys[next], &Key::name);
    if (key == place.keys.end()) return {place.section, nullptr, {}, false, Kind::kAnything};
    enter(place, *key);
  }
  return place;
}

NameKinds kinds_at(std::string_view section, std::string_view key) {
  if (section == "constraint")
    for (const ConstraintKind& kind : constraint_kinds()) {
      if (kind.key == key && kinds_of(kind.arguments[0].type) != 0) return kinds_of(kind.arguments[0].type);
      if (const NameKinds kinds = argument_kinds(kind.arguments, key); kinds != 0) return kinds;
    }
  if (section == "force")
    for (const ForceKind& kind : force_kinds())
      if (const NameKinds kinds = argument_kinds(kind.arguments, key); kinds != 0) return kinds;
  return named_at(key);
}

}  // namespace dalembert::editor
