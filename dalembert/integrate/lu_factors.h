// SPDX-License-Identifier: Apache-2.0
// Private to integrate: LU factors for implicit steps.
#pragma once

#include <memory>
#include <vector>

namespace dalembert::integration {

/// LU factors of sparse matrices of one pattern: dense ones where the matrix is small.
template <class Number>
class LuFactors {
 public:
  LuFactors(int size, const std::vector<int>& column_starts, const std::vector<int>& rows);
  ~LuFactors();
  /// `values` as the pattern lists them. False when the matrix is singular.
  bool factor(const std::vector<Number>& values);
  void solve(Number* x);

 private:
  struct Dense;
  struct Sparse;
  std::unique_ptr<Dense> dense_;
  std::unique_ptr<Sparse> sparse_;
};

}  // namespace dalembert::integration
