// SPDX-License-Identifier: Apache-2.0
// [[event]]: instants at which a run notes something, sets something or ends.
#include <fmt/format.h>

#include "dalembert/modelfile/loader.h"

namespace dalembert::modelfile {

void Loader::read_events() {
  for (const Instance& instance : expand("event")) {
    const std::string name = name_of(instance);
    const Span place = instance.node->find("name") ? instance.node->find("name")->text.span() : span(instance);
    if (usable_name(name, place, "event")) read_event(instance, name);
  }
}

std::optional<Event::Direction> Loader::direction_of(const Instance& instance) {
  const Node* node = instance.node->find("direction");
  if (!node) return Event::Direction::kAny;
  const std::string word = text_of(node, instance.indices).value_or("");
  if (word == "any") return Event::Direction::kAny;
  if (word == "up") return Event::Direction::kUp;
  if (word == "down") return Event::Direction::kDown;
  Diagnostic problem = error("E0006", fmt::format("an event has no direction `{}`", word), node->text.span());
  problem.help.emplace_back("`up`: `when` passes 0 from below; `down`: from above; `any`: both");
  report(std::move(problem));
  return std::nullopt;
}

void Loader::read_event(const Instance& instance, const std::string& name) {
  if (!has(instance, "when")) return;
  const std::optional<Event::Direction> direction = direction_of(instance);
  EventDescription description{names_.lower(written(instance, "when"), Role::kOutput).value};
  bool good = direction && description.when;
  if (direction) description.direction = *direction;
  if (has(instance, "where")) {
    description.where = names_.lower(written(instance, "where"), Role::kCondition).value;
    description.where_span = names_.text_span(written(instance, "where"));
    good = good && description.where;
  }
  if (const Node* stop = instance.node->find("stop")) description.stop = stop->boolean;
  if (const Node* set = instance.node->find("set"))
    for (const Entry& entry : set->entries) good = read_setting(instance, name, entry, description) && good;
  if (!good) return;
  const Node* name_node = instance.node->find("name");
  model_.here = name_node ? name_node->text.span() : span(instance);
  const std::size_t before = model_.events.size();
  description.when_span = names_.text_span(written(instance, "when"));
  model_.event(name, description);
  if (model_.events.size() > before) model_.events.back().span = span(instance);
}

// Reads what an event sets, `"x'" = "-e*x'"`: the coordinate or velocity, and its new value, which must have its unit.
bool Loader::read_setting(const Instance& instance, const std::string& event, const Entry& entry,
                          EventDescription& description) {
  const auto key = key_text(entry, instance.indices);
  if (!key || entry.node.bad) return false;
  const Written value{&entry.node, instance.indices};
  const Lowered lowered = names_.lower(value, Role::kOutput);
  if (!lowered.value) return false;
  // `dot(x)` is x'.
  const bool dotted = key->starts_with("dot(") && key->ends_with(")");
  const std::string what = dotted ? key->substr(4, key->size() - 5) + "'" : *key;
  const bool rate = what.ends_with("'");
  const int coordinate = model_.coordinate_index(rate ? what.substr(0, what.size() - 1) : what);
  const DimensionTerm per_second(Dimension::none() / Dimension::time());
  if (coordinate >= 0) {
    const DimensionTerm& own = coordinate_dimensions_[static_cast<std::size_t>(coordinate)];
    expect(lowered, rate ? own * per_second : own, fmt::format("`{}` of the event `{}`", what, event), value,
           Measure::kAngle);
  } else if (what.find(".omega.") != std::string::npos) {
    expect(lowered, per_second, fmt::format("`{}` of the event `{}`", what, event), value, Measure::kAngle);
  }
  model_.here = document_.key_span(entry);
  if (!model_.setting_of(event, what)) return false;
  description.set.emplace_back(what, lowered.value);
  return true;
}

}  // namespace dalembert::modelfile
