// SPDX-License-Identifier: Apache-2.0
// The linear complementarity problem
//
//   w = A z + b,   w >= 0,   z >= 0,   w·z = 0
//
// by Lemke's method with lexicographic ratio tests, which cannot cycle. It finds a solution where A is positive semidefinite and one exists,
// and wherever A is copositive plus. O(n³) in practice.
// Source: Cottle, Pang & Stone, The Linear Complementarity Problem, SIAM 2009, §4.4 and §4.9.
#pragma once

#include <cstddef>
#include <vector>

namespace dalembert {

class Complementarity {
 public:
  /// A: n×n row-major with entries of about size 1 (scale A and b before). False where the method ends on a ray: then a problem with a
  /// positive semidefinite A has no solution.
  bool solve(const std::vector<double>& A, const std::vector<double>& b);

  // Results of the last solve().
  const std::vector<double>& z() const { return z_; }
  const std::vector<double>& w() const { return w_; }

 private:
  double& at(std::size_t row, std::size_t column) { return tableau_[row * width_ + column]; }
  std::size_t leaving_row(std::size_t column);
  void pivot(std::size_t row, std::size_t column);
  void polish(const std::vector<double>& A, const std::vector<double>& b);

  std::size_t n_ = 0, width_ = 0;
  std::vector<double> tableau_;     // n rows; columns: w, z, the artificial z₀, the right-hand side
  std::vector<std::size_t> basic_;  // for each row, the column of its basic variable
  std::vector<double> z_, w_;
};

}  // namespace dalembert
