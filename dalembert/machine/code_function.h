// SPDX-License-Identifier: Apache-2.0
// What code is asked for: functions that tapes are made into, and how.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "dalembert/machine/host_cpu.h"
#include "dalembert/tape/tape.h"

namespace dalembert {

enum class CodeKind : std::uint8_t {
  kTape,         ///< what the tape says, once: MachineCode::run
  kSolve,        ///< the same of a tape that ends with trust[2]; see watches_outputs()
  kRungeKutta4,  ///< classical Runge–Kutta steps of q̇ = v, v̇ = q̈(t, q, v, u): MachineCode::advance
};

struct CodeFunction {
  CodeKind kind = CodeKind::kTape;
  const Tape* tape = nullptr;    ///< of kRungeKutta4: its outputs are qdd[n], any others, trust[2] (base/kernel_code.h)
  int lanes = 1;                 ///< systems at once: 1, 4 or 8
  const Tape* inputs = nullptr;  ///< of kRungeKutta4: u[..] at t, run for each stage; null: the inputs are arguments
  int coordinates = 0;           ///< of kRungeKutta4: n
};

/// Whether run() of kSolve also returns the lanes that are not trusted() or of which an output is not finite. It does
/// not of tapes that are rolled or cut into parts: the caller looks at their outputs.
bool watches_outputs(const Tape& tape, std::size_t part);

/// Whether steps call their tapes, with arguments in memory, instead of containing them; and whether the state is
/// memory as well, for which they loop over it.
bool calls_tapes(const CodeFunction& function);
bool loops_over_state(const CodeFunction& function);

/// Doubles of `work` that the function needs (for all its lanes).
std::size_t code_work(const CodeFunction& function);

/// How much time LLVM takes: kQuick 8 µs an instruction and 1.3 ms, kThorough 36 µs and 2.5 ms. Quick code of one lane
/// is a quarter to a third slower, of long tapes with eight lanes two or three times; Runge–Kutta steps take twice as
/// long.
enum class CodeEffort : std::uint8_t { kQuick, kThorough };

struct CodeOptions {
  CodeEffort effort = CodeEffort::kThorough;
  std::filesystem::path cache_folder;       ///< empty: code is not kept
  VectorUnit widest = VectorUnit::kAvx512;  ///< code uses nothing wider than this and what the processor has
  bool use_sleef = true;                    ///< for exp, tan and so on of several lanes, where it is installed
  std::string llvm_library;                 ///< empty: LLVM 19 wherever the system keeps it
  std::size_t part = 3000;                  ///< instructions in one function of a long tape
};

}  // namespace dalembert
