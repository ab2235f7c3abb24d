// SPDX-License-Identifier: Apache-2.0
// Equations as a Kernel whose functions are tapes.
#pragma once

#include <array>
#include <vector>

#include "dalembert/compile/tape.h"
#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/kernel.h"

namespace dalembert {

/// The expressions that `function` evaluates, in the order of its outputs (dynamics/kernel.h). Adds nodes to the
/// model's graph (F − B − G), so the graph's rule of one thread at a time holds here and for the constructor below.
std::vector<Expr> kernel_expressions(const Equations& equations, KernelFunction function);

/// Sizes and sparsity; `work` is left 0, it belongs to the form of code.
Layout kernel_layout(const Equations& equations);

class TapeKernel final : public Kernel {
 public:
  explicit TapeKernel(const Equations& equations);
  const Layout& layout() const override { return layout_; }
  void call(KernelFunction function, const KernelArguments& in, double* out) const override;
  const Tape& tape(KernelFunction function) const { return tapes_[static_cast<std::size_t>(function)]; }

 private:
  static constexpr std::size_t kFunctions = static_cast<std::size_t>(KernelFunction::kOutputs) + 1;
  Layout layout_;
  std::array<Tape, kFunctions> tapes_;  // by KernelFunction
};

}  // namespace dalembert
