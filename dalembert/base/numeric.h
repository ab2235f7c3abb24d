// SPDX-License-Identifier: Apache-2.0
// What numerical code writes on every other line.
#pragma once

#include <cstddef>
#include <limits>

namespace dalembert {

/// The distance from 1 to the next double.
inline constexpr double kEps = std::numeric_limits<double>::epsilon();

/// Counts and places are int where they are part of the mathematics, and index containers as size_t.
constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace dalembert
