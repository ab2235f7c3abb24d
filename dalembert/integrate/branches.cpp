// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/branches.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "dalembert/dynamics/contacts.h"
#include "dalembert/dynamics/events.h"
#include "dalembert/dynamics/switching.h"
#include "dalembert/integrate/names.h"

namespace dalembert::integration {
namespace {

// Units of its noise within which the function of an event is at its limit where it was located there.
constexpr double kAtLimit = 64;

bool has_branches(const Dynamics& system) {
  return system.switching() != nullptr && !system.switching()->guards.empty();
}

}  // namespace

bool may_switch(const Dynamics& dynamics) {
  return has_branches(dynamics) || dynamics.layout().frictions > 0 || dynamics.events() != nullptr ||
         dynamics.contacts() != nullptr;
}

Branches::Branches(const Dynamics& system, const Schedule& schedule)
    : system_(system),
      switching_(system.switching()),
      levels_(has_branches(system) ? schedule.first_levels() : std::vector<double>()),
      none_(static_cast<std::size_t>(system.nv())),
      held_(has_branches(system) ? system.hold_branches(levels_) : system) {
  for (std::size_t j = 0; j < static_cast<std::size_t>(system.layout().frictions); ++j) {
    const std::vector<std::string>& names = system.names().frictions;
    const std::string name = j < names.size() ? names[j] : fmt::format("friction {}", j + 1);
    for (const char* what : {"the state of {}", "the normal force of {}"})
      others_.push_back({fmt::format(fmt::runtime(what), name), -1, false, true});
  }
  first_of_contacts_ = levels_.size() + others_.size();
  if (const Contacts* contacts = system.contacts()) {
    for (const Contacts::Contact& contact : contacts->contacts)
      others_.push_back(
          {fmt::format("the contact {}", name_of(system.names().rows, contact.row, "row")), -1, false, true});
    all_closed_ = held_.with_all_contacts_closed();
    closed_.assign(contacts->count(), 0);
    held_.set_contacts(closed_);
  }
  reads_forces_.assign(others_.size(), true);
  first_of_events_ = levels_.size() + others_.size();
  if (const Events* events = system.events())
    for (const Events::Event& event : events->events) {
      others_.push_back({event.text, -1, false, event.is_smooth && (event.has_rate || event.reads_forces)});
      reads_forces_.push_back(event.reads_forces);
      event_levels_.push_back(0);
    }
  const std::size_t count = levels_.size() + others_.size();
  for (std::vector<double>* x : {&guards_, &rates_, &offset_, &largest_}) x->resize(count);
  for (std::size_t k = 0; k < count; ++k)
    facts_.push_back({info(k).timed >= 0, info(k).floor, info(k).has_rate, info(k).acts});
  if (has_branches(system)) work_.resize(switching_->work_size());
  sizes_.resize(levels_.size());
  terms_.resize(count);
  for (std::size_t k = levels_.size(); k < count; ++k)
    if (!is_of_event(k) || reads_forces(k)) terms_[k] = std::numeric_limits<double>::infinity();
}

void Branches::hold() {
  if (levels_.empty()) return;
  const std::size_t first = held_.parameters().size() - levels_.size();
  held_.set_parameters(first, levels_);
  if (all_closed_) all_closed_->set_parameters(first, levels_);
}

void Branches::set_contacts(const std::vector<char>& closed) {
  if (closed == closed_) return;
  closed_ = closed;
  held_.set_contacts(closed_);
}

void Branches::displace_parameters(const std::vector<std::pair<int, double>>& rates, double epsilon) {
  for (const auto& [parameter, rate] : rates) {
    const std::size_t of_impulse = impulses_.empty() ? 0 : index(parameter) - system_.contacts()->stated_parameters;
    const bool is_impulse = of_impulse < impulses_.size();
    const std::array value{(is_impulse ? impulses_[of_impulse] : system_.parameters()[index(parameter)]) +
                           epsilon * rate};
    held_.set_parameters(index(parameter), value);
    if (all_closed_) all_closed_->set_parameters(index(parameter), value);
  }
}

void Branches::note_impulse(std::size_t k, double impulse) {
  const Contacts& contacts = *system_.contacts();
  if (!contacts.keeps_impulses()) return;
  impulses_.resize(contacts.count());
  impulses_[k] = impulse;
  held_.set_parameters(contacts.stated_parameters + k, std::array{impulse});
}

void Branches::stand_at_limit(std::size_t k, bool upwards) {
  const double limit = info(k).floor ? level(k) + (upwards ? 0 : 1) : 0;
  offset_[k] = guards_[k] - limit;
  // The function of an event that jumps over its limit is on either side of the jump here, and not at the limit.
  if (is_of_event(k) && !has_rate(k) && std::abs(offset_[k]) > kAtLimit * noise(k)) offset_[k] = 0;
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

void Branches::measure_terms(const KernelArguments& in) {
  if (levels_.empty()) return;
  KernelArguments arguments = in;
  arguments.p = held_.parameters().data();
  arguments.work = work_.data();
  switching_->measure(arguments, sizes_.data());
  for (std::size_t k = 0; k < levels_.size(); ++k) note_terms(k, sizes_[k]);
}

void Branches::set_guard(std::size_t k, double guard, double size) {
  guards_[k] = guard;
  largest_[k] = size;
}

void Branches::begin(std::size_t from, std::size_t to) {
  for (std::size_t k = from; k < to; ++k) offset_[k] = std::min(0.0, guards_[k]);
}

}  // namespace dalembert::integration
