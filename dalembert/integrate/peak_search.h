// SPDX-License-Identifier: Apache-2.0
// Private to integrate: where the series of a run are smallest and largest, between the ends of its steps too.
//
// A step is looked into where an extreme may lie there: not where the interpolation of the ends and middles of the last
// three steps is monotone by more than its own error, or stays below what was found before. What is looked into is
// interpolated at nine Chebyshev points, and halved where that does not resolve it (Trefethen, Approximation Theory and
// Approximation Practice, ch. 2, 3).
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "dalembert/integrate/trajectory.h"

namespace dalembert::integration {

class PeakSearch {
 public:
  using Values = std::vector<double>;  // by series
  /// The values at θ in (0, 1) of a step; false where they cannot be told.
  using At = std::function<bool(double theta, Values& values)>;

  /// The first `sharing` series have one size: what is round-off of the largest is nothing in the others.
  PeakSearch(std::size_t series, std::size_t sharing) : sharing_(sharing), found_(series), noise_(series) {}

  /// The values at the start, or behind a jump.
  void begin(double t, const Values& values);
  /// What comes is smooth, but not with what was before.
  void bend();
  /// A step to t1. Its interior counts as far as `at` has values. `middle`: about what they are in its middle; empty where
  /// that is not known.
  void step(double t1, const Values& middle, const Values& end, const At& at);
  std::vector<Extremes> found() const;

 private:
  static constexpr std::size_t kDegree = 8, kKnots = 7;
  struct Knot {
    double t = 0;
    Values values;
  };
  // In Chebyshev polynomials, from −1 to 1.
  using Polynomial = std::array<double, kDegree + 1>;
  enum class Told {
    kEnough,    // no new extreme, or it is found
    kTooLittle  // the polynomial does not follow the series
  };

  void note(double t, const Values& values);
  void offer(std::size_t series, double t, double value);
  double nothing(std::size_t series) const;
  bool may_exceed(std::size_t series, double low, double high) const;
  bool worth_a_look() const;
  void look(const Knot& from, const Knot& to, std::size_t halvings);
  Told search(const std::vector<Knot>& nodes, std::size_t series, std::size_t halvings);
  bool is_noise(double from, double to, std::size_t series, double size);
  void narrow(const std::vector<Knot>& nodes, std::size_t series, double sign);
  bool evaluate(double t, Knot& knot);

  std::size_t sharing_;
  double largest_shared_ = 0;
  std::vector<Extremes> found_;
  Knot first_;                 // where it begins
  std::vector<double> noise_;  // of each series: what no polynomial follows
  std::vector<Knot> knots_;    // ends and middles of the last steps
  // Of the step at hand.
  const At* at_ = nullptr;
  double from_ = 0, length_ = 0;
  int evaluations_ = 0;
  std::vector<Values> tails_, spreads_;  // of the Chebyshev coefficients, and of the values, by halvings
};

}  // namespace dalembert::integration
