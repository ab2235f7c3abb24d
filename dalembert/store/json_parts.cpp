// SPDX-License-Identifier: Apache-2.0
#include "dalembert/store/json_value.h"

#include <cstddef>
#include <utility>

namespace dalembert {

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

Json named_json(std::span<const std::string> names, std::span<const double> values) {
  Json json = Json::object();
  for (std::size_t i = 0; i < names.size() && i < values.size(); ++i) json.append(names[i], values[i]);
  return json;
}

Json not_zero_json(std::span<const std::string> names, std::span<const double> values) {
  Json json = Json::object();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (values[i] != 0) json.append(names[i], values[i]);
  return json;
}

Json list_json(std::span<const double> values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(value);
  return json;
}

Json matrix_json(const Pattern& pattern, std::span<const double> values) {
  const auto rows = static_cast<std::size_t>(pattern.rows), columns = static_cast<std::size_t>(pattern.cols);
  std::vector<double> dense(rows * columns);
  for (std::size_t k = 0; k < values.size(); ++k)
    dense[static_cast<std::size_t>(pattern.row[k]) * columns + static_cast<std::size_t>(pattern.col[k])] = values[k];
  Json json = Json::array();
  for (std::size_t r = 0; r < rows; ++r) json.push_back(list_json(std::span(dense).subspan(r * columns, columns)));
  return json;
}

Json entries_json(const Pattern& pattern, std::span<const double> values) {
  Json json = Json::array();
  for (std::size_t k = 0; k < values.size(); ++k) json.push_back({pattern.row[k], pattern.col[k], values[k]});
  return json;
}

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace dalembert
