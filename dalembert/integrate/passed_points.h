// SPDX-License-Identifier: Apache-2.0
// Private to integrate: the motion between points that a run has passed, by polynomials with their states and slopes (Hermite's interpolation).
//
// With eight points a polynomial has degree 15. Between steps that a method of order 8 has chosen by its error it is as exact as the method's own continuous
// extension, without the evaluations that this takes for each step, where points on both sides are known. A second polynomial, with one point fewer, tells where
// it is not: its error is two orders lower.
// Source: Stoer & Bulirsch, Introduction to Numerical Analysis, 3rd ed., 2.1.5.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "dalembert/integrate/weighted_sum.h"

namespace dalembert::integration {

class PassedPoints {
 public:
  /// Points that are kept: once there are more, the first ones are forgotten. Points of one polynomial: half of them on either side, where there are so many.
  static constexpr std::size_t kKept = 16, kOfPolynomial = 8, kFewest = 4;
  /// For states of `size` numbers.
  explicit PassedPoints(std::size_t size);

  std::size_t count() const { return count_; }
  void clear() { count_ = 0; }
  /// `t` goes on in one direction.
  void add(double t, const double* y, const double* slope);
  /// The point at a time that was added, or null.
  const double* state_at(double t) const;
  const double* slope_at(double t) const;
  /// Writes the state at a time between the points, and by how much a polynomial with one point fewer differs; both have room for padded(size) numbers. False
  /// where fewer than kFewest points are known.
  bool interpolate(double t, double* y, double* difference);

 private:
  using Numbers = std::array<double, kOfPolynomial>;
  using Weights = std::array<Weight, 2 * kOfPolynomial>;
  std::size_t place(std::size_t number) const { return (first_ + number) % kKept; }
  const double* find(double t) const;
  void choose(double t);
  void add_up(const Weights& weights, double* result) const;

  const std::size_t size_, stride_;
  WeightedSum* const sum_;
  std::size_t first_ = 0, count_ = 0;
  std::array<double, kKept> t_{};
  std::vector<double> states_;  // state and slope of each place
  // The points of the present polynomial: number of the first one, how many, their times, as fractions of all time between them, before the last one;
  // Π 1/(x_i − x_j) and Σ 1/(x_i − x_j).
  std::size_t from_ = 0, used_ = 0;
  double origin_ = 0, span_ = 0;
  Numbers x_{}, factor_{}, sum_of_inverses_{};
};

}  // namespace dalembert::integration
