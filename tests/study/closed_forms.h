// SPDX-License-Identifier: Apache-2.0
// Derivatives of closed forms, for tests that hold those of runs against them.
#pragma once

#include <functional>
#include <vector>

#include "dalembert/dynamics/derivative_along.h"

namespace dalembert {

// The derivative at a value other than 0, by finite differences.
inline double derivative_of(const std::function<double(double)>& f, double at) {
  DerivativeAlong difference;
  std::vector<double> derivative;
  difference.find(
      1e-3 * at,
      [&](double change, std::vector<double>& values) {
        values.assign(1, f(at + change));
        return true;
      },
      derivative);
  return derivative[0];
}

}  // namespace dalembert
