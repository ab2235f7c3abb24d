// SPDX-License-Identifier: Apache-2.0
// Numbers other than 0 below 2⁻¹⁰²² (2.2e-308) are subnormal: the smaller they are the fewer digits they have, and
// processors take up to a hundred times as long for an operation on them. They can be told to take them for zeros.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace dalembert {

/// While one lives, additions, multiplications, divisions and square roots of this thread take subnormal operands for
/// zeros and give zeros for subnormal results, of the same signs. Then the caller's state is what it was, whatever that
/// was: rounding, traps, and on x86-64 the flags of what has happened (those raised meanwhile are forgotten). Does
/// nothing where there is no such state (WebAssembly). What is computed meanwhile should be a call that is not inlined:
/// compilers move arithmetic past what changes the state.
class SubnormalsAsZeros {
 public:
  SubnormalsAsZeros() { write(before_ | kSwitches); }
  ~SubnormalsAsZeros() { write(before_); }
  SubnormalsAsZeros(const SubnormalsAsZeros&) = delete;
  SubnormalsAsZeros& operator=(const SubnormalsAsZeros&) = delete;

#if defined(__SSE2__)  // MXCSR: FTZ, of results, and DAZ, of operands
  using Word = std::uint32_t;
  static constexpr Word kSwitches = Word{1} << 15 | Word{1} << 6;
  static constexpr bool kThere = true;

 private:
  static Word read() { return _mm_getcsr(); }
  static void write(Word word) { _mm_setcsr(word); }
#elif defined(__aarch64__) && defined(__GNUC__)  // FPCR: FZ, of both
  using Word = std::uint64_t;
  static constexpr Word kSwitches = Word{1} << 24;
  static constexpr bool kThere = true;

 private:
  static Word read() {
    Word word = 0;
    asm volatile("mrs %0, fpcr" : "=r"(word));
    return word;
  }
  static void write(Word word) { asm volatile("msr fpcr, %0" : : "r"(word) : "memory"); }
#else
  using Word = std::uint32_t;
  static constexpr Word kSwitches = 0;
  static constexpr bool kThere = false;

 private:
  static Word read() { return 0; }
  static void write(Word) {}
#endif

  Word before_ = read();
};

}  // namespace dalembert
