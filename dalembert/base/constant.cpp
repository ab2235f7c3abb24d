// SPDX-License-Identifier: Apache-2.0
#include "dalembert/base/constant.h"

#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace dalembert {
namespace {

constexpr int kDeepest = 200;  // nesting of parentheses

// Recursive descent. After a failure every function returns nothing; `problem` is set if the text was understood.
class ConstantReader {
 public:
  explicit ConstantReader(const MappedText& text) : text_(text), s_(text.text) {}

  std::optional<Quantity> read() {
    std::optional<Quantity> value = sum();
    skip();
    return at_ == s_.size() ? value : std::nullopt;
  }
  std::optional<Diagnostic> problem;

 private:
  void skip() {
    while (at_ < s_.size() && (s_[at_] == ' ' || s_[at_] == '\t')) ++at_;
  }
  bool take(char sign) {
    skip();
    if (at_ >= s_.size() || s_[at_] != sign) return false;
    ++at_;
    return true;
  }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0; }
  static bool is_digit(char c) { return (c >= '0' && c <= '9') || c == '.'; }
  std::string_view word_at(std::size_t begin) const {
    std::size_t end = begin;
    while (end < s_.size() && (is_letter(s_[end]) || s_[end] == '_' || (end > begin && is_digit(s_[end])))) ++end;
    return std::string_view(s_).substr(begin, end - begin);
  }

  std::optional<Quantity> sum() {
    if (++depth_ > kDeepest) return std::nullopt;
    std::optional<Quantity> value = product();
    while (value) {
      const bool plus = take('+');
      if (!plus && !take('-')) break;
      const std::size_t begin = at_;
      const std::optional<Quantity> next = product();
      if (!next) return std::nullopt;
      const Dimension one = value->dimension.value_or(Dimension::none()),
                      two = next->dimension.value_or(Dimension::none());
      if (!(one == two)) {
        problem = error("E0203", fmt::format("cannot add `{}` to `{}`", unit_name(two), unit_name(one)),
                        text_.span(begin, at_));
        return std::nullopt;
      }
      value->value += plus ? next->value : -next->value;
      if (!value->dimension) value->dimension = next->dimension;
    }
    --depth_;
    return value;
  }

  std::optional<Quantity> product() {
    std::optional<Quantity> value = signed_power();
    while (value) {
      const bool times = take('*');
      if (!times && !take('/')) break;
      unit_begin_ = kNone;
      const std::size_t begin = at_;
      const std::optional<Quantity> next = signed_power();
      if (!next) return std::nullopt;
      if (!times && unit_begin_ != kNone) {
        refuse_divisor(begin, value->dimension.has_value());
        if (problem) return std::nullopt;
      }
      value->value = times ? value->value * next->value : value->value / next->value;
      if (!value->dimension && !next->dimension) continue;
      const Dimension one = value->dimension.value_or(Dimension::none()),
                      two = next->dimension.value_or(Dimension::none());
      value->dimension = times ? one * two : one / two;
    }
    return value;
  }

  std::optional<Quantity> signed_power() {
    bool negative = false;
    while (true) {
      if (take('-'))
        negative = !negative;
      else if (!take('+'))
        break;
    }
    std::optional<Quantity> value = power();
    if (value && negative) value->value = -value->value;
    return value;
  }

  std::optional<Quantity> power() {
    std::optional<Quantity> base = factor();
    if (!base || !take('^')) return base;
    if (++depth_ > kDeepest) return std::nullopt;
    const std::optional<Quantity> exponent = signed_power();
    --depth_;
    if (!exponent || (exponent->dimension && !exponent->dimension->dimensionless())) return std::nullopt;
    base->value = std::pow(base->value, exponent->value);
    if (base->dimension) base->dimension = base->dimension->power(exponent->value);
    return base;
  }

  std::optional<Quantity> factor() {
    if (take('(')) {
      std::optional<Quantity> value = sum();
      if (!value || !take(')')) return std::nullopt;
      value = value->dimension ? value : with_unit(*value);
      unit_begin_ = kNone;
      return value;
    }
    skip();
    const std::string_view word = word_at(at_);
    if (word == "sqrt") {
      at_ += word.size();
      if (!take('(')) return std::nullopt;
      std::optional<Quantity> value = sum();
      if (!value || !take(')')) return std::nullopt;
      value->value = std::sqrt(value->value);
      if (value->dimension) value->dimension = value->dimension->power(0.5);
      return value;
    }
    if (word == "pi") {
      at_ += word.size();
      return with_unit({std::numbers::pi, std::nullopt});
    }
    const std::size_t begin = at_;
    while (at_ < s_.size() && is_digit(s_[at_])) ++at_;
    if (at_ == begin) return std::nullopt;
    if (at_ < s_.size() && (s_[at_] == 'e' || s_[at_] == 'E')) {
      std::size_t end = at_ + 1;
      if (end < s_.size() && (s_[end] == '+' || s_[end] == '-')) ++end;
      if (end < s_.size() && is_digit(s_[end])) {
        while (end < s_.size() && is_digit(s_[end])) ++end;
        at_ = end;
      }
    }
    const Result<Quantity> number = parse_quantity(text_.part(begin, at_));
    return number ? with_unit(*number) : std::nullopt;
  }

  // The number times the unit that follows it, if one does: names with powers, joined by * and / as long as names of units follow.
  std::optional<Quantity> with_unit(Quantity number) {
    skip();
    const std::size_t begin = at_;
    std::size_t end = begin;
    for (std::size_t from = begin; from < s_.size() && is_letter(s_[from]);) {
      const std::string_view name = word_at(from);
      if (name == "pi" || name == "sqrt" || !find_unit(name)) break;
      end = from + name.size();
      if (end < s_.size() && s_[end] == '^') {
        std::size_t exponent = end + 1;
        if (exponent < s_.size() && s_[exponent] == '-') ++exponent;
        while (exponent < s_.size() && is_digit(s_[exponent])) ++exponent;
        end = exponent;
      }
      from = end;
      while (from < s_.size() && (s_[from] == ' ' || s_[from] == '*' || s_[from] == '/')) ++from;
    }
    if (end == begin) return number;
    at_ = end;
    unit_begin_ = begin;
    const Result<Unit> unit = parse_unit(text_.part(begin, end));
    if (!unit) return std::nullopt;
    return Quantity{number.value * unit->factor, unit->dimension};
  }

  // `2*pi/3 s`: the unit of the divisor, or of the whole? Where it makes no difference, as with rad, the text is taken.
  void refuse_divisor(std::size_t begin, bool measured) {
    const std::string unit = s_.substr(unit_begin_, at_ - unit_begin_);
    if (const Result<Unit> read = parse_unit(MappedText::of(unit));
        read && read->factor == 1 && read->dimension.dimensionless())
      return;
    std::size_t from = begin;
    while (from < s_.size() && s_[from] == ' ') ++from;
    std::string before = s_.substr(0, unit_begin_);
    while (!before.empty() && before.back() == ' ') before.pop_back();
    problem = error("E0202", fmt::format("`{}`: the unit may be that of the divisor or of the whole", s_),
                    text_.span(from, at_));
    const std::string of_divisor =
        fmt::format("`{}({}){}`", s_.substr(0, from), s_.substr(from, at_ - from), s_.substr(at_));
    problem->help.push_back(measured
                                ? fmt::format("write {}", of_divisor)
                                : fmt::format("write `({}) {}{}` or {}", before, unit, s_.substr(at_), of_divisor));
  }

  static constexpr std::size_t kNone = std::string::npos;
  const MappedText& text_;
  const std::string& s_;
  std::size_t unit_begin_ = kNone;  // of the unit that was read last without parentheses
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<Quantity> parse_constant(const MappedText& text) {
  Result<Quantity> plain = parse_quantity(text);
  if (plain) return plain;
  ConstantReader reader(text);
  const std::optional<Quantity> value = reader.read();
  if (reader.problem) return *std::move(reader.problem);
  if (!value) {
    Diagnostics problems = plain.diagnostics();
    // A text that goes on with an operator where a unit would be is meant as a formula.
    const std::size_t number = text.text.find_first_not_of("0123456789.eE \t");
    const bool formula =
        number != std::string::npos && std::string_view("*/+-^(").find(text.text[number]) != std::string_view::npos;
    if (formula && problems.size() == 1)
      problems.front().help = {
          "a value is a number, a quantity, or a formula of these with `pi` and `sqrt`: \"2*pi/3\""};
    return problems;
  }
  if (!std::isfinite(value->value))
    return error("E0202", fmt::format("`{}` is not a finite number", text.text), text.span());
  return *value;
}

}  // namespace dalembert
