// SPDX-License-Identifier: Apache-2.0
// Directional derivatives of smooth functions, by finite differences.
#pragma once

#include <cstddef>
#include <vector>

namespace dalembert {

/// d/dε at ε = 0 of the numbers that `at(ε, values)` computes: central differences over ε = ±h and ±h/2 with Richardson's extrapolation, error O(h⁴).
/// `at` resizes `values` and returns false where it fails; find() then returns false too.
/// Source: Stoer & Bulirsch, Introduction to Numerical Analysis, 3rd ed., §3.5.
class DerivativeAlong {
 public:
  /// Recommended h, as a fraction of the size of the displaced quantity. The error of the extrapolation is about its fourth power, 1e-12; round-off is
  /// amplified by its inverse, to about 1e-13.
  static constexpr double kDisplacement = 1e-3;

  template <class At>
  bool find(double h, const At& at, std::vector<double>& derivative) {
    for (std::size_t k = 0; k < 4; ++k)
      if (!at(k % 2 == 0 ? step(k, h) : -step(k, h), values_[k])) return false;
    derivative.resize(values_[0].size());
    for (std::size_t i = 0; i < derivative.size(); ++i) {
      const double wide = (values_[0][i] - values_[1][i]) / (2 * h), narrow = (values_[2][i] - values_[3][i]) / h;
      derivative[i] = (4 * narrow - wide) / 3;
    }
    return true;
  }

 private:
  static double step(std::size_t k, double h) { return k < 2 ? h : h / 2; }

  std::vector<double> values_[4];
};

}  // namespace dalembert
