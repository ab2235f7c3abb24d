// SPDX-License-Identifier: Apache-2.0
// Andrews' squeezing mechanism (models/andrews-squeezer.toml), by hand. Source: Hairer & Wanner, Solving ODEs II,
// 2nd ed., VII.7. q = (β, Θ, γ, Φ, δ, Ω, ε).
//
//   M q̈ + Wᵀμ = f,   W q̈ + Ẇ q̇ = 0,   λ of the model = its μ with rows times −1
//
// M has blocks (β, Θ), (γ), (Φ, δ), (Ω, ε). The three pairs of rows share the columns of β and Θ, and each has a block
// of its own besides: S = W M⁻¹ Wᵀ is one 2×2 matrix in every block of 2×2, plus three on the diagonal.
#pragma once

#include <cmath>

namespace dalembert::bench::reference {

namespace andrews_parameters {
inline constexpr double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .07050, m6 = .00706, m7 = .05498;
inline constexpr double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5, I6 = 5.667e-7,
                        I7 = 1.912e-5;
inline constexpr double xb = -.03635, yb = .03273, xc = .014, yc = .072, c0 = 4530, l0 = .07785, mom = .033;
inline constexpr double d = .028, da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092, ss = .035, sa = .01874,
                        sb = .01043, sc = .018, sd = .02, ta = .02308, tb = .00916, u = .04, ua = .01228, ub = .00449,
                        zf = .02, zt = .04, fa = .01421;
}  // namespace andrews_parameters

inline double square_root(double x) { return std::sqrt(x); }
template <class Number>
[[gnu::always_inline]] inline Number square_root(const Number& x) {
  Number root = x;
  for (unsigned lane = 0; lane < sizeof(Number) / sizeof(double); ++lane) root[lane] = std::sqrt(x[lane]);
  return root;
}

/// What is in the equations. Symmetric blocks of M: 11, 21, 22.
template <class Number>
struct AndrewsTerms {
  Number M12[3], M45[3], M67[3], f[7];
  Number W0[2][2];  ///< columns β and Θ, the same in each pair of rows
  Number W3[2], W45[2][2], W67[2][2];
  Number gamma[6];
};
inline constexpr double kAndrewsM3 = andrews_parameters::m3 * (andrews_parameters::sa * andrews_parameters::sa +
                                                               andrews_parameters::sb * andrews_parameters::sb) +
                                     andrews_parameters::I3;

template <class SinCos, class Number>
[[gnu::always_inline]] inline AndrewsTerms<Number> andrews_terms(const Number* q, const Number* v) {
  using namespace andrews_parameters;
  Number s[7], c[7];
#pragma GCC unroll 7
  for (int i = 0; i < 7; ++i) SinCos::sin_cos(q[i], s[i], c[i]);
  const Number sin_bt = s[0] * c[1] + c[0] * s[1], cos_bt = c[0] * c[1] - s[0] * s[1];  // β + Θ
  const Number sin_pd = s[3] * c[4] + c[3] * s[4], cos_pd = c[3] * c[4] - s[3] * s[4];  // Φ + δ
  const Number sin_oe = s[5] * c[6] + c[5] * s[6], cos_oe = c[5] * c[6] - s[5] * s[6];  // Ω + ε

  AndrewsTerms<Number> terms;
  terms.M12[0] = m1 * ra * ra + m2 * (rr * rr + da * da) + I1 + I2 - 2 * m2 * da * rr * c[1];
  terms.M12[1] = m2 * da * da + I2 - m2 * da * rr * c[1];
  terms.M12[2] = Number{} + (m2 * da * da + I2);
  terms.M45[0] = Number{} + (m4 * (e - ea) * (e - ea) + I4);
  terms.M45[1] = m4 * (e - ea) * (e - ea) + I4 + m4 * zt * (e - ea) * s[3];
  terms.M45[2] =
      m4 * (zt * zt + (e - ea) * (e - ea)) + m5 * (ta * ta + tb * tb) + I4 + I5 + 2 * m4 * zt * (e - ea) * s[3];
  terms.M67[0] = Number{} + (m6 * (zf - fa) * (zf - fa) + I6);
  terms.M67[1] = m6 * (zf - fa) * (zf - fa) + I6 - m6 * u * (zf - fa) * s[5];
  terms.M67[2] =
      m6 * ((zf - fa) * (zf - fa) + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7 - 2 * m6 * u * (zf - fa) * s[5];

  // The spring pulls D towards C.
  const Number x = sd * c[2] + sc * s[2] + (xb - xc), y = sd * s[2] - sc * c[2] + (yb - yc);
  const Number length = square_root(x * x + y * y), pull = -c0 * (length - l0) / length;
  terms.f[0] = mom - m2 * da * rr * v[1] * (v[1] + 2 * v[0]) * s[1];
  terms.f[1] = m2 * da * rr * v[0] * v[0] * s[1];
  terms.f[2] = pull * (x * (sc * c[2] - sd * s[2]) + y * (sd * c[2] + sc * s[2]));
  terms.f[3] = m4 * zt * (e - ea) * v[4] * v[4] * c[3];
  terms.f[4] = -m4 * zt * (e - ea) * v[3] * (v[3] + 2 * v[4]) * c[3];
  terms.f[5] = -m6 * u * (zf - fa) * v[6] * v[6] * c[5];
  terms.f[6] = m6 * u * (zf - fa) * v[5] * (v[5] + 2 * v[6]) * c[5];

  terms.W0[0][1] = d * sin_bt;
  terms.W0[1][1] = -d * cos_bt;
  terms.W0[0][0] = terms.W0[0][1] - rr * s[0];
  terms.W0[1][0] = terms.W0[1][1] + rr * c[0];
  terms.W3[0] = -ss * c[2];
  terms.W3[1] = -ss * s[2];
  terms.W45[0][0] = -e * cos_pd;
  terms.W45[0][1] = -e * cos_pd + zt * s[4];
  terms.W45[1][0] = -e * sin_pd;
  terms.W45[1][1] = -e * sin_pd - zt * c[4];
  terms.W67[0][0] = zf * sin_oe;
  terms.W67[0][1] = zf * sin_oe - u * c[6];
  terms.W67[1][0] = -zf * cos_oe;
  terms.W67[1][1] = -zf * cos_oe - u * s[6];

  const Number w_bt = (v[0] + v[1]) * (v[0] + v[1]), w_pd = (v[3] + v[4]) * (v[3] + v[4]);
  const Number w_oe = (v[5] + v[6]) * (v[5] + v[6]), w0 = v[0] * v[0], w2 = v[2] * v[2], w4 = v[4] * v[4],
               w6 = v[6] * v[6];
  const Number gx = d * cos_bt * w_bt - rr * c[0] * w0, gy = d * sin_bt * w_bt - rr * s[0] * w0;
  terms.gamma[0] = gx + ss * s[2] * w2;
  terms.gamma[1] = gy - ss * c[2] * w2;
  terms.gamma[2] = gx + e * sin_pd * w_pd + zt * c[4] * w4;
  terms.gamma[3] = gy - e * cos_pd * w_pd + zt * s[4] * w4;
  terms.gamma[4] = gx + zf * cos_oe * w_oe + u * s[6] * w6;
  terms.gamma[5] = gy + zf * sin_oe * w_oe - u * c[6] * w6;
  return terms;
}

/// Inverse of a symmetric 2×2 block (11, 21, 22).
template <class Number>
[[gnu::always_inline]] inline void invert(const Number* block, Number* inverse) {
  const Number determinant = 1.0 / (block[0] * block[2] - block[1] * block[1]);
  inverse[0] = block[2] * determinant;
  inverse[1] = -block[1] * determinant;
  inverse[2] = block[0] * determinant;
}

/// Two rows of W with one block of M: Y = W M⁻¹, K = Y Wᵀ (11, 12, 22).
template <class Number>
struct AndrewsArm {
  Number Y[2][2], K[3], free[2];  ///< free: M⁻¹ f
};
template <class Number>
[[gnu::always_inline]] inline AndrewsArm<Number> andrews_arm(const Number* M, const Number (&W)[2][2],
                                                             const Number* f) {
  Number inverse[3];
  invert(M, inverse);
  AndrewsArm<Number> arm;
#pragma GCC unroll 2
  for (int row = 0; row < 2; ++row) {
    arm.Y[row][0] = inverse[0] * W[row][0] + inverse[1] * W[row][1];
    arm.Y[row][1] = inverse[1] * W[row][0] + inverse[2] * W[row][1];
  }
  arm.K[0] = arm.Y[0][0] * W[0][0] + arm.Y[0][1] * W[0][1];
  arm.K[1] = arm.Y[0][0] * W[1][0] + arm.Y[0][1] * W[1][1];
  arm.K[2] = arm.Y[1][0] * W[1][0] + arm.Y[1][1] * W[1][1];
  arm.free[0] = inverse[0] * f[0] + inverse[1] * f[1];
  arm.free[1] = inverse[1] * f[0] + inverse[2] * f[1];
  return arm;
}

/// q̈ [7] and λ [6].
template <class SinCos, class Number>
[[gnu::always_inline]] inline void andrews(const Number* q, const Number* v, Number* qdd, Number* lambda) {
  const AndrewsTerms<Number> t = andrews_terms<SinCos>(q, v);
  const AndrewsArm<Number> root = andrews_arm(t.M12, t.W0, t.f), left = andrews_arm(t.M45, t.W45, t.f + 3),
                           right = andrews_arm(t.M67, t.W67, t.f + 5);
  const Number Y3[2] = {t.W3[0] * (1 / kAndrewsM3), t.W3[1] * (1 / kAndrewsM3)}, free3 = t.f[2] * (1 / kAndrewsM3);

  // S, upper half, and r = W M⁻¹ f + γ.
  Number S[6][6], r[6];
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i) {
#pragma GCC unroll 3
    for (int j = i; j < 3; ++j) {
      S[2 * i][2 * j] = root.K[0];
      S[2 * i][2 * j + 1] = S[2 * i + 1][2 * j] = root.K[1];
      S[2 * i + 1][2 * j + 1] = root.K[2];
    }
    r[2 * i] = t.gamma[2 * i] + t.W0[0][0] * root.free[0] + t.W0[0][1] * root.free[1];
    r[2 * i + 1] = t.gamma[2 * i + 1] + t.W0[1][0] * root.free[0] + t.W0[1][1] * root.free[1];
  }
  S[0][0] += Y3[0] * t.W3[0];
  S[0][1] += Y3[0] * t.W3[1];
  S[1][1] += Y3[1] * t.W3[1];
  S[2][2] += left.K[0];
  S[2][3] += left.K[1];
  S[3][3] += left.K[2];
  S[4][4] += right.K[0];
  S[4][5] += right.K[1];
  S[5][5] += right.K[2];
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    r[i] += t.W3[i] * free3;
    r[2 + i] += t.W45[i][0] * left.free[0] + t.W45[i][1] * left.free[1];
    r[4 + i] += t.W67[i][0] * right.free[0] + t.W67[i][1] * right.free[1];
  }

  // S = LDLᵀ, forwards and back.
  Number reciprocal[6], mu[6];
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) {
    reciprocal[k] = 1.0 / S[k][k];
#pragma GCC unroll 6
    for (int i = k + 1; i < 6; ++i) {
      const Number factor = S[k][i] * reciprocal[k];
#pragma GCC unroll 6
      for (int j = i; j < 6; ++j) S[i][j] -= factor * S[k][j];
      r[i] -= factor * r[k];
    }
  }
#pragma GCC unroll 6
  for (int k = 5; k >= 0; --k) {
    Number sum = r[k];
#pragma GCC unroll 6
    for (int j = k + 1; j < 6; ++j) sum -= S[k][j] * mu[j];
    mu[k] = sum * reciprocal[k];
  }

  // q̈ = M⁻¹(f − Wᵀμ).
  const Number mu_x = mu[0] + mu[2] + mu[4], mu_y = mu[1] + mu[3] + mu[5];
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    qdd[i] = root.free[i] - root.Y[0][i] * mu_x - root.Y[1][i] * mu_y;
    qdd[3 + i] = left.free[i] - left.Y[0][i] * mu[2] - left.Y[1][i] * mu[3];
    qdd[5 + i] = right.free[i] - right.Y[0][i] * mu[4] - right.Y[1][i] * mu[5];
  }
  qdd[2] = free3 - Y3[0] * mu[0] - Y3[1] * mu[1];
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) lambda[k] = mu[k];
}

}  // namespace dalembert::bench::reference
