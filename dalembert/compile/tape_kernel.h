// SPDX-License-Identifier: Apache-2.0
// Equations as a Kernel whose functions are tapes.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "dalembert/compile/tape_linearization.h"
#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/kernel.h"
#include "dalembert/tape/tape.h"

namespace dalembert {

class TapeKernel final : public Kernel {
 public:
  explicit TapeKernel(const Equations& equations);
  const Layout& layout() const override { return layout_; }
  void call(KernelFunction function, const KernelArguments& in, double* out) const override;
  void prepare(const double* p, double* prepared) const override;
  bool solves_kkt() const override { return solves_kkt_; }
  bool projects() const override { return projects_; }
  std::size_t operations() const override { return operations_; }
  std::string computed_by() const override { return "interpreter"; }
  const Linearization* linearization() const override;
  /// Operations of kAccelerations before anything was simplified, gathered or prepared; 0 unless solves_kkt().
  std::size_t operations_as_derived() const { return operations_as_derived_; }
  const Tape& tape(KernelFunction function) const { return parts_[static_cast<std::size_t>(function)].tape; }
  /// What prepare() runs for this function; its outputs are the prepared numbers from prepared_from() on.
  const Tape& preparation(KernelFunction function) const {
    return parts_[static_cast<std::size_t>(function)].preparation;
  }
  std::size_t prepared_from(KernelFunction function) const { return parts_[static_cast<std::size_t>(function)].first; }

 private:
  TapeKernel(const Equations& equations, Layout layout);
  // Values that depend on parameters alone are computed by `preparation`; they are the numbers from `first` on of the
  // layout_.prepared numbers.
  struct Part {
    Tape tape, preparation;
    std::size_t first = 0;
  };
  void set(KernelFunction function, Tape tape);

  Layout layout_;
  bool solves_kkt_ = false, projects_ = false;
  std::size_t operations_as_derived_ = 0, operations_ = 0;
  std::array<Part, kKernelFunctions> parts_;  // one for each KernelFunction
  Tape rates_;                                // kRates in single-assignment form, to be differentiated
  mutable std::once_flag once_;
  mutable std::unique_ptr<const TapeLinearization> linearization_;
};

}  // namespace dalembert
