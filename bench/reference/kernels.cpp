// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <utility>

#include "bench/reference/andrews.h"
#include "bench/reference/chain.h"
#include "bench/reference/lanes.h"
#include "bench/reference/reference.h"
#include "bench/reference/slider_crank.h"

namespace dalembert::bench::reference {
namespace {

template <class SinCos, Elimination kElimination>
void slider_crank_one(const double* q, const double* v, double* qdd, double* lambda) {
  slider_crank<SinCos, kElimination, double>(q, v, qdd, lambda);
}
template <class SinCos>
void andrews_one(const double* q, const double* v, double* qdd, double* lambda) {
  andrews<SinCos, double>(q, v, qdd, lambda);
}

template <class Lanes, std::size_t Count>
[[gnu::always_inline]] inline void load(const double* from, Lanes (&to)[Count]) {
  std::memcpy(to, from, sizeof to);
}
template <class Lanes, std::size_t Count>
[[gnu::always_inline]] inline void store(const Lanes (&from)[Count], double* to) {
  std::memcpy(to, from, sizeof from);
}

template <class Lanes, Elimination kElimination>
void slider_crank_several(const double* q, const double* v, double* qdd, double* lambda) {
  Lanes positions[3], rates[3], accelerations[3], multipliers[2];
  load(q, positions);
  load(v, rates);
  slider_crank<PolynomialSinCos, kElimination, Lanes>(positions, rates, accelerations, multipliers);
  store(accelerations, qdd);
  store(multipliers, lambda);
}
template <class Lanes>
void andrews_several(const double* q, const double* v, double* qdd, double* lambda) {
  Lanes positions[7], rates[7], accelerations[7], multipliers[6];
  load(q, positions);
  load(v, rates);
  andrews<PolynomialSinCos, Lanes>(positions, rates, accelerations, multipliers);
  store(accelerations, qdd);
  store(multipliers, lambda);
}

}  // namespace

Kernel slider_crank(Trigonometry trigonometry, Elimination elimination) {
  const bool library = trigonometry == Trigonometry::kLibrary;
  if (elimination == Elimination::kShort)
    return library ? slider_crank_one<LibrarySinCos, Elimination::kShort>
                   : slider_crank_one<PolynomialSinCos, Elimination::kShort>;
  return library ? slider_crank_one<LibrarySinCos, Elimination::kPlain>
                 : slider_crank_one<PolynomialSinCos, Elimination::kPlain>;
}

Kernel andrews(Trigonometry trigonometry) {
  return trigonometry == Trigonometry::kLibrary ? andrews_one<LibrarySinCos> : andrews_one<PolynomialSinCos>;
}

Kernel slider_crank_lanes(int lanes, Elimination elimination) {
  if (elimination == Elimination::kShort)
    return lanes == 4 ? slider_crank_several<Four, Elimination::kShort>
                      : slider_crank_several<Eight, Elimination::kShort>;
  return lanes == 4 ? slider_crank_several<Four, Elimination::kPlain>
                    : slider_crank_several<Eight, Elimination::kPlain>;
}

Kernel andrews_lanes(int lanes) { return lanes == 4 ? andrews_several<Four> : andrews_several<Eight>; }

void slider_crank_dense(const double* q, const double* v, double* qdd, double* lambda) {
  constexpr double L1 = 0.15, L2 = 0.35, m1 = 0.36, m2 = 0.84, m3 = 1.2, g = 9.81, I1 = 0.0027, I2 = 0.0343;
  constexpr double A = 2 * m2 * L1 * L2;
  double s1, c1, s2, c2;
  LibrarySinCos::sin_cos(q[0], s1, c1);
  LibrarySinCos::sin_cos(q[1], s2, c2);
  const double cd = c1 * c2 + s1 * s2, sd = s1 * c2 - c1 * s2, w1 = v[0] * v[0], w2 = v[1] * v[1];
  // M q̈ − Wᵀλ = f, W q̈ = −γ; the last column is the right-hand side.
  double K[5][6] = {};
  K[0][0] = m1 * L1 * L1 + I1 + 4 * m2 * L1 * L1;
  K[0][1] = K[1][0] = -A * cd;
  K[1][1] = m2 * L2 * L2 + I2;
  K[2][2] = m3;
  const double W[2][3] = {{-2 * L1 * s1, 2 * L2 * s2, -1}, {2 * L1 * c1, -2 * L2 * c2, 0}};
  for (int row = 0; row < 2; ++row) {
    for (int i = 0; i < 3; ++i) {
      K[3 + row][i] = W[row][i];
      K[i][3 + row] = -W[row][i];
    }
  }
  K[0][5] = A * sd * w2 - (m1 * L1 + 2 * m2 * L1) * g * c1;
  K[1][5] = -A * sd * w1 + m2 * L2 * g * c2;
  K[3][5] = 2 * L1 * c1 * w1 - 2 * L2 * c2 * w2;
  K[4][5] = 2 * L1 * s1 * w1 - 2 * L2 * s2 * w2;
  for (int k = 0; k < 5; ++k) {
    int pivot = k;
    for (int i = k + 1; i < 5; ++i)
      if (std::fabs(K[i][k]) > std::fabs(K[pivot][k])) pivot = i;
    if (pivot != k)
      for (int j = k; j < 6; ++j) std::swap(K[k][j], K[pivot][j]);
    const double reciprocal = 1 / K[k][k];
    for (int i = k + 1; i < 5; ++i) {
      const double factor = K[i][k] * reciprocal;
      for (int j = k + 1; j < 6; ++j) K[i][j] -= factor * K[k][j];
    }
  }
  double x[5];
  for (int k = 4; k >= 0; --k) {
    double sum = K[k][5];
    for (int j = k + 1; j < 5; ++j) sum -= K[k][j] * x[j];
    x[k] = sum / K[k][k];
  }
  for (int i = 0; i < 3; ++i) qdd[i] = x[i];
  for (int row = 0; row < 2; ++row) lambda[row] = x[3 + row];
}

void Chain::evaluate(Trigonometry trigonometry, const double* theta, const double* omega, const ChainMotion& out,
                     Elimination elimination) {
  if (trigonometry == Trigonometry::kLibrary)
    evaluate_with<LibrarySinCos>(theta, omega, out, elimination);
  else
    evaluate_with<PolynomialSinCos>(theta, omega, out, elimination);
}

}  // namespace dalembert::bench::reference
