// SPDX-License-Identifier: Apache-2.0
#include "dalembert/expr/quantity.h"

#include <cctype>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "dalembert/base/unit_slips.h"
#include "dalembert/expr/lexer.h"

namespace dalembert {
namespace {

std::string_view written(std::string_view text, const Token& token) {
  return text.substr(token.begin, token.end - token.begin);
}

// Whether the token is a unit's name and not the beginning of a call, a rate or a component of a point.
bool is_unit(std::string_view text, const Token& token) {
  if (token.kind != TokenKind::kName || !find_unit(written(text, token))) return false;
  const Token next = next_token(text, token.end);
  const bool touches = next.kind == TokenKind::kSign && next.begin == token.end;
  return !(next.kind == TokenKind::kSign && next.sign == '(') && !(touches && (next.sign == '\'' || next.sign == '.'));
}

bool is_sign(const Token& token, std::string_view signs) {
  return token.kind == TokenKind::kSign && signs.find(token.sign) != std::string_view::npos;
}

// The position after a power such as `^2` or `^-1` that follows a unit; `at` if there is none.
std::size_t power_end(std::string_view text, std::size_t at) {
  Token token = next_token(text, at);
  if (!is_sign(token, "^")) return at;
  token = next_token(text, token.end);
  if (is_sign(token, "-")) token = next_token(text, token.end);
  const bool small = token.kind == TokenKind::kNumber && token.end - token.begin <= 2 &&
                     written(text, token).find_first_not_of("0123456789") == std::string_view::npos;
  return small ? token.end : at;
}

}  // namespace

std::optional<WrittenUnit> read_unit(std::string_view text, std::size_t at) {
  Token token = next_token(text, at);
  if (!is_unit(text, token)) return std::nullopt;
  WrittenUnit unit;
  unit.begin = token.begin;
  for (;;) {
    unit.names.emplace_back(token.begin, token.end);
    unit.end = static_cast<std::uint32_t>(power_end(text, token.end));
    const Token join = next_token(text, unit.end);
    if (!is_sign(join, "*/")) break;
    token = next_token(text, join.end);
    if (!is_unit(text, token)) break;
  }
  const auto read = parse_unit(MappedText::of(std::string(text.substr(unit.begin, unit.end - unit.begin))));
  if (!read) return std::nullopt;
  unit.unit = *read;
  return unit;
}

std::optional<WholeQuantity> read_whole_quantity(std::string_view text) {
  Token number = next_token(text, 0);
  const bool negative = is_sign(number, "-");
  if (is_sign(number, "+-")) number = next_token(text, number.end);
  if (number.kind != TokenKind::kNumber) return std::nullopt;
  const std::size_t begin = text.find_first_not_of(" \t", number.end);
  if (begin == std::string_view::npos) return std::nullopt;
  // Text that cannot begin a unit is rejected at once: most expressions end here.
  const auto first = static_cast<unsigned char>(text[begin]);
  const bool inverse = text.substr(begin).starts_with("1/");
  if (!inverse && std::isalpha(first) == 0 && first < 0x80 && first != '%' && first != '(') return std::nullopt;
  const auto value = Rational::parse(written(text, number));
  const auto read = parse_unit(MappedText::of(std::string(text.substr(begin))));
  if (!value || !read) return std::nullopt;
  WrittenUnit unit{*read, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(text.size()), true, {}};
  for (Token token = next_token(text, begin); token.kind != TokenKind::kEnd; token = next_token(text, token.end))
    if (token.kind == TokenKind::kName) unit.names.emplace_back(token.begin, token.end);
  return WholeQuantity{negative ? -*value : *value, std::move(unit)};
}

Diagnostic unit_with_two_meanings(const MappedText& text, std::uint32_t begin, const WrittenUnit& unit,
                                  std::size_t which, bool compared) {
  const auto [name_begin, name_end] = unit.names[which];
  const auto part = [&](std::uint32_t from, std::uint32_t to) { return text.text.substr(from, to - from); };
  const std::string name = part(name_begin, name_end);
  const std::string both = fmt::format("`{}` is a unit, and a name in this model", name);
  const Span place = text.span(name_begin, name_end);
  Diagnostic problem = which == 0 ? error("E0101", "an operator is missing", place, both)
                                  : error("E0101", both, place, "which of them is meant?");
  if (which == 0) {
    const std::string number = part(begin, unit.begin);
    problem.help.push_back(fmt::format("write `{}*{}` for the product", number.substr(0, number.find(' ')), name));
  }
  if (!compared) {
    problem.help.push_back(
        fmt::format("give the quantity a name in [parameters]: `size = \"{:.60}\"`", part(begin, unit.end)));
    return problem;
  }
  problem.help.push_back(fmt::format("write `({:.60})` for the quantity", part(begin, unit.end)));
  if (which > 0) {
    const std::uint32_t before = unit.names[which - 1].second;
    problem.help.push_back(fmt::format("write `({:.60}){}` where `{}` is that of the model", part(begin, before),
                                       part(before, name_end), name));
    // A number that touches the name looks like a factor, as in 1/2m.
    if (unit.begin > 0 && text.text[unit.begin - 1] != ' ')
      problem.help.push_back(
          fmt::format("write `{}*{:.60}` for a product", part(begin, unit.begin), part(unit.begin, unit.end)));
  }
  return problem;
}

std::string advice_for_quantity(const MappedText& text, std::uint32_t begin, const WrittenUnit& unit) {
  const std::string number = text.text.substr(begin, unit.begin - begin);
  const auto [name_begin, name_end] = unit.names.front();
  const std::string name = text.text.substr(name_begin, name_end - name_begin);
  return fmt::format("`{:.60}` is a quantity; the product with the model's `{}` is `{}*{}`",
                     text.text.substr(begin, unit.end - begin), name, number.substr(0, number.find(' ')), name);
}

std::vector<std::string> help_for_missing_operator(std::string_view before, std::string_view after, bool may_be_unit) {
  if (before.size() + after.size() >= 40) return {"write `*` between the factors"};
  const UnitSlip slip = may_be_unit && after.size() > 1 ? unit_meant_by(after) : UnitSlip{};
  const std::string unit = slip.unit.empty() && slip.help.empty() ? separate_units(after) : slip.unit;
  std::vector<std::string> help;
  if (!unit.empty()) help.push_back(fmt::format("write `{} {}` for the unit", before, unit));
  help.push_back(fmt::format("write `{}*{}`{}", before, after, unit.empty() ? "" : " for a product"));
  if (!slip.help.empty()) help.push_back(slip.help);
  return help;
}

Expr quantity_value(Graph& graph, const Rational& number, double factor) {
  // deg, rev and rpm are π times a fraction with denominator 10800. The fraction is exact, the double is not.
  constexpr double kParts = 10800;
  const double parts = factor / std::numbers::pi * kParts;
  const double whole = std::round(parts);
  if (whole != 0 && std::abs(whole) < 1e9 && std::abs(parts - whole) <= 1e-15 * std::abs(whole) * 4)
    return number * Rational(static_cast<std::int64_t>(whole), static_cast<std::int64_t>(kParts)) * graph.pi();
  return graph.constant(number * Rational::from_double(factor));
}

}  // namespace dalembert
