// SPDX-License-Identifier: Apache-2.0
// In which order to eliminate the unknowns of the KKT system
//
//   ⎡  M  −Wᵀ ⎤ ⎡ q̈ ⎤   ⎡ f ⎤
//   ⎣ −W   0  ⎦ ⎣ λ ⎦ = ⎣ γ ⎦
//
// without pivoting, so that few entries fill in. Unknowns 0..n−1 are coordinates, n..n+m−1 multipliers. A multiplier
// comes after all coordinates of its row: then every pivot exists where M is positive definite and W has full rank (the
// matrix is quasidefinite: R. Vanderbei, SIAM J. Optim. 5 (1995) 100, doi:10.1137/0805005).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "dalembert/dynamics/kernel.h"

namespace dalembert {

struct Elimination {
  std::vector<int> order;               ///< unknowns, first to go first
  std::vector<std::vector<int>> later;  ///< by unknown: those coupled to it when it goes, in the order in which they go
  std::size_t operations = 0;           ///< multiplications and divisions of factoring and one solve
};

/// The cheaper of two orders, each by least degree: multipliers as early as they may go, or all after the coordinates
/// (the Schur complement WM⁻¹Wᵀ). `constant_pivot`: coordinates whose diagonal entry depends on parameters alone; they
/// break ties, as their division is done once. Then those go first whose pivots wait for the fewest divisions in a row:
/// a chain is eliminated from both of its ends, which do not wait for each other. Ties then go by number, so that a
/// chain's order is as regular as the chain. Nothing where both would take more than `most` operations or a pivot is missing (no M_ii, an empty row).
/// O(operations · log).
std::optional<Elimination> plan_elimination(int n, const Pattern& M, const Pattern& W,
                                            const std::vector<bool>& constant_pivot, std::size_t most);

}  // namespace dalembert
