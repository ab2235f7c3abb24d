// SPDX-License-Identifier: Apache-2.0
// A TapeKernel whose functions run as machine code once so many calls are expected that making code saves time. Where
// there is no code (no LLVM, another processor), and for the rare arguments that code refuses, the interpreter runs.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "dalembert/compile/tape_kernel.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/machine/machine_code.h"

namespace dalembert {

class MachineKernel final : public Kernel {
 public:
  /// Tapes of fewer instructions are interpreted: code would not be faster.
  static constexpr std::size_t kShortest = 8;

  explicit MachineKernel(std::shared_ptr<const TapeKernel> tapes, CodeOptions options = default_code_options());
  ~MachineKernel() override;

  const Layout& layout() const override { return layout_; }
  /// Allocates nothing.
  void call(KernelFunction function, const KernelArguments& in, double* out) const override;
  void prepare(const double* p, double* prepared) const override { tapes_->prepare(p, prepared); }
  bool solves_kkt() const override { return tapes_->solves_kkt(); }
  bool projects() const override { return tapes_->projects(); }
  std::size_t operations() const override { return tapes_->operations(); }
  const Linearization* linearization() const override { return tapes_->linearization(); }
  /// "interpreter" is followed by the reason if code was wanted and could not be made.
  std::string computed_by() const override;

  /// Makes code for the functions that a run calls, unless that was done before.
  void expect_many_calls() const override;
  void note_calls(std::int64_t made, double left) const override;
  /// The number of solves at which a run breaks even: code saves about the time that making it takes.
  double calls_that_pay() const { return calls_that_pay_; }
  KernelCode* code(KernelFunction function) const override;
  /// Whether the function runs as machine code now.
  bool has_code(KernelFunction function) const {
    return slots_[static_cast<std::size_t>(function)].code.load(std::memory_order_acquire) != nullptr;
  }
  /// Why there is no code; empty while there is, or none was wanted yet.
  std::string why_not() const;
  const std::shared_ptr<const TapeKernel>& tapes() const { return tapes_; }
  const CodeOptions& options() const { return options_; }

 private:
  struct Slot {
    std::atomic<const MachineCode*> code = nullptr;  ///< null: there is no code, or not yet
    std::size_t index = 0;                           ///< of the function in `code`
    std::shared_ptr<const MachineCode> owner;
  };
  void make_code() const;
  void make_code(std::span<const KernelFunction> called, std::size_t thorough) const;

  std::shared_ptr<const TapeKernel> tapes_;
  Layout layout_;  // with `work` large enough for the tapes and for their code
  CodeOptions options_;
  double calls_that_pay_;
  mutable std::atomic<std::int64_t> calls_ = 0;  // solves that runs have reported by note_calls()
  mutable std::once_flag once_;
  mutable std::array<Slot, kKernelFunctions> slots_;  // code of each KernelFunction
  mutable std::string why_not_;                       // written once, before refused_ is set
  mutable std::atomic<bool> refused_ = false;
};

/// The tapes of a system made by compile(), whether or not it uses machine code.
std::shared_ptr<const TapeKernel> tapes_of(const Dynamics& dynamics);

}  // namespace dalembert
