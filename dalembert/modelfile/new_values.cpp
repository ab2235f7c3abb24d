// SPDX-License-Identifier: Apache-2.0
#include "dalembert/modelfile/new_values.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/base/units.h"
#include "dalembert/model/initial_values.h"
#include "dalembert/modelfile/document.h"

namespace dalembert {
namespace {

using modelfile::Document;
using modelfile::Entry;
using modelfile::Node;

// A stretch of the text and what replaces it.
struct Edit {
  std::uint32_t begin = 0, end = 0;
  std::string text;
};

Diagnostic not_written(const std::string& name, std::string why, std::string help) {
  Diagnostic problem = error("E0436", fmt::format("the new value of `{}` cannot be written: {}", name, why));
  problem.help.push_back(std::move(help));
  return problem;
}

std::string value_text(double value, const std::optional<Dimension>& dimension, bool plain) {
  const std::string unit = dimension && !plain ? unit_name(*dimension, Measure::kAngle) : "";
  return unit.empty() || unit == "1" ? to_text(value) : fmt::format("\"{} {}\"", to_text(value), unit);
}

std::string key_text(const std::string& name) { return is_identifier(name) ? name : fmt::format("\"{}\"", name); }

// Writes values into a document.
class ValueWriter {
 public:
  ValueWriter(const Model& model, const Document& document)
      : model_(model), document_(document), text_(document.source->text()) {}

  std::optional<Diagnostic> set(const NewValue& value) {
    if (!std::isfinite(value.value)) return not_written(value.name, "it is not finite", "no model has such a value");
    const auto parameter = std::ranges::find(model_.parameters, value.name, &Parameter::name);
    if (parameter != model_.parameters.end()) return set_parameter(*parameter, value.value);
    const std::optional<InitialPlace> place = find_initial(model_, value.name);
    if (!place) return not_written(value.name, "the model has none", "it is a parameter or an initial value");
    return set_initial(value, *place);
  }

  std::string result() {
    std::ranges::sort(edits_, {}, &Edit::begin);
    std::string result;
    std::uint32_t at = 0;
    for (const Edit& edit : edits_) {
      // Two entries that are removed beside each other share the comma between them.
      if (edit.begin > at) result += text_.substr(at, edit.begin - at);
      result += edit.text;
      at = std::max(at, edit.end);
    }
    result += text_.substr(at);
    std::string initial;
    for (const auto& [table, entries] : missing_)
      if (!entries.empty()) initial += fmt::format("{} = {{{}}}\n", table, entries);
    if (initial.empty()) return result;
    if (const Entry* section = document_.root.find_entry("initial"); section != nullptr) {
      // After the header, whose line stays first; the edits before it have moved it.
      const std::size_t header = result.find("[initial]");
      const std::size_t end = header == std::string::npos ? header : result.find('\n', header);
      if (end != std::string::npos) return result.insert(end + 1, initial);
    }
    return result + (result.ends_with('\n') ? "\n" : "\n\n") + "[initial]\n" + initial;
  }

 private:
  std::optional<Diagnostic> set_parameter(const Parameter& parameter, double value) {
    const Node* section = document_.root.find("parameters");
    const Entry* entry = section != nullptr ? section->find_entry(parameter.name) : nullptr;
    if (entry == nullptr) return not_written(parameter.name, "[parameters] has no such line", "state it there");
    const Node* inner = entry->node.is(Node::Type::kTable) ? entry->node.find("value") : &entry->node;
    if (inner == nullptr) return not_written(parameter.name, "its entry has no `value`", "state it there");
    edits_.push_back({inner->begin, inner->end, value_text(value, parameter.dimension, parameter.plain)});
    return std::nullopt;
  }

  // The entry of an initial value in a table of [initial]; `tables` counts the tables that were searched. Nothing where `for` repeats them.
  const Entry* find_entry(std::string_view table, const InitialPlace& place) const {
    const Node* initial = document_.root.find("initial");
    const Node* entries = initial != nullptr ? initial->find(table) : nullptr;
    if (entries == nullptr) return nullptr;
    const auto look_in = [&](const Node& node) -> const Entry* {
      for (const Entry& entry : node.entries) {
        // In `velocity` a coordinate's name is that of its rate.
        const bool rate = table == "velocity";
        std::optional<InitialPlace> other = find_initial(model_, rate ? entry.key + "'" : entry.key);
        if (!other && rate) other = find_initial(model_, entry.key);
        if (other && other->kind == place.kind && other->index == place.index) return &entry;
      }
      return nullptr;
    };
    if (entries->is(Node::Type::kTable)) return look_in(*entries);
    for (const Node& item : entries->items)
      if (const Entry* found = look_in(item)) return found;
    return nullptr;
  }

  std::optional<Diagnostic> set_initial(const NewValue& value, const InitialPlace& place) {
    const bool position = place.kind == InitialPlace::Kind::kPosition;
    const std::string table = position ? "position" : "velocity";
    const std::string written = value_text(value.value, place.dimension, false);
    if (const Entry* entry = find_entry(table, place)) {
      edits_.push_back({entry->node.begin, entry->node.end, written});
      return std::nullopt;
    }
    if (const Entry* guess = find_entry("guess", place)) remove(*guess);
    const std::string name =
        place.kind == InitialPlace::Kind::kVelocity ? rate_name(value.name).coordinate : value.name;
    const Node* initial = document_.root.find("initial");
    const Node* entries = initial != nullptr ? initial->find(table) : nullptr;
    const std::string line = fmt::format("{} = {}", key_text(name), written);
    if (entries == nullptr) {
      auto& list = missing_[position ? 0 : 1].second;
      list += (list.empty() ? "" : ", ") + line;
    } else if (!entries->is(Node::Type::kTable)) {
      return not_written(value.name, fmt::format("`{}` of [initial] is a list of tables", table),
                         fmt::format("state `{}` in a table of its own", name));
    } else if (text_[entries->begin] == '{') {
      edits_.push_back({entries->begin + 1, entries->begin + 1, line + (entries->entries.empty() ? "" : ", ")});
    } else {
      const std::size_t end = text_.find('\n', entries->begin);
      const auto at = static_cast<std::uint32_t>(end == std::string::npos ? text_.size() : end);
      edits_.push_back({at, at, "\n" + line});
    }
    return std::nullopt;
  }

  // Removes an entry, with its comma or its line.
  void remove(const Entry& entry) {
    std::size_t begin = entry.key_begin, end = entry.node.end;
    const auto blank = [&](std::size_t i) { return text_[i] == ' ' || text_[i] == '\t'; };
    std::size_t next = end;
    while (next < text_.size() && blank(next)) ++next;
    std::size_t before = begin;
    while (before > 0 && blank(before - 1)) --before;
    if (next < text_.size() && text_[next] == ',') {
      end = next + 1;
      while (end < text_.size() && blank(end)) ++end;
    } else if (before > 0 && text_[before - 1] == ',') {
      begin = before - 1;
    } else if ((before == 0 || text_[before - 1] == '\n') && (next == text_.size() || text_[next] == '\n')) {
      begin = before;
      end = std::min(next + 1, text_.size());
    }
    edits_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), ""});
  }

  const Model& model_;
  const Document& document_;
  const std::string& text_;
  std::vector<Edit> edits_;
  std::pair<std::string, std::string> missing_[2] = {{"position", ""}, {"velocity", ""}};  // entries of new tables
};

}  // namespace

std::optional<double> stated_value(const Model& model, const std::string& name) {
  const auto parameter = std::ranges::find(model.parameters, name, &Parameter::name);
  if (parameter != model.parameters.end()) return parameter->value;
  const std::optional<InitialPlace> place = find_initial(model, name);
  return place ? held_value(model.initial, *place) : std::nullopt;
}

Result<std::string> with_new_values(const Model& model, std::span<const NewValue> values, LoadOptions options) {
  if (model.source == nullptr && !values.empty())
    return not_written(values.front().name, "the model does not come from a file", "write its values by a program");
  const Result<Document> document = modelfile::read_document(model.source);
  if (!document) return document.diagnostics();
  ValueWriter writer(model, *document);
  Diagnostics problems;
  for (const NewValue& value : values)
    if (std::optional<Diagnostic> problem = writer.set(value)) problems.push_back(*std::move(problem));
  if (!problems.empty()) return problems;
  std::string text = writer.result();
  options.overrides.clear();
  const Result<Model> again = load_model(make_source(model.source->name(), text), options);
  if (!again && !values.empty()) {
    std::vector<std::string> names;
    for (const NewValue& value : values) names.push_back(value.name);
    return not_written(fmt::format("{}", fmt::join(names, "`, `")),
                       fmt::format("the model would be refused: {}", again.diagnostics().front().message),
                       "the file must have values that `simulate` takes: give bounds that leave out the others");
  }
  for (const NewValue& value : values)
    if (stated_value(*again, value.name) != value.value)
      return not_written(value.name, "the text stands for several values, or is not a plain entry",
                         "give it a line of its own in the model file: `name = \"value unit\"`");
  return text;
}

}  // namespace dalembert
