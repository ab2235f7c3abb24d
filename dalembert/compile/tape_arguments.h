// SPDX-License-Identifier: Apache-2.0
// A kernel's arguments as the arrays that a tape reads.
#pragma once

#include "dalembert/dynamics/kernel.h"
#include "dalembert/tape/interpreter.h"

namespace dalembert {

/// Pointers to the arguments of a call, by TapeArray. `in` must outlive it.
struct TapeArguments {
  explicit TapeArguments(const KernelArguments& in) {
    const auto set = [&](TapeArray which, const double* values) {
#if defined(__clang__) && !defined(__wasm__)
      // Keeps pointers from being copied in pairs: a wide load of two pointers that were just stored one by one is not
      // forwarded from the store buffer (5 ns of a call's 50).
      asm("" : "+r"(values));
#endif
      array[static_cast<std::size_t>(which)] = values;
    };
    set(TapeArray::kTime, &in.t);
    set(TapeArray::kParameter, in.p);
    set(TapeArray::kInput, in.u);
    set(TapeArray::kCoordinate, in.q);
    set(TapeArray::kVelocity, in.v);
    set(TapeArray::kAcceleration, in.qdd);
    set(TapeArray::kMultiplier, in.lambda);
    set(TapeArray::kPrepared, in.prepared);
  }
  const double* array[kTapeArrays];
};

/// Interprets the tape for one system: writes tape.outputs numbers to `out`. in.work holds tape.registers doubles.
inline void run(const Tape& tape, const KernelArguments& in, double* out) {
  run(tape, TapeArguments(in).array, in.work, out, 1);
}

}  // namespace dalembert
