// SPDX-License-Identifier: Apache-2.0
#include "dalembert/modelfile/json_schema.h"

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dalembert/modelfile/schema.h"

namespace dalembert {
namespace modelfile {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

// An object from members that are JSON already.
using Members = std::vector<std::pair<std::string_view, std::string>>;
std::string object(const Members& members) {
  std::string out = "{";
  for (const auto& [name, value] : members)
    out += (out.size() > 1 ? ", " : "") + fmt::format("{}: {}", quoted(name), value);
  return out + "}";
}

std::string any_of(std::initializer_list<std::string> schemas) {
  return fmt::format("{{\"anyOf\": [{}]}}", fmt::join(schemas, ", "));
}

constexpr std::string_view kString = R"({"type": "string"})";
constexpr std::string_view kNumberOrText = R"({"type": ["number", "string"]})";

std::string list_of(std::string_view items) { return fmt::format(R"({{"type": "array", "items": {}}})", items); }
std::string list_of(std::string_view items, int least, int most) {
  return fmt::format(R"({{"type": "array", "items": {}, "minItems": {}, "maxItems": {}}})", items, least, most);
}
std::string named(std::string_view values) {
  return fmt::format(R"({{"type": "object", "additionalProperties": {}}})", values);
}

std::string table_of(std::span<const Key> keys);

std::string quantities() {
  const std::string values = named(kNumberOrText);
  return any_of({values, list_of(values)});
}

std::string of_kind(Kind kind, std::span<const Key> parts) {
  const std::string three = list_of(kNumberOrText, 3, 3);
  switch (kind) {
    case Kind::kText:
    case Kind::kName:
    case Kind::kRange:
      return std::string(kString);
    case Kind::kNames:
      return list_of(kString, 2, 2);
    case Kind::kFourNames:
      return list_of(kString, 4, 4);
    case Kind::kNameList:
      return list_of(kString);
    case Kind::kOneOrMoreNames:
      return any_of({std::string(kString), list_of(kString)});
    case Kind::kExpression:
    case Kind::kQuantity:
      return std::string(kNumberOrText);
    case Kind::kExpressions:
      return any_of({std::string(kNumberOrText), list_of(kNumberOrText)});
    case Kind::kVector:
      return list_of(kNumberOrText, 2, 3);
    case Kind::kMoment:
      return any_of({std::string(kNumberOrText), three});
    case Kind::kInertia:
      return any_of({std::string(kNumberOrText), three, list_of(three, 3, 3)});
    case Kind::kRotation:
      return any_of({std::string(kNumberOrText), list_of(list_of(any_of({std::string(kNumberOrText), three}), 2, 2))});
    case Kind::kPositive:
      return any_of({R"({"type": "number", "minimum": 0, "exclusiveMinimum": true})", std::string(kString)});
    case Kind::kInteger:
      return R"({"type": "integer"})";
    case Kind::kBoolean:
      return R"({"type": "boolean"})";
    case Kind::kParts:
      return table_of(parts);
    case Kind::kQuantities:
      return quantities();
    case Kind::kSettings:
      return named(kNumberOrText);
    case Kind::kTexts:
      return named(kString);
    case Kind::kParameter:
      return any_of({std::string(kNumberOrText), table_of(parameter_keys())});
    case Kind::kInput:
      return any_of({std::string(kNumberOrText), table_of(input_keys())});
    case Kind::kLines:
      return list_of(list_of(kString));
    case Kind::kCircles:
      return list_of(table_of(parts));
    case Kind::kCoordinates:
      return list_of(any_of({std::string(kString), table_of(coordinate_keys())}));
    case Kind::kAnything:
      break;
  }
  return "{}";
}

std::string described(std::string_view meaning, const std::string& schema) {
  const std::string first = fmt::format("{{\"description\": {}", quoted(meaning));
  return schema == "{}" ? first + "}" : first + ", " + schema.substr(1);
}

// A table with these keys and no others.
std::string table_of(std::span<const Key> keys) {
  Members properties;
  std::string required;
  for (const Key& key : keys) {
    properties.emplace_back(key.name, described(key.meaning, of_kind(key.kind, key.parts)));
    if (key.required) required += (required.empty() ? "" : ", ") + quoted(key.name);
  }
  Members all{{"type", "\"object\""}, {"additionalProperties", "false"}, {"properties", object(properties)}};
  if (!required.empty()) all.emplace_back("required", "[" + required + "]");
  return object(all);
}

std::string of_section(const Section& section) {
  switch (section.shape) {
    case Shape::kValue:
      return of_kind(section.keys[0].kind, section.keys[0].parts);
    case Shape::kTable:
      return table_of(section.keys);
    case Shape::kNamed:
      return named(of_kind(section.keys[0].kind, section.keys[0].parts));
    case Shape::kArray:
      return list_of(table_of(section.keys));
  }
  return "{}";
}

}  // namespace
}  // namespace modelfile

std::string model_json_schema() {
  std::string out = "{\n  \"$schema\": \"http://json-schema.org/draft-04/schema#\",\n";
  out += "  \"title\": \"A model of dalembert\",\n  \"type\": \"object\",\n  \"additionalProperties\": false,\n";
  out += "  \"properties\": {";
  std::string_view separator = "\n";
  for (const modelfile::Section& section : modelfile::schema()) {
    out += fmt::format("{}    {}: {}", separator, modelfile::quoted(section.name),
                       modelfile::described(section.meaning, modelfile::of_section(section)));
    separator = ",\n";
  }
  return out + "\n  }\n}\n";
}

}  // namespace dalembert
