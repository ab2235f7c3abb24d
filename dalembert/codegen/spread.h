// SPDX-License-Identifier: Apache-2.0
// Statements for each entry of a sparse matrix, with loops where the pattern repeats.
#pragma once

#include <functional>
#include <string>

#include "dalembert/dynamics/layout.h"

namespace dalembert {

/// The text that `statement` gives for each entry, where it is given the entry's number, row and column as texts: numbers,
/// or in a loop over j such as "3 + 2 * j". O(entries).
std::string for_each_entry(const Pattern& pattern,
                           const std::function<std::string(const std::string& entry, const std::string& row,
                                                           const std::string& column)>& statement);

}  // namespace dalembert
