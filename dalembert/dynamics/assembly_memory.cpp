// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/assembly_memory.h"

#include <algorithm>
#include <cstddef>

namespace dalembert {
namespace {

// Steps for positions and for velocities, each for two choices of what is held.
constexpr std::size_t kMostKept = 4;

}  // namespace

Workspace& AssemblyMemory::begin(const Dynamics& dynamics) {
  if (workspace_ && kernel_ == dynamics.shared_kernel()) {
    if (kept_.size() > kMostKept) kept_.clear();
    workspace_->renew(dynamics);
    return *workspace_;
  }
  kept_.clear();
  kernel_ = dynamics.shared_kernel();
  return workspace_.emplace(dynamics);
}

assembly::Steps* AssemblyMemory::steps(const assembly::Places& coordinates, const assembly::Places& rows) {
  const auto same = [&](const Kept& one) { return one.coordinates == coordinates.chosen && one.rows == rows.chosen; };
  if (const auto known = std::ranges::find_if(kept_, same); known != kept_.end()) return known->steps.get();
  kept_.push_back({coordinates.chosen, rows.chosen, assembly::make_steps(kernel_->layout(), coordinates, rows)});
  return kept_.back().steps.get();
}

}  // namespace dalembert
