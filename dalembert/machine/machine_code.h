// SPDX-License-Identifier: Apache-2.0
// Tapes as machine code for this processor, made by LLVM (a library that is loaded when code is first made) and kept on
// disk. So a tape is compiled once; later its code is loaded in less than a millisecond, without LLVM.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "dalembert/base/kernel_code.h"
#include "dalembert/machine/code_function.h"

namespace dalembert {

/// The default options, with the user's cache folder (code_cache.h).
CodeOptions default_code_options();

/// Immutable, safe to run from many threads, each with its own `work`.
///
/// The functions return a bit for each lane (bit l: lane l) whose results must not be used, because an angle was beyond
/// 2³⁰ (sines and cosines are computed for smaller ones only), or for the reasons given at advance(). The caller
/// evaluates these lanes by the interpreter.
class MachineCode {
 public:
  virtual ~MachineCode() = default;

  /// As the interpreter's run(tape, arguments, work, out, lanes): entry i of lane l is at [i · lanes + l], except in
  /// arrays that lanes share. `out`, `work` and the arguments must not overlap.
  DALEMBERT_CALLS_CODE
  std::uint64_t run(std::size_t function, const double* const* arguments, double* work, double* out) const {
    return code(function)(arguments, work, out);
  }
  /// The code that run() calls, as a plain function pointer, valid as long as this object lives.
  KernelCode* code(std::size_t function) const { return reinterpret_cast<KernelCode*>(entries_[function]); }
  /// kRungeKutta4: `steps` steps of size h from time t on. state: q[n] then v[n], entry i of lane l at [i · lanes + l].
  /// Of the arguments, parameters, prepared values and (unless a tape computes them) inputs are read. Returns the lanes
  /// in which a stage was not trusted(), an angle was too large or the final state is not finite; their state is
  /// unchanged.
  DALEMBERT_CALLS_CODE
  std::uint64_t advance(std::size_t function, double* state, const double* const* arguments, double* work, double t,
                        double h, std::uint64_t steps) const {
    return reinterpret_cast<Advance*>(entries_[function])(state, arguments, work, t, h, steps);
  }

  std::size_t functions() const { return entry_count_; }
  std::size_t size() const { return size_; }  ///< bytes of the object
  bool from_cache() const { return from_cache_; }
  /// "LLVM 19.1.7": the library that made the code.
  const std::string& maker() const { return maker_; }
  double seconds() const { return seconds_; }  ///< time to make the code, or to load it

 protected:
  using Advance = std::uint64_t(double*, const double* const*, double*, double, double, std::uint64_t);

  void* const* entries_ = nullptr;
  std::size_t entry_count_ = 0, size_ = 0;
  bool from_cache_ = false;
  double seconds_ = 0;
  std::string maker_;
};

/// Null where no code can be made; then `why_not` says why: another processor or system, LLVM not installed or not
/// built in. Functions of one call share a module, and so the overhead of making one. The first call of a process loads
/// LLVM (15 ms), but code in the cache does not need LLVM, and takes 0.1 ms. Safe to call from many threads.
std::shared_ptr<const MachineCode> generate_code(std::span<const CodeFunction> functions, const CodeOptions& options,
                                                 std::string* why_not = nullptr);

}  // namespace dalembert
