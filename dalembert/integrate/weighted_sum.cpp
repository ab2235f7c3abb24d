// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/weighted_sum.h"

#include <algorithm>
#include <cmath>

#include "dalembert/dynamics/numbers.h"

namespace dalembert::integration {
namespace {

template <std::size_t kWidth>
struct VectorOf {
  typedef double Type __attribute__((vector_size(kWidth * sizeof(double)), aligned(sizeof(double)), may_alias));
};
template <std::size_t kWidth>
using Vector = typename VectorOf<kWidth>::Type;

template <std::size_t kWidth>
[[gnu::always_inline]] inline const Vector<kWidth>& at(const double* x) {
  return *reinterpret_cast<const Vector<kWidth>*>(x);
}
template <std::size_t kWidth>
[[gnu::always_inline]] inline Vector<kWidth>& at(double* x) {
  return *reinterpret_cast<Vector<kWidth>*>(x);
}

// Loads numbers one by one. A wide load of numbers that were just written one by one stalls store forwarding: it waits
// until all of them are in the cache.
template <std::size_t kWidth>
[[gnu::always_inline]] inline void gather(const double* x, Vector<kWidth>& result) {
  for (std::size_t i = 0; i < kWidth; ++i) {
    double value = x[i];
#ifdef __x86_64__
    asm("" : "+x"(value));
#endif
    result[i] = value;
  }
}

// Sums parts of at most kVectors · kWidth numbers, which stay in registers.
template <std::size_t kWidth, std::size_t kVectors>
[[gnu::always_inline]] inline void add_few(const Sum& sum, double* result) {
  using V = Vector<kWidth>;
  V q[kVectors] = {}, v[kVectors] = {};
  const Weight *weight = sum.weights, *last = weight + sum.count - 1;
  const double *stages = sum.stages, *second = stages + sum.first;
#pragma GCC unroll 2
  for (; weight != last; ++weight)
    for (std::size_t i = 0; i < kVectors; ++i) {
      q[i] += weight->value * at<kWidth>(stages + weight->offset + i * kWidth);
      v[i] += weight->value * at<kWidth>(second + weight->offset + i * kWidth);
    }
  const double* known = sum.last != nullptr ? sum.last : stages + last->offset;
  for (std::size_t i = 0; i < kVectors; ++i) q[i] += last->value * at<kWidth>(known + i * kWidth);
  for (std::size_t i = 0; i < kVectors; ++i) {
    const double* stage = second + last->offset + i * kWidth;
    V fresh;
    if (sum.fresh)
      gather<kWidth>(stage, fresh);
    else
      fresh = at<kWidth>(stage);
    v[i] += last->value * fresh;
  }
  if (sum.base != nullptr)
    for (std::size_t i = 0; i < kVectors; ++i) {
      q[i] = at<kWidth>(sum.base + i * kWidth) + sum.h * q[i];
      v[i] = at<kWidth>(sum.base + sum.first + i * kWidth) + sum.h * v[i];
    }
  // Write the second part last: it overwrites the surplus numbers of the first part's last group.
  for (std::size_t i = 0; i < kVectors; ++i) at<kWidth>(result + i * kWidth) = q[i];
  for (std::size_t i = 0; i < kVectors; ++i) at<kWidth>(result + sum.first + i * kWidth) = v[i];
}

// Sums one part of any length. The loops are written with explicit vectors, since compilers
// would combine several weights.
template <std::size_t kWidth>
[[gnu::always_inline]] inline void add_part(const Sum& sum, std::size_t begin, std::size_t end, const double* known,
                                            double* result) {
  using V = Vector<kWidth>;
  constexpr std::size_t kVectors = kGroup / kWidth;
  const Weight* last = sum.weights + sum.count - 1;
  if (known == nullptr) known = sum.stages + last->offset + begin;
  for (std::size_t s = begin; s < end; s += kGroup) {
    V total[kVectors] = {};
    for (const Weight* weight = sum.weights; weight != last; ++weight) {
      const double* stage = sum.stages + weight->offset + s;
      for (std::size_t i = 0; i < kVectors; ++i) total[i] += weight->value * at<kWidth>(stage + i * kWidth);
    }
    const double* stage = known + (s - begin);
    for (std::size_t i = 0; i < kVectors; ++i) total[i] += last->value * at<kWidth>(stage + i * kWidth);
    if (sum.base != nullptr)
      for (std::size_t i = 0; i < kVectors; ++i) total[i] = at<kWidth>(sum.base + s + i * kWidth) + sum.h * total[i];
    for (std::size_t i = 0; i < kVectors; ++i) at<kWidth>(result + s + i * kWidth) = total[i];
  }
}

template <std::size_t kWidth>
[[gnu::always_inline]] inline void add_up(const Sum& sum, double* result) {
  constexpr std::size_t kFew = kWidth < 4 ? kWidth : 4;
  const std::size_t most = std::max(sum.first, sum.size - sum.first);
  if (sum.count == 0) {
    std::fill_n(result, sum.size, 0.0);
    if (sum.base != nullptr) std::copy_n(sum.base, sum.size, result);
  } else if (most <= 4) {
    add_few<kFew, 4 / kFew>(sum, result);
  } else if (most <= 8) {
    add_few<kFew, 8 / kFew>(sum, result);
  } else {
    add_part<kWidth>(sum, 0, sum.first, sum.last, result);
    add_part<kWidth>(sum, sum.first, sum.size, nullptr, result);
  }
}

// The sums of the partial sums of kWidth errors, partial sum i of all of them at x + i · kWidth.
template <std::size_t kWidth>
[[gnu::always_inline]] inline void add_partial_sums(const double* x, double* total) {
  const auto part = [&](std::size_t i) -> const Vector<kWidth>& { return at<kWidth>(x + i * kWidth); };
  at<kWidth>(total) = ((part(0) + part(4)) + (part(2) + part(6))) + ((part(1) + part(5)) + (part(3) + part(7)));
}

template <std::size_t kWidth>
[[gnu::always_inline]] inline ErrorNorm sum_errors(const ErrorTerms& terms) {
  using V = Vector<kWidth>;
  constexpr std::size_t kVectors = kGroup / kWidth;
  V high2[kVectors] = {}, low2[kVectors] = {};
  std::size_t s = 0;
  for (; s + kGroup <= terms.count; s += kGroup)
    for (std::size_t i = 0; i < kVectors; ++i) {
      const std::size_t k = s + i * kWidth;
      const V y = at<kWidth>(terms.y + k), y1 = at<kWidth>(terms.y1 + k);
      const V size = y < 0.0 ? -y : y, size1 = y1 < 0.0 ? -y1 : y1;
      const V inverse = 1.0 / (terms.atol + terms.rtol * (size < size1 ? size1 : size));
      const V high = at<kWidth>(terms.high + k) * inverse, low = at<kWidth>(terms.low + k) * inverse;
      high2[i] += high * high;
      low2[i] += low * low;
    }
  double high_sum[kGroup], low_sum[kGroup];
  for (std::size_t i = 0; i < kGroup; ++i) {
    high_sum[i] = high2[i / kWidth][i % kWidth];
    low_sum[i] = low2[i / kWidth][i % kWidth];
  }
  for (std::size_t i = 0; s < terms.count; ++s, ++i) {
    const double inverse = 1 / (terms.atol + terms.rtol * std::max(std::abs(terms.y[s]), std::abs(terms.y1[s])));
    const double high = terms.high[s] * inverse, low = terms.low[s] * inverse;
    high_sum[i] += high * high;
    low_sum[i] += low * low;
  }
  ErrorNorm norm;
  add_partial_sums<1>(high_sum, &norm.high);
  add_partial_sums<1>(low_sum, &norm.low);
  return norm;
}

// Sums kRows entries of all lanes. Sums of one entry wait for each other; those of several are made meanwhile.
template <std::size_t kWidth, std::size_t kRows>
[[gnu::always_inline]] inline void add_rows_of_lanes(const LaneSum& sum, std::size_t begin, double* result) {
  using V = Vector<kWidth>;
  constexpr std::size_t kVectors = kRows * kLanes / kWidth, kOfLanes = kLanes / kWidth;
  V total[kVectors] = {};
  for (const Weight *weight = sum.weights, *end = weight + sum.count; weight != end; ++weight)
    for (std::size_t i = 0; i < kVectors; ++i)
      total[i] += weight->value * at<kWidth>(sum.stages + weight->offset + begin + i * kWidth);
  if (sum.base != nullptr)
    for (std::size_t i = 0; i < kVectors; ++i)
      total[i] = at<kWidth>(sum.base + begin + i * kWidth) + at<kWidth>(sum.h + i % kOfLanes * kWidth) * total[i];
  for (std::size_t i = 0; i < kVectors; ++i) at<kWidth>(result + begin + i * kWidth) = total[i];
}

template <std::size_t kWidth>
[[gnu::always_inline]] inline void add_up_lanes(const LaneSum& sum, double* result) {
  std::size_t s = 0;
  // Twelve vectors of 256 bits leave registers for a weight and its product; more rows at once read each weight less often.
  for (; s + 6 <= sum.size; s += 6) add_rows_of_lanes<kWidth, 6>(sum, s * kLanes, result);
  if (s + 4 <= sum.size) {
    add_rows_of_lanes<kWidth, 4>(sum, s * kLanes, result);
    s += 4;
  }
  if (s + 2 <= sum.size) {
    add_rows_of_lanes<kWidth, 2>(sum, s * kLanes, result);
    s += 2;
  }
  if (s < sum.size) add_rows_of_lanes<kWidth, 1>(sum, s * kLanes, result);
}

template <std::size_t kWidth>
[[gnu::always_inline]] inline void sum_errors_of_lanes(const LaneErrorTerms& terms, double* high2, double* low2) {
  using V = Vector<kWidth>;
  for (std::size_t lane = 0; lane < kLanes; lane += kWidth) {
    const V rtol = at<kWidth>(terms.rtol + lane), atol = at<kWidth>(terms.atol + lane);
    double high_sum[kGroup * kWidth] = {}, low_sum[kGroup * kWidth] = {};
    for (std::size_t s = 0; s < terms.count; ++s) {
      const std::size_t k = s * kLanes + lane, part = s % kGroup * kWidth;
      const V y = at<kWidth>(terms.y + k), y1 = at<kWidth>(terms.y1 + k);
      const V size = y < 0.0 ? -y : y, size1 = y1 < 0.0 ? -y1 : y1;
      const V inverse = 1.0 / (atol + rtol * (size < size1 ? size1 : size));
      const V high = at<kWidth>(terms.high + k) * inverse, low = at<kWidth>(terms.low + k) * inverse;
      at<kWidth>(high_sum + part) += high * high;
      at<kWidth>(low_sum + part) += low * low;
    }
    add_partial_sums<kWidth>(high_sum, high2 + lane);
    add_partial_sums<kWidth>(low_sum, low2 + lane);
  }
}

void take_apart_one_by_one(const double* lanes, std::size_t count, double* const* to) {
  for (std::size_t l = 0; l < kLanes; ++l)
    for (std::size_t s = 0; to[l] != nullptr && s < count; ++s) to[l][s] = lanes[s * kLanes + l];
}
void put_together_one_by_one(const double* const* from, std::size_t count, double* lanes) {
  for (std::size_t l = 0; l < kLanes; ++l)
    for (std::size_t s = 0; s < count; ++s) lanes[s * kLanes + l] = from[l][s];
}

void add_up_lanes_128(const LaneSum& sum, double* result) { add_up_lanes<2>(sum, result); }
void sum_errors_of_lanes_128(const LaneErrorTerms& terms, double* high2, double* low2) {
  sum_errors_of_lanes<2>(terms, high2, low2);
}
void add_up_128(const Sum& sum, double* result) { add_up<2>(sum, result); }
ErrorNorm sum_errors_128(const ErrorTerms& terms) { return sum_errors<2>(terms); }

#if defined(__x86_64__)
#if defined(__clang__)
#define DALEMBERT_AVX512 "avx512f"
#else
#define DALEMBERT_AVX512 "avx512f,prefer-vector-width=512"
#endif
[[gnu::target(DALEMBERT_AVX512)]] void add_up_512(const Sum& sum, double* result) { add_up<8>(sum, result); }
[[gnu::target(DALEMBERT_AVX512)]] void add_up_lanes_512(const LaneSum& sum, double* result) {
  add_up_lanes<8>(sum, result);
}
[[gnu::target(DALEMBERT_AVX512)]] void sum_errors_of_lanes_512(const LaneErrorTerms& terms, double* high2,
                                                               double* low2) {
  sum_errors_of_lanes<8>(terms, high2, low2);
}
[[gnu::target("avx2")]] void add_up_lanes_256(const LaneSum& sum, double* result) { add_up_lanes<4>(sum, result); }
[[gnu::target("avx2")]] void sum_errors_of_lanes_256(const LaneErrorTerms& terms, double* high2, double* low2) {
  sum_errors_of_lanes<4>(terms, high2, low2);
}
// The transpose of four entries of four lanes: neighbours first, then halves.
[[gnu::always_inline]] inline void transpose(Vector<4> (&x)[4]) {
  const Vector<4> even = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6),
                  even2 = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6),
                  odd = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7),
                  odd2 = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
  x[0] = __builtin_shufflevector(even, even2, 0, 1, 4, 5);
  x[1] = __builtin_shufflevector(odd, odd2, 0, 1, 4, 5);
  x[2] = __builtin_shufflevector(even, even2, 2, 3, 6, 7);
  x[3] = __builtin_shufflevector(odd, odd2, 2, 3, 6, 7);
}

// Blocks of four entries of four lanes, then of two entries of two lanes, then one by one: no other number is read or written.
[[gnu::target("avx2")]] void take_apart_256(const double* lanes, std::size_t count, double* const* to) {
  std::size_t s = 0;
  for (; s + 4 <= count; s += 4)
    for (std::size_t l = 0; l < kLanes; l += 4) {
      Vector<4> x[4];
      for (std::size_t i = 0; i < 4; ++i) x[i] = at<4>(lanes + (s + i) * kLanes + l);
      transpose(x);
      for (std::size_t i = 0; i < 4; ++i)
        if (to[l + i] != nullptr) at<4>(to[l + i] + s) = x[i];
    }
  if (s + 2 <= count) {
    for (std::size_t l = 0; l < kLanes; l += 2) {
      const Vector<2>&first = at<2>(lanes + s * kLanes + l), &second = at<2>(lanes + (s + 1) * kLanes + l);
      if (to[l] != nullptr) at<2>(to[l] + s) = __builtin_shufflevector(first, second, 0, 2);
      if (to[l + 1] != nullptr) at<2>(to[l + 1] + s) = __builtin_shufflevector(first, second, 1, 3);
    }
    s += 2;
  }
  for (std::size_t l = 0; l < kLanes && s < count; ++l)
    if (to[l] != nullptr) to[l][s] = lanes[s * kLanes + l];
}
[[gnu::target("avx2")]] void put_together_256(const double* const* from, std::size_t count, double* lanes) {
  std::size_t s = 0;
  for (; s + 4 <= count; s += 4)
    for (std::size_t l = 0; l < kLanes; l += 4) {
      Vector<4> x[4];
      for (std::size_t i = 0; i < 4; ++i) x[i] = at<4>(from[l + i] + s);
      transpose(x);
      for (std::size_t i = 0; i < 4; ++i) at<4>(lanes + (s + i) * kLanes + l) = x[i];
    }
  if (s + 2 <= count) {
    for (std::size_t l = 0; l < kLanes; l += 2) {
      const Vector<2>&one = at<2>(from[l] + s), &other = at<2>(from[l + 1] + s);
      at<2>(lanes + s * kLanes + l) = __builtin_shufflevector(one, other, 0, 2);
      at<2>(lanes + (s + 1) * kLanes + l) = __builtin_shufflevector(one, other, 1, 3);
    }
    s += 2;
  }
  for (std::size_t l = 0; l < kLanes && s < count; ++l) lanes[s * kLanes + l] = from[l][s];
}
[[gnu::target("avx2")]] void add_up_256(const Sum& sum, double* result) { add_up<4>(sum, result); }
[[gnu::target("avx2")]] ErrorNorm sum_errors_256(const ErrorTerms& terms) { return sum_errors<4>(terms); }
#endif

}  // namespace

WeightedSum* weighted_sum() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return add_up_512;
  if (__builtin_cpu_supports("avx2")) return add_up_256;
#endif
  return add_up_128;
}

LaneWeightedSum* lane_weighted_sum() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return add_up_lanes_512;
  if (__builtin_cpu_supports("avx2")) return add_up_lanes_256;
#endif
  return add_up_lanes_128;
}

LaneErrorSum* lane_error_sum() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return sum_errors_of_lanes_512;
  if (__builtin_cpu_supports("avx2")) return sum_errors_of_lanes_256;
#endif
  return sum_errors_of_lanes_128;
}

LanesApart* lanes_apart() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return take_apart_256;
#endif
  return take_apart_one_by_one;
}

LanesTogether* lanes_together() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return put_together_256;
#endif
  return put_together_one_by_one;
}

ErrorSum* error_sum() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return sum_errors_256;
#endif
  return sum_errors_128;
}

WeightRows::WeightRows(std::span<const std::vector<double>* const> rows, std::size_t stride) {
  std::size_t most = 0;
  for (const std::vector<double>* row : rows) most += row->size();
  weights_.reserve(most);
  begins_.reserve(rows.size() + 1);
  begins_.push_back(0);
  for (const std::vector<double>* row : rows) {
    for (std::size_t i = 0; i < row->size(); ++i)
      if ((*row)[i] != 0) weights_.push_back({i * stride, (*row)[i]});
    begins_.push_back(weights_.size());
  }
}

}  // namespace dalembert::integration
