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

}  // namespace dalembert::integration
