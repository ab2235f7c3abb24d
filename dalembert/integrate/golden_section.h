// SPDX-License-Identifier: Apache-2.0
// Private to integrate: where a function is least, by golden sections.
#pragma once

#include <algorithm>
#include <limits>

namespace dalembert::integration {

/// The least of f between a and b; f is about |x − x*|, and each section leaves 0.618 of the way. `enough`: what is so
/// near to nothing has fallen below it after half of 30 sections, and below five times that after six; what has not is no
/// such place, and is not looked for further.
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

}  // namespace dalembert::integration
