// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/dynamics.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace dalembert {

Dynamics::Dynamics(std::shared_ptr<const Kernel> kernel, Names names, std::vector<double> parameters,
                   std::vector<TableInput> tables)
    : kernel_(std::move(kernel)),
      names_(std::move(names)),
      parameters_(std::move(parameters)),
      tables_(std::move(tables)) {
  assert(kernel_ != nullptr);
  assert(parameters_.size() == static_cast<std::size_t>(layout().parameters));
  for ([[maybe_unused]] const TableInput& table : tables_) {
    assert(table.input >= 0 && table.input < layout().inputs);
    assert(!table.time.empty() && table.time.size() == table.value.size());
  }
}

Dynamics Dynamics::with_parameters(std::vector<double> parameters) const {
  return Dynamics(kernel_, names_, std::move(parameters), tables_);
}

void Dynamics::inputs(double t, double* work, double* u) const {
  if (layout().inputs == 0) return;
  kernel_->call(KernelFunction::kInputs, {.t = t, .p = parameters_.data(), .work = work}, u);
  for (const TableInput& table : tables_) {
    const std::vector<double>&x = table.time, &y = table.value;
    // The first sample later than t; before the first and after the last sample the value holds.
    const auto after = static_cast<std::size_t>(std::upper_bound(x.begin(), x.end(), t) - x.begin());
    if (after == 0) {
      u[table.input] = y.front();
    } else if (after == x.size()) {
      u[table.input] = y.back();
    } else {
      const double s = (t - x[after - 1]) / (x[after] - x[after - 1]);
      u[table.input] = (1 - s) * y[after - 1] + s * y[after];
    }
  }
}

std::size_t output_size(const Layout& layout, KernelFunction function) {
  const auto n = static_cast<std::size_t>(layout.n), m = static_cast<std::size_t>(layout.m);
  const auto M = static_cast<std::size_t>(layout.M.nonzeros()), W = static_cast<std::size_t>(layout.W.nonzeros());
  switch (function) {
    case KernelFunction::kPosition:
      return layout.holonomic.size();
    case KernelFunction::kVelocity:
      return W + m;
    case KernelFunction::kMass:
      return M;
    case KernelFunction::kTerms:
      return M + 3 * n + W + 2 * m;
    case KernelFunction::kRates:
      return M + n + W + m;
    case KernelFunction::kEnergy:
      return 5 + static_cast<std::size_t>(layout.conserved);
    case KernelFunction::kInputs:
      return static_cast<std::size_t>(layout.inputs);
    case KernelFunction::kOutputs:
      return static_cast<std::size_t>(layout.outputs);
  }
  return 0;
}

}  // namespace dalembert
