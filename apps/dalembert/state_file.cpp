// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/state_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/json.h"
#include "apps/dalembert/model_source.h"
#include "dalembert/base/text.h"

namespace dalembert::app {
namespace {

using Json = nlohmann::ordered_json;  // used for reading only

const std::vector<std::string> kMembers{"t", "q", "qd", "v", "inputs", "parameters"};

class Reader {
 public:
  explicit Reader(SourcePtr source) : source_(std::move(source)) {}

  StateFile read() {
    const Json document = parse();
    if (!document.is_object()) give_up("a state is an object: {\"t\": 0, \"q\": {…}, \"qd\": {…}}", {});
    StateFile file;
    for (const auto& [key, value] : document.items()) {
      const Span where = key_span(key, 0);
      if (key == "t")
        file.t = number(value, "t", where);
      else if (key == "q")
        file.position = numbers(value, key, where);
      else if (key == "qd")
        file.velocity = numbers(value, key, where);
      else if (key == "v")
        file.quasi_velocity = numbers(value, key, where);
      else if (key == "inputs")
        file.inputs = numbers(value, key, where);
      else if (key == "parameters")
        file.parameters = numbers(value, key, where);
      else
        unknown_member(key, where);
    }
    if (!problems_.empty()) fail(kExitModel, problems_);
    return file;
  }

 private:
  Json parse() {
    try {
      return Json::parse(source_->text());
    } catch (const nlohmann::json::parse_error& problem) {
      const auto size = static_cast<std::uint32_t>(source_->text().size());
      const auto at = std::min(size, static_cast<std::uint32_t>(problem.byte > 0 ? problem.byte - 1 : 0));
      give_up("this is not JSON", {source_, at, std::min(size, at + 1)});
    } catch (const nlohmann::json::exception& problem) {
      give_up(fmt::format("this JSON cannot be read: {}", problem.what()), {});
    }
  }

  [[noreturn]] void give_up(std::string message, Span span) const {
    if (!span) span = {source_, 0, 0};
    Diagnostic diagnostic = error("E0406", std::move(message), std::move(span));
    diagnostic.help.push_back("dalembert eval --help shows a state");
    fail(kExitModel, diagnostic);
  }

  // Position of `"key"` at or after `from`. The JSON parser keeps no positions, and the keys of an object are found in
  // order.
  Span key_span(const std::string& key, std::size_t from) const {
    const std::string quoted = '"' + key + '"';
    std::size_t at = source_->text().find(quoted, from);
    // A value may be the same text; only a key is followed by a colon.
    while (at != std::string::npos) {
      const std::size_t next = source_->text().find_first_not_of(" \t\r\n", at + quoted.size());
      if (next != std::string::npos && source_->text()[next] == ':') break;
      at = source_->text().find(quoted, at + 1);
    }
    if (at == std::string::npos) return {source_, 0, 0};
    return {source_, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + quoted.size())};
  }

  double number(const Json& value, const std::string& name, const Span& where) {
    if (value.is_number()) return value.get<double>();
    problems_.push_back(error("E0406", fmt::format("`{}` must be a number, in SI units", name), where));
    return 0;
  }

  std::vector<Start::Number> numbers(const Json& object, const std::string& group, const Span& where) {
    std::vector<Start::Number> values;
    if (!object.is_object()) {
      problems_.push_back(error("E0406", fmt::format("`{}` must be an object of numbers by name", group), where));
      return values;
    }
    for (const auto& [key, value] : object.items()) {
      const Span span = key_span(key, where.end);
      values.push_back({key, number(value, key, span), span});
    }
    return values;
  }

  void unknown_member(const std::string& key, const Span& where) {
    Diagnostic diagnostic = error("E0406", fmt::format("a state has no member `{}`", key), where);
    if (const auto near = nearest(key, kMembers)) diagnostic.help.push_back(fmt::format("did you mean `{}`?", *near));
    diagnostic.help.push_back(fmt::format("its members are {}", join_words(kMembers)));
    problems_.push_back(std::move(diagnostic));
  }

  SourcePtr source_;
  Diagnostics problems_;
};

template <class Items>
std::vector<std::string> names_of(const Items& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

}  // namespace

StateFile read_state_file(const std::string& path) {
  return Reader(make_source(path == "-" ? "<stdin>" : path, read_text(path))).read();
}

void require_names(StateFile& file, const Model& model) {
  Diagnostics problems = check_names(file, model);
  for (const Diagnostics& more : {check_names(file.inputs, names_of(model.inputs), "input"),
                                  check_names(file.parameters, names_of(model.parameters), "parameter")})
    problems.insert(problems.end(), more.begin(), more.end());
  if (!problems.empty()) fail(kExitModel, std::move(problems));
}

std::vector<Override> overrides_of(const StateFile& file) {
  std::vector<Override> overrides;
  for (const auto* group : {&file.parameters, &file.inputs})
    for (const Start::Number& value : *group)
      overrides.push_back(
          {value.coordinate.name, MappedText::of(to_text(value.value), value.coordinate.name), value.span});
  return overrides;
}

std::string state_text(const Model& model, const State& state) {
  const std::vector<std::string> names = names_of(model.coordinates);
  return document_text(
      {{"t", state.t}, {"q", named_json(names, state.q)}, {"qd", named_json(velocity_names(model), state.v)}});
}

}  // namespace dalembert::app
