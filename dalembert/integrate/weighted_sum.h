// SPDX-License-Identifier: Apache-2.0
// Private to integrate: the sums that Runge–Kutta methods are made of.
#pragma once

#include <cstddef>
#include <vector>

namespace dalembert::integration {

/// Vectors of a method are padded to whole groups of this many numbers.
inline constexpr std::size_t kGroup = 8;
inline std::size_t padded(std::size_t size) { return (size + kGroup - 1) / kGroup * kGroup; }

struct Weight {
  std::size_t offset;  ///< where its stage begins
  double value;
};
using Weights = std::vector<Weight>;
/// The non-zero ones of a row of weights; stage i begins at i · stride.
Weights non_zero(const std::vector<double>& row, std::size_t stride);

/// result = base + h Σ weight · stage; without a base Σ weight · stage.
/// Products and sums are rounded one by one and added in the order of the weights, so the bits are the same whatever
/// the processor's vectors hold. stride: a multiple of kGroup; all arrays hold as many numbers.
using WeightedSum = void(const Weight* weights, std::size_t count, const double* stages, const double* base,
                         std::size_t stride, double h, double* result);
/// The fastest one on this processor.
WeightedSum* weighted_sum();

}  // namespace dalembert::integration
