// SPDX-License-Identifier: Apache-2.0
// Lists and tables for people.
#pragma once

#include <string>
#include <vector>

#include "dalembert/base/wording.h"

namespace dalembert::app {

/// "  label        a, b, c" broken over lines of at most 110 columns; beyond `limit` items only how many more there
/// are. Empty when there are no items.
std::string labelled_list(const std::string& label, const std::vector<std::string>& items, std::size_t limit = 24);

/// A result as people read it: six digits.
inline std::string six_digits(double value) { return shown_number(value, 6); }

/// Characters of a formula; a longer one is left out where it stands beside numbers.
inline constexpr std::size_t kLongestFormula = 2'000;

/// A word of a command line, in quotes where the shell would take it apart; with control characters as `$'\033'` (POSIX.1-2024, 2.2.4).
std::string shell_word(const std::string& word);

/// Lines of at most `width` bytes, broken between words; those after the first begin with `indent` blanks.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent);

/// Columns of equal width, the first one left-aligned, the others right-aligned.
class Table {
 public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text(int indent = 2) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace dalembert::app
