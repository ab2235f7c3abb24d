// SPDX-License-Identifier: Apache-2.0
// Loops over short arrays of numbers in the inner loop of a run.
#pragma once

#include <algorithm>
#include <cmath>
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
  double sum = 0;  // NaN as soon as a value is not finite
  for (std::size_t i = 0; i < count; ++i) {
    sum += values[i] * 0;
    one_by_one(i);
  }
  return sum == 0;
}
inline bool all_finite(const std::vector<double>& values) { return all_finite(values.data(), values.size()); }

/// max(most, max |x_i|), by four independent maxima that the processor computes in parallel.
inline double largest_magnitude(const double* x, std::size_t count, double most = 0) {
  double part[4] = {most, most, most, most};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (std::size_t k = 0; k < 4; ++k) part[k] = std::max(part[k], std::abs(x[i + k]));
  for (; i < count; ++i) part[0] = std::max(part[0], std::abs(x[i]));
  return std::max(std::max(part[0], part[1]), std::max(part[2], part[3]));
}
inline double largest_magnitude(const std::vector<double>& x) { return largest_magnitude(x.data(), x.size()); }

/// The Euclidean norm √Σ x_i².
inline double norm(const double* x, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

/// Copies numbers. True if no value is a NaN or an infinity.
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

/// Sets numbers to 0, up to 32 of them one by one (see one_by_one()).
inline void clear_few(double* x, std::size_t count) {
  if (count > 32) {
    std::fill_n(x, count, 0.0);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    x[i] = 0;
    one_by_one(i);
  }
}
inline void clear_few(std::vector<double>& x) { clear_few(x.data(), x.size()); }

/// Like std::copy_n, but copies up to 32 numbers one by one (see one_by_one()).
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
