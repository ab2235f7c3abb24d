// SPDX-License-Identifier: Apache-2.0
// A chain of N rods (1 m, 1 kg) in maximal coordinates by hand, O(N): the pins' Schur complement S = W M⁻¹ Wᵀ is block
// tridiagonal with 2×2 blocks, eliminated from the bearing to the free end. Joint i lies between rods i−1 and i.
#pragma once

#include "bench/reference/reference.h"

namespace dalembert::bench::reference {

template <class SinCos>
void Chain::evaluate_with(const double* theta, const double* omega, const ChainMotion& out) {
  const int n = n_;
  double *s = sine_.data(), *c = cosine_.data(), *D = diagonal_.data(), *U = above_.data(), *r = right_.data();
  for (int i = 0; i < n; ++i) SinCos::sin_cos(theta[i], s[i], c[i]);

  // Forwards. A rod adds W M⁻¹ Wᵀ to the joints at both of its ends.
  constexpr double k = h * h * inverse_I;
  double d11 = 0, d12 = 0, d22 = 0, r1 = 0, r2 = 0;  // of the joint before
  for (int i = 0; i < n; ++i) {
    const double w = omega[i] * omega[i];
    double e11 = inverse_m + k * s[i] * s[i], e12 = -k * s[i] * c[i], e22 = inverse_m + k * c[i] * c[i];
    double q1 = -h * c[i] * w, q2 = -h * s[i] * w;  // what the rates leave: centripetal
    if (i == 0) q2 += g;
    if (i > 0) {
      const double sp = s[i - 1], cp = c[i - 1], wp = omega[i - 1] * omega[i - 1];
      e11 += inverse_m + k * sp * sp;
      e12 -= k * sp * cp;
      e22 += inverse_m + k * cp * cp;
      q1 -= h * cp * wp;
      q2 -= h * sp * wp;
      const double o11 = k * sp * sp - inverse_m, o12 = -k * sp * cp, o22 = k * cp * cp - inverse_m;
      const double determinant = 1 / (d11 * d22 - d12 * d12);
      const double a11 = d22 * determinant, a12 = -d12 * determinant, a22 = d11 * determinant;
      const double u11 = a11 * o11 + a12 * o12, u12 = a11 * o12 + a12 * o22;
      const double u21 = a12 * o11 + a22 * o12, u22 = a12 * o12 + a22 * o22;
      U[4 * i] = u11;
      U[4 * i + 1] = u12;
      U[4 * i + 2] = u21;
      U[4 * i + 3] = u22;
      e11 -= o11 * u11 + o12 * u21;
      e12 -= o11 * u12 + o12 * u22;
      e22 -= o12 * u12 + o22 * u22;
      q1 -= u11 * r1 + u21 * r2;
      q2 -= u12 * r1 + u22 * r2;
    }
    D[3 * i] = d11 = e11;
    D[3 * i + 1] = d12 = e12;
    D[3 * i + 2] = d22 = e22;
    r[2 * i] = r1 = q1;
    r[2 * i + 1] = r2 = q2;
  }

  // Back, with the accelerations of each rod as soon as the forces at both ends are known.
  double next_x = 0, next_y = 0;
  for (int i = n - 1; i >= 0; --i) {
    const double p11 = D[3 * i], p12 = D[3 * i + 1], p22 = D[3 * i + 2], determinant = 1 / (p11 * p22 - p12 * p12);
    double x = (p22 * r[2 * i] - p12 * r[2 * i + 1]) * determinant;
    double y = (p11 * r[2 * i + 1] - p12 * r[2 * i]) * determinant;
    if (i < n - 1) {
      const double* block = U + 4 * (i + 1);
      x -= block[0] * next_x + block[1] * next_y;
      y -= block[2] * next_x + block[3] * next_y;
    }
    out.force[2 * i] = x;
    out.force[2 * i + 1] = y;
    out.ax[i] = (x - next_x) * inverse_m;
    out.ay[i] = (y - next_y) * inverse_m - g;
    out.alpha[i] = inverse_I * h * (s[i] * (x + next_x) - c[i] * (y + next_y));
    next_x = x;
    next_y = y;
  }
}

}  // namespace dalembert::bench::reference
