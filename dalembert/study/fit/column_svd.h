// SPDX-License-Identifier: Apache-2.0
// Singular values by rotations. Small ones keep their digits where columns have been scaled. The matrix is first made triangular, by reflections that take its
// largest columns first; of its triangle few sweeps make the rows orthogonal, which are as many as the rank at most.
// Source: Demmel & Veselić, SIAM J. Matrix Anal. Appl. 13 (1992) 1204; Drmač & Veselić, ibid. 29 (2008) 1322; Golub & Van Loan, Matrix Computations, 4th ed., §8.6.3.
#pragma once

#include <cstddef>
#include <vector>

namespace dalembert::fitting {

/// A = U diag(singular) Vᵀ, without U.
struct ColumnSvd {
  std::vector<double> singular;  ///< descending
  std::vector<double> V;         ///< [column of A][singular value]: v_j is the j-th column
};

/// `A`: rows × columns, row by row; rows may be fewer than columns. Cost O(rows · columns²), and with k = min(rows, columns) O(k² · columns) for each of a few
/// sweeps. There are as many singular values as columns; those that are 0 have orthonormal directions, too.
ColumnSvd column_svd(const std::vector<double>& A, std::size_t rows, std::size_t columns);

}  // namespace dalembert::fitting
