// SPDX-License-Identifier: Apache-2.0
// Loops over the few numbers that an inner loop hands on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace dalembert {

/// Prevents vectorisation of a loop over i: a wide reload of numbers that a kernel has just written one by one would
/// stall store forwarding.
inline void one_by_one([[maybe_unused]] std::size_t& i) {
#ifdef __GNUC__
  asm("" : "+r"(i));
#endif
}

/// Whether no value is a NaN or an infinity.
inline bool all_finite(const double* values, std::size_t count) {
  double sum = 0;  // NaN as soon as one is not
  for (std::size_t i = 0; i < count; ++i) {
    sum += values[i] * 0;
    one_by_one(i);
  }
  return sum == 0;
}
inline bool all_finite(const std::vector<double>& values) { return all_finite(values.data(), values.size()); }

/// Copies numbers; whether no value is a NaN or an infinity.
inline bool copy_finite(const double* from, std::size_t count, double* to) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = from[i];
    to[i] = value;
    sum += value * 0;
    one_by_one(i);
  }
  return sum == 0;
}

/// As std::copy_n, but a few numbers go one by one.
inline void copy_few(const double* from, std::size_t count, double* to) {
  if (count > 32) {
    std::copy_n(from, count, to);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    to[i] = from[i];
    one_by_one(i);
  }
}

}  // namespace dalembert
