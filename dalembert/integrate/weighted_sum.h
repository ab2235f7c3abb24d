// SPDX-License-Identifier: Apache-2.0
// Private to integrate: the weighted sums of stages in Runge–Kutta methods, vectorised.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dalembert::integration {

/// Sums read and write whole groups of this many numbers. The vectors of a method have room for a whole
/// group after both parts of Sum.
inline constexpr std::size_t kGroup = 8;
inline std::size_t padded(std::size_t size) { return (size + kGroup - 1) / kGroup * kGroup + kGroup; }

struct Weight {
  std::size_t offset;  ///< start of its stage in Sum::stages
  double value;
};

/// The non-zero weights of several rows, in one list; stage i begins at i · stride. Every run makes them, so they take little memory.
class WeightRows {
 public:
  WeightRows(std::span<const std::vector<double>* const> rows, std::size_t stride);
  std::span<const Weight> operator[](std::size_t row) const {
    return std::span(weights_).subspan(begins_[row], begins_[row + 1] - begins_[row]);
  }

 private:
  std::vector<Weight> weights_;
  std::vector<std::size_t> begins_;
};

/// The arguments of a sum. The parts [0, first) and [first, size) of all vectors are independent of each other. So the
/// processor can sum the first part while the second part of the last stage is still on its way to memory, and the
/// evaluation of the next stage begins earlier.
struct Sum {
  const Weight* weights = nullptr;
  std::size_t count = 0;  ///< number of weights
  const double* stages = nullptr;
  const double* last = nullptr;  ///< first part of the last weight's stage, if it is also stored elsewhere; else null
  /// Whether the second part of the last stage has just been written, one number at a time: wide reads of it would wait for memory.
  bool fresh = false;
  const double* base = nullptr;  ///< added to h times the sum; null: no base
  double h = 1;                  ///< factor on the sum if there is a base
  std::size_t first = 0, size = 0;
};
/// result = base + h Σ weight · stage; without a base Σ weight · stage. `last` may be part of the result.
/// Each product and each sum is rounded separately, in the order of the weights, so that the result has the same bits
/// for every vector width of the processor.
using WeightedSum = void(const Sum& sum, double* result);

/// Σ (high/scale)² and Σ (low/scale)² over `count` components, scale = atol + rtol·max(|y|, |y₁|), summed in eight
/// partial sums that are added at the end. high and low are padded.
struct ErrorNorm {
  double high = 0, low = 0;
};
struct ErrorTerms {
  const double *high = nullptr, *low = nullptr, *y = nullptr, *y1 = nullptr;
  std::size_t count = 0;
  double rtol = 0, atol = 0;
};
using ErrorSum = ErrorNorm(const ErrorTerms& terms);

/// The sums of kLanes systems at once, entry s of lane l at [s · kLanes + l], each with a factor h of its own: the bits of WeightedSum for each.
inline constexpr std::size_t kLanes = 8;
struct LaneSum {
  const Weight* weights = nullptr;
  std::size_t count = 0;
  const double* stages = nullptr;
  const double *base = nullptr, *h = nullptr;  ///< null: no base
  std::size_t size = 0;                        ///< entries of a system
};
using LaneWeightedSum = void(const LaneSum& sum, double* result);

/// The norms of kLanes systems at once, each with tolerances of its own: the bits of ErrorSum for each. Writes kLanes numbers to high2 and low2.
struct LaneErrorTerms {
  const double *high = nullptr, *low = nullptr, *y = nullptr, *y1 = nullptr;
  std::size_t count = 0;
  const double *rtol = nullptr, *atol = nullptr;
};
using LaneErrorSum = void(const LaneErrorTerms& terms, double* high2, double* low2);

/// Takes vectors of kLanes systems apart: entry s of lane l, at lanes[s · kLanes + l], to to[l][s]. A null lane is left out.
using LanesApart = void(const double* lanes, std::size_t count, double* const* to);
/// The way back. No lane may be null.
using LanesTogether = void(const double* const* from, std::size_t count, double* lanes);

/// The fastest implementations for this processor.
WeightedSum* weighted_sum();
ErrorSum* error_sum();
LaneWeightedSum* lane_weighted_sum();
LaneErrorSum* lane_error_sum();
LanesApart* lanes_apart();
LanesTogether* lanes_together();

}  // namespace dalembert::integration
