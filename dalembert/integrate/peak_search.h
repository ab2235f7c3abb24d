// SPDX-License-Identifier: Apache-2.0
// Private to integrate: finds the smallest and largest values of the series of a run, also between the ends of steps.
//
// A step is examined if it may contain an extremum. It cannot contain one if the polynomial through the ends and
// middles of the last two or three steps is monotone by more than its own error, or stays within the extrema found before. An
// examined step is interpolated at nine Chebyshev points, and halved as long as the interpolation does not resolve it
// (Trefethen, Approximation Theory and Approximation Practice, ch. 2, 3).
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "dalembert/integrate/trajectory.h"

namespace dalembert::integration {

class PeakSearch {
 public:
  using Values = std::vector<double>;  // one number for each series
  /// Computes the values at θ in (0, 1) of a step. False where they cannot be evaluated.
  using At = std::function<bool(double theta, Values& values)>;

  /// What is asked of a series. `smooth`: there are no corners within steps where the extremes that are sought might be.
  struct Seek {
    bool min = true, max = true, smooth = false;
  };
  /// The first `sharing` series share one size: a change below the round-off of the largest
  /// of them counts in none of them.
  PeakSearch(std::vector<Seek> series, std::size_t sharing)
      : sharing_(sharing), seek_(std::move(series)), found_(seek_.size()), signs_(sharing), noise_(seek_.size()) {}

  /// Takes the values at the start, or after a jump. A value that is NaN is left out, in the whole class.
  void begin(double t, const Values& values);
  /// Whether a value is beyond the extrema found so far.
  bool exceeds(std::size_t series, double value) const;
  /// Notes a corner: the series are smooth from here on, but not together with earlier steps.
  void bend();
  /// Takes a step to t1. Its interior is examined as far as `at` gives values. `middle`: approximate values in the
  /// middle of the step; empty if unknown.
  void step(double t1, const Values& middle, const Values& end, const At& at);
  std::vector<Extremes> found() const;

 private:
  static constexpr std::size_t kDegree = 8, kKnots = 7;
  struct Knot {
    double t = 0;
    Values values;
    void set(double time, const Values& of) {
      t = time;
      values = of;
    }
  };
  using Nodes = std::array<Knot, kDegree + 1>;
  // What is known of the part of a step that was halved so many times: a number for each series.
  struct Level {
    Nodes nodes;
    Values tails, spreads;  // tail of the Chebyshev coefficients, spread of the values
  };
  // Coefficients of a sum of Chebyshev polynomials on [−1, 1].
  using Polynomial = std::array<double, kDegree + 1>;
  enum class Told {
    kEnough,    // there is no new extremum, or it was found
    kTooLittle  // the polynomial does not follow the series
  };

  void note(double t, const Values& values);
  void note_signs(double t, const Values& values);
  void offer(std::size_t series, double t, double value);
  double nothing(std::size_t series) const;
  double size_of(std::size_t series) const;
  bool may_exceed(std::size_t series, double low, double high) const;
  bool worth_a_look() const;
  template <std::size_t N>
  bool worth_a_look_through() const;
  void look(const Knot& from, const Knot& to, std::size_t halvings);
  Told search(const Nodes& nodes, std::size_t series, std::size_t halvings);
  bool is_noise(double from, double to, std::size_t series, double size);
  void narrow(const Nodes& nodes, std::size_t series, double sign);
  bool evaluate(double t, Knot& knot);

  std::size_t sharing_;
  std::vector<Seek> seek_;  // of each series
  double largest_shared_ = 0;
  std::vector<Extremes> found_;
  // A series that has had one sign: the last time and value with it, and the time of the first other one, by linear interpolation.
  struct Sign {
    double t = 0, value = 0, t_turn = std::numeric_limits<double>::quiet_NaN();
  };
  std::vector<Sign> signs_;    // of the series that share one size
  Knot first_;                 // the start of the run
  std::vector<double> noise_;  // for each series: amplitude of noise that no polynomial follows
  std::vector<Knot> knots_;    // ends and middles of the last steps
  // State of the step that is examined.
  const At* at_ = nullptr;
  double from_ = 0, length_ = 0;
  int evaluations_ = 0;
  // Third differences of the values within the stretch that is_noise() looked at last.
  double differences_from_ = 0, differences_to_ = 0;
  Values differences_;
  Knot step_begin_;
  std::vector<Level> levels_;  // by number of halvings; kept from step to step, for their memory
};

}  // namespace dalembert::integration
