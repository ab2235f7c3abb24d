// SPDX-License-Identifier: Apache-2.0
// Numbers that choose the length of a step.
#pragma once

#include <cmath>

namespace dalembert::integration {

/// base^exponent to the 24 bits of a float: lengths of steps need no more, and the last bits of std::pow differ between C
/// libraries. So a run takes the same steps wherever it is made.
inline double rough_power(double base, double exponent) {
  return static_cast<double>(static_cast<float>(std::pow(base, exponent)));
}

/// The `degree`th root, likewise: square roots are the same everywhere.
inline double rough_root(double x, int degree) {
  for (; degree % 2 == 0; degree /= 2) x = std::sqrt(x);
  return degree == 1 ? x : rough_power(x, 1.0 / degree);
}

}  // namespace dalembert::integration
