// SPDX-License-Identifier: Apache-2.0
// The slider-crank of models/slider-crank.toml with its parameters and without inputs, by hand:
//
//   M q̈ + Wᵀμ = f,   W q̈ + Ẇ q̇ = 0,   μ = −λ;   M couples only the two angles, the slider is a mass of its own,
//
// solved by the 2×2 Schur complement S = W M⁻¹ Wᵀ.
//
// Elimination::kPlain takes the reciprocal of det M, then that of det S. kShort forms T = det M · S without a division,
// so that neither of the two reciprocals waits for the other.
#pragma once

#include "bench/reference/reference.h"

namespace dalembert::bench::reference {

/// q = (θ, φ, x), v = q̇ → q̈ and λ of the two rows of `pin`.
template <class SinCos, Elimination kElimination = Elimination::kShort, class Number>
[[gnu::always_inline]] inline void slider_crank(const Number* q, const Number* v, Number* qdd, Number* lambda) {
  constexpr double L1 = 0.15, L2 = 0.35, m1 = 0.36, m2 = 0.84, m3 = 1.2, g = 9.81;
  constexpr double I1 = 0.0027, I2 = 0.0343, A = 2 * m2 * L1 * L2;
  constexpr double M11 = m1 * L1 * L1 + I1 + 4 * m2 * L1 * L1, M22 = m2 * L2 * L2 + I2;
  Number s1, c1, s2, c2;
  SinCos::sin_cos(q[0], s1, c1);
  SinCos::sin_cos(q[1], s2, c2);
  const Number cd = c1 * c2 + s1 * s2, sd = s1 * c2 - c1 * s2;  // of θ − φ
  const Number w1 = v[0] * v[0], w2 = v[1] * v[1];

  const Number M12 = -A * cd;
  const Number f1 = A * sd * w2 - (m1 * L1 + 2 * m2 * L1) * g * c1;
  const Number f2 = -A * sd * w1 + m2 * L2 * g * c2;
  const Number W11 = -2 * L1 * s1, W12 = 2 * L2 * s2, W21 = 2 * L1 * c1, W22 = -2 * L2 * c2;  // W13 = −1
  const Number gamma1 = -2 * L1 * c1 * w1 + 2 * L2 * c2 * w2, gamma2 = -2 * L1 * s1 * w1 + 2 * L2 * s2 * w2;
  const Number determinant = M11 * M22 - M12 * M12;

  const Number reciprocal = 1.0 / determinant;
  if constexpr (kElimination == Elimination::kShort) {
    // X = W adj M, T = X Wᵀ + det M · (the slider's part of S).
    const Number X11 = M22 * W11 - M12 * W12, X12 = M11 * W12 - M12 * W11;
    const Number X21 = M22 * W21 - M12 * W22, X22 = M11 * W22 - M12 * W21;
    const Number T11 = X11 * W11 + X12 * W12 + determinant * (1 / m3);
    const Number T12 = X11 * W21 + X12 * W22, T22 = X21 * W21 + X22 * W22;
    const Number r1 = X11 * f1 + X12 * f2 + determinant * gamma1, r2 = X21 * f1 + X22 * f2 + determinant * gamma2;
    const Number d = 1.0 / (T11 * T22 - T12 * T12);
    const Number mu1 = (T22 * r1 - T12 * r2) * d, mu2 = (T11 * r2 - T12 * r1) * d;
    lambda[0] = -mu1;
    lambda[1] = -mu2;
    qdd[0] = (M22 * f1 - M12 * f2 - X11 * mu1 - X21 * mu2) * reciprocal;
    qdd[1] = (M11 * f2 - M12 * f1 - X12 * mu1 - X22 * mu2) * reciprocal;
    qdd[2] = mu1 * (1 / m3);
    return;
  }
  // M⁻¹ of the angles, Y = W M⁻¹, S = Y Wᵀ.
  const Number i11 = M22 * reciprocal, i12 = -M12 * reciprocal, i22 = M11 * reciprocal;
  const Number Y11 = i11 * W11 + i12 * W12, Y12 = i12 * W11 + i22 * W12;
  const Number Y21 = i11 * W21 + i12 * W22, Y22 = i12 * W21 + i22 * W22;
  const Number S11 = Y11 * W11 + Y12 * W12 + 1 / m3, S12 = Y11 * W21 + Y12 * W22, S22 = Y21 * W21 + Y22 * W22;
  const Number r1 = Y11 * f1 + Y12 * f2 + gamma1, r2 = Y21 * f1 + Y22 * f2 + gamma2;
  const Number d = 1.0 / (S11 * S22 - S12 * S12);
  const Number mu1 = (S22 * r1 - S12 * r2) * d, mu2 = (S11 * r2 - S12 * r1) * d;

  lambda[0] = -mu1;
  lambda[1] = -mu2;
  qdd[0] = i11 * f1 + i12 * f2 - Y11 * mu1 - Y21 * mu2;
  qdd[1] = i12 * f1 + i22 * f2 - Y12 * mu1 - Y22 * mu2;
  qdd[2] = mu1 * (1 / m3);
}

}  // namespace dalembert::bench::reference
