// SPDX-License-Identifier: Apache-2.0
// Two things that numerical code needs everywhere.
#pragma once

#include <cstddef>
#include <limits>

namespace dalembert {

/// The distance from 1 to the next double.
inline constexpr double kEps = std::numeric_limits<double>::epsilon();

/// Counts and indices are int where they are part of the mathematics; index() converts them to size_t to index a container.
constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace dalembert
