// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/spare_parts.h"

#include <utility>

#include "dalembert/integrate/recorder.h"

namespace dalembert::integration {

Workspace SpareParts::workspace(const Dynamics& dynamics) {
  if (!workspace_ || kernel_ != dynamics.shared_kernel()) return Workspace(dynamics);
  Workspace taken = *std::move(workspace_);
  workspace_.reset();
  taken.renew(dynamics);
  return taken;
}

RungeKutta SpareParts::pair(const Tableau& tableau, int size, int room) {
  if (!pair_ || !pair_->is_of(tableau, size, room)) return RungeKutta(tableau, size, room);
  RungeKutta taken = *std::move(pair_);
  pair_.reset();
  taken.renew();
  return taken;
}

Step SpareParts::step() {
  Step taken;
  for (const auto numbers : {&Step::y, &Step::y1, &Step::lambda, &Step::before, &Step::out, &Step::slope}) {
    taken.*numbers = std::move(step_.*numbers);
    (taken.*numbers).clear();
  }
  return taken;
}

void SpareParts::leave(const Dynamics& dynamics, Workspace&& workspace, RungeKutta&& pair, Step&& step) {
  kernel_ = dynamics.shared_kernel();
  workspace_.emplace(std::move(workspace));
  pair_.emplace(std::move(pair));
  step_ = std::move(step);
}

std::unique_ptr<Trajectory> SpareParts::trajectory(RunFor purpose) {
  const std::unique_ptr<Trajectory> used = std::move(spare_of(purpose));
  if (used == nullptr) return std::make_unique<Trajectory>();
  // Not make_unique, which would move it.
  return std::unique_ptr<Trajectory>(new Trajectory(Recorder::empty_in_memory_of(std::move(*used), purpose)));
}

}  // namespace dalembert::integration
