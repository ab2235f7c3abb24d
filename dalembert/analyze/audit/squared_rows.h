// SPDX-License-Identifier: Apache-2.0
// Constraints that hold nothing: (x² + y² − L²)² = 0 has the derivative 0 wherever it holds, and no multiplier. Inside analyze and study.
#pragma once

#include <vector>

#include "dalembert/derive/equations.h"

namespace dalembert {

/// Indices, in ascending order, of the holonomic rows whose derivative certainly is 0, or does not exist, at every position that keeps them: powers of 2 and more, products of such powers, also where they are
/// multiplied out (with FLINT), and functions that keep their sign, such as sums of squares. One-sided rows are left out, and rows of which this is not known.
std::vector<int> squared_rows(const Equations& equations);

}  // namespace dalembert
