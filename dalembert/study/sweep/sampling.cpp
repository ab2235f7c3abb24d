// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/sweep/sampling.h"

#include <bit>
#include <cmath>
#include <numbers>

namespace dalembert::sweeping {
namespace {

constexpr int kBits = 52;  // of a number in (0, 1); (k + 1/2) 2^-52 and 1 minus it are exact
constexpr double kUnit = 0x1p-52;

// What a random word is for; part of the counter.
enum class Purpose : std::uint32_t { kValue, kOrder, kShift };

std::uint64_t random_word(std::uint64_t seed, Purpose purpose, std::size_t dimension, std::uint64_t index,
                          std::uint32_t round = 0) {
  const std::array<std::uint32_t, 4> counter{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                                             static_cast<std::uint32_t>(dimension),
                                             static_cast<std::uint32_t>(purpose) + 16 * round};
  const auto words = philox(counter, {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  return words[0] | std::uint64_t{words[1]} << 32;
}

double between(std::uint64_t digits) { return (static_cast<double>(digits) + 0.5) * kUnit; }

double random_number(std::uint64_t seed, std::uint64_t index, std::size_t dimension) {
  return between(random_word(seed, Purpose::kValue, dimension, index) >> (64 - kBits));
}

// The place of `index` in a random order of 0 … count − 1: a Feistel network on the smallest even number of bits that holds them, repeated
// until the place is below `count`. Source: Black & Rogaway, Ciphers with arbitrary finite domains, CT-RSA 2002,
// doi:10.1007/3-540-45760-7_9.
std::uint64_t shuffled(std::uint64_t seed, std::size_t dimension, std::uint64_t index, std::uint64_t count) {
  constexpr std::uint32_t kRounds = 8;
  const int half = (std::bit_width(count - 1) + 1) / 2;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  do {
    std::uint64_t left = index >> half, right = index & mask;
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      const std::uint64_t mixed = left ^ (random_word(seed, Purpose::kOrder, dimension, right, round) & mask);
      left = right;
      right = mixed;
    }
    index = left << half | right;
  } while (index >= count);
  return index;
}

// A primitive polynomial of degree `degree` with the inner coefficients `inner`, and the first direction numbers.
struct Direction {
  int degree;
  std::uint32_t inner;
  std::array<std::uint32_t, 9> first;
};
// Quantities 2 to 64. Source: Joe & Kuo, Constructing Sobol sequences with better two-dimensional projections, SIAM J. Sci. Comput. 30 (2008),
// doi:10.1137/070709359, file new-joe-kuo-6.
constexpr Direction kDirections[kMostSobol - 1] = {{1, 0, {1}},
                                                   {2, 1, {1, 3}},
                                                   {3, 1, {1, 3, 1}},
                                                   {3, 2, {1, 1, 1}},
                                                   {4, 1, {1, 1, 3, 3}},
                                                   {4, 4, {1, 3, 5, 13}},
                                                   {5, 2, {1, 1, 5, 5, 17}},
                                                   {5, 4, {1, 1, 5, 5, 5}},
                                                   {5, 7, {1, 1, 7, 11, 19}},
                                                   {5, 11, {1, 1, 5, 1, 1}},
                                                   {5, 13, {1, 1, 1, 3, 11}},
                                                   {5, 14, {1, 3, 5, 5, 31}},
                                                   {6, 1, {1, 3, 3, 9, 7, 49}},
                                                   {6, 13, {1, 1, 1, 15, 21, 21}},
                                                   {6, 16, {1, 3, 1, 13, 27, 49}},
                                                   {6, 19, {1, 1, 1, 15, 7, 5}},
                                                   {6, 22, {1, 3, 1, 15, 13, 25}},
                                                   {6, 25, {1, 1, 5, 5, 19, 61}},
                                                   {7, 1, {1, 3, 7, 11, 23, 15, 103}},
                                                   {7, 4, {1, 3, 7, 13, 13, 15, 69}},
                                                   {7, 7, {1, 1, 3, 13, 7, 35, 63}},
                                                   {7, 8, {1, 3, 5, 9, 1, 25, 53}},
                                                   {7, 14, {1, 3, 1, 13, 9, 35, 107}},
                                                   {7, 19, {1, 3, 1, 5, 27, 61, 31}},
                                                   {7, 21, {1, 1, 5, 11, 19, 41, 61}},
                                                   {7, 28, {1, 3, 5, 3, 3, 13, 69}},
                                                   {7, 31, {1, 1, 7, 13, 1, 19, 1}},
                                                   {7, 32, {1, 3, 7, 5, 13, 19, 59}},
                                                   {7, 37, {1, 1, 3, 9, 25, 29, 41}},
                                                   {7, 41, {1, 3, 5, 13, 23, 1, 55}},
                                                   {7, 42, {1, 3, 7, 3, 13, 59, 17}},
                                                   {7, 50, {1, 3, 1, 3, 5, 53, 69}},
                                                   {7, 55, {1, 1, 5, 5, 23, 33, 13}},
                                                   {7, 56, {1, 1, 7, 7, 1, 61, 123}},
                                                   {7, 59, {1, 1, 7, 9, 13, 61, 49}},
                                                   {7, 62, {1, 3, 3, 5, 3, 55, 33}},
                                                   {8, 14, {1, 3, 1, 15, 31, 13, 49, 245}},
                                                   {8, 21, {1, 3, 5, 15, 31, 59, 63, 97}},
                                                   {8, 22, {1, 3, 1, 11, 11, 11, 77, 249}},
                                                   {8, 38, {1, 3, 1, 11, 27, 43, 71, 9}},
                                                   {8, 47, {1, 1, 7, 15, 21, 11, 81, 45}},
                                                   {8, 49, {1, 3, 7, 3, 25, 31, 65, 79}},
                                                   {8, 50, {1, 3, 1, 1, 19, 11, 3, 205}},
                                                   {8, 52, {1, 1, 5, 9, 19, 21, 29, 157}},
                                                   {8, 56, {1, 3, 7, 11, 1, 33, 89, 185}},
                                                   {8, 67, {1, 3, 3, 3, 15, 9, 79, 71}},
                                                   {8, 70, {1, 3, 7, 11, 15, 39, 119, 27}},
                                                   {8, 84, {1, 1, 3, 1, 11, 31, 97, 225}},
                                                   {8, 97, {1, 1, 1, 3, 23, 43, 57, 177}},
                                                   {8, 103, {1, 3, 7, 7, 17, 17, 37, 71}},
                                                   {8, 115, {1, 3, 1, 5, 27, 63, 123, 213}},
                                                   {8, 122, {1, 1, 3, 5, 11, 43, 53, 133}},
                                                   {9, 8, {1, 3, 5, 5, 29, 17, 47, 173, 479}},
                                                   {9, 13, {1, 3, 3, 11, 3, 1, 109, 9, 69}},
                                                   {9, 16, {1, 1, 1, 5, 17, 39, 23, 5, 343}},
                                                   {9, 22, {1, 3, 1, 5, 25, 15, 31, 103, 499}},
                                                   {9, 25, {1, 1, 1, 11, 11, 17, 63, 105, 183}},
                                                   {9, 44, {1, 1, 5, 11, 9, 29, 97, 231, 363}},
                                                   {9, 47, {1, 1, 5, 15, 19, 45, 41, 7, 383}},
                                                   {9, 52, {1, 3, 7, 7, 31, 19, 83, 137, 221}},
                                                   {9, 55, {1, 1, 1, 3, 23, 15, 111, 223, 83}},
                                                   {9, 59, {1, 1, 5, 13, 31, 15, 55, 25, 161}},
                                                   {9, 62, {1, 1, 3, 13, 25, 47, 39, 87, 257}}};

// Digits of the Sobol' sequence: the sum, modulo 2 in each digit, of the direction numbers at the digits of index's Gray code.
std::uint64_t sobol(std::uint64_t index, std::size_t dimension) {
  std::array<std::uint64_t, kBits> m{};
  if (dimension == 0) {
    m.fill(1);
  } else {
    const Direction& of = kDirections[dimension - 1];
    const auto degree = static_cast<std::size_t>(of.degree);
    for (std::size_t k = 0; k < m.size(); ++k) {
      if (k < degree) {
        m[k] = of.first[k];
        continue;
      }
      m[k] = m[k - degree] ^ m[k - degree] << degree;
      for (std::size_t j = 1; j < degree; ++j)
        if (of.inner >> (degree - 1 - j) & 1) m[k] ^= m[k - j] << j;
    }
  }
  std::uint64_t digits = 0;
  const std::uint64_t gray = index ^ index >> 1;
  for (std::size_t k = 0; k < m.size(); ++k)
    if (gray >> k & 1) digits ^= m[k] << (m.size() - 1 - k);
  return digits;
}

}  // namespace

std::optional<Sampling> parse_sampling(std::string_view name) {
  if (name == "random") return Sampling::kRandom;
  if (name == "lhs") return Sampling::kLatinHypercube;
  if (name == "sobol") return Sampling::kSobol;
  return std::nullopt;
}

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0], b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

double sample(const SampleOf& of, std::uint64_t index, std::size_t dimension) {
  switch (of.sampling) {
    case Sampling::kRandom:
      return random_number(of.seed, index, dimension);
    case Sampling::kLatinHypercube: {
      const std::uint64_t stratum = shuffled(of.seed, dimension, index, of.count);
      return (static_cast<double>(stratum) + random_number(of.seed, index, dimension)) / static_cast<double>(of.count);
    }
    case Sampling::kSobol: {
      const std::uint64_t shift = random_word(of.seed, Purpose::kShift, dimension, 0) >> (64 - kBits);
      return between(sobol(index, dimension) ^ shift);
    }
  }
  return 0.5;
}

double normal_quantile(double p) {
  const double lower = p < 0.5 ? p : 1 - p;
  // A start to 5e-4: Abramowitz & Stegun, Handbook of Mathematical Functions, 26.2.23. Then Halley's method for Φ(x) = p.
  const double t = std::sqrt(-2 * std::log(lower));
  double x = -t + (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  for (int step = 0; step < 2; ++step) {
    const double error = std::erfc(-x / std::numbers::sqrt2) / 2 - lower;
    const double newton = error * std::sqrt(2 * std::numbers::pi) * std::exp(x * x / 2);
    x -= newton / (1 + x * newton / 2);
  }
  return p < 0.5 ? x : -x;
}

}  // namespace dalembert::sweeping
