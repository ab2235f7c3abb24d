// SPDX-License-Identifier: Apache-2.0
// Helpers for text: nearest names, numbers that round-trip, UTF-8, lists of words.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dalembert {

/// The rate that `word` writes as other programs do (`thetadot`, `theta_dot`, `dtheta`, `thetad`, `theta_t`, and `thetadd` for the second), as
/// "theta'" or "theta''", where `is_coordinate("theta")`; else empty.
std::string rate_meant(std::string_view word, const std::function<bool(const std::string&)>& is_coordinate);

/// The candidate that was probably meant by `word`: the rate "theta'" for what rate_meant() knows, else the nearest by Damerau–Levenshtein distance, if near
/// enough to be a typing error (at most a third of the word's length, at least 1). Ties go to the earlier candidate.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// Shortest decimal text that reads back as the same double; "nan", "inf", "-inf" otherwise.
std::string to_text(double value);
/// A number for people: `digits` significant digits.
std::string to_text(double value, int digits);

/// The whole of `text` as a finite number, or nothing.
std::optional<double> parse_double(std::string_view text);

/// Number of bytes of the UTF-8 sequence (RFC 3629) at the start of `text`; 0 where the bytes are not UTF-8, or `text` is empty.
std::size_t utf8_length(std::string_view text);

/// The code point at the start of `text`; needs utf8_length(text) > 0.
char32_t code_point(std::string_view text);

/// Whether a code point moves a cursor, ends a line in some language or changes the direction of text: C0, DEL, C1, U+2028, U+2029 and the
/// marks of direction (Unicode, Standard Annexes 9 and 14).
bool is_control(char32_t point);

/// `text` with each control character, except those in `kept`, written as <U+001B>, and each byte that is not UTF-8 as <0xFF>. The result
/// is safe in a terminal, in a comment and in a string of any language. If `kept` has the line feed, CR LF becomes a line feed.
std::string shown(std::string_view text, std::string_view kept = "");

/// `text` with each line end replaced by a space.
std::string one_line(std::string text);

bool is_identifier(std::string_view text);

/// Item i of the list, or "" if the list is shorter.
inline std::string at_or_empty(const std::vector<std::string>& list, std::size_t i) {
  return i < list.size() ? list[i] : "";
}

/// The items as a list in a sentence: "a", "a and b", "a, b and c". Each item is wrapped in `quote`.
std::string join_words(std::span<const std::string> items, std::string_view quote = "`", std::string_view last = "and");

/// The same of at most so many items: "`a`, `b` and 7 more".
std::string join_some(std::span<const std::string> items, std::size_t most = 8);

}  // namespace dalembert
