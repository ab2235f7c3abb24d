// SPDX-License-Identifier: Apache-2.0
// Private to integrate: LU factors for implicit steps.
#pragma once

#include <memory>
#include <vector>

namespace dalembert::integration {

/// LU factors of matrices with one sparsity pattern. Small matrices are factored as dense ones.
template <class Number>
class LuFactors {
 public:
  LuFactors(int size, const std::vector<int>& column_starts, const std::vector<int>& rows);
  ~LuFactors();
  /// Factors the matrix with `values` in the order of the pattern. False when the matrix is singular.
  bool factor(const std::vector<Number>& values);
  void solve(Number* x);

 private:
  struct Dense;
  struct Sparse;
  std::unique_ptr<Dense> dense_;
  std::unique_ptr<Sparse> sparse_;
};

}  // namespace dalembert::integration
