// SPDX-License-Identifier: Apache-2.0
// Multipliers of the limits that are active at a point.
#pragma once

#include <span>
#include <vector>

namespace dalembert::optimizing {

/// The x >= 0 for which |b − Σ_j x_j a_j| is least; each column a_j has as many numbers as b. Source: Lawson & Hanson, Solving Least Squares
/// Problems, 1974, ch. 23.
std::vector<double> nonnegative_least_squares(std::span<const std::vector<double>> columns,
                                              const std::vector<double>& b);

}  // namespace dalembert::optimizing
