// SPDX-License-Identifier: Apache-2.0
// A TapeKernel whose functions run as machine code, made when a function is first called. Where there is no code (no
// LLVM, another processor), and for the rare arguments that code leaves to it, the interpreter runs.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "dalembert/compile/machine_code.h"
#include "dalembert/compile/tape_kernel.h"

namespace dalembert {

class MachineKernel final : public Kernel {
 public:
  /// Tapes of fewer instructions are interpreted: that takes less time than it takes to look for their code.
  static constexpr std::size_t kShortest = 8;

  /// kQuick suits a run of one system: thorough code saves 10 ns or so of a call and costs milliseconds.
  explicit MachineKernel(std::shared_ptr<const TapeKernel> tapes, CodeOptions options = quick_code_options());
  ~MachineKernel() override;

  const Layout& layout() const override { return tapes_->layout(); }
  /// Allocates nothing once the function's code is there.
  void call(KernelFunction function, const KernelArguments& in, double* out) const override;
  void prepare(const double* p, double* prepared) const override { tapes_->prepare(p, prepared); }
  bool solves_kkt() const override { return tapes_->solves_kkt(); }

  /// Makes the function's code, and that of those that are called together with it, unless it is there; safe to call
  /// from many threads. False where there is none.
  bool prepare_code(KernelFunction function) const;
  /// Why there is no code; empty while there is, or none was wanted yet.
  std::string why_not() const;
  const TapeKernel& tapes() const { return *tapes_; }
  const CodeOptions& options() const { return options_; }

 private:
  // Functions that are called together become code together: a module of its own costs a millisecond and more.
  static constexpr std::size_t kGroups = 6;
  struct Group {
    std::once_flag once;
    std::shared_ptr<const MachineCode> owner;
  };
  struct Slot {
    std::atomic<bool> decided = false;
    const MachineCode* code = nullptr;  ///< valid once decided; null: interpret
    std::size_t index = 0;              ///< in the code
  };
  static std::size_t group_of(KernelFunction function);
  Slot& slot(KernelFunction function) const { return slots_[static_cast<std::size_t>(function)]; }
  void decide(KernelFunction function) const;
  void generate(std::size_t group) const;

  std::shared_ptr<const TapeKernel> tapes_;
  CodeOptions options_;
  mutable std::array<Slot, kKernelFunctions> slots_;
  mutable std::array<Group, kGroups> groups_;
  mutable std::mutex mutex_;
  mutable std::string why_not_;
};

}  // namespace dalembert
