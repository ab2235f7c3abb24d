// SPDX-License-Identifier: Apache-2.0
// Doubles below 2⁻¹⁰²² (2.2e-308) in magnitude, other than 0, are subnormal. They have fewer digits the smaller they are, and
// processors may take a hundred times as long for an operation on them. The processor can be told to treat them as zeros.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace dalembert {

/// While an object of this class lives, additions, multiplications, divisions and square roots of its thread treat subnormal operands as zeros of the same
/// sign, and return zeros instead of subnormal results. The destructor restores the caller's floating-point state: rounding mode, traps, and on x86-64 also
/// the exception flags (flags raised meanwhile are lost). On processors without such a state (WebAssembly) the class does nothing. Put the computation into a
/// function that is not inlined: compilers move arithmetic across instructions that change the floating-point state.
class SubnormalsAsZeros {
 public:
  SubnormalsAsZeros() { write(before_ | kSwitches); }
  ~SubnormalsAsZeros() { write(before_); }
  SubnormalsAsZeros(const SubnormalsAsZeros&) = delete;
  SubnormalsAsZeros& operator=(const SubnormalsAsZeros&) = delete;

#if defined(__SSE2__)  // MXCSR: FTZ flushes results, DAZ flushes operands
  using Word = std::uint32_t;
  static constexpr Word kSwitches = Word{1} << 15 | Word{1} << 6;
  static constexpr bool kThere = true;

 private:
  static Word read() { return _mm_getcsr(); }
  static void write(Word word) { _mm_setcsr(word); }
#elif defined(__aarch64__) && defined(__GNUC__)  // FPCR: FZ flushes results and operands
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
