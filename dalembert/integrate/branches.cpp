// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/branches.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace dalembert::integration {
namespace {

bool has_branches(const Dynamics& system) {
  return system.switching() != nullptr && !system.switching()->guards.empty();
}

}  // namespace

Branches::Branches(const Dynamics& system, const Schedule& schedule)
    : system_(system),
      switching_(system.switching()),
      levels_(has_branches(system) ? schedule.first_levels() : std::vector<double>()),
      none_(static_cast<std::size_t>(system.nv())),
      held_(has_branches(system) ? system.hold_branches(levels_) : system) {
  for (std::size_t j = 0; j < static_cast<std::size_t>(system.layout().frictions); ++j) {
    const std::vector<std::string>& names = system.names().frictions;
    const std::string name = j < names.size() ? names[j] : fmt::format("friction {}", j + 1);
    for (const char* what : {"the state of {}", "the load of {}"})
      of_friction_.push_back({fmt::format(fmt::runtime(what), name), -1, false, true});
  }
  const std::size_t count = levels_.size() + of_friction_.size();
  for (std::vector<double>* x : {&guards_, &rates_, &offset_, &largest_}) x->resize(count);
  if (has_branches(system)) work_.resize(switching_->work_size());
}

void Branches::hold() {
  if (!levels_.empty()) held_ = system_.hold_branches(levels_);
}

double Branches::above(std::size_t k) const {
  if (is_of_friction(k)) return std::numeric_limits<double>::infinity();
  if (switching_->guards[k].floor) return levels_[k] + 1 - guard(k);
  return levels_[k] > 0 ? std::numeric_limits<double>::infinity() : -guard(k);
}

double Branches::below(std::size_t k) const {
  if (is_of_friction(k)) return guard(k);
  if (switching_->guards[k].floor) return guard(k) - levels_[k];
  return levels_[k] < 0 ? std::numeric_limits<double>::infinity() : guard(k);
}

void Branches::stand_at_limit(std::size_t k, bool upwards) {
  const double limit = switching_->guards[k].floor ? levels_[k] + (upwards ? 0 : 1) : 0;
  offset_[k] = guards_[k] - limit;
}

void Branches::watch(const KernelArguments& in) {
  if (levels_.empty()) return;
  KernelArguments arguments = in;
  arguments.p = held_.parameters().data();
  arguments.work = work_.data();
  if (arguments.qdd == nullptr) arguments.qdd = none_.data();
  switching_->watch(arguments, guards_.data(), rates_.data());
  for (std::size_t k = 0; k < levels_.size(); ++k) largest_[k] = std::max(largest_[k], std::abs(guards_[k]));
}

void Branches::set_friction_guard(std::size_t k, double guard, double size) {
  guards_[k] = guard;
  largest_[k] = size;
}

void Branches::begin_friction() {
  for (std::size_t k = levels_.size(); k < guards_.size(); ++k) offset_[k] = std::min(0.0, guards_[k]);
}

}  // namespace dalembert::integration
