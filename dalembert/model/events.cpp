// SPDX-License-Identifier: Apache-2.0
// Events: instants at which a run notes something, sets something or ends.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/symbol_name.h"
#include "dalembert/expr/visit.h"
#include "dalembert/model/model.h"

namespace dalembert {

std::optional<Event::Setting> Model::setting_of(const std::string& event, const std::string& what) {
  const std::vector<VelocityPlace> velocities = velocity_places();
  for (std::size_t i = 0; i < velocities.size(); ++i)
    if (velocity_name(velocities[i]) == what) return Event::Setting{true, static_cast<int>(i), {}, here};
  const std::string coordinate = what.ends_with("'") ? what.substr(0, what.size() - 1) : what;
  const int place = coordinate_index(coordinate);
  for (const FrameQuaternion& quaternion : quaternions) {
    if (place < quaternion.first || place >= quaternion.first + 4) continue;
    problem("E0281",
            fmt::format("the event `{}` sets `{}`, a part of the attitude of `{}`", event, what, quaternion.frame),
            fmt::format("set its angular velocity: `\"{}.omega.x\"`", quaternion.frame));
    return std::nullopt;
  }
  if (std::ranges::find(prescribed, place, &Prescribed::coordinate) != prescribed.end()) {
    problem("E0281", fmt::format("the event `{}` sets `{}`, which follows a prescribed motion", event, coordinate));
    return std::nullopt;
  }
  if (place >= 0 && coordinate == what) return Event::Setting{false, place, {}, here};
  std::vector<std::string> known;
  for (const Coordinate& one : coordinates) known.push_back(one.name);
  for (const VelocityPlace& one : velocities) known.push_back(velocity_name(one));
  const auto similar = nearest(what, known);
  problem("E0281", fmt::format("the event `{}` sets `{}`, which is neither a coordinate nor a velocity", event, what),
          similar ? fmt::format("did you mean `{}`?", *similar)
                  : "an event sets coordinates and velocities: `set = {\"x'\" = \"-e*x'\"}`");
  return std::nullopt;
}

void Model::event(const std::string& event_name, const EventDescription& description) {
  if (event_name.empty()) return problem("E0011", "the event has no name");
  if (std::ranges::find(events, event_name, &Event::name) != events.end())
    return problem("E0008", fmt::format("the event `{}` is defined twice", event_name));
  if (!is_sound(fmt::format("the event `{}`", event_name), description.when)) return;
  Event made{event_name, description.when,     description.direction, description.where, description.stop, {},
             here,       description.when_span};
  const Span name_span = here;
  if (description.when_span) here = description.when_span;
  if ((kinds_.of(description.when) & ~KindMasks::bit(SymbolKind::kParameter)) == 0)
    return problem("E0283", fmt::format("`when` of the event `{}` does not change", event_name),
                   "an event happens where an expression of the motion passes 0: `when = \"x - L\"`");
  if (std::ranges::all_of(symbols_in(std::array{description.when}), [&](SymbolId id) {
        const Symbol& symbol = graph->symbol_info(id);
        return symbol.kind == SymbolKind::kParameter || !row_of_contact(symbol.name).empty();
      }))
    return problem(
        "E0283", fmt::format("`when` of the event `{}` jumps and passes 0 nowhere", event_name),
        "a contact closes where `gap(…)` passes 0 downwards; where it opens `lambda(…)` falls to 0 and stays, so it "
        "is about to open where `lambda(…) - 1e-6` passes 0; `closed(…)` and `impulse(…)` belong into `where`");
  if (function_info(description.when.op()).truth)
    return problem("E0283", fmt::format("`when` of the event `{}` is a condition", event_name),
                   "write what passes 0: `when = \"x - L\"` for `x > L`, with `direction = \"up\"`");
  if (description.where_span) here = description.where_span;
  if (description.where) {
    if (!is_sound(fmt::format("the event `{}`", event_name), description.where)) return;
    if (!function_info(description.where.op()).truth)
      return problem("E0282", fmt::format("`where` of the event `{}` is not a condition", event_name),
                     "write one: `where = \"x > 0\"`");
  }
  here = name_span;
  for (const auto& [what, value] : description.set) {
    std::optional<Event::Setting> setting = setting_of(event_name, what);
    if (!setting) return;
    setting->value = value.in(*graph);
    if (!is_sound(fmt::format("the event `{}`", event_name), setting->value)) return;
    const auto same = [&](const Event::Setting& other) {
      return other.velocity == setting->velocity && other.place == setting->place;
    };
    if (std::ranges::any_of(made.set, same))
      return problem("E0008", fmt::format("the event `{}` sets `{}` twice", event_name, what));
    made.set.push_back(*std::move(setting));
  }
  events.push_back(std::move(made));
}

}  // namespace dalembert
