// SPDX-License-Identifier: Apache-2.0
// Lists and tables for readers.
#pragma once

#include <string>
#include <vector>

#include "dalembert/base/wording.h"

namespace dalembert::app {

/// "  label        a, b, c", wrapped at 110 columns. After `limit` items only the number of the others is given. Empty
/// without items.
std::string labelled_list(const std::string& label, const std::vector<std::string>& items, std::size_t limit = 24);

/// A result as shown to readers: six digits.
inline std::string six_digits(double value) { return shown_number(value, 6); }

/// Longest formula, in characters, that is shown together with numbers.
inline constexpr std::size_t kLongestFormula = 2'000;

/// A word of a command line, quoted where the shell needs it; with control characters as `$'\033'` (POSIX.1-2024,
/// 2.2.4).
std::string shell_word(const std::string& word);

/// The text wrapped between words to lines of at most `width` bytes. Lines after the first are indented by `indent`
/// blanks.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent);

/// A table: the first column is left-aligned, the others are right-aligned.
class Table {
 public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text(int indent = 2) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace dalembert::app
