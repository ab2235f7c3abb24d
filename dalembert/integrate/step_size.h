// SPDX-License-Identifier: Apache-2.0
// Arithmetic that chooses the lengths of steps, with the same result on every platform.
#pragma once

#include <cmath>

namespace dalembert::integration {

/// base^exponent, rounded to the 24 bits of a float. Lengths of steps need no more, and the last bits of std::pow
/// differ between C libraries. So a run takes the same steps on every platform.
inline double rough_power(double base, double exponent) {
  return static_cast<double>(static_cast<float>(std::pow(base, exponent)));
}

/// The `degree`th root, rounded in the same way unless square roots suffice, which are the same on every platform.
inline double rough_root(double x, int degree) {
  for (; degree % 2 == 0; degree /= 2) x = std::sqrt(x);
  return degree == 1 ? x : rough_power(x, 1.0 / degree);
}

}  // namespace dalembert::integration
