// SPDX-License-Identifier: Apache-2.0
// The tape of accelerations and multipliers as machine code, called directly, or run by the interpreter.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/shipped.h"
#include "dalembert/base/aligned.h"
#include "dalembert/compile/tape_kernel.h"
#include "dalembert/machine/machine_code.h"
#include "dalembert/tape/interpreter.h"

namespace dalembert::bench {

/// Longer than this and without loops LLVM takes minutes.
inline bool is_compilable(const Tape& tape) { return tape.instructions.size() <= 200'000; }

/// One evaluation of a system whose inputs are 0.
class Machine {
 public:
  /// by_interpreter: no code is made.
  explicit Machine(const Equations& equations, bool by_interpreter = false, int lanes = 1)
      : kernel_(equations), lanes_(lanes) {
    for (const Parameter& parameter : equations.model->parameters) parameters_.push_back(parameter.value);
    prepared_.resize(kernel_.layout().prepared);
    kernel_.prepare(parameters_.data(), prepared_.data());
    if (!kernel_.solves_kkt()) {
      why_not_ = "the kernel does not solve the KKT system";
      return;
    }
    if (!by_interpreter && !is_compilable(tape())) {
      why_not_ = "too long a tape";
      return;
    }
    const CodeFunction function{.tape = &tape(), .lanes = lanes <= 8 ? lanes : 8};
    const auto width = static_cast<std::size_t>(lanes);
    work_.resize(std::max(tape().registers * width, code_work(function)));
    inputs_.resize(static_cast<std::size_t>(kernel_.layout().inputs) * width);
    time_.resize(width);
    if (!by_interpreter) code_ = generate_code({&function, 1}, default_code_options(), &why_not_);
  }

  const Tape& tape() const { return kernel_.tape(KernelFunction::kAccelerations); }
  /// Empty where all is well.
  const std::string& why_not() const { return why_not_; }

  /// Entry i of lane l at [i · lanes + l]; out: q̈, λ, trust[2]. False where some lane's results are not to be used.
  bool operator()(const double* q, const double* v, double* out) {
    // In the order of TapeArray.
    const std::array<const double*, kTapeArrays> arguments{
        time_.data(), parameters_.data(), inputs_.data(), q, v, nullptr, nullptr, prepared_.data()};
    if (code_) return code_->run(0, arguments.data(), work_.data(), out) == 0;
    run(tape(), arguments.data(), work_.data(), out, lanes_);
    return true;
  }
  std::size_t outputs() const { return tape().outputs * time_.size(); }

 private:
  TapeKernel kernel_;
  int lanes_;
  std::vector<double> parameters_, prepared_, inputs_, time_;
  LineNumbers work_;
  std::shared_ptr<const MachineCode> code_;
  std::string why_not_;
};

}  // namespace dalembert::bench
