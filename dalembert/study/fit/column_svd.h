// SPDX-License-Identifier: Apache-2.0
// Singular values of tall matrices by rotations of their columns. Small singular values keep their digits where columns have been scaled.
// Source: Demmel & Veselić, SIAM J. Matrix Anal. Appl. 13 (1992) 1204; Golub & Van Loan, Matrix Computations, 4th ed., §8.6.3.
#pragma once

#include <cstddef>
#include <vector>

namespace dalembert::fitting {

/// A = U diag(singular) Vᵀ, without U.
struct ColumnSvd {
  std::vector<double> singular;  ///< descending
  std::vector<double> V;         ///< [column of A][singular value]: v_j is the j-th column
};

/// `A`: rows × columns, row by row; rows may be fewer than columns. Cost O(rows · columns²) for each of a few sweeps.
ColumnSvd column_svd(const std::vector<double>& A, std::size_t rows, std::size_t columns);

}  // namespace dalembert::fitting
