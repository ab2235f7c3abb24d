// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/json.h"

#include <cmath>
#include <utility>

#include "dalembert/base/text.h"

namespace dalembert::app {
namespace {

bool is_flat(const Json& value) {
  for (const auto& item : value)
    if (item.is_structured() && !item.empty()) return false;
  return true;
}

std::string quoted(const std::string& text) {
  // Bytes of a model file that are not UTF-8 must not stop the report about them.
  return Json(text).dump(-1, ' ', false, nlohmann::detail::error_handler_t::replace);
}

void write(const Json& value, int indent, std::string& out) {
  if (value.is_number_float()) {
    const double number = value.get<double>();
    out += std::isfinite(number) ? to_text(number) : "null";
  } else if (value.is_string()) {
    out += quoted(value.get_ref<const std::string&>());
  } else if (!value.is_structured()) {
    out += value.dump();
  } else {
    const bool object = value.is_object();
    // One line where nothing is nested; the document itself always takes several.
    const bool flat = indent > 0 && is_flat(value);
    const std::string line_break = flat ? " " : "\n" + std::string(static_cast<std::size_t>(indent + 1) * 2, ' ');
    out += object ? '{' : '[';
    bool first = true;
    for (const auto& item : value.items()) {
      if (!first) out += ',';
      if (!flat || !first) out += line_break;
      first = false;
      if (object) out += quoted(item.key()) + ": ";
      write(item.value(), indent + 1, out);
    }
    if (!flat && !first) out += "\n" + std::string(static_cast<std::size_t>(indent) * 2, ' ');
    out += object ? '}' : ']';
  }
}

}  // namespace

std::string document_text(const Json& document) {
  std::string out;
  write(document, 0, out);
  return out + "\n";
}

Json to_json(const Diagnostic& diagnostic) {
  Json json = {{"code", diagnostic.code},
               {"level", diagnostic.level == Level::kError ? "error" : "warning"},
               {"message", diagnostic.message},
               {"file", nullptr},
               {"line", nullptr},
               {"column", nullptr},
               {"notes", diagnostic.notes},
               {"help", diagnostic.help}};
  if (const Span& span = diagnostic.primary.span) {
    const SourceText::Position position = span.source->position(span.begin);
    json["file"] = span.source->name();
    json["line"] = position.line;
    json["column"] = position.column;
  }
  return json;
}

Json to_json(const Diagnostics& diagnostics) {
  Json json = Json::array();
  for (const Diagnostic& diagnostic : diagnostics) json.push_back(to_json(diagnostic));
  return json;
}

Json failure_document(const Diagnostics& diagnostics) {
  Json json = {{"error", nullptr}, {"diagnostics", to_json(diagnostics)}};
  for (const Diagnostic& diagnostic : diagnostics)
    if (diagnostic.level == Level::kError && json["error"].is_null()) json["error"] = diagnostic.message;
  return json;
}

void append(Json& object, const std::string& name, Json value) {
  // operator[] would look through all names for this one first.
  static_cast<Json::object_t::Container&>(object.get_ref<Json::object_t&>()).emplace_back(name, std::move(value));
}

Json named(std::span<const std::string> names, std::span<const double> values) {
  Json json = Json::object();
  for (std::size_t i = 0; i < names.size() && i < values.size(); ++i) append(json, names[i], values[i]);
  return json;
}

Json list(std::span<const double> values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(value);
  return json;
}

Json matrix(const Pattern& pattern, std::span<const double> values) {
  const auto rows = static_cast<std::size_t>(pattern.rows), columns = static_cast<std::size_t>(pattern.cols);
  std::vector<double> dense(rows * columns);
  for (std::size_t k = 0; k < values.size(); ++k)
    dense[static_cast<std::size_t>(pattern.row[k]) * columns + static_cast<std::size_t>(pattern.col[k])] = values[k];
  Json json = Json::array();
  for (std::size_t r = 0; r < rows; ++r) json.push_back(list(std::span(dense).subspan(r * columns, columns)));
  return json;
}

Json entries(const Pattern& pattern, std::span<const double> values) {
  Json json = Json::array();
  for (std::size_t k = 0; k < values.size(); ++k) json.push_back({pattern.row[k], pattern.col[k], values[k]});
  return json;
}

}  // namespace dalembert::app
