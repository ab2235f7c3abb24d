// SPDX-License-Identifier: Apache-2.0
// A kernel as machine code, called directly: one system, eight at once, and Runge–Kutta steps of eight.
#pragma once

#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/shipped.h"
#include "dalembert/compile/interpreter.h"
#include "dalembert/compile/machine_code.h"
#include "dalembert/compile/tape_kernel.h"

namespace dalembert::bench {

/// Of a system whose inputs do not depend on time.
class Machine {
 public:
  /// Only what is asked for is compiled: one evaluation or Runge–Kutta steps, in so many lanes.
  Machine(const Equations& equations, CodeKind kind, int lanes) : kernel_(equations), layout_(kernel_.layout()) {
    for (const Parameter& parameter : equations.model->parameters) parameters_.push_back(parameter.value);
    prepared_.resize(layout_.prepared);
    kernel_.prepare(parameters_.data(), prepared_.data());
    if (!kernel_.solves_kkt()) {
      why_not_ = "the kernel does not solve the KKT system";
      return;
    }
    const CodeFunction function{
        .kind = kind, .tape = &tape(), .lanes = lanes, .coordinates = kind == CodeKind::kTape ? 0 : layout_.n};
    work_.resize(std::max(tape().registers * 32, code_work(function)));
    inputs_.resize(static_cast<std::size_t>(layout_.inputs) * 32);
    set_inputs();
    if (lanes <= 8) code_ = generate_code({&function, 1}, {}, &why_not_);
  }

  const Layout& layout() const { return layout_; }
  const Tape& tape() const { return kernel_.tape(KernelFunction::kAccelerations); }
  /// Empty where there is machine code.
  const std::string& why_not() const { return why_not_; }
  double seconds() const { return code_ ? code_->seconds() : 0; }

  /// Entry i of lane l at [i · lanes + l] everywhere; out: q̈, λ, trust[2]. Lanes whose results are not to be used.
  std::uint64_t run(const double* q, const double* v, double* out) {
    const auto arguments = arguments_with(q, v);
    return code_->run(0, arguments.data(), work_.data(), out);
  }
  /// Likewise by the interpreter; 1, 4, 8 or 32 lanes.
  void interpret(int lanes, const double* q, const double* v, double* out) {
    const auto arguments = arguments_with(q, v);
    dalembert::run(tape(), arguments.data(), work_.data(), out, lanes);
  }
  /// Runge–Kutta steps; state: q, then v.
  std::uint64_t advance(double* state, double h, int steps) {
    const auto arguments = arguments_with(nullptr, nullptr);
    return code_->advance(0, state, arguments.data(), work_.data(), 0, h, static_cast<std::uint64_t>(steps));
  }
  std::size_t outputs() const { return tape().outputs; }

 private:
  // In the order of TapeArray.
  std::array<const double*, kTapeArrays> arguments_with(const double* q, const double* v) const {
    return {time_.data(), parameters_.data(), inputs_.data(), q, v, nullptr, nullptr, prepared_.data()};
  }
  void set_inputs() {
    if (inputs_.empty()) return;
    std::vector<double> u(static_cast<std::size_t>(layout_.inputs)), work(layout_.work);
    const double zero = 0;
    kernel_.call(KernelFunction::kInputs,
                 {.t = zero, .p = parameters_.data(), .prepared = prepared_.data(), .work = work.data()}, u.data());
    // Only constants here, the same in all lanes: every input of the models that are measured is 0.
    for (const double value : u)
      if (value != 0) why_not_ = "an input is not 0";
  }

  TapeKernel kernel_;
  const Layout& layout_;
  std::vector<double> parameters_, prepared_, inputs_, work_;
  std::array<double, 32> time_{};
  std::shared_ptr<const MachineCode> code_;
  std::string why_not_;
};

}  // namespace dalembert::bench
