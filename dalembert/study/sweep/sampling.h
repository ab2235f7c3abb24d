// SPDX-License-Identifier: Apache-2.0
// Numbers between 0 and 1 for the samples of a study. Each is a function of the seed, the sample's index and the quantity's index alone, so
// that any machine can compute any sample by itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dalembert::sweeping {

enum class Sampling {
  kRandom,          ///< independent
  kLatinHypercube,  ///< of n samples of a quantity each nth part of its probability has one
  kSobol,           ///< the Sobol' sequence, shifted by random digits
};
std::optional<Sampling> parse_sampling(std::string_view name);  ///< "random", "lhs", "sobol"

/// Largest number of quantities of a Sobol' sequence here.
inline constexpr std::size_t kMostSobol = 64;

struct SampleOf {
  Sampling sampling = Sampling::kRandom;
  std::uint64_t seed = 0;
  std::uint64_t count = 1;  ///< number of samples; < 2^52
};
/// A number in (0, 1) for quantity `dimension` of sample `index`; index < count, dimension < kMostSobol for a Sobol' sequence.
double sample(const SampleOf& of, std::uint64_t index, std::size_t dimension);

/// Ten rounds of Philox 4×32 with the counter and the key: four random words. Source: Salmon, Moraes, Dror & Shaw, Parallel random numbers:
/// as easy as 1, 2, 3, SC11 (2011), doi:10.1145/2063384.2063405.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// x with Φ(x) = p for the normal distribution, 0 < p < 1, to round-off.
double normal_quantile(double p);

}  // namespace dalembert::sweeping
