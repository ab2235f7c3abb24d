// SPDX-License-Identifier: Apache-2.0
// Private to integrate: the sums that Runge–Kutta methods are made of.
#pragma once

#include <cstddef>
#include <vector>

namespace dalembert::integration {

/// Sums read and write whole groups of so many numbers; vectors of a method have room for that behind both parts.
inline constexpr std::size_t kGroup = 8;
inline std::size_t padded(std::size_t size) { return (size + kGroup - 1) / kGroup * kGroup + kGroup; }

struct Weight {
  std::size_t offset;  ///< where its stage begins
  double value;
};
using Weights = std::vector<Weight>;
/// The non-zero ones of a row of weights; stage i begins at i · stride.
Weights non_zero(const std::vector<double>& row, std::size_t stride);

/// What is summed up. The parts [0, first) and [first, size) of all vectors are independent of each other: the sum of
/// the first part can be at work while the last stage's second part is still on its way to memory, and the next stage's
/// evaluation begins early.
struct Sum {
  const Weight* weights = nullptr;
  std::size_t count = 0;  ///< of the weights
  const double* stages = nullptr;
  const double* last = nullptr;  ///< the first part of the stage of the last weight, where it is known from elsewhere
  bool fresh = false;            ///< the second part of that stage was written one by one just now
  const double* base = nullptr;  ///< null: none
  double h = 1;                  ///< where there is a base
  std::size_t first = 0, size = 0;
};
/// result = base + h Σ weight · stage; without a base Σ weight · stage. `last` may be part of the result.
/// Products and sums are rounded one by one and added in the order of the weights, so the bits are the same whatever
/// the processor's vectors hold.
using WeightedSum = void(const Sum& sum, double* result);

/// Σ (high/scale)² and Σ (low/scale)² over `count` components, scale = atol + rtol·max(|y|, |y₁|): of eight parts that
/// are added up last. high and low are padded.
struct ErrorNorm {
  double high = 0, low = 0;
};
struct ErrorTerms {
  const double *high = nullptr, *low = nullptr, *y = nullptr, *y1 = nullptr;
  std::size_t count = 0;
  double rtol = 0, atol = 0;
};
using ErrorSum = ErrorNorm(const ErrorTerms& terms);

/// The fastest ones on this processor.
WeightedSum* weighted_sum();
ErrorSum* error_sum();

}  // namespace dalembert::integration
