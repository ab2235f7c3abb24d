// SPDX-License-Identifier: Apache-2.0
// Ensembles: the classical Runge–Kutta method with everything in registers from the first step to the last.
#include <cassert>
#include <cstddef>
#include <cstring>

#include "bench/reference/double_pendulum.h"
#include "bench/reference/lanes.h"
#include "bench/reference/reference.h"
#include "bench/reference/slider_crank.h"

namespace dalembert::bench::reference {
namespace {

// f(q, v, q̈) writes the accelerations of N coordinates.
template <int N, class Number, class Accelerations>
[[gnu::always_inline]] inline void advance(Number* q, Number* v, int steps, double h, Accelerations f) {
  for (int step = 0; step < steps; ++step) {
    Number a1[N], a2[N], a3[N], a4[N], v2[N], v3[N], v4[N], at[N];
    f(q, v, a1);
#pragma GCC unroll 8
    for (int i = 0; i < N; ++i) {
      v2[i] = v[i] + 0.5 * h * a1[i];
      at[i] = q[i] + 0.5 * h * v[i];
    }
    f(at, v2, a2);
#pragma GCC unroll 8
    for (int i = 0; i < N; ++i) {
      v3[i] = v[i] + 0.5 * h * a2[i];
      at[i] = q[i] + 0.5 * h * v2[i];
    }
    f(at, v3, a3);
#pragma GCC unroll 8
    for (int i = 0; i < N; ++i) {
      v4[i] = v[i] + h * a3[i];
      at[i] = q[i] + h * v3[i];
    }
    f(at, v4, a4);
#pragma GCC unroll 8
    for (int i = 0; i < N; ++i) {
      q[i] = q[i] + h / 6 * (v[i] + 2.0 * v2[i] + 2.0 * v3[i] + v4[i]);
      v[i] = v[i] + h / 6 * (a1[i] + 2.0 * a2[i] + 2.0 * a3[i] + a4[i]);
    }
  }
}

template <int N, class Number, class Accelerations>
void advance_all(double* state, int count, int steps, double h, Accelerations f) {
  constexpr int kLanes = sizeof(Number) / sizeof(double);
  for (int first = 0; first < count; first += kLanes) {
    Number y[2 * N];
    const auto place = [&](int i) { return state + static_cast<std::ptrdiff_t>(i) * count + first; };
    for (int i = 0; i < 2 * N; ++i) std::memcpy(&y[i], place(i), sizeof(Number));
    advance<N>(y, y + N, steps, h, f);
    for (int i = 0; i < 2 * N; ++i) std::memcpy(place(i), &y[i], sizeof(Number));
  }
}

template <class SinCos, class Number>
void pendulum(double* state, int count, int steps, double h) {
  advance_all<2, Number>(
      state, count, steps, h, [](const Number* q, const Number* v, Number* a) __attribute__((always_inline)) {
        double_pendulum<SinCos>(q, v, a);
      });
}

template <class SinCos, class Number>
void crank(double* state, int count, int steps, double h) {
  advance_all<3, Number>(
      state, count, steps, h, [](const Number* q, const Number* v, Number* a) __attribute__((always_inline)) {
        Number lambda[2];
        slider_crank<SinCos>(q, v, a, lambda);
      });
}

}  // namespace

void double_pendulum_steps(double* state, int count, int steps, double h, int lanes) {
  assert(count % 16 == 0);
  if (lanes == 1) return pendulum<LibrarySinCos, double>(state, count, steps, h);
  if (lanes == 4) return pendulum<PolynomialSinCos, Four>(state, count, steps, h);
  if (lanes == 8) return pendulum<PolynomialSinCos, Eight>(state, count, steps, h);
  return pendulum<PolynomialSinCos, Sixteen>(state, count, steps, h);
}

void slider_crank_steps(double* state, int count, int steps, double h, int lanes) {
  assert(count % 16 == 0);
  if (lanes == 1) return crank<LibrarySinCos, double>(state, count, steps, h);
  if (lanes == 4) return crank<PolynomialSinCos, Four>(state, count, steps, h);
  if (lanes == 8) return crank<PolynomialSinCos, Eight>(state, count, steps, h);
  return crank<PolynomialSinCos, Sixteen>(state, count, steps, h);
}

}  // namespace dalembert::bench::reference
