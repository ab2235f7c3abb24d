// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/spare_parts.h"

#include <utility>

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

void SpareParts::leave(const Dynamics& dynamics, Workspace&& workspace, RungeKutta&& pair) {
  kernel_ = dynamics.shared_kernel();
  workspace_.emplace(std::move(workspace));
  pair_.emplace(std::move(pair));
}

}  // namespace dalembert::integration
