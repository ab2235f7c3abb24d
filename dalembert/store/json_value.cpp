// SPDX-License-Identifier: Apache-2.0
#include "dalembert/store/json_value.h"

#include <algorithm>
#include <cassert>
#include <sstream>

#include "dalembert/store/json_writer.h"

namespace dalembert {

Json::Json(const std::vector<std::string>& texts) : value_(Array(texts.begin(), texts.end())) {}

Json::Json(std::initializer_list<JsonItem> items) {
  const bool object = std::ranges::all_of(items, [](const JsonItem& item) {
    const Array* pair = std::get_if<Array>(&item.value_.value_);
    return pair != nullptr && pair->size() == 2 && std::holds_alternative<std::string>(pair->front().value_);
  });
  if (object) {
    Object& members = value_.emplace<Object>();
    members.reserve(items.size());
    for (const JsonItem& item : items) {
      Array& pair = std::get<Array>(item.value_.value_);
      members.emplace_back(std::move(std::get<std::string>(pair[0].value_)), std::move(pair[1]));
    }
  } else {
    Array& values = value_.emplace<Array>();
    values.reserve(items.size());
    for (const JsonItem& item : items) values.push_back(std::move(item.value_));
  }
}

Json& Json::operator[](std::string_view name) {
  if (is_null()) value_.emplace<Object>();
  assert(std::holds_alternative<Object>(value_));
  Object& members = std::get<Object>(value_);
  for (auto& [known, value] : members)
    if (known == name) return value;
  return members.emplace_back(name, Json()).second;
}

void Json::append(std::string_view name, Json value) {
  if (is_null()) value_.emplace<Object>();
  assert(std::holds_alternative<Object>(value_));
  std::get<Object>(value_).emplace_back(name, std::move(value));
}

void Json::push_back(Json value) {
  if (is_null()) value_.emplace<Array>();
  assert(std::holds_alternative<Array>(value_));
  std::get<Array>(value_).push_back(std::move(value));
}

bool Json::has_items() const {
  if (const Array* values = std::get_if<Array>(&value_)) return !values->empty();
  if (const Object* members = std::get_if<Object>(&value_)) return !members->empty();
  return false;
}

bool Json::is_flat() const {
  if (const Array* values = std::get_if<Array>(&value_))
    return std::ranges::none_of(*values, [](const Json& value) { return value.has_items(); });
  if (const Object* members = std::get_if<Object>(&value_))
    return std::ranges::none_of(*members, [](const auto& member) { return member.second.has_items(); });
  return true;
}

void Json::write(bool outermost, JsonWriter& json) const {
  // A value without nested items is written on one line, except the outermost one.
  const auto items = !outermost && is_flat() ? JsonWriter::Items::kOnOneLine : JsonWriter::Items::kOnLines;
  if (const Object* members = std::get_if<Object>(&value_)) {
    json.begin_object(items);
    for (const auto& [name, value] : *members) value.write(false, json.key(name));
    json.end_object();
  } else if (const Array* values = std::get_if<Array>(&value_)) {
    json.begin_array(items);
    for (const Json& value : *values) value.write(false, json);
    json.end_array();
  } else if (const bool* truth = std::get_if<bool>(&value_)) {
    json.value(*truth);
  } else if (const std::int64_t* number = std::get_if<std::int64_t>(&value_)) {
    json.value(*number);
  } else if (const double* real = std::get_if<double>(&value_)) {
    json.value(*real);
  } else if (const std::string* text = std::get_if<std::string>(&value_)) {
    json.value(*text);
  } else {
    json.null();
  }
}

std::string Json::text() const {
  std::ostringstream out;
  JsonWriter json(out, 2);
  write(true, json);
  if (!std::holds_alternative<Object>(value_)) out << '\n';
  return std::move(out).str();
}

}  // namespace dalembert
