// SPDX-License-Identifier: Apache-2.0
#include "dalembert/base/sine_cosine.h"

#include <cmath>

#include "dalembert/base/sine_cosine_formula.h"

namespace dalembert {

SineCosine sine_cosine(double x) {
  if (is_small_angle(x)) return sine_cosine_of_small_angle(x);
  return {std::sin(x), std::cos(x)};
}

}  // namespace dalembert
