// SPDX-License-Identifier: Apache-2.0
// Minimum of a function by golden sections.
#pragma once

#include <algorithm>
#include <limits>

namespace dalembert {

/// The minimum of f between a and b, where f behaves like |x − x*|. Each section leaves 0.618 of the
/// interval. The search ends early if the minimum cannot be near zero: f must be below 5 · `enough` after 6
/// sections, and below `enough` after 15.
template <class F>
double find_least(F&& f, double a, double b, int sections, double enough = std::numeric_limits<double>::infinity()) {
  constexpr double kGolden = 0.6180339887498949;
  double c = b - kGolden * (b - a), d = a + kGolden * (b - a), fc = f(c), fd = f(d);
  for (int k = 0; k < sections; ++k) {
    if ((k == 6 || k == 15) && !(std::min(fc, fd) < (k == 6 ? 5 * enough : enough))) break;
    if (fc < fd) {
      b = d, d = c, fd = fc;
      c = b - kGolden * (b - a), fc = f(c);
    } else {
      a = c, c = d, fc = fd;
      d = a + kGolden * (b - a), fd = f(d);
    }
  }
  return fc < fd ? c : d;
}

}  // namespace dalembert
