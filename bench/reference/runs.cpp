// SPDX-License-Identifier: Apache-2.0
// Whole runs by Dormand–Prince 8(5,3), the loop written for one right-hand side and a size known at compile time.
#include <algorithm>
#include <cmath>

#include "bench/reference/andrews.h"
#include "bench/reference/lanes.h"
#include "bench/reference/reference.h"
#include "bench/reference/slider_crank.h"

namespace dalembert::bench::reference {
namespace {

// Which earlier stages count: a of rows 1 … 11, then (row 12) b.
constexpr bool counts(int row, int j) {
  if (row == 12) return j == 0 || j >= 5;
  if (row <= 2) return j < row;
  if (row == 3) return j != 1;
  if (row == 4) return j == 0 || j >= 2;
  return j == 0 || j >= 3;
}

template <int N, class RightHandSide>
class Dop853Loop {
 public:
  Dop853Loop(const Dop853& method, const Dop853Run& run, RightHandSide f) : c_(method), run_(run), f_(f) {}

  Dop853Counts integrate(double* y) {
    double t = 0;
    f_(y, k_[0]);
    double h = first_step(y);
    counts_.evaluations = 2;
    bool rejected = false;
    while (t < run_.t_end) {
      const bool last = t + 1.01 * h >= run_.t_end;
      if (last) h = run_.t_end - t;
      double y1[N];
      stages(y, h, y1);
      const double error = estimate(y, y1, h);
      counts_.evaluations += 11;
      // No factor of the last error: beta = 0, as dop853 has it by default.
      const double factor = std::clamp(std::pow(error, 1.0 / 8) / 0.9, 1.0 / 6, 3.0);
      if (error > 1) {
        ++counts_.rejected;
        h /= std::min(3.0, factor);
        rejected = true;
        continue;
      }
      ++counts_.steps;
      ++counts_.evaluations;
      f_(y1, k_[0]);
      std::copy(y1, y1 + N, y);
      t = last ? run_.t_end : t + h;
      h = rejected ? std::min(h, h / factor) : h / factor;
      rejected = false;
    }
    return counts_;
  }

 private:
  // y + h Σ weights[j] k_j.
  template <int Row>
  [[gnu::always_inline]] void combine(const double* y, double h, const double* weights, double* result) const {
    double sum[N] = {};
#pragma GCC unroll 12
    for (int j = 0; j < Row; ++j)
      if (counts(Row, j))
        for (int i = 0; i < N; ++i) sum[i] += weights[j] * k_[j][i];
    for (int i = 0; i < N; ++i) result[i] = y[i] + h * sum[i];
  }
  template <int Row>
  [[gnu::always_inline]] void stage(const double* y, double h) {
    double at[N];
    combine<Row>(y, h, c_.a[Row], at);
    f_(at, k_[Row]);
  }
  void stages(const double* y, double h, double* y1) {
    stage<1>(y, h);
    stage<2>(y, h);
    stage<3>(y, h);
    stage<4>(y, h);
    stage<5>(y, h);
    stage<6>(y, h);
    stage<7>(y, h);
    stage<8>(y, h);
    stage<9>(y, h);
    stage<10>(y, h);
    stage<11>(y, h);
    combine<12>(y, h, c_.b, y1);
  }

  double scale(double x) const { return run_.atol + run_.rtol * std::abs(x); }

  double estimate(const double* y, const double* y1, double h) const {
    double fifth = 0, third = 0;
    for (int i = 0; i < N; ++i) {
      double e = 0, e_low = 0;
#pragma GCC unroll 12
      for (int j = 0; j < 12; ++j) {
        if (!counts(12, j)) continue;
        e += c_.e[j] * k_[j][i];
        e_low += c_.e_low[j] * k_[j][i];
      }
      const double weight = 1 / scale(std::max(std::abs(y[i]), std::abs(y1[i])));
      fifth += e * weight * e * weight;
      third += e_low * weight * e_low * weight;
    }
    const double both = fifth + 0.01 * third;
    return std::abs(h) * fifth / std::sqrt(N * (both > 0 ? both : 1));
  }

  // II.4 of Solving ODEs I: an Euler step tells how f changes.
  double first_step(const double* y) {
    double f_norm = 0, y_norm = 0, change = 0, at[N], f1[N];
    for (int i = 0; i < N; ++i) {
      f_norm += std::pow(k_[0][i] / scale(y[i]), 2);
      y_norm += std::pow(y[i] / scale(y[i]), 2);
    }
    double h = f_norm <= 1e-10 || y_norm <= 1e-10 ? 1e-6 : 0.01 * std::sqrt(y_norm / f_norm);
    h = std::min(h, run_.t_end);
    for (int i = 0; i < N; ++i) at[i] = y[i] + h * k_[0][i];
    f_(at, f1);
    for (int i = 0; i < N; ++i) change += std::pow((f1[i] - k_[0][i]) / scale(y[i]), 2);
    const double most = std::max(std::sqrt(change) / h, std::sqrt(f_norm));
    const double h1 = most <= 1e-15 ? std::max(1e-6, 1e-3 * h) : std::pow(0.01 / most, 1.0 / 8);
    return std::min({100 * h, h1, run_.t_end});
  }

  const Dop853& c_;
  const Dop853Run run_;
  RightHandSide f_;
  Dop853Counts counts_;
  double k_[12][N] = {};
};

template <int N, class RightHandSide>
Dop853Counts integrate(const Dop853& method, const Dop853Run& run, double* y, RightHandSide f) {
  return Dop853Loop<N, RightHandSide>(method, run, f).integrate(y);
}

template <class SinCos>
void slider_crank_rates(const double* y, double* rates) {
  double lambda[2];
  for (int i = 0; i < 3; ++i) rates[i] = y[3 + i];
  slider_crank<SinCos>(y, y + 3, rates + 3, lambda);
}

template <class SinCos>
void andrews_rates(const double* y, double* rates) {
  double lambda[6];
  for (int i = 0; i < 7; ++i) rates[i] = y[7 + i];
  andrews<SinCos>(y, y + 7, rates + 7, lambda);
}

}  // namespace

Dop853Counts slider_crank_run(const Dop853& method, Trigonometry trigonometry, double* y, const Dop853Run& run) {
  return integrate<6>(method, run, y,
                      trigonometry == Trigonometry::kLibrary ? slider_crank_rates<LibrarySinCos>
                                                             : slider_crank_rates<PolynomialSinCos>);
}

Dop853Counts andrews_run(const Dop853& method, Trigonometry trigonometry, double* y, const Dop853Run& run) {
  return integrate<14>(
      method, run, y,
      trigonometry == Trigonometry::kLibrary ? andrews_rates<LibrarySinCos> : andrews_rates<PolynomialSinCos>);
}

}  // namespace dalembert::bench::reference
