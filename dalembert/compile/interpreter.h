// SPDX-License-Identifier: Apache-2.0
// Runs a tape. This is the reference that generated code is held against, and what runs where no code can be generated.
#pragma once

#include "dalembert/compile/tape.h"
#include "dalembert/dynamics/kernel.h"

namespace dalembert {

/// Writes tape.outputs numbers to `out`. in.work holds tape.registers doubles; `out` overlaps neither it nor the
/// arguments. Allocates nothing. About 1 ns an instruction, besides what sin, exp and the like cost.
void run(const Tape& tape, const KernelArguments& in, double* out);

}  // namespace dalembert
