// SPDX-License-Identifier: Apache-2.0
// The order in which to eliminate the unknowns of the KKT system
//
//   ⎡  M  −Wᵀ ⎤ ⎡ q̈ ⎤   ⎡ f ⎤
//   ⎣ −W   0  ⎦ ⎣ λ ⎦ = ⎣ γ ⎦
//
// without pivoting and with little fill-in. Unknowns 0..n−1 are coordinates, n..n+m−1 multipliers. A multiplier comes
// after all coordinates of its row; then no pivot vanishes where M is positive definite and W has full rank (the matrix
// is quasidefinite: R. Vanderbei, SIAM J. Optim. 5 (1995) 100, doi:10.1137/0805005).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "dalembert/dynamics/kernel.h"

namespace dalembert {

struct Elimination {
  std::vector<int> order;  ///< all unknowns, in the order of elimination
  /// For each unknown, those coupled to it when it is eliminated, in the order of elimination.
  std::vector<std::vector<int>> later;
  std::size_t operations = 0;  ///< multiplications and divisions of the factorisation and one solve
};

/// Returns the cheaper of two minimum-degree orders: multipliers as early as possible, or all multipliers after the
/// coordinates (the Schur complement WM⁻¹Wᵀ). Ties go first to coordinates whose pivot depends on parameters alone
/// (`constant_pivot`), since that division is done once. Next come unknowns whose pivot waits for the shortest sequence
/// of divisions: a chain is then eliminated from both ends, which are independent. Last, ties go by number, so that the
/// order of a chain is as regular as the chain. Returns nothing where both orders need more than `most` operations or a
/// pivot is missing (no M_ii, an empty row). O(operations · log).
std::optional<Elimination> plan_elimination(int n, const Pattern& M, const Pattern& W,
                                            const std::vector<bool>& constant_pivot, std::size_t most);

}  // namespace dalembert
