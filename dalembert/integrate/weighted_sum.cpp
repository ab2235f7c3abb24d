// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/weighted_sum.h"

namespace dalembert::integration {
namespace {

using Sum = void(const Weight*, std::size_t, const double*, std::size_t, const double*, double, double*);

inline void add_up(const Weight* weights, std::size_t count, const double* stages, std::size_t stride,
                   const double* base, double h, double* result) {
  for (std::size_t s = 0; s < stride; s += kGroup) {
    double sum[kGroup] = {};
    for (std::size_t k = 0; k < count; ++k) {
      const double* stage = stages + weights[k].stage * stride + s;
      const double value = weights[k].value;
      for (std::size_t i = 0; i < kGroup; ++i) sum[i] += value * stage[i];
    }
    if (base != nullptr)
      for (std::size_t i = 0; i < kGroup; ++i) sum[i] = base[s + i] + h * sum[i];
    for (std::size_t i = 0; i < kGroup; ++i) result[s + i] = sum[i];
  }
}

#if defined(__x86_64__) && defined(__GNUC__)
#if defined(__clang__)
#define DALEMBERT_AVX512 "avx512f"
#else
#define DALEMBERT_AVX512 "avx512f,prefer-vector-width=512"
#endif
[[gnu::flatten, gnu::target(DALEMBERT_AVX512)]] void add_up_512(const Weight* weights, std::size_t count,
                                                                const double* stages, std::size_t stride,
                                                                const double* base, double h, double* result) {
  add_up(weights, count, stages, stride, base, h, result);
}
[[gnu::flatten, gnu::target("avx2")]] void add_up_256(const Weight* weights, std::size_t count, const double* stages,
                                                      std::size_t stride, const double* base, double h,
                                                      double* result) {
  add_up(weights, count, stages, stride, base, h, result);
}
Sum* choose() {
  if (__builtin_cpu_supports("avx512f")) return add_up_512;
  return __builtin_cpu_supports("avx2") ? add_up_256 : add_up;
}
#else
Sum* choose() { return add_up; }
#endif

}  // namespace

Weights non_zero(const std::vector<double>& row) {
  Weights weights;
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i] != 0) weights.push_back({i, row[i]});
  return weights;
}

void weighted_sum(const Weights& weights, const double* stages, std::size_t stride, const double* base, double h,
                  double* result) {
  static Sum* const sum = choose();
  sum(weights.data(), weights.size(), stages, stride, base, h, result);
}

}  // namespace dalembert::integration
