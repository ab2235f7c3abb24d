// SPDX-License-Identifier: Apache-2.0
// Private to integrate: linear differential equations x' = A(t) x + b(t) by collocation, for several right-hand sides at once.
//
// The slopes K_i at the nodes t + c_i h of a step solve K_i − h A_i Σ_j a_ij K_j = A_i x + b_i, and x(t + h) = x + h Σ b_j K_j. Gauss's
// five nodes give order 10; Radau's, of which the last is the end of the step, order 9, and they damp what decays fast.
// The slopes are found by iteration, and where the step is too long for that, by factors of the whole system.
// Source: Hairer & Wanner, Solving ODEs II, 2nd ed., IV.5.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "dalembert/dynamics/small_lu.h"

namespace dalembert::integration {

class Collocation {
 public:
  static constexpr std::size_t kNodes = 5;
  /// `stiff`: Radau's nodes.
  explicit Collocation(bool stiff);

  double node(std::size_t i) const { return c_[i]; }  ///< as a fraction of the step
  /// Number of equations, n, and of right-hand sides.
  void resize(std::size_t n, std::size_t columns);
  std::size_t size() const { return n_; }
  /// Entry of A at node i, and of b of a column.
  double& A(std::size_t i, std::size_t row, std::size_t column) { return A_[(i * n_ + row) * n_ + column]; }
  double& b(std::size_t i, std::size_t column, std::size_t row) { return b_[(i * columns_ + column) * n_ + row]; }
  /// Finds the change of each column of x, of n numbers, in a step of length h. False where the equations of the nodes cannot be solved.
  bool advance(double h, const std::vector<std::vector<double>>& x);
  double change(std::size_t column, std::size_t row) const { return change_[column * n_ + row]; }
  /// The difference of that change from the one by the slopes without that of the middle node, which has half the order, and the slope that is largest.
  double doubt(std::size_t column, std::size_t row) const { return doubt_[column * n_ + row]; }
  double steepest(std::size_t column, std::size_t row) const { return steepest_[column * n_ + row]; }

 private:
  bool iterate(double h, std::size_t column, const std::vector<double>& x);
  bool factor(double h);
  void solve(std::size_t column, const std::vector<double>& x);

  std::size_t n_ = 0, columns_ = 0;
  std::array<double, kNodes> c_{}, weight_{}, lower_{};
  std::array<std::array<double, kNodes>, kNodes> a_{};
  std::vector<double> A_, b_, slopes_, point_, change_, doubt_, steepest_;
  SmallLu factors_;
};

}  // namespace dalembert::integration
