// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/branches.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dalembert::integration {
Branches::Branches(const Dynamics& system, const Schedule& schedule)
    : system_(system),
      switching_(system.switching()),
      levels_(schedule.first_levels()),
      guards_(levels_.size()),
      rates_(levels_.size()),
      offset_(levels_.size()),
      largest_(levels_.size()),
      work_(switching_->work_size()),
      none_(static_cast<std::size_t>(system.nv())),
      held_(system.hold_branches(levels_)) {}

void Branches::hold() { held_ = system_.hold_branches(levels_); }

double Branches::above(std::size_t k) const {
  if (switching_->guards[k].floor) return levels_[k] + 1 - guard(k);
  return levels_[k] > 0 ? std::numeric_limits<double>::infinity() : -guard(k);
}

double Branches::below(std::size_t k) const {
  if (switching_->guards[k].floor) return guard(k) - levels_[k];
  return levels_[k] < 0 ? std::numeric_limits<double>::infinity() : guard(k);
}

void Branches::stand_at_limit(std::size_t k, bool upwards) {
  const double limit = switching_->guards[k].floor ? levels_[k] + (upwards ? 0 : 1) : 0;
  offset_[k] = guards_[k] - limit;
}

void Branches::watch(const KernelArguments& in) {
  KernelArguments arguments = in;
  arguments.p = held_.parameters().data();
  arguments.work = work_.data();
  if (arguments.qdd == nullptr) arguments.qdd = none_.data();
  switching_->watch(arguments, guards_.data(), rates_.data());
  for (std::size_t k = 0; k < guards_.size(); ++k) largest_[k] = std::max(largest_[k], std::abs(guards_[k]));
}

}  // namespace dalembert::integration
