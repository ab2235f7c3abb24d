// SPDX-License-Identifier: Apache-2.0
#include "dalembert/editor/lookup.h"

#include <algorithm>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/expr/functions.h"

namespace dalembert::editor {
namespace {

// What stands only inside lambda(…), friction(…) and the like may be called as a function is.
bool stands_inside(NameKind kind) {
  return kind == NameKind::kConstraint || kind == NameKind::kFriction || kind == NameKind::kEvent;
}

// The kinds among which a name is given once.
NameKinds namespace_of(NameKind kind) { return (kValues & set_of(kind)) != 0 ? kValues : set_of(kind); }

int line_of(const NameTable& table, const Range& place) { return table.source->position(place.begin).line; }

// Whether a use stands for the declaration and for others besides.
bool is_pattern_for(const UsedName& use, const DeclaredName& declared) {
  return use.name != declared.name && (use.kinds & set_of(declared.kind)) != 0 &&
         use.name.find('{') != std::string::npos && !declared.repeated() && stands_for(use.name, declared.name);
}

// Why a declaration cannot have the new name; empty if it can.
std::string why_not(const NameTable& table, const DeclaredName& declared, const std::string& name) {
  if (!is_identifier(name))
    return fmt::format("`{}` is no name: names are letters, digits and `_`, and begin with a letter", name);
  if (is_reserved(name) && !stands_inside(declared.kind)) return fmt::format("`{}` has a meaning in expressions", name);
  if (const DeclaredName* other = table.find(namespace_of(declared.kind), name); other && other != &declared)
    return fmt::format("there is a {} `{}` already (line {})", word(other->kind), name, line_of(table, other->place));
  for (const UsedName& use : table.used)
    if (is_pattern_for(use, declared))
      return fmt::format("`{}` in line {} stands for it too: rename it by hand", use.name, line_of(table, use.place));
  if ((kValues & set_of(declared.kind)) == 0) return {};
  const auto unit =
      std::ranges::find_if(table.used, [&](const UsedName& use) { return use.may_be_unit && use.name == name; });
  if (unit == table.used.end()) return {};
  return fmt::format("`{}` is a unit behind a number in line {}, and would be that {}", name,
                     line_of(table, unit->place), word(declared.kind));
}

}  // namespace

std::vector<Range> references(const NameTable& table, const DeclaredName& declared, bool with_declaration) {
  std::vector<Range> places;
  if (with_declaration) places.push_back(declared.place);
  for (const UsedName& use : table.used) {
    if ((use.kinds & set_of(declared.kind)) == 0) continue;
    // A name that is written otherwise may still be one that `for` makes, or stand for several.
    const bool similar =
        use.name == declared.name || stands_for(declared.name, use.name) || stands_for(use.name, declared.name);
    if (similar && (is_pattern_for(use, declared) || table.declaration_of(use) == &declared))
      places.push_back(use.place);
  }
  std::ranges::sort(places, {}, &Range::begin);
  const auto [first, last] = std::ranges::unique(places, {}, &Range::begin);
  places.erase(first, last);
  return places;
}

Renaming find_renaming(const NameTable& table, std::uint32_t offset) {
  if (!table.is_toml) {
    const Diagnostic& problem = table.problems.front();
    return {{},
            fmt::format("the file is not TOML yet (line {}): mend that first",
                        table.source->position(problem.primary.span.begin).line)};
  }
  const DeclaredName* declared = table.at(offset);
  if (!declared) return {{}, "nothing that is declared in this file has its name here"};
  if (declared->repeated())
    return {{}, fmt::format("`{}` is a name for each value of `for`: rename it by hand", declared->name)};
  const UsedName* use = table.use_at(offset);
  return {{use ? use->place : declared->place}, {}};
}

Renaming rename(const NameTable& table, std::uint32_t offset, const std::string& name) {
  Renaming renaming = find_renaming(table, offset);
  if (!renaming.refused.empty()) return renaming;
  const DeclaredName& declared = *table.at(offset);
  renaming.refused = why_not(table, declared, name);
  renaming.places.clear();
  if (renaming.refused.empty()) renaming.places = references(table, declared, true);
  return renaming;
}

}  // namespace dalembert::editor
