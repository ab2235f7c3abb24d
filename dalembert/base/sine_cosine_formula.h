// SPDX-License-Identifier: Apache-2.0
// The formula of sine_cosine(), for loops over many numbers: argument reduction by Cody and Waite, polynomials of fdlibm. It uses additions
// and multiplications only, each rounded once: a file that includes this must be compiled with -ffp-contract=off.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "dalembert/base/sine_cosine.h"

namespace dalembert {
namespace sine_cosine_formula {

// π/2 as a sum of three parts. The first two have 33 bits, so that their products with whole numbers below 2²⁰ are exact; the third is the rest.
inline constexpr double kPart1 = 1.57079632673412561417e+00, kPart2 = 6.07710050630396597660e-11,
                        kPart3 = 2.02226624879595063154e-21;
inline constexpr double kLargest = 1e5;

inline constexpr double kSine[] = {-1.66666666666666324348e-01, 8.33333333332248946124e-03,
                                   -1.98412698298579493134e-04, 2.75573137070700676789e-06,
                                   -2.50507602534068634195e-08, 1.58969099521155010221e-10};
inline constexpr double kCosine[] = {4.16666666666666019037e-02, -1.38888888888741095749e-03,
                                     2.48015872894767294178e-05, -2.75573143513906633035e-07,
                                     2.08757232129817482790e-09, -1.13596475577881948265e-11};

}  // namespace sine_cosine_formula

/// Whether sine_cosine_of_small_angle() is valid: |x| ≤ 10⁵ rad, and x is not NaN.
inline bool is_small_angle(double x) { return std::abs(x) <= sine_cosine_formula::kLargest; }

/// The formula of sine_cosine() without branches. If is_small_angle(x) is false, the result is arbitrary.
inline SineCosine sine_cosine_of_small_angle(double x) {
  using namespace sine_cosine_formula;
  // Adding 3·2⁵¹ leaves k, the nearest integer to x·2/π, in the low bits.
  constexpr double kMagic = 6755399441055744.0;
  const double shifted = x * 0.63661977236758134308 + kMagic;
  const auto quadrant = std::bit_cast<std::uint64_t>(shifted);
  const double k = shifted - kMagic;

  // x − k π/2 = r + tail. The first difference is exact; the tail holds the rounding error of the second, and the third part.
  const double first = x - k * kPart1, second = k * kPart2, r = first - second;
  const double back = r - first;
  const double tail = ((first - (r - back)) - (second + back)) - k * kPart3;

  const double z = r * r, w = z * z, cube = z * r;
  const double s = kSine[1] + z * (kSine[2] + z * kSine[3]) + z * w * (kSine[4] + z * kSine[5]);
  const double sine = r - ((z * (0.5 * tail - cube * s) - tail) - cube * kSine[0]);
  const double c =
      z * (kCosine[0] + z * (kCosine[1] + z * kCosine[2])) + w * w * (kCosine[3] + z * (kCosine[4] + z * kCosine[5]));
  const double half = 0.5 * z, main = 1 - half;
  const double cosine = main + (((1 - main) - half) + (z * c - r * tail));

  // With s = sin(r) and c = cos(r), (sin x, cos x) by the quadrant k mod 4 is 0: (s, c), 1: (c, −s), 2: (−s, −c), 3:
  // (−c, s). Bit operations replace branches, half of which would be mispredicted.
  const std::uint64_t s_bits = std::bit_cast<std::uint64_t>(sine), c_bits = std::bit_cast<std::uint64_t>(cosine);
  const std::uint64_t swap = (s_bits ^ c_bits) & -(quadrant & 1);
  const auto signed_by = [](std::uint64_t bits, std::uint64_t q) {
    return std::bit_cast<double>(bits ^ ((q & 2) << 62));
  };
  return {signed_by(s_bits ^ swap, quadrant), signed_by(c_bits ^ swap, quadrant + 1)};
}

}  // namespace dalembert
