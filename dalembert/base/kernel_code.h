// SPDX-License-Identifier: Apache-2.0
// What machine code and its callers agree on.
#pragma once

#include <cstdint>

// Clang's sanitizer of calls looks for a function's type before its first byte, where machine code made at run time has
// none.
#if defined(__clang__)
#define DALEMBERT_CALLS_CODE [[clang::no_sanitize("function")]]
#else
#define DALEMBERT_CALLS_CODE
#endif

namespace dalembert {

/// A function as machine code. `arguments` point to its arrays (of a kernel: t, p, u, q, v, q̈, λ and what prepare() made
/// of p, in this order); those that it does not read may be null. Unless it returns 0, its results are not to be used.
using KernelCode = std::uint64_t(const double* const* arguments, double* work, double* out);

/// The guard of a factorisation without pivoting. For each pivot (or pair of them) the loss is the ratio of what it
/// started from to what was left of it, the inverse of a squared sine in the mass metric: 1 where columns are
/// orthogonal, large where they nearly depend on each other, negative where the matrix is not of the right signs.
/// trust[1] is the largest loss; trust[0] the least number among losses and pivots, positive where all signs are right.
/// When this is false (or the results are not finite), the rank-revealing solve must decide.
inline constexpr double kLeastTrusted = 1e7;
inline bool trusted(const double* trust) { return trust[0] > 0 && trust[1] < kLeastTrusted; }

}  // namespace dalembert
