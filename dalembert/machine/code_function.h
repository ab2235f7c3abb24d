// SPDX-License-Identifier: Apache-2.0
// A request for machine code: the tapes that become functions, and options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "dalembert/machine/host_cpu.h"
#include "dalembert/tape/tape.h"

namespace dalembert {

enum class CodeKind : std::uint8_t {
  kTape,         ///< runs the tape once: MachineCode::run
  kSolve,        ///< runs once a tape whose outputs end with trust[2]; see watches_outputs()
  kRungeKutta4,  ///< classical Runge–Kutta steps of q̇ = v, v̇ = q̈(t, q, v, u): MachineCode::advance
};

struct CodeFunction {
  CodeKind kind = CodeKind::kTape;
  const Tape* tape = nullptr;  ///< of kRungeKutta4: its outputs are qdd[n], any others, trust[2] (base/kernel_code.h)
  int lanes = 1;               ///< number of systems that are computed at once: 1, 4 or 8
  /// Of kTape without loops: each lane has parameters and prepared values of its own, entry i of lane l at [i · lanes + l], and its results have the
  /// bits that code of one lane gives.
  bool apart = false;
  /// Of kRungeKutta4: the tape of the inputs u(t), run for each stage; null: they are arguments.
  const Tape* inputs = nullptr;
  int coordinates = 0;  ///< of kRungeKutta4: number n of coordinates
};

/// Whether run() of a kSolve function also reports lanes that are not trusted() or have an output that is not finite.
/// For tapes with loops, or cut into parts, it does not: then the caller must check the outputs.
bool watches_outputs(const Tape& tape, std::size_t part);

/// Whether the code of Runge–Kutta steps calls its tapes as functions, with arguments in memory, instead of containing
/// them; and whether the state is in memory too, so that the steps loop over it.
bool calls_tapes(const CodeFunction& function);
bool loops_over_state(const CodeFunction& function);

/// Number of doubles of `work` that the function needs for all its lanes.
std::size_t code_work(const CodeFunction& function);

/// How much time LLVM may take: kQuick about 1.3 ms and 8 µs an instruction, kThorough 2.5 ms and 36 µs. Quick code is
/// a quarter to a third slower for one lane, two to three times slower for long tapes with eight lanes, and twice as
/// slow for Runge–Kutta steps.
enum class CodeEffort : std::uint8_t { kQuick, kThorough };

struct CodeOptions {
  CodeEffort effort = CodeEffort::kThorough;
  std::filesystem::path cache_folder;       ///< folder in which code is kept; empty: code is not kept
  VectorUnit widest = VectorUnit::kAvx512;  ///< widest vector instructions to use, if the processor has them
  bool use_sleef = true;                    ///< SLEEF computes exp, tan and the like in several lanes, if installed
  std::string llvm_library;                 ///< file of the LLVM library; empty: LLVM 19 wherever the system keeps it
  std::size_t part = 3000;                  ///< a long tape is cut into functions of this many instructions
};

}  // namespace dalembert
