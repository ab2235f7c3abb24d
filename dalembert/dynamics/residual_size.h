// SPDX-License-Identifier: Apache-2.0
// Private to dalembert: sizes of the residuals of constraints, by which a projection decides about its next step.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "dalembert/base/numeric.h"

namespace dalembert {

/// A residual in units of the round-off of its terms, whose sizes add up to `magnitude`.
inline double in_roundoff(double residual, double magnitude) {
  return residual / std::max(kEps * magnitude, std::numeric_limits<double>::min());
}

struct ResidualSize {
  static constexpr double kGoodEnough = 2;  ///< residual that needs no further step, in units of round-off

  double largest = 0;   ///< max |r_j|
  double roundoff = 0;  ///< max |r_j| / (eps · magnitude_j)
  double scaled = 0;    ///< max |r_j| / (‖W_j‖ · ‖x‖): relative distance from the manifold

  void add(double residual, double magnitude) {
    const double value = std::abs(residual);
    if (!(value <= std::numeric_limits<double>::max())) {
      // Once infinite, the size stays infinite.
      largest = roundoff = scaled = std::numeric_limits<double>::infinity();
    } else if (value > 0) {
      largest = std::max(largest, value);
      roundoff = std::max(roundoff, in_roundoff(value, magnitude));
    }
  }

  bool needs_step() const { return roundoff > kGoodEnough; }
  /// Whether the residual is smaller than the other in units of round-off, or less than half of it in its own unit. The
  /// second test is needed where all terms of a row are close to zero (out of the plane of a planar mechanism in space):
  /// the ratio of the row's residual to its round-off then says nothing about the other rows.
  bool better_than(const ResidualSize& other) const {
    return roundoff < other.roundoff || largest < 0.5 * other.largest;
  }
};

}  // namespace dalembert
