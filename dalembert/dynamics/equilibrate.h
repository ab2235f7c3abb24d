// SPDX-License-Identifier: Apache-2.0
// Scales of the KKT matrix. Where units or masses differ by many powers of ten, small entries of M or of a
// row matter as much as large ones. A QR or LU of the unscaled matrix would lose their digits, since it
// works relative to the largest.
// Source: Ruiz.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dalembert {

/// Ruiz's simultaneous scaling of the symmetric KKT matrix [M Wᵀ; W 0] to entries of about 1. The scales are powers of
/// two, so that scaling is exact. Then the rows of Ŵ, Ŵ_rj = W_rj · column[j] · row[r], are scaled to norm 1.
/// Allocates nothing after resize().
class Equilibration {
 public:
  void resize(std::size_t n, std::size_t m);
  /// M: n×n, row-major. Rows of W: n numbers each, null for a row that is left out; its scale is taken from the longest
  /// other row.
  void find(const double* M, std::span<const double* const> rows);

  std::vector<double> column, row;  ///< scale factors: n of the columns; m or more of the rows

 private:
  std::vector<double> column_max_, row_max_;
};

}  // namespace dalembert
