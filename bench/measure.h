// SPDX-License-Identifier: Apache-2.0
// What the benchmarks of docs/performance.md have in common. A benchmark is named "row/who": all that share a row
// measure the same thing, `who` is "hand" for the hand-written kernel, "dalembert" for what the row is about, or
// another way or another program. table.py makes a table of them.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

namespace dalembert::bench {

/// Registers a benchmark from a static initialiser; what it measures is made when it runs.
template <class Function>
benchmark::internal::Benchmark* measure(const std::string& row, const std::string& who, Function&& function) {
  return benchmark::RegisterBenchmark((row + "/" + who).c_str(), std::forward<Function>(function));
}

/// Each iteration does `count` of what the row counts: the counter "seconds" is the time of one.
inline void count_as(benchmark::State& state, double count) {
  state.counters["seconds"] =
      benchmark::Counter(count, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// Largest |x − y| / (1 + |y|) of n numbers. NaN where one is.
inline double difference(const double* x, const double* y, std::size_t n) {
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double d = std::abs(x[i] - y[i]) / (1 + std::abs(y[i]));
    if (!(d <= largest)) largest = d;
  }
  return largest;
}
template <class Numbers>
double difference(const Numbers& x, const Numbers& y) {
  return difference(std::data(x), std::data(y), std::size(y));
}

/// Keeps the difference from the hand-written kernel as a counter; false, with the benchmark marked as failed, where
/// it exceeds the tolerance: what computes something else is not timed.
inline bool same_physics(benchmark::State& state, double found, double tolerance) {
  state.counters["difference"] = found;
  if (found <= tolerance) return true;
  state.SkipWithError(("differs from the hand-written kernel by " + std::to_string(found)).c_str());
  return false;
}

}  // namespace dalembert::bench
