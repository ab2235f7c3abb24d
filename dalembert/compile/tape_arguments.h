// SPDX-License-Identifier: Apache-2.0
// The arguments of a kernel as those of a tape.
#pragma once

#include "dalembert/dynamics/kernel.h"
#include "dalembert/tape/interpreter.h"

namespace dalembert {

/// The arguments of a call by TapeArray. `in` must outlive it.
struct TapeArguments {
  explicit TapeArguments(const KernelArguments& in)
      : array{&in.t, in.p, in.u, in.q, in.v, in.qdd, in.lambda, in.prepared} {}
  const double* const array[kTapeArrays];
};

/// Interprets the tape for one system: writes tape.outputs numbers to `out`. in.work holds tape.registers doubles.
inline void run(const Tape& tape, const KernelArguments& in, double* out) {
  // In the order of TapeArray.
  static_assert(static_cast<int>(SymbolKind::kTime) == 0 && static_cast<int>(SymbolKind::kParameter) == 1 &&
                static_cast<int>(SymbolKind::kInput) == 2 && static_cast<int>(SymbolKind::kCoordinate) == 3 &&
                static_cast<int>(SymbolKind::kVelocity) == 4 && static_cast<int>(SymbolKind::kAcceleration) == 5 &&
                static_cast<int>(SymbolKind::kMultiplier) == 6);
  run(tape, TapeArguments(in).array, in.work, out, 1);
}

}  // namespace dalembert
