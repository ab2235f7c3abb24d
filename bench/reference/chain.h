// SPDX-License-Identifier: Apache-2.0
// A chain of N rods (1 m, 1 kg) in maximal coordinates by hand, O(N): the pins' Schur complement S = W M⁻¹ Wᵀ is block
// tridiagonal with 2×2 blocks. Joint i lies between rods i−1 and i.
//
// From one end to the other each joint waits for the one before. From both ends to the middle ("burn at both ends", a
// twisted factorisation) two joints go at a time that do not wait for each other, and nothing is computed twice.
#pragma once

#include "bench/reference/reference.h"

namespace dalembert::bench::reference {

struct Chain::Joint {
  double d11, d12, d22, r1, r2;
};

// W M⁻¹ Wᵀ and W M⁻¹ f + Ẇ q̇ of the rods at both sides of joint i.
[[gnu::always_inline]] inline Chain::Joint Chain::joint(int i, const double* omega) const {
  constexpr double k = h * h * inverse_I;
  const double s = sine_[i], c = cosine_[i], w = omega[i] * omega[i];
  Joint e{inverse_m + k * s * s, -k * s * c, inverse_m + k * c * c, -h * c * w, -h * s * w};  // rates: centripetal
  if (i == 0) {
    e.r2 += g;
    return e;
  }
  const double sp = sine_[i - 1], cp = cosine_[i - 1], wp = omega[i - 1] * omega[i - 1];
  e.d11 += inverse_m + k * sp * sp;
  e.d12 -= k * sp * cp;
  e.d22 += inverse_m + k * cp * cp;
  e.r1 -= h * cp * wp;
  e.r2 -= h * sp * wp;
  return e;
}

// Joint i, reduced to `gone`, goes; `next` is at the other end of the rod.
[[gnu::always_inline]] inline void Chain::reduce(Joint& next, const Joint& gone, int i, int rod) {
  constexpr double k = h * h * inverse_I;
  const double s = sine_[rod], c = cosine_[rod];
  const double o11 = k * s * s - inverse_m, o12 = -k * s * c, o22 = k * c * c - inverse_m;
  const double reciprocal = 1 / (gone.d11 * gone.d22 - gone.d12 * gone.d12);
  const double a11 = gone.d22 * reciprocal, a12 = -gone.d12 * reciprocal, a22 = gone.d11 * reciprocal;
  const double u11 = a11 * o11 + a12 * o12, u12 = a11 * o12 + a12 * o22;
  const double u21 = a12 * o11 + a22 * o12, u22 = a12 * o12 + a22 * o22;
  double* u = &coupling_[4 * i];
  u[0] = u11;
  u[1] = u12;
  u[2] = u21;
  u[3] = u22;
  free_[2 * i] = a11 * gone.r1 + a12 * gone.r2;
  free_[2 * i + 1] = a12 * gone.r1 + a22 * gone.r2;
  next.d11 -= o11 * u11 + o12 * u21;
  next.d12 -= o11 * u12 + o12 * u22;
  next.d22 -= o12 * u12 + o22 * u22;
  next.r1 -= u11 * gone.r1 + u21 * gone.r2;
  next.r2 -= u12 * gone.r1 + u22 * gone.r2;
}

// From the force of the joint that joint i was coupled to, to its own.
[[gnu::always_inline]] inline void Chain::step_back(int i, double& x, double& y) const {
  const double *u = &coupling_[4 * i], new_x = free_[2 * i] - (u[0] * x + u[1] * y);
  y = free_[2 * i + 1] - (u[2] * x + u[3] * y);
  x = new_x;
}

// A rod, from the forces of the joints at its ends.
[[gnu::always_inline]] inline void Chain::accelerate(int rod, double x, double y, double next_x, double next_y,
                                                     const ChainMotion& out) const {
  out.ax[rod] = (x - next_x) * inverse_m;
  out.ay[rod] = (y - next_y) * inverse_m - g;
  out.alpha[rod] = inverse_I * h * (sine_[rod] * (x + next_x) - cosine_[rod] * (y + next_y));
}

template <class SinCos>
void Chain::evaluate_with(const double* theta, const double* omega, const ChainMotion& out, Elimination elimination) {
  const int n = n_, middle = elimination == Elimination::kShort ? n / 2 : n - 1;
  for (int i = 0; i < n; ++i) SinCos::sin_cos(theta[i], sine_[i], cosine_[i]);

  // Joints 0 … middle − 1 and n − 1 … middle + 1 go, one of each at a time.
  const auto shrink = [&](Joint & end, int i, int to) __attribute__((always_inline)) {
    Joint next = joint(to, omega);
    reduce(next, end, i, i < to ? i : to);
    end = next;
  };
  Joint low = joint(0, omega), high = joint(n - 1, omega);
  int i = 0, j = n - 1;
  for (; i + 1 < middle && j - 1 > middle; ++i, --j) {
    shrink(low, i, i + 1);
    shrink(high, j, j - 1);
  }
  for (; i + 1 < middle; ++i) shrink(low, i, i + 1);
  for (; j - 1 > middle; --j) shrink(high, j, j - 1);
  Joint last = joint(middle, omega);
  if (i < middle) reduce(last, low, i, i);
  if (j > middle) reduce(last, high, j, middle);

  // The force in the middle, then outwards, with each rod as soon as the forces at both of its ends are known.
  const double reciprocal = 1 / (last.d11 * last.d22 - last.d12 * last.d12);
  const double x = (last.d22 * last.r1 - last.d12 * last.r2) * reciprocal;
  const double y = (last.d11 * last.r2 - last.d12 * last.r1) * reciprocal;
  out.force[2 * middle] = x;
  out.force[2 * middle + 1] = y;
  double low_x = x, low_y = y, high_x = x, high_y = y;
  const auto down = [&](int at) __attribute__((always_inline)) {
    const double next_x = low_x, next_y = low_y;
    step_back(at, low_x, low_y);
    out.force[2 * at] = low_x;
    out.force[2 * at + 1] = low_y;
    accelerate(at, low_x, low_y, next_x, next_y, out);
  };
  const auto up = [&](int at) __attribute__((always_inline)) {
    const double before_x = high_x, before_y = high_y;
    step_back(at, high_x, high_y);
    out.force[2 * at] = high_x;
    out.force[2 * at + 1] = high_y;
    accelerate(at - 1, before_x, before_y, high_x, high_y, out);
  };
  i = middle - 1, j = middle + 1;
  for (; i >= 0 && j < n; --i, ++j) {
    down(i);
    up(j);
  }
  for (; i >= 0; --i) down(i);
  for (; j < n; ++j) up(j);
  accelerate(n - 1, high_x, high_y, 0, 0, out);
}

}  // namespace dalembert::bench::reference
