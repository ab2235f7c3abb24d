// SPDX-License-Identifier: Apache-2.0
// Private to integrate: arithmetic with the numbers of all lanes at once, which takes few instructions where registers are wide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "dalembert/base/kernel_code.h"
#include "dalembert/integrate/weighted_sum.h"

namespace dalembert::integration {

/// A number of each lane, and a comparison of such: all bits of a lane or none. In memory at multiples of 64 bytes.
typedef double Lanes __attribute__((vector_size(kLanes * sizeof(double)), may_alias));
typedef std::int64_t LaneMask __attribute__((vector_size(kLanes * sizeof(std::int64_t)), may_alias));

[[gnu::always_inline]] inline const Lanes& lanes_at(const double* x) { return *reinterpret_cast<const Lanes*>(x); }
[[gnu::always_inline]] inline Lanes& lanes_at(double* x) { return *reinterpret_cast<Lanes*>(x); }

/// x = max(x, y) in each lane; a y that is not a number does not count.
template <class T>
[[gnu::always_inline]] inline void keep_larger(T& x, const T& y) {
  x = y > x ? y : x;
}
[[gnu::always_inline]] inline void drop_sign(Lanes& x) {
  x = reinterpret_cast<Lanes>(reinterpret_cast<LaneMask>(x) & std::numeric_limits<std::int64_t>::max());
}
[[gnu::always_inline]] inline void keep_larger_magnitude(Lanes& x, const Lanes& y) {
  Lanes size = y;
  drop_sign(size);
  keep_larger(x, size);
}

/// trusted() of each lane.
[[gnu::always_inline]] inline void find_trusted(const double* trust, LaneMask& result) {
  result = (lanes_at(trust) > 0.0) & (lanes_at(trust + kLanes) < kLargestTrustedLoss);
}

/// Bit l is set where lane l of a comparison holds.
[[gnu::always_inline]] inline std::uint64_t bits_of(const LaneMask& mask) {
  static_assert(kLanes == 8);
  const LaneMask bits = mask & LaneMask{1, 2, 4, 8, 16, 32, 64, 128};
  std::int64_t sum = 0;
  for (std::size_t l = 0; l < kLanes; ++l) sum |= bits[l];
  return static_cast<std::uint64_t>(sum);
}

/// The way back: a comparison that holds in the lanes of these bits.
[[gnu::always_inline]] inline void spread(std::uint64_t bits, LaneMask& mask) {
  static_assert(kLanes == 8);
  mask = ((LaneMask{} + static_cast<std::int64_t>(bits)) & LaneMask{1, 2, 4, 8, 16, 32, 64, 128}) != 0;
}

#if defined(__x86_64__)
template <class Work>
[[gnu::target("avx2")]] void with_registers_of_256_bits(const Work& work) {
  work();
}
#endif
/// Calls work(), a lambda that is always inlined (__attribute__((always_inline))), compiled for the registers of this processor. Products and sums are rounded
/// one by one, so that results have the same bits everywhere.
template <class Work>
[[gnu::always_inline]] inline void with_wide_registers(const Work& work) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return with_registers_of_256_bits(work);
#endif
  work();
}

}  // namespace dalembert::integration
