// SPDX-License-Identifier: Apache-2.0
// What the hand-written kernels compute with: one number or several at a time, and their sine and cosine.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace dalembert::bench::reference {

/// Four doubles, one AVX2 register.
using Four = double __attribute__((vector_size(32)));
/// Eight doubles, one AVX-512 register (or what the compiler makes of it elsewhere).
using Eight = double __attribute__((vector_size(64)));
/// Sixteen: two chains of dependent operations at once hide each other's latency.
using Sixteen = double __attribute__((vector_size(128)));

template <class Number>
struct BitsOf;
template <>
struct BitsOf<double> {
  using Type = std::int64_t;
};
template <>
struct BitsOf<Four> {
  using Type = std::int64_t __attribute__((vector_size(32)));
};
template <>
struct BitsOf<Eight> {
  using Type = std::int64_t __attribute__((vector_size(64)));
};
template <>
struct BitsOf<Sixteen> {
  using Type = std::int64_t __attribute__((vector_size(128)));
};

/// The C library's, one after the other; the compiler makes one call of both.
struct LibrarySinCos {
  static void sin_cos(double x, double& sine, double& cosine) {
    sine = std::sin(x);
    cosine = std::cos(x);
  }
};

/// Without branches and tables: x = kπ/2 + r with |r| ≤ π/4 by two parts of π/2 and fused multiply-adds, then the
/// polynomials of fdlibm (k_sin.c, k_cos.c), swapped and negated by the last two bits of k. Within 1 ulp for |x| < 1e5.
struct PolynomialSinCos {
  template <class Number>
  [[gnu::always_inline]] static inline void sin_cos(const Number& x, Number& sine, Number& cosine) {
    using Bits = typename BitsOf<Number>::Type;
    constexpr double kRound = 6755399441055744.0;  // 1.5 · 2⁵²: adding it leaves the nearest integer in the low bits
    const Number shifted = x * 0.63661977236758134308 + kRound;
    const Bits quadrant = std::bit_cast<Bits>(shifted);
    const Number k = shifted - kRound;
    const Number r = x - k * 1.57079632679489655800e+00 - k * 6.12323399573676603587e-17;
    const Number z = r * r;
    const Number s = r + r * z *
                             (-1.66666666666666324348e-01 +
                              z * (8.33333333332248946124e-03 +
                                   z * (-1.98412698298579493134e-04 +
                                        z * (2.75573137070700676789e-06 +
                                             z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
    const Number c = 1.0 - 0.5 * z +
                     z * z *
                         (4.16666666666666019037e-02 +
                          z * (-1.38888888888741095749e-03 +
                               z * (2.48015872894767294178e-05 +
                                    z * (-2.75573143513906633035e-07 +
                                         z * (2.08757232129817482790e-09 - z * 1.13596475577881948265e-11)))));
    // All ones where sine and cosine change places.
    const Bits swap = -(quadrant & 1), s_bits = std::bit_cast<Bits>(s), c_bits = std::bit_cast<Bits>(c);
    sine = std::bit_cast<Number>(((s_bits & ~swap) | (c_bits & swap)) ^ ((quadrant & 2) << 62));
    cosine = std::bit_cast<Number>(((c_bits & ~swap) | (s_bits & swap)) ^ (((quadrant + 1) & 2) << 62));
  }
};

}  // namespace dalembert::bench::reference
