// SPDX-License-Identifier: Apache-2.0
// The length of a vector in a plane, with the same bits on every machine: std::hypot of C libraries differs in the last bit.
#pragma once

#include <algorithm>
#include <cmath>

namespace dalembert {

/// √(x² + y²) within two units in the last place, also where the squares are not numbers of the machine; NaN if either is.
inline double hypotenuse(double x, double y) {
  x = std::abs(x);
  y = std::abs(y);
  if (!(x + y > 0) || std::isinf(x + y)) return x + y;
  const double larger = std::max(x, y), ratio = std::min(x, y) / larger;
  return larger * std::sqrt(1 + ratio * ratio);
}

}  // namespace dalembert
