// SPDX-License-Identifier: Apache-2.0
// Samples (t_k, y_k) as a function with two continuous derivatives: the cubic spline through them.
//
// On [t_k, t_k+1] the spline is the cubic with the samples' values and slopes at its ends. The slopes make the second
// derivative continuous. Two conditions are still free; they make the third derivative continuous at the second and the
// last but one sample (not-a-knot). Two samples give the straight line, three the parabola. Of a function f with |f⁗|
// <= F, samples at most h apart on an even grid, the interior errors are at most about 5/384 h⁴F of the value, 1/24 h³F
// of the rate and 3/8 h²F of the second derivative; a cubic is reproduced. O(samples) to build, O(log samples) to
// evaluate. Sources: de Boor, A Practical Guide to Splines (rev. ed. 2001), ch. IV and its program CUBSPL; Hall &
// Meyer, J. Approx. Theory 16 (1976) 105.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "dalembert/dynamics/switching.h"

namespace dalembert {

class CubicSpline {
 public:
  /// time: two or more instants, strictly increasing; value: one sample for each instant.
  CubicSpline(std::span<const double> time, std::span<const double> value);

  double begin() const { return time_.front(); }
  double end() const { return time_.back(); }
  /// Whether t lies between the first and the last sample, up to round-off.
  bool contains(double t) const;

  /// Value, rate and second derivative. NaN outside the samples: the spline does not extrapolate.
  std::array<double, 3> evaluate(double t) const;
  /// Bounds of value, rate and second derivative on an interval of time; infinite where
  /// the interval leaves the samples.
  std::array<Bounds, 3> bounds(Bounds t) const;

  /// The samples at which the third derivative jumps by more than round-off, and by how much.
  struct Corner {
    double time = 0, jump = 0;
    double width = 0;  ///< length in time of the shorter of the two adjacent pieces
  };
  std::vector<Corner> corners() const;
  /// Largest minus smallest value at the samples, of the function (0), its rate (1) or its second derivative (2).
  double span(int derivative) const;

 private:
  struct Piece {
    double value = 0, rate = 0, half_second = 0, sixth_third = 0;  // at the left end of the piece
  };
  std::array<double, 3> at(std::size_t piece, double from_left) const;
  std::size_t piece_of(double t) const;

  std::vector<double> time_;
  std::vector<Piece> pieces_;  // one piece for each two neighbouring samples
  double last_value_ = 0;
};

}  // namespace dalembert
