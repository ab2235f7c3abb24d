// SPDX-License-Identifier: Apache-2.0
#include "dalembert/base/units.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/base/unit_names.h"
#include "dalembert/base/unit_slips.h"

namespace dalembert {
namespace {

// a + factor * b for sparse vectors of (index, value) pairs, sorted by index.
std::vector<std::pair<std::uint32_t, double>> sum_of_unknowns(const std::vector<std::pair<std::uint32_t, double>>& a,
                                                              const std::vector<std::pair<std::uint32_t, double>>& b,
                                                              double factor) {
  std::vector<std::pair<std::uint32_t, double>> sum;
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() || j != b.end()) {
    std::pair<std::uint32_t, double> next;
    if (j == b.end() || (i != a.end() && i->first < j->first)) {
      next = *i++;
    } else if (i == a.end() || j->first < i->first) {
      next = {j->first, factor * j->second};
      ++j;
    } else {
      next = {i->first, i->second + factor * j->second};
      ++i, ++j;
    }
    if (std::abs(next.second) > 1e-9) sum.push_back(next);
  }
  return sum;
}

struct NamedUnit {
  std::string_view name;
  double factor;
  std::array<double, 7> exponents;
  bool prefixes;
};

constexpr double kDegree = std::numbers::pi / 180;
// BIPM, The International System of Units (SI), 9th ed. 2019, tables 2, 4 and 8; inch, foot, pound: NIST SP 811 (2008), B.8.
constexpr NamedUnit kUnits[] = {
    {"m", 1, {0, 1}, true},
    {"g", 1e-3, {1}, true},
    {"s", 1, {0, 0, 1}, true},
    {"A", 1, {0, 0, 0, 1}, true},
    {"K", 1, {0, 0, 0, 0, 1}, true},
    {"mol", 1, {0, 0, 0, 0, 0, 1}, true},
    {"cd", 1, {0, 0, 0, 0, 0, 0, 1}, true},
    {"N", 1, {1, 1, -2}, true},
    {"J", 1, {1, 2, -2}, true},
    {"W", 1, {1, 2, -3}, true},
    {"Pa", 1, {1, -1, -2}, true},
    {"bar", 1e5, {1, -1, -2}, true},
    {"Hz", 1, {0, 0, -1}, true},
    {"C", 1, {0, 0, 1, 1}, true},
    {"V", 1, {1, 2, -3, -1}, true},
    {"ohm", 1, {1, 2, -3, -2}, true},
    {"F", 1, {-1, -2, 4, 2}, true},
    {"H", 1, {1, 2, -2, -2}, true},
    {"T", 1, {1, 0, -2, -1}, true},
    {"Wb", 1, {1, 2, -2, -1}, true},
    {"rad", 1, {}, true},
    {"sr", 1, {}, false},
    {"deg", kDegree, {}, false},
    {"°", kDegree, {}, false},
    {"rev", 2 * std::numbers::pi, {}, false},
    {"rpm", 2 * std::numbers::pi / 60, {0, 0, -1}, false},
    {"min", 60, {0, 0, 1}, false},
    {"h", 3600, {0, 0, 1}, false},
    {"l", 1e-3, {0, 3}, true},
    {"L", 1e-3, {0, 3}, true},
    {"in", 0.0254, {0, 1}, false},
    {"ft", 0.3048, {0, 1}, false},
    {"lb", 0.45359237, {1}, false},
    {"lbf", 4.4482216152605, {1, 1, -2}, false},
    {"%", 0.01, {}, false},
};

struct Prefix {
  std::string_view name;
  double factor;
};
constexpr Prefix kPrefixes[] = {{"f", 1e-15}, {"p", 1e-12}, {"n", 1e-9}, {"u", 1e-6}, {"µ", 1e-6},
                                {"μ", 1e-6},  {"m", 1e-3},  {"c", 1e-2}, {"d", 1e-1}, {"da", 1e1},
                                {"h", 1e2},   {"k", 1e3},   {"M", 1e6},  {"G", 1e9},  {"T", 1e12}};

}  // namespace

std::vector<std::string_view> unit_names() {
  std::vector<std::string_view> names;
  for (const NamedUnit& unit : kUnits) names.push_back(unit.name);
  return names;
}

std::optional<Unit> find_unit(std::string_view name) {
  for (const NamedUnit& unit : kUnits)
    if (unit.name == name) return Unit{unit.factor, {unit.exponents}};
  for (const Prefix& prefix : kPrefixes) {
    if (!name.starts_with(prefix.name)) continue;
    for (const NamedUnit& unit : kUnits)
      if (unit.prefixes && unit.name == name.substr(prefix.name.size()))
        return Unit{prefix.factor * unit.factor, {unit.exponents}};
  }
  return std::nullopt;
}

std::string separate_units(std::string_view name) {
  // Tries the longest unit at the start of the name first: `kgm` is kg*m, not k*gm.
  for (std::size_t length = name.size() - std::min<std::size_t>(name.size(), 1); length > 0; --length) {
    const auto first = find_unit(name.substr(0, length));
    const std::string_view rest = name.substr(length);
    const auto second = find_unit(rest);
    // Two units of the same dimension, such as kg*g, are not what anyone means.
    if (!first || (second && second->dimension == first->dimension)) continue;
    const std::string after = rest == "ms"      ? "m*s"
                              : second          ? std::string(rest)
                              : rest.size() < 8 ? separate_units(rest)
                                                : "";
    if (!after.empty()) return std::string(name.substr(0, length)) + "*" + after;
  }
  return {};
}

namespace {

// unit := factor (('*' | ' ' | '/') factor)*    factor := atom ('^' number)?    atom := name | '1' | '(' unit ')'
class UnitReader {
 public:
  UnitReader(const MappedText& text, std::size_t begin) : text_(text), at_(begin) {}

  Result<Unit> read() {
    Unit unit = product(0);
    skip();
    if (!problem_ && at_ < text_.text.size()) fail(at_, text_.text.size(), "not part of a unit");
    if (!problem_ && (!std::isfinite(unit.factor) || unit.factor == 0))
      fail(0, text_.text.size(), "its factor is out of range");
    if (problem_) return *problem_;
    return unit;
  }

 private:
  void skip() {
    while (at_ < text_.text.size() && (text_.text[at_] == ' ' || text_.text[at_] == '\t')) ++at_;
  }
  bool at(std::string_view sign) const {
    return std::string_view(text_.text).substr(std::min(at_, text_.text.size())).starts_with(sign);
  }

  void fail(std::size_t begin, std::size_t end, std::string label, std::string help = {}) {
    if (problem_) return;
    problem_ =
        error("E0201", fmt::format("cannot read the unit `{}`", text_.text), text_.span(begin, end), std::move(label));
    if (!help.empty()) problem_->help.push_back(std::move(help));
  }

  Unit product(int depth) {
    if (depth > 32) {
      fail(at_, at_ + 1, "nested too deeply");
      return {};
    }
    Unit unit = factor(depth);
    while (!problem_) {
      skip();
      const bool divide = at("/");
      std::size_t sign = at("·") ? 2 : (at("*") || divide) ? 1 : 0;
      if (sign == 0 && (at_ >= text_.text.size() || at(")") || at("^"))) break;
      at_ += sign;
      const Unit next = factor(depth);
      unit.factor = divide ? unit.factor / next.factor : unit.factor * next.factor;
      unit.dimension = divide ? unit.dimension / next.dimension : unit.dimension * next.dimension;
    }
    return unit;
  }

  Unit factor(int depth) {
    skip();
    Unit unit;
    const std::size_t begin = at_;
    if (at("(")) {
      ++at_;
      unit = product(depth + 1);
      skip();
      if (!at(")")) fail(begin, begin + 1, "this parenthesis is not closed");
      ++at_;
    } else if (at("1")) {
      ++at_;
    } else if (const std::optional<Unit> named = named_unit(begin)) {
      unit = *named;
    } else {
      return {};
    }
    skip();
    if (at("²") || at("³")) {  // the signs have two bytes each in UTF-8
      const double exponent = at("²") ? 2 : 3;
      at_ += 2;
      return {std::pow(unit.factor, exponent), unit.dimension.power(exponent)};
    }
    if (!at("^")) return unit;
    const std::optional<double> exponent = power();
    if (!exponent) return {};
    return {std::pow(unit.factor, *exponent), unit.dimension.power(*exponent)};
  }

  // The unit whose name begins here, or nothing after an error was reported.
  std::optional<Unit> named_unit(std::size_t begin) {
    static constexpr std::string_view kEnds = " \t*/^()·0123456789.+-,;";
    while (at_ < text_.text.size() &&
           (kEnds.find(text_.text[at_]) == std::string_view::npos || at("°") || at("µ") || at("μ"))) {
      if (at("·")) break;
      at_ += at("°") || at("µ") || at("μ") ? 2 : 1;
    }
    const std::string name = text_.text.substr(begin, at_ - begin);
    const auto found = find_unit(name);
    if (!found) {
      std::vector<std::string> names;
      for (const NamedUnit& known : kUnits) names.emplace_back(known.name);
      for (const char* usual : {"kg", "mm", "cm", "km", "ms", "kN", "mN", "kJ", "kW", "mrad"})
        names.emplace_back(usual);
      const UnitSlip slip = unit_meant_by(name);
      const std::string instead = slip.unit.empty() && slip.help.empty() ? separate_units(name) : slip.unit;
      const auto similar = nearest(name, names);
      fail(begin, std::max(at_, begin + 1), name.empty() ? "expected a unit" : "not a unit",
           !slip.help.empty() ? slip.help
           : !instead.empty()
               ? fmt::format("write `{}{}{}`", text_.text.substr(0, begin), instead, text_.text.substr(at_))
           : similar ? fmt::format("did you mean `{}`?", *similar)
                     : "units look like `kg*m^2`, `m/s^2`, `N*m`, `deg/s`");
      return std::nullopt;
    }
    if (at_ < text_.text.size() && text_.text[at_] >= '0' && text_.text[at_] <= '9') {
      fail(at_, at_ + 1, "an exponent needs its `^`",
           fmt::format("write `{}^{}`", text_.text.substr(0, at_), text_.text.substr(at_)));
      return std::nullopt;
    }
    return found;
  }

  // The exponent after `^`: a number, or a fraction in parentheses.
  std::optional<double> power() {
    ++at_;
    skip();
    const std::size_t start = at_;
    const bool parenthesis = at("(");
    if (parenthesis) ++at_;
    const std::size_t number = at_;
    while (at_ < text_.text.size() &&
           std::string_view("+-0123456789./").find(text_.text[at_]) != std::string_view::npos) {
      if (text_.text[at_] == '/' && !parenthesis) break;
      ++at_;
    }
    const std::string digits = text_.text.substr(number, at_ - number);
    const std::size_t slash = digits.find('/');
    auto exponent = parse_double(digits.substr(0, slash));
    if (exponent && slash != std::string::npos) {
      const auto below = parse_double(digits.substr(slash + 1));
      exponent = below && *below != 0 ? std::optional(*exponent / *below) : std::nullopt;
    }
    if (parenthesis && at(")")) ++at_;
    if (!exponent || std::abs(*exponent) > 16) {
      fail(start, std::max(at_, start + 1), "expected a small number");
      return std::nullopt;
    }
    return exponent;
  }

  const MappedText& text_;
  std::size_t at_;
  std::optional<Diagnostic> problem_;
};

}  // namespace

bool operator==(const Dimension& a, const Dimension& b) {
  for (std::size_t i = 0; i < a.exponents.size(); ++i)
    if (std::abs(a.exponents[i] - b.exponents[i]) > 1e-9) return false;
  return true;
}
bool Dimension::dimensionless() const { return *this == Dimension{}; }

Dimension operator*(const Dimension& a, const Dimension& b) {
  Dimension c;
  for (std::size_t i = 0; i < c.exponents.size(); ++i) c.exponents[i] = a.exponents[i] + b.exponents[i];
  return c;
}
Dimension operator/(const Dimension& a, const Dimension& b) { return a * b.power(-1); }
Dimension Dimension::power(double exponent) const {
  Dimension c;
  for (std::size_t i = 0; i < c.exponents.size(); ++i) c.exponents[i] = exponents[i] * exponent;
  return c;
}

Result<Unit> parse_unit(const MappedText& text) { return UnitReader(text, 0).read(); }

namespace {

// Digits grouped by commas, points or `_`, and a decimal comma: `9,81`, `1.000,5`, `1,000`, `1_000`. The number read so far is s[begin, end).
std::optional<Diagnostic> grouped_digits(const MappedText& text, std::size_t begin, std::size_t end) {
  const std::string& s = text.text;
  const auto is_digit = [&](std::size_t at) { return at < s.size() && s[at] >= '0' && s[at] <= '9'; };
  if (end >= s.size() || (s[end] != ',' && s[end] != '_') || !is_digit(end + 1)) return std::nullopt;
  std::size_t last = end;
  while (is_digit(last) || (last < s.size() && std::string_view(",._").find(s[last]) != std::string_view::npos)) ++last;
  const std::string number = s.substr(begin, last - begin), rest = s.substr(last);
  const auto only = [&](std::string_view separators) {
    std::string digits;
    for (const char c : number)
      if (separators.find(c) == std::string_view::npos) digits += c == ',' ? '.' : c;
    return digits + rest;
  };
  const bool point = number.find('.') != std::string::npos;
  const auto commas = std::count(number.begin(), number.end(), ',');
  Diagnostic problem = error("E0202", fmt::format("`{}` is not a number with a unit", s), text.span(end, end + 1),
                             commas == 1 && !point ? "a comma is no decimal point" : "digits are not grouped");
  if (number.find('_') != std::string::npos || commas > 1 || (point && number.rfind('.') > number.rfind(',')))
    problem.help.push_back(fmt::format("write `{}`", only(",_")));  // 1_000, 1,000,000, 1,000.5
  else if (point)
    problem.help.push_back(fmt::format("write `{}`", only(".")));  // 1.000,5
  else
    problem.help.push_back(fmt::format("write `{}`", only("")));  // 9,81
  // Three digits after the only comma may be thousands as well.
  if (commas == 1 && !point && number.size() - number.find(',') == 4 && number.find('_') == std::string::npos)
    problem.help.push_back(fmt::format("write `{}` if the comma groups thousands", only(",")));
  return problem;
}

}  // namespace

Result<Quantity> parse_quantity(const MappedText& text) {
  const std::string& s = text.text;
  std::size_t begin = s.find_first_not_of(" \t");
  if (begin == std::string::npos) return error("E0202", "expected a number", text.span());
  // The number is the longest prefix of the text that is one.
  std::size_t end = begin;
  if (end < s.size() && (s[end] == '+' || s[end] == '-')) ++end;
  const auto digits = [&] {
    const std::size_t from = end;
    while (end < s.size() && s[end] >= '0' && s[end] <= '9') ++end;
    return end > from;
  };
  bool some = digits();
  if (end < s.size() && s[end] == '.') {
    ++end;
    some = digits() || some;
  }
  if (!some)
    return error("E0202", fmt::format("`{}` is not a number with a unit", s), text.span(),
                 "a number should come first");
  if (end < s.size() && (s[end] == 'e' || s[end] == 'E')) {
    const std::size_t mantissa = end++;
    if (end < s.size() && (s[end] == '+' || s[end] == '-')) ++end;
    if (!digits()) end = mantissa;
  }
  const auto number = parse_double(std::string_view(s).substr(begin, end - begin));
  if (!number) {
    Diagnostic problem =
        error("E0202", fmt::format("the number `{:.40}` is out of range", s.substr(begin, end - begin)),
              text.span(begin, end));
    problem.help.emplace_back("magnitudes may be from 1e-308 to 1e308");
    return problem;
  }
  if (auto problem = grouped_digits(text, begin, end)) return std::move(*problem);
  const std::size_t unit_begin = s.find_first_not_of(" \t", end);
  if (unit_begin == std::string::npos) return Quantity{*number, std::nullopt};
  const auto unit = UnitReader(text, unit_begin).read();
  if (!unit) return unit.diagnostics();
  const double value = *number * unit->factor;
  if (!std::isfinite(value) || (value == 0 && *number != 0))
    return error("E0202", fmt::format("`{}` is out of range in SI units", s), text.span());
  return Quantity{value, unit->dimension};
}

std::string unit_text(const std::string& quantity) {
  const std::size_t end = quantity.find_first_not_of("+-.0123456789 \t");
  if (end == std::string::npos) return {};
  const bool exponent = (quantity[end] == 'e' || quantity[end] == 'E') && end + 1 < quantity.size() &&
                        (std::isdigit(static_cast<unsigned char>(quantity[end + 1])) || quantity[end + 1] == '-' ||
                         quantity[end + 1] == '+');
  if (!exponent) return quantity.substr(end);
  const std::size_t rest = quantity.find_first_not_of("+-.0123456789 \t", end + 1);
  return rest == std::string::npos ? std::string() : quantity.substr(rest);
}

std::string unit_name(const Dimension& dimension, Measure measure) {
  if (measure == Measure::kForce && dimension == Dimension::energy()) return "N*m";
  if (measure == Measure::kAngle)
    for (const auto& [name, power] : {std::pair{"rad", 0}, {"rad/s", -1}, {"rad/s^2", -2}})
      if (dimension == Dimension::time().power(power)) return name;
  if (dimension.dimensionless()) return "1";
  struct Known {
    std::string_view name;
    Dimension dimension;
  };
  static const Known kNamed[] = {
      {"N", Dimension::force()}, {"J", Dimension::energy()}, {"W", Dimension::power_unit()}, {"N/m", {{1, 0, -2}}},
      {"N*s", {{1, 1, -1}}},     {"N*s/m", {{1, 0, -1}}},    {"N*m*s", {{1, 2, -1}}},        {"N*m^2", {{1, 3, -2}}},
      {"Pa", {{1, -1, -2}}},     {"V", {{1, 2, -3, -1}}},    {"ohm", {{1, 2, -3, -2}}},      {"C", {{0, 0, 1, 1}}},
      {"F", {{-1, -2, 4, 2}}},   {"H", {{1, 2, -2, -2}}},
  };
  for (const Known& known : kNamed)
    if (known.dimension == dimension) return std::string(known.name);
  static constexpr std::string_view kBase[] = {"kg", "m", "s", "A", "K", "mol", "cd"};
  std::string above, below;
  for (std::size_t i = 0; i < 7; ++i) {
    const double exponent = dimension.exponents[i];
    if (std::abs(exponent) < 1e-9) continue;
    std::string& part = exponent > 0 ? above : below;
    if (!part.empty()) part += exponent > 0 ? "*" : "/";
    part += kBase[i];
    const double size = std::abs(exponent);
    if (std::abs(size - 1) <= 1e-9) continue;
    // In lowest terms: "m^(1/2)".
    const int parts[] = {1, 2, 3, 6};
    const auto* lowest =
        std::ranges::find_if(parts, [size](int n) { return std::abs(n * size - std::round(n * size)) < 1e-9; });
    part += lowest == std::end(parts) ? "^" + to_text(size)
            : *lowest == 1            ? fmt::format("^{:.0f}", size)
                                      : fmt::format("^({:.0f}/{})", *lowest * size, *lowest);
  }
  if (above.empty()) above = "1";
  return below.empty() ? above : above + "/" + below;
}

DimensionTerm DimensionTerm::power(double exponent) const {
  DimensionTerm result(known.power(exponent));
  if (std::abs(exponent) > 1e-9)
    for (const auto& [k, c] : unknown) result.unknown.emplace_back(k, c * exponent);
  return result;
}

DimensionTerm operator*(const DimensionTerm& a, const DimensionTerm& b) {
  DimensionTerm product(a.known * b.known);
  if (!a.unknown.empty() || !b.unknown.empty()) product.unknown = sum_of_unknowns(a.unknown, b.unknown, 1);
  return product;
}

DimensionTerm operator/(const DimensionTerm& a, const DimensionTerm& b) {
  DimensionTerm quotient(a.known / b.known);
  if (!a.unknown.empty() || !b.unknown.empty()) quotient.unknown = sum_of_unknowns(a.unknown, b.unknown, -1);
  return quotient;
}

}  // namespace dalembert
