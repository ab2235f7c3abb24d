// SPDX-License-Identifier: Apache-2.0
// Private to integrate: integrals of several functions of time over an interval, and from its start to any time within it.
//
// The interval is divided into panels. In a panel each function is interpolated at 9 or 17 Chebyshev points, and its integral is that of the
// polynomial (Clenshaw & Curtis), which also gives the integral to any time within the panel. How fast the Chebyshev coefficients fall tells the
// error; as long as the errors of a function add up to more than its tolerance, the panel with the largest one is halved. At a corner or a jump the
// halves shrink towards it. Where halving does not help because the coefficients are round-off, it ends.
// Sources: Clenshaw & Curtis; Trefethen, Approximation Theory and Approximation Practice, ch. 7, 8, 19.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <vector>

namespace dalembert::integration {

class Quadrature {
 public:
  static constexpr std::size_t kLowDegree = 8, kHighDegree = 16;  ///< degrees of the polynomials
  static constexpr std::size_t kMostPanels = 400;                 ///< largest number of panels of one interval

  /// Computes all functions at a time. False where they cannot be computed.
  using Functions = std::function<bool(double t, double* values)>;

  explicit Quadrature(std::size_t count) : count_(count) {}

  /// What errors may be.
  struct Tolerance {
    double relative = 0;            ///< the error of function i may be this part of ∫|f_i|,
    const double* least = nullptr;  ///< or least[i] if that is larger
    const double* noise = nullptr;  ///< round-off of the values of each function; null: as small as that of their size
    std::size_t most_panels = kMostPanels;
  };

  /// Integrates from `from` to `to`, which may be earlier. False where the functions cannot be computed. Of a function that is not finite somewhere the
  /// results are NaN.
  bool integrate(double from, double to, const Functions& functions, const Tolerance& tolerance);

  // Results of the last integrate(), of function i.
  double total(std::size_t i) const { return total_[i]; }
  double size(std::size_t i) const { return size_[i]; }    ///< ∫|f_i|
  double error(std::size_t i) const { return error_[i]; }  ///< estimated error of the total, and of at()
  /// The integral from the start to t. Before the start and after the end the function counts as constant.
  double at(std::size_t i, double t) const;
  std::size_t panels() const { return used_; }

 private:
  // Of each function: values at the points, the coefficients of the antiderivative, which is 0 where the panel begins.
  struct Panel {
    double from = 0, to = 0;
    std::size_t degree = 0;
    std::vector<std::array<double, kHighDegree + 1>> values;
    std::vector<std::array<double, kHighDegree + 2>> antiderivative;
    std::vector<double> total, size, error;
    std::vector<double> tail, ratio,
        largest;  // the largest of the last Chebyshev coefficients; how fast they fall; max |f|
    std::vector<char> noisy;
    std::vector<double> before;  // the integral from the start of the interval to that of the panel
  };

  Panel& next_panel(double from, double to);
  bool fill(Panel& panel, const Functions& functions, const Panel* parent, bool left);
  bool evaluate(double t, double middle, const Functions& functions);
  void approximate(Panel& panel, std::size_t i) const;
  double allowed(std::size_t i) const { return std::max(tolerance_.relative * size_[i], tolerance_.least[i]); }
  bool halve(std::size_t which, const Functions& functions);
  void add_up();
  void put_in_order();

  const std::size_t count_;
  double from_ = 0, to_ = 0;
  Tolerance tolerance_;
  std::vector<Panel>
      panels_;  // the first used_ of them; after put_in_order() from the start to the end of the interval
  std::size_t used_ = 0;
  std::vector<double> total_, size_, error_, values_;
  std::vector<char> lost_;  // functions that are not finite
};

}  // namespace dalembert::integration
