// SPDX-License-Identifier: Apache-2.0
// The linearised equations of motion (dynamics/linearization.h), differentiated instruction by instruction.
#pragma once

#include "dalembert/dynamics/linearization.h"
#include "dalembert/tape/tape.h"

namespace dalembert {

class TapeLinearization final : public Linearization {
 public:
  /// `rates`: KernelFunction::kRates of a system of this layout, in single-assignment form and without prepared values.
  TapeLinearization(const Tape& rates, const Layout& layout);
  void call(const KernelArguments& in, double* out) const override;

 private:
  Tape tape_;
};

}  // namespace dalembert
