// SPDX-License-Identifier: Apache-2.0
// All that this thread's processor has been told of arithmetic, and what has happened.
#pragma once

#include <cfenv>
#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace dalembert::testing {

/// MXCSR or FPCR whole; elsewhere what <cfenv> knows.
inline std::uint64_t processor_word() {
#if defined(__SSE2__)
  return _mm_getcsr();
#elif defined(__aarch64__)
  std::uint64_t word = 0;
  asm volatile("mrs %0, fpcr" : "=r"(word));
  return word;
#else
  return static_cast<std::uint64_t>(std::fegetround()) << 32 |
         static_cast<std::uint64_t>(std::fetestexcept(FE_ALL_EXCEPT));
#endif
}

/// The same without the flags of what has happened.
inline std::uint64_t processor_modes() {
#if defined(__SSE2__)
  return processor_word() & ~std::uint64_t{0x3f};
#elif defined(__aarch64__)
  return processor_word();
#else
  return static_cast<std::uint64_t>(std::fegetround());
#endif
}

}  // namespace dalembert::testing
