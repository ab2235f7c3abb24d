// SPDX-License-Identifier: Apache-2.0
// Tapes as machine code of this processor, made by LLVM (a library that is loaded when the first code is made) and kept
// on disk: the same tape is compiled once, then loaded in less than a millisecond, without LLVM.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "dalembert/base/kernel_code.h"
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
/// With the user's cache folder (code_cache.h).
CodeOptions default_code_options();

/// Immutable, safe to run from many threads, each with its own `work`.
///
/// What functions return are the lanes (bit l: lane l) whose results are not to be used: an angle beyond 2³⁰ (sine and
/// cosine are reduced for less), and what advance() says. The caller evaluates those by the interpreter.
class MachineCode {
 public:
  virtual ~MachineCode() = default;

  /// As the interpreter's run(tape, arguments, work, out, lanes): entry i of lane l is at [i · lanes + l], but for
  /// the arrays that lanes share. `out` and `work` overlap each other and the arguments nowhere.
  DALEMBERT_CALLS_CODE
  std::uint64_t run(std::size_t function, const double* const* arguments, double* work, double* out) const {
    return code(function)(arguments, work, out);
  }
  /// The same as a bare function, as long as this lives.
  KernelCode* code(std::size_t function) const { return reinterpret_cast<KernelCode*>(entries_[function]); }
  /// kRungeKutta4: `steps` steps of size h from time t on. state: q[n] then v[n], entry i of lane l at [i · lanes + l].
  /// Of the arguments the inputs (unless there is a tape of them), parameters and prepared are read. Returned, and left
  /// where they were, are lanes of which some stage was not trusted() or had too large an angle, or that end not
  /// finite.
  DALEMBERT_CALLS_CODE
  std::uint64_t advance(std::size_t function, double* state, const double* const* arguments, double* work, double t,
                        double h, std::uint64_t steps) const {
    return reinterpret_cast<Advance*>(entries_[function])(state, arguments, work, t, h, steps);
  }

  std::size_t functions() const { return entry_count_; }
  std::size_t size() const { return size_; }  ///< bytes of the object
  bool from_cache() const { return from_cache_; }
  /// "LLVM 19.1.7": the library that made it.
  const std::string& maker() const { return maker_; }
  double seconds() const { return seconds_; }  ///< that it took to make, or to load

 protected:
  using Advance = std::uint64_t(double*, const double* const*, double*, double, double, std::uint64_t);

  void* const* entries_ = nullptr;
  std::size_t entry_count_ = 0, size_ = 0;
  bool from_cache_ = false;
  double seconds_ = 0;
  std::string maker_;
};

/// Null where no code can be made; then `why_not` says why: another processor or system, LLVM not installed or not
/// built in. Functions of one call share a module, so overhead. The first call of a process loads LLVM (15 ms), but
/// what the cache has needs none of it and takes 0.1 ms. Safe to call from many threads.
std::shared_ptr<const MachineCode> generate_code(std::span<const CodeFunction> functions, const CodeOptions& options,
                                                 std::string* why_not = nullptr);

}  // namespace dalembert
