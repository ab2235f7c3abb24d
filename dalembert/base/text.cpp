// SPDX-License-Identifier: Apache-2.0
#include "dalembert/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fast_float/fast_float.h>
#include <fmt/format.h>

namespace dalembert {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Damerau–Levenshtein distance with adjacent transpositions (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

}  // namespace

std::string rate_meant(std::string_view word, const std::function<bool(const std::string&)>& is_coordinate) {
  struct Habit {
    std::string_view before, after, primes;
  };
  static constexpr Habit kHabits[] = {{"", "_ddot", "''"}, {"", "ddot", "''"}, {"dd", "", "''"}, {"", "dd", "''"},
                                      {"", "_dot", "'"},   {"", "dot", "'"},   {"d_", "", "'"},  {"d", "", "'"},
                                      {"", "d", "'"},      {"dot_", "", "'"},  {"", "_d", "'"},  {"", "_t", "'"},
                                      {"", "Dot", "'"}};
  for (const Habit& habit : kHabits) {
    if (word.size() <= habit.before.size() + habit.after.size() || !word.starts_with(habit.before) ||
        !word.ends_with(habit.after))
      continue;
    const std::string inner(word.substr(habit.before.size(), word.size() - habit.before.size() - habit.after.size()));
    if (is_coordinate(inner)) return inner + std::string(habit.primes);
  }
  return {};
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  if (word.size() > 64) return std::nullopt;
  const auto known = [&](const std::string& name) { return std::ranges::find(candidates, name) != candidates.end(); };
  const std::string rate = rate_meant(word, [&](const std::string& name) { return known(name + "'"); });
  if (!rate.empty() && known(rate)) return rate;
  const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  std::size_t best = limit + 1;
  std::optional<std::string> found;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > word.size() + limit || word.size() > candidate.size() + limit) continue;
    const std::size_t distance = edit_distance(word, candidate);
    // A distance as long as the word means that all letters differ: `a` is not a typing error for `b`.
    if (distance < best && distance < std::max(word.size(), candidate.size())) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

std::string to_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 40> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string to_text(double value, int digits) {
  return fmt::format("{:.{}g}", value == 0 ? 0.0 : value, digits);  // a zero is never written "-0"
}

std::optional<double> parse_double(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, status] = fast_float::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  // A nonzero number that rounds to 0, such as 1e-400, is out of range as well.
  if (value == 0 && text.substr(0, text.find_first_of("eE")).find_first_of("123456789") != std::string_view::npos)
    return std::nullopt;
  return value;
}

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty()) return 0;
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  // Rejects overlong forms, surrogates and code points above U+10FFFF.
  if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) || (first == 0xF0 && byte(1) < 0x90) ||
      (first == 0xF4 && byte(1) > 0x8F))
    return 0;
  return length;
}

char32_t code_point(std::string_view text) {
  const std::size_t length = utf8_length(text);
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (length == 1) return byte(0);
  char32_t point = static_cast<char32_t>(byte(0) & (0xFF >> (length + 1)));
  for (std::size_t i = 1; i < length; ++i) point = (point << 6) | static_cast<char32_t>(byte(i) & 0x3F);
  return point;
}

bool is_control(char32_t point) {
  return point < 0x20 || (point >= 0x7F && point < 0xA0) || point == 0x061C || point == 0x200E || point == 0x200F ||
         (point >= 0x2028 && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
}

std::string shown(std::string_view text, std::string_view kept) {
  std::string result;
  const bool lines = kept.find('\n') != std::string_view::npos;
  while (!text.empty()) {
    const auto plain = std::ranges::find_if_not(text, [](char c) { return c >= 0x20 && c < 0x7F; }) - text.begin();
    result += text.substr(0, static_cast<std::size_t>(plain));
    text.remove_prefix(static_cast<std::size_t>(plain));
    if (text.empty()) break;
    if (lines && text.starts_with("\r\n")) text.remove_prefix(1);
    const std::size_t length = utf8_length(text);
    const std::string_view letter = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0)
      result += fmt::format("<0x{:02X}>", static_cast<unsigned char>(text[0]));
    else if (is_control(code_point(letter)) && (length > 1 || kept.find(letter[0]) == std::string_view::npos))
      result += fmt::format("<U+{:04X}>", static_cast<std::uint32_t>(code_point(letter)));
    else
      result += letter;
    text.remove_prefix(letter.size());
  }
  return result;
}

std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

std::string join_words(std::span<const std::string> items, std::string_view quote, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? fmt::format(" {} ", last) : ", ";
    text += fmt::format("{}{}{}", quote, items[i], quote);
  }
  return text;
}

std::string join_some(std::span<const std::string> items, std::size_t most) {
  if (items.size() <= most) return join_words(items);
  std::string text;
  for (const std::string& item : items.first(most)) text += fmt::format("{}`{}`", text.empty() ? "" : ", ", item);
  return text + fmt::format(" and {} more", items.size() - most);
}

}  // namespace dalembert
