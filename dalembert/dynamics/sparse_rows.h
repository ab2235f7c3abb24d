// SPDX-License-Identifier: Apache-2.0
// Row-wise access to a sparse matrix whose entries are packed in the order in which a kernel writes them.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "dalembert/dynamics/kernel.h"
#include "dalembert/dynamics/numbers.h"

namespace dalembert {

/// An index of the entries by row. Building it costs O(rows + nonzeros); every method takes the packed values, and its
/// cost is proportional to the number of entries in the row.
class SparseRows {
 public:
  explicit SparseRows(const Pattern& pattern);

  /// Calls use(column, index among the packed values) for the entries of row r, by ascending column.
  template <class Use>
  void for_each_entry(int r, Use&& use) const {
    for (std::size_t k = begin_[static_cast<std::size_t>(r)]; k < begin_[static_cast<std::size_t>(r) + 1]; ++k)
      use(col_[k], entry_[k]);
  }
  /// Calls use(column, value) for these entries.
  template <class Use>
  void for_each(int r, const std::vector<double>& values, Use&& use) const {
    for_each_entry(r, [&](int column, std::size_t entry) { use(column, values[entry]); });
  }

  double dot(int r, const std::vector<double>& values, const double* x) const {  ///< Σᵢ Aᵣᵢ xᵢ
    double sum = 0;
    for_each(r, values, [&](int i, double a) { sum += a * x[i]; });
    return sum;
  }
  double magnitude(int r, const std::vector<double>& values, const double* x) const {  ///< Σᵢ |Aᵣᵢ xᵢ|
    double sum = 0;
    for_each(r, values, [&](int i, double a) { sum += std::abs(a * x[i]); });
    return sum;
  }
  double norm(int r, const std::vector<double>& values) const {  ///< √Σᵢ Aᵣᵢ²
    double sum = 0;
    for_each(r, values, [&](int, double a) { sum += a * a; });
    return std::sqrt(sum);
  }

 private:
  std::vector<std::size_t> begin_;  // start of each row; rows + 1 numbers
  std::vector<int> col_;
  std::vector<std::size_t> entry_;  // index of each entry among the packed values
};

}  // namespace dalembert
