// SPDX-License-Identifier: Apache-2.0
// Scales of the KKT matrix. Units and masses that differ by many powers of ten make entries of a row, or of M, next to
// nothing beside others although they decide: a QR or LU that measures them by the largest loses their digits.
// Source: Ruiz.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dalembert {

/// Ruiz's simultaneous scaling of the symmetric KKT matrix [M Wᵀ; W 0] to entries of about 1, by powers of two, so that
/// it costs no digit; then rows of Ŵ to norm 1 (of Ŵ: W_rj · column[j] · row[r]). Allocates nothing after resize().
class Equilibration {
 public:
  void resize(std::size_t n, std::size_t m);
  /// M: n×n, row-major. Rows of W: n numbers each, null for one that is left out: it is measured by the longest of the others.
  void find(const double* M, std::span<const double* const> rows);

  std::vector<double> column, row;  ///< n; m, or more

 private:
  std::vector<double> column_max_, row_max_;
};

}  // namespace dalembert
