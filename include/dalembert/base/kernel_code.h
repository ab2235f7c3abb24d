// SPDX-License-Identifier: Apache-2.0
// The calling convention of functions compiled at run time.
#pragma once

#include <cstdint>

// Clang's function sanitizer looks for type information before the first byte of a function; machine code compiled at run time has none.
#if defined(__clang__)
#define DALEMBERT_CALLS_CODE [[clang::no_sanitize("function")]]
#else
#define DALEMBERT_CALLS_CODE
#endif

namespace dalembert {

/// A function as machine code. `arguments` point to its arrays; for a kernel they are, in this order, t, p, u, q, v, q̈, λ and what
/// prepare() computed from p. Arrays that the function does not read may be null. If it does not return 0, its results must not be used.
using KernelCode = std::uint64_t(const double* const* arguments, double* work, double* out);

/// The guard of a factorisation without pivoting. For each pivot (1×1 or 2×2) the loss is the ratio of its value before elimination to its
/// value after it, the inverse of a squared sine in the mass metric: 1 where columns are orthogonal, large where they are nearly dependent,
/// negative where the matrix has a wrong sign. trust[1] is the largest loss. trust[0] is the smallest number among losses and pivots; it is
/// positive exactly if all signs are right. If trusted() is false, or results are not finite, use the rank-revealing solve instead.
inline constexpr double kLargestTrustedLoss = 1e7;
inline bool trusted(const double* trust) { return trust[0] > 0 && trust[1] < kLargestTrustedLoss; }

}  // namespace dalembert
