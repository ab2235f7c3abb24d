// SPDX-License-Identifier: Apache-2.0
// Sine and cosine of exported C, where a model has them.
#include <math.h>

//: kSineCosine
/* Sine and cosine within one unit in the last place, both at once: reduction by Cody and Waite, polynomials of fdlibm:
 * Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved. Developed at SunPro, a Sun Microsystems, Inc. business.
 * Permission to use, copy, modify, and distribute this software is freely granted, provided that this notice is preserved.
 * Not to be compiled with -ffast-math. */
#if defined(__clang__) && !defined(FP_FAST_FMA)
#pragma STDC FP_CONTRACT OFF
#endif
#if defined(__GNUC__)
#define $_INLINE static inline __attribute__((always_inline))
#else
#define $_INLINE static inline
#endif
$_INLINE void $_sine_cosine(double x, double* sine, double* cosine) {
  static const double signs[4] = {1.0, 1.0, -1.0, -1.0};
  double shifted, k, r, z, w, s, c, parts[2];
  int quadrant;
  if (!(fabs(x) <= 1e5)) {
    *sine = sin(x);
    *cosine = cos(x);
    return;
  }
#ifdef FP_FAST_FMA
  shifted = fma(x, 0.63661977236758134308, 6755399441055744.0);
  k = shifted - 6755399441055744.0;
  r = fma(-k, 1.57079632679489655800e+00, x);
  r = fma(-k, 6.12323399573676603587e-17, r);
  r = fma(k, 1.49738490485916983e-33, r);
  z = r * r;
  w = z * z;
  s = fma(fma(fma(1.58969099521155010221e-10, z, -2.50507602534068634195e-08), w,
              fma(2.75573137070700676789e-06, z, -1.98412698298579493134e-04)),
          w, fma(8.33333333332248946124e-03, z, -1.66666666666666324348e-01));
  c = fma(fma(fma(-1.13596475577881948265e-11, z, 2.08757232129817482790e-09), w,
              fma(-2.75573143513906633035e-07, z, 2.48015872894767294178e-05)),
          w, fma(-1.38888888888741095749e-03, z, 4.16666666666666019037e-02));
  parts[0] = fma(r * z, s, r);
  parts[1] = fma(z, fma(c, z, -0.5), 1.0);
#else
  {
    double first, second, back, tail, cube, half, most;
    shifted = x * 0.63661977236758134308 + 6755399441055744.0;
    k = shifted - 6755399441055744.0;
    first = x - k * 1.57079632673412561417e+00;
    second = k * 6.07710050630396597660e-11;
    r = first - second;
    back = r - first;
    tail = ((first - (r - back)) - (second + back)) - k * 2.02226624879595063154e-21;
    z = r * r;
    w = z * z;
    cube = z * r;
    s = 8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * 2.75573137070700676789e-06) +
        z * w * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10);
    parts[0] = r - ((z * (0.5 * tail - cube * s) - tail) - cube * -1.66666666666666324348e-01);
    c = z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * 2.48015872894767294178e-05)) +
        w * w * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11));
    half = 0.5 * z;
    most = 1.0 - half;
    parts[1] = most + (((1.0 - most) - half) + (z * c - r * tail));
  }
#endif
  /* Tables instead of branches, which would be mispredicted half of the time. */
  quadrant = (int)k;
  *sine = signs[quadrant & 3] * parts[quadrant & 1];
  *cosine = signs[(quadrant + 1) & 3] * parts[(quadrant + 1) & 1];
}
