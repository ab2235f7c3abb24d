// SPDX-License-Identifier: Apache-2.0
// Private to integrate: linear differential equations x' = A(t) x + b(t) by collocation, for several right-hand sides at once.
//
// The slopes K_i at the nodes t + c_i h of a step solve K_i − h A_i Σ_j a_ij K_j = A_i x + b_i, and x(t + h) = x + h Σ w_j K_j, with A_i and b_i at
// node i and the weights w_j of the quadrature. Gauss's five nodes give order 10. Radau's five nodes, of which the last is the end of the step, give
// order 9 and are L-stable: stiff components decay. Iteration finds the slopes; if it does not converge, the linear system of all nodes is factored.
// Source: Hairer & Wanner, Solving ODEs II, 2nd ed., IV.5.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "dalembert/dynamics/small_lu.h"

namespace dalembert::integration {

class Collocation {
 public:
  static constexpr std::size_t kNodes = 5;
  /// `stiff`: use Radau's nodes instead of Gauss's.
  explicit Collocation(bool stiff);

  double node(std::size_t i) const { return c_[i]; }  ///< as a fraction of the step
  /// Writes A x at a node to `product`; false where it cannot be computed.
  using Apply = std::function<bool(std::size_t node, const double* x, double* product)>;
  /// Sets the number of equations, n, and of right-hand sides, `columns`. With `apply` the entries of A are not stored, and A(…) must not be used.
  void resize(std::size_t n, std::size_t columns, Apply apply = {});
  std::size_t size() const { return n_; }
  /// References to an entry of A, and of the b of a right-hand side, at node i.
  double& A(std::size_t i, std::size_t row, std::size_t column) { return A_[(i * n_ + row) * n_ + column]; }
  double& b(std::size_t i, std::size_t column, std::size_t row) { return b_[(i * columns_ + column) * n_ + row]; }
  /// Finds the change of each column of x (n numbers) over a step of length h. False where the equations for the slopes cannot be solved.
  bool advance(double h, const std::vector<std::vector<double>>& x);
  double change(std::size_t column, std::size_t row) const { return change_[column * n_ + row]; }
  /// The change minus that of a quadrature without the middle node, which has half the order.
  double doubt(std::size_t column, std::size_t row) const { return doubt_[column * n_ + row]; }
  /// Also keeps x at the nodes, for state().
  void keep_states() { keeps_states_ = true; }
  /// A column of x at a node of the last advance(): n numbers.
  const double* state(std::size_t column, std::size_t i) const { return states_.data() + (column * kNodes + i) * n_; }
  /// Weight of node i in the quadrature of the slopes, as a fraction of the step; and the same for doubt().
  double weight(std::size_t i) const { return weight_[i]; }
  double doubt_weight(std::size_t i) const { return weight_[i] - lower_[i]; }
  /// The largest |slope| at the nodes.
  double steepest(std::size_t column, std::size_t row) const { return steepest_[column * n_ + row]; }

 private:
  bool multiply(std::size_t node, const double* x, double* product) const;
  bool iterate(double h, std::size_t column, const std::vector<double>& x);
  bool factor(double h);
  void solve(std::size_t column, const std::vector<double>& x);
  void find_states(double h, std::size_t column, const std::vector<double>& x);

  bool keeps_states_ = false;
  std::size_t n_ = 0, columns_ = 0;
  Apply apply_;
  std::array<double, kNodes> c_{}, weight_{}, lower_{};
  std::array<std::array<double, kNodes>, kNodes> a_{};
  std::vector<double> states_;  // of find_states()
  std::vector<double> A_, b_, slopes_, point_, product_, change_, doubt_, steepest_;
  SmallLu factors_;
};

}  // namespace dalembert::integration
