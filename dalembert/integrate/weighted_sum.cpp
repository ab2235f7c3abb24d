// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/weighted_sum.h"

namespace dalembert::integration {
namespace {

// With vectors of kWidth numbers. Written out: compilers would rather take several weights at a time.
template <std::size_t kWidth>
[[gnu::always_inline]] inline void add_up(const Weight* weights, std::size_t count, const double* stages,
                                          const double* base, std::size_t stride, double h, double* result) {
  typedef double Vector __attribute__((vector_size(kWidth * sizeof(double)), aligned(sizeof(double)), may_alias));
  constexpr std::size_t kVectors = kGroup / kWidth;
  const auto at = [](const double* x, std::size_t i) -> const Vector& {
    return *reinterpret_cast<const Vector*>(x + i * kWidth);
  };
  for (std::size_t s = 0; s < stride; s += kGroup) {
    Vector sum[kVectors] = {};
    for (const Weight *weight = weights, *end = weights + count; weight != end; ++weight) {
      const double* stage = stages + weight->offset + s;
      for (std::size_t i = 0; i < kVectors; ++i) sum[i] += weight->value * at(stage, i);
    }
    if (base != nullptr)
      for (std::size_t i = 0; i < kVectors; ++i) sum[i] = at(base + s, i) + h * sum[i];
    for (std::size_t i = 0; i < kVectors; ++i) *reinterpret_cast<Vector*>(result + s + i * kWidth) = sum[i];
  }
}

void add_up_128(const Weight* weights, std::size_t count, const double* stages, const double* base, std::size_t stride,
                double h, double* result) {
  add_up<2>(weights, count, stages, base, stride, h, result);
}

#if defined(__x86_64__)
#if defined(__clang__)
#define DALEMBERT_AVX512 "avx512f"
#else
#define DALEMBERT_AVX512 "avx512f,prefer-vector-width=512"
#endif
[[gnu::target(DALEMBERT_AVX512)]] void add_up_512(const Weight* weights, std::size_t count, const double* stages,
                                                  const double* base, std::size_t stride, double h, double* result) {
  add_up<8>(weights, count, stages, base, stride, h, result);
}
[[gnu::target("avx2")]] void add_up_256(const Weight* weights, std::size_t count, const double* stages,
                                        const double* base, std::size_t stride, double h, double* result) {
  add_up<4>(weights, count, stages, base, stride, h, result);
}
#endif

}  // namespace

WeightedSum* weighted_sum() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return add_up_512;
  if (__builtin_cpu_supports("avx2")) return add_up_256;
#endif
  return add_up_128;
}

Weights non_zero(const std::vector<double>& row, std::size_t stride) {
  Weights weights;
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i] != 0) weights.push_back({i * stride, row[i]});
  return weights;
}

}  // namespace dalembert::integration
