// SPDX-License-Identifier: Apache-2.0
// Sine and cosine of exported C in single precision, where a model has them.
#include <math.h>

//: kSineCosineSingle
/* Sine and cosine within one unit in the last place of 1, both at once: reduction by Cody and Waite to [-pi/4, pi/4], then
 * polynomials of least error (3.7e-9). Not to be compiled with -ffast-math. */
#if defined(__clang__) && !defined(FP_FAST_FMAF)
#pragma STDC FP_CONTRACT OFF
#endif
#if defined(__GNUC__)
#define $_INLINE static inline __attribute__((always_inline))
#else
#define $_INLINE static inline
#endif
$_INLINE void $_sine_cosine(float x, float* sine, float* cosine) {
  static const float signs[4] = {1.0f, 1.0f, -1.0f, -1.0f};
  float shifted, k, r, z, parts[2];
  int quadrant;
  if (!(fabsf(x) <= 1e4f)) {
    *sine = sinf(x);
    *cosine = cosf(x);
    return;
  }
  /* k is the whole number nearest to x / (pi/2): adding 1.5 * 2^23 rounds to it. */
#ifdef FP_FAST_FMAF
  shifted = fmaf(x, 0.63661975f, 12582912.0f);
  k = shifted - 12582912.0f;
  r = fmaf(-k, 1.5707964f, x);
  r = fmaf(k, 4.371139e-08f, r);
  r = fmaf(k, 1.7151245e-15f, r);
#else
  shifted = x * 0.63661975f + 12582912.0f;
  k = shifted - 12582912.0f;
  r = ((x - k * 1.5703125f) - k * 4.837512969970703e-04f) - k * 7.54979e-08f;
#endif
  z = r * r;
  parts[0] = r + r * (z * (-0.16666655f + z * (0.008332166f + z * -0.00019515576f)));
  parts[1] = (1.0f - 0.5f * z) + z * z * (0.041666646f + z * (-0.0013887351f + z * 2.4436518e-05f));
  /* Tables instead of branches, which would be mispredicted half of the time. */
  quadrant = (int)k;
  *sine = signs[quadrant & 3] * parts[quadrant & 1];
  *cosine = signs[(quadrant + 1) & 3] * parts[(quadrant + 1) & 1];
}
