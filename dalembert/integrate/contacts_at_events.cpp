// SPDX-License-Identifier: Apache-2.0
// Contacts where an event of the model has set the state: they push and do not pull. Those whose gap or its rate is above 0 open; what is not set moves by the least change
// that lets none of the others close; where none does so without moving what is set, an impact follows.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "dalembert/dynamics/assemble.h"
#include "dalembert/integrate/contact_states.h"

namespace dalembert::integration {
namespace {

// A gap counts as 0 up to the tolerance of an assembly, or these units of round-off of its terms, as there.
constexpr double kTouchNoise = 64;
// Beside a run, the rate of a gap below this part of its terms may be of second order in the displacement.
constexpr double kSecondOrder = 3e-5;

}  // namespace

std::vector<std::size_t> ContactStates::closed() const {
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < contacts_.count(); ++k)
    if (branches_.closed()[k] != 0) found.push_back(k);
  return found;
}

double ContactStates::touch_noise(std::size_t k) const {
  return std::max(AssembleOptions().tolerance, kTouchNoise * kEps * problem_of_.gap_size(k));
}

bool ContactStates::touches(std::size_t k, double t, const double* y) {
  problem_of_.measure(t, y, y + nq_);
  return problem_of_.gap(k) <= touch_noise(k);
}

std::vector<std::size_t> ContactStates::touching(double t, const double* y, const double* before) {
  std::vector<char> apart(contacts_.count());
  problem_of_.measure(t, before, before + nq_);
  for (std::size_t k = 0; k < apart.size(); ++k)
    apart[k] = branches_.closed()[k] == 0 && problem_of_.gap(k) > touch_noise(k) ? 1 : 0;
  problem_of_.measure(t, y, y + nq_);
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < apart.size(); ++k)
    if ((branches_.closed()[k] != 0 || apart[k] != 0) && problem_of_.gap(k) <= touch_noise(k)) found.push_back(k);
  return found;
}

bool ContactStates::push(double t, double* y, const std::vector<std::size_t>& touching, const std::vector<bool>& held,
                         Rests& rests) {
  rests.all.assign(contacts_.count(), 0);
  problem_of_.measure(t, y, y + nq_);
  std::vector<double> rates, impulses(touching.size());
  for (const std::size_t k : touching)
    rates.push_back(std::abs(problem_of_.rate(k)) <= rate_noise(k) ? 0 : problem_of_.rate(k));
  if (std::ranges::any_of(rates, [](double rate) { return rate < 0; })) {
    // Where no change without pulling lets all of them go on, an impact follows.
    const ContactStatus status = problem_of_.push(t, y, y + nq_, touching, rates, held);
    if (status != ContactStatus::kNone && !fail_with(status, t)) return false;
    if (status == ContactStatus::kOk) impulses = problem_of_.multiplier();
    problem_of_.measure_rates(y, y + nq_);
  }
  for (const std::size_t k : touching) rests.all[k] = std::abs(problem_of_.rate(k)) <= rate_noise(k) ? 1 : 0;
  rests.unpressed = rests.all;
  for (std::size_t i = 0; i < touching.size(); ++i)
    if (impulses[i] > 0) rests.unpressed[touching[i]] = 0;
  return true;
}

bool ContactStates::move(double t, const double* y, const std::vector<char>& contacts) {
  problem_of_.measure(t, y, y + nq_);
  for (std::size_t k = 0; k < contacts.size(); ++k)
    if (contacts[k] != 0 && std::abs(problem_of_.rate(k)) > rate_noise(k) + kSecondOrder * problem_of_.rate_size(k))
      return true;
  return false;
}

void ContactStates::open_apart(double t, const double* y) {
  problem_of_.measure(t, y, y + nq_);
  std::vector<char> closed = branches_.closed();
  for (std::size_t k = 0; k < closed.size(); ++k) {
    if (closed[k] == 0 || !(problem_of_.gap(k) > touch_noise(k))) continue;
    closed[k] = 0;
    path_.events.push_back({RunEventKind::kRelease, name(k), t, {}});
  }
  branches_.set_contacts(closed);
}

}  // namespace dalembert::integration
