// SPDX-License-Identifier: Apache-2.0
// Statements for each entry of a sparse matrix, with loops where the pattern repeats.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "dalembert/dynamics/kernel.h"

namespace dalembert {

/// Joins the texts that `statement` returns for each entry. It is called with the number, row and column of the entry
/// as texts: numbers or, in a loop over j, expressions such as "3 + 2 * j". O(entries).
std::string for_each_entry(const Pattern& pattern,
                           const std::function<std::string(const std::string& entry, const std::string& row,
                                                           const std::string& column)>& statement);

/// Statements of a program (program.h) that fill `array`, row by row, with the matrix whose entries are in `from` from
/// `first` on, and with zeros. `columns` is the name of the constant with the number of columns.
std::string spread_text(const Pattern& pattern, std::string_view array, std::string_view from, std::size_t first,
                        std::string_view columns);

/// The pattern of W in which the holonomic rows are numbered by themselves. Entries of other rows are kept and have row
/// −1, so that entries are numbered as in W.
Pattern level_rows(const Layout& layout);
/// Statements that fill W with the entries of the holonomic rows, which are in `out`, and with zeros.
std::string spread_level_rows(const Layout& layout);

}  // namespace dalembert
