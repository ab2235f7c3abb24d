// SPDX-License-Identifier: Apache-2.0
#include "dalembert/editor/hover.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "dalembert/base/constant.h"
#include "dalembert/base/text.h"
#include "dalembert/base/units.h"
#include "dalembert/editor/expression_names.h"
#include "dalembert/editor/schema_at.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/lexer.h"

namespace dalembert::editor {
namespace {

constexpr int kDigits = 6;

std::string with_unit(double value, const std::string& unit) {
  const std::string number = to_text(value, kDigits);
  if (unit.empty() || unit == "1") return number;
  return unit == "rad" ? fmt::format("{} rad ({}°)", number, to_text(value * 180 / std::numbers::pi, kDigits))
                       : fmt::format("{} {}", number, unit);
}

// A text of the user's in Markdown: what has a meaning there is escaped.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>#|!~").find(c) != std::string_view::npos) out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string code(std::string_view text) {
  std::string inner(text);
  std::ranges::replace(inner, '`', '\'');
  return "`" + one_line(inner) + "`";
}

std::string rates(const DeclaredName& name) {
  if (name.kind == NameKind::kCoordinate)
    return fmt::format("\n\n{} and {} are its rate and acceleration", code(name.name + "'"), code(name.name + "''"));
  if (name.kind == NameKind::kQuasiVelocity) return fmt::format("\n\n{} is its rate", code(name.name + "'"));
  if (name.kind == NameKind::kConstraint)
    return fmt::format("\n\n{} is its multiplier", code("lambda(" + name.name + ")"));
  if (name.kind == NameKind::kPoint) return fmt::format("\n\n{} are its components", code(name.name + ".x"));
  return {};
}

std::string describe(const DeclaredName& name, const Facts& facts) {
  const NameFact* fact = facts.find(name.kind, name.name);
  std::string unit = fact && !fact->unit.empty() ? fact->unit : name.unit;
  std::string out = fmt::format("**{}** — {}", plain(name.name), word(name.kind));
  if (!unit.empty() && unit != "1") out += ", " + plain(unit);
  if (!name.meaning.empty()) out += "\n\n" + plain(name.meaning);
  if (!name.written.empty()) out += "\n\n" + code(fmt::format("{} = {}", name.name, name.written));
  if (fact && fact->value)
    out += fmt::format(
        "\n\n{}{}", name.kind == NameKind::kParameter || name.kind == NameKind::kInteger ? "in SI: " : "at the start: ",
        with_unit(*fact->value, unit));
  if (fact && !fact->note.empty()) out += "\n\n" + plain(fact->note);
  return out + rates(name);
}

std::string describe_unit(const std::string& name, const Unit& unit) {
  return fmt::format("**{}** — unit, {} {}", plain(name), to_text(unit.factor, 12), unit_name(unit.dimension));
}

std::string describe_function(std::string_view name) {
  if (const NameKinds kinds = takes_name(name); kinds != 0) {
    std::vector<std::string> words;
    for (int k = 0; k <= static_cast<int>(NameKind::kOutput); ++k)
      if ((kinds & (NameKinds{1} << k)) != 0) words.emplace_back(word(static_cast<NameKind>(k)));
    return fmt::format("{} takes the name of a {}", code(fmt::format("{}(…)", name)), join_words(words, "", "or"));
  }
  const FunctionInfo* function = find_function(name);
  if (!function) return {};
  const std::string arguments = function->any_number       ? "x, y, …"
                                : name == "atan2"          ? "y, x"
                                : function->arguments == 1 ? "x"
                                                           : "x, y";
  std::string out = fmt::format("{} — function", code(fmt::format("{}({})", name, arguments)));
  if (function->rule == FunctionRule::kPure) out += " of a pure number or an angle";
  if (function->rule == FunctionRule::kRatio && function->arguments == 2) out += " of two values in the same unit";
  if (function->rule == FunctionRule::kSame) out += "; the value has the unit of what it is of";
  return out;
}

// In an expression: a unit behind a number, or a function.
std::optional<Hover> hover_of_token(const NameTable& table, const Cursor& cursor, std::uint32_t offset) {
  const std::string& text = table.source->text();
  const std::size_t line_end = std::min(text.find('\n', offset), text.size());
  const std::string_view rest = std::string_view(text).substr(0, line_end);
  for (Token token = next_token(rest, cursor.begin); token.kind != TokenKind::kEnd && token.begin <= offset;
       token = next_token(rest, token.end)) {
    if (token.kind != TokenKind::kName || offset > token.end) continue;
    const std::string name(rest.substr(token.begin, token.end - token.begin));
    std::string said = next_token(rest, token.end).sign == '(' ? describe_function(name) : std::string();
    if (const auto unit = find_unit(name); said.empty() && unit) said = describe_unit(name, *unit);
    if (!said.empty()) return Hover{{token.begin, token.end}, std::move(said)};
  }
  return std::nullopt;
}

std::uint32_t word_end(std::string_view text, std::uint32_t at) {
  while (at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_')) ++at;
  return at;
}

// A section by its header, or a key by the table that it is in.
std::optional<Hover> hover_of_key(const NameTable& table, const Cursor& cursor) {
  const std::string& text = table.source->text();
  const Range place{cursor.begin, word_end(text, cursor.begin)};
  const std::string name = text.substr(place.begin, place.end - place.begin);
  const bool top = cursor.at == Cursor::At::kHeader || (cursor.section.empty() && cursor.path.empty());
  if (top) {
    const modelfile::Section* section = modelfile::find_section(name);
    if (!section) return std::nullopt;
    return Hover{place, fmt::format("**{}** — {}", plain(name), plain(section->meaning))};
  }
  const SchemaPlace where = schema_at(cursor);
  const auto key = std::ranges::find(where.keys, std::string_view(name), &modelfile::Key::name);
  if (key == where.keys.end() || name.empty()) return std::nullopt;
  return Hover{place,
               fmt::format("**{}** — {}{}", plain(name), plain(key->meaning), key->required ? "; required" : "")};
}

}  // namespace

std::optional<Hover> hover(const NameTable& table, const Facts& facts, std::uint32_t offset) {
  if (const DeclaredName* name = table.at(offset)) {
    const UsedName* use = table.use_at(offset);
    return Hover{use && table.declaration_of(*use) == name ? use->place : name->place, describe(*name, facts)};
  }
  const Cursor cursor = cursor_at(table.source->text(), offset);
  if (cursor.at == Cursor::At::kString) return hover_of_token(table, cursor, offset);
  if (cursor.at == Cursor::At::kHeader || cursor.at == Cursor::At::kKey) return hover_of_key(table, cursor);
  return std::nullopt;
}

std::vector<Hint> hints(const NameTable& table, const Facts& facts) {
  std::vector<Hint> all;
  for (const modelfile::Entry& entry : table.document.root.entries)
    if (entry.key == "coordinates" && !facts.freedoms.empty()) all.push_back({entry.node.end, facts.freedoms});
  for (const DeclaredName& name : table.declared) {
    if (name.kind != NameKind::kParameter || name.written.empty()) continue;
    const auto quantity = parse_constant(MappedText::of(name.written));
    if (!quantity || !quantity->dimension) continue;
    const std::string unit = unit_name(*quantity->dimension, Measure::kAngle);
    // In SI already: the number is the one that is written.
    const auto number = parse_double(name.written.substr(0, name.written.find_first_of(" \t")));
    if (number && *number == quantity->value) continue;
    all.push_back({name.whole.end, fmt::format("= {} {}", to_text(quantity->value, kDigits), unit)});
  }
  return all;
}

}  // namespace dalembert::editor
