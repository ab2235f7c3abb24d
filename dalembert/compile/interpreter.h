// SPDX-License-Identifier: Apache-2.0
// Runs a tape. This is the reference that generated code is held against, and what runs where no code can be generated.
#pragma once

#include "dalembert/compile/tape.h"
#include "dalembert/dynamics/kernel.h"

namespace dalembert {

/// Writes tape.outputs numbers to `out`. in.work holds tape.registers doubles; `out` overlaps neither it nor the
/// arguments. Allocates nothing. About 1 ns an instruction, besides what sin, exp and the like cost.
void run(const Tape& tape, const KernelArguments& in, double* out);

/// The arguments of a call by TapeArray. `in` must outlive it.
struct TapeArguments {
  explicit TapeArguments(const KernelArguments& in)
      : array{&in.t, in.p, in.u, in.q, in.v, in.qdd, in.lambda, in.prepared} {}
  const double* const array[kTapeArrays];
};

/// The same for `lanes` systems at once (1, 4, 8 or 32): arguments[TapeArray], `work` and `out` hold entry i of lane l
/// at [i · lanes + l], but for the arrays that lanes share. `work` holds tape.registers · lanes doubles.
void run(const Tape& tape, const double* const* arguments, double* work, double* out, int lanes);

}  // namespace dalembert
