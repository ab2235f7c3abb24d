// SPDX-License-Identifier: Apache-2.0
// Statements for each entry of a sparse matrix, with loops where the pattern repeats.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "dalembert/dynamics/layout.h"

namespace dalembert {

/// The text that `statement` gives for each entry, where it is given the entry's number, row and column as texts: numbers,
/// or in a loop over j such as "3 + 2 * j". O(entries).
std::string for_each_entry(const Pattern& pattern,
                           const std::function<std::string(const std::string& entry, const std::string& row,
                                                           const std::string& column)>& statement);

/// Statements of a program (program.h): `array`, row by row, gets the matrix whose entries are in `from` from `first` on, and
/// zeros. `columns` is the name of the number of columns.
std::string spread_text(const Pattern& pattern, std::string_view array, std::string_view from, std::size_t first,
                        std::string_view columns);

/// The rows of W that have a position level, numbered as those; entries of others are kept, as of row −1: their numbers stay those of W.
Pattern level_rows(const Layout& layout);
/// Statements by which W gets the entries of those rows, which are in `out`, and zeros.
std::string spread_level_rows(const Layout& layout);

}  // namespace dalembert
