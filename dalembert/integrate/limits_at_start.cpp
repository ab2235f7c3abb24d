// SPDX-License-Identifier: Apache-2.0
// Guards at their limits where a run starts: derivatives of such a run are those of one side (tangents_at_start.cpp).
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dalembert/dynamics/contacts.h"
#include "dalembert/dynamics/events.h"
#include "dalembert/integrate/guards.h"
#include "dalembert/integrate/names.h"

namespace dalembert::integration {
namespace {

// Of several numbers: whether one of them moves.
Guards::Moves any_of(const std::vector<Guards::Moves>& moves) { return *std::ranges::max_element(moves); }

}  // namespace

// Whether each of the numbers of `at(y, values, noise)` changes by more than its noise along a displacement of the start.
template <class At>
std::vector<Guards::Moves> Guards::changes_at_start(const Displacement& by, const At& at) {
  std::vector<double> noise;
  const bool found = difference_.find(
      by.h,
      [&](double epsilon, std::vector<double>& values) {
        displaced_.assign(step_.y.begin(), step_.y.end());
        for (std::size_t i = 0; i < by.tangent.size(); ++i) displaced_[i] += epsilon * by.tangent[i];
        displace_parameters(by, epsilon);
        values.clear();
        noise.clear();
        at(displaced_.data(), values, noise);
        return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
      },
      derivative_);
  displace_parameters(by, 0);
  watch(step_.t, step_.y.data(), method().first_slope() + nq_);
  std::vector<Moves> moves(noise.size(), Moves::kUnknown);
  for (std::size_t i = 0; found && i < moves.size(); ++i)
    moves[i] = std::abs(derivative_[i]) * by.h > noise[i] ? Moves::kYes : Moves::kNo;
  return moves;
}

std::vector<std::size_t> Guards::limits_at_start() {
  std::vector<std::size_t> limits;
  const double t = step_.t, *y = step_.y.data(), *qdd = method().first_slope() + nq_;
  watch(t, y, qdd);
  for (std::size_t k = branches_.first_of_friction(); k < branches_.count(); ++k) {
    if (branches_.is_gap(k) || !(std::abs(branches_.value(k)) <= branches_.noise(k))) continue;
    if (branches_.is_of_event(k) &&
        !events_->changes_motion_beside(k - branches_.first_of_events(), t, y, qdd, motion_.lambda().data()))
      continue;
    limits.push_back(k);
  }
  return limits;
}

Guards::Moves Guards::moves_at_start(std::size_t k, const Displacement& by) {
  const bool rests = branches_.is_of_event(k) && !branches_.reads_forces(k) && branches_.rate(k) == 0;
  return any_of(changes_at_start(by, [&](const double* y, std::vector<double>& values, std::vector<double>& noise) {
    values.push_back(guard_at(k, step_.t, y));
    noise.push_back(branches_.noise(k));
    if (branches_.is_of_friction(k)) frictions_->add_speeds(k, values, noise);
    if (!rests) return;
    watch(step_.t, y, method().first_slope() + nq_);
    values.push_back(branches_.rate(k));
    noise.push_back(branches_.noise(k));
  }));
}

std::string Guards::description_of(std::size_t k) const {
  if (branches_.is_of_event(k))
    return fmt::format("the event `{}`", dynamics_.events()->events[k - branches_.first_of_events()].name);
  if (branches_.is_of_contact(k)) return fmt::format("the force of {}", branches_.info(k).text);
  // The second guard of a friction that sticks is the other limit of the same force.
  const std::size_t of_friction = k - branches_.first_of_friction();
  return branches_.info(frictions_->sticks_at(of_friction) ? k - of_friction % 2 : k).text;
}

std::vector<std::size_t> Guards::closed_contacts() const {
  std::vector<std::size_t> closed;
  for (std::size_t k = 0; contacts_ && k < branches_.closed().size(); ++k)
    if (branches_.closed()[k] != 0) closed.push_back(k);
  return closed;
}

Guards::Moves Guards::leaves_contact_at_start(std::size_t contact, const Displacement& by) {
  return any_of(changes_at_start(by, [&](const double* y, std::vector<double>& values, std::vector<double>& noise) {
    const ContactStates::GapAt gap = contacts_->gap_and_rate_at(contact, step_.t, y);
    values.assign({gap.gap, gap.rate});
    noise.assign({gap.noise, gap.rate_noise});
  }));
}

// Those at their limit are among limits_at_start().
std::vector<std::size_t> Guards::sticking_frictions() {
  std::vector<std::size_t> sticking;
  watch(step_.t, step_.y.data(), method().first_slope() + nq_);
  const auto is_at_limit = [&](std::size_t k) { return std::abs(branches_.value(k)) <= branches_.noise(k); };
  for (std::size_t k = branches_.first_of_friction(); k < branches_.first_of_contacts(); k += 2)
    if (frictions_->holds(k - branches_.first_of_friction()) && !is_at_limit(k) && !is_at_limit(k + 1))
      sticking.push_back(k);
  return sticking;
}

std::vector<Guards::Moves> Guards::slide_at_start(const std::vector<std::size_t>& sticking, const Displacement& by) {
  std::vector<std::size_t> ends;
  const std::vector<Moves> moves =
      changes_at_start(by, [&](const double* y, std::vector<double>& values, std::vector<double>& noise) {
        watch(step_.t, y, method().first_slope() + nq_);
        ends.clear();
        for (const std::size_t k : sticking) {
          frictions_->add_speeds(k, values, noise);
          ends.push_back(values.size());
        }
      });
  std::vector<Moves> slides;
  auto next = moves.begin();
  for (const std::size_t end : ends) {
    const auto last = moves.begin() + static_cast<std::ptrdiff_t>(end);
    slides.push_back(*std::max_element(next, last));
    next = last;
  }
  return slides;
}

std::string Guards::name_of_friction(std::size_t k) const {
  return frictions_->name(static_cast<int>(k - branches_.first_of_friction()) / 2);
}

std::string Guards::name_of_contact(std::size_t contact) const {
  return name_of(dynamics_.names().rows, dynamics_.contacts()->contacts[contact].row, "row");
}

}  // namespace dalembert::integration
