// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/stated_events.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/dynamics/numbers.h"

namespace dalembert::integration {
namespace {

// A run ends where jumps accumulate: each of the last kShorter intervals between jumps was shorter than the one before, and the last interval is below
// kShort of the first. In much shorter intervals the motion, which goes with their square, would be round-off.
constexpr int kShorter = 3;
// Jumps also accumulate if more than kAtOnce happen at one instant, or while g changes between them by no more than kStill units of its noise.
constexpr int kAtOnce = 20;
constexpr double kStill = 16;
constexpr double kShort = 1e-6;
// Beside a run, values that two events set are one if they differ by no more than this part of them: displaced, round-off may part what is the same formula.
constexpr double kSameValue = 1e-12;

}  // namespace

StatedEvents::StatedEvents(StepMaker& maker, Trajectory& path, Branches& branches, Integrals* integrals,
                           ContactStates* contacts)
    : Observer(maker, path),
      branches_(branches),
      integrals_(std::ranges::any_of(dynamics_.events()->events, &Events::Event::reads_integrals) ? integrals
                                                                                                  : nullptr),
      contacts_(contacts),
      events_(*dynamics_.events()) {
  const std::size_t count = events_.events.size();
  for (std::vector<double>* x : {&values_, &rates_, &ahead_values_}) x->resize(count);
  passed_at_.assign(count, std::numeric_limits<double>::quiet_NaN());
  poles_.resize(count, kNone);
  told_poles_.resize(count);
  work_.resize(events_.work_size());
  ahead_.resize(index(ny_));
  qdd_.resize(index(nv_));
  none_.resize(index(nv_));
  multipliers_.resize(step_.lambda.size());
  reads_forces_ = std::ranges::any_of(events_.events, &Events::Event::reads_forces);
}

KernelArguments StatedEvents::arguments(double t, const double* y, const double* qdd, const double* lambda) {
  evaluate_inputs(dynamics_, t, motion_.workspace);
  return {.t = t,
          .q = y,
          .v = y + nq_,
          .qdd = qdd,
          .lambda = lambda,
          .u = motion_.workspace.u.data(),
          .p = integrals_ != nullptr ? integrals_->parameters_at(t) : branches_.held().parameters().data(),
          .work = work_.data()};
}

void StatedEvents::watch(double t, const double* y, const double* qdd) {
  const double* forces = qdd != nullptr ? qdd : none_.data();
  const bool found = !reads_forces_ || motion_.find_forces(t, y, qdd_.data(), multipliers_.data());
  events_.watch(arguments(t, y, reads_forces_ ? qdd_.data() : forces, multipliers_.data()), values_.data(),
                rates_.data());
  const std::size_t first = branches_.first_of_events();
  for (std::size_t k = 0; k < values_.size(); ++k) {
    const bool known = found || !events_.events[k].reads_forces;
    branches_.set_event_guard(first + k, known ? values_[k] : std::numeric_limits<double>::quiet_NaN());
    branches_.set_rate(first + k, rates_[k]);
  }
  if (!reads_forces_ || !found || qdd == nullptr || look_ahead_ == 0) return;
  // Rates of events that read forces: finite differences along the motion.
  find_qdot(dynamics_, t, y, y + nq_, motion_.workspace, ahead_.data());
  std::copy(qdd_.begin(), qdd_.end(), ahead_.begin() + nq_);
  for (std::size_t i = 0; i < index(ny_); ++i) ahead_[i] = y[i] + look_ahead_ * ahead_[i];
  if (!motion_.find_forces(t + look_ahead_, ahead_.data(), qdd_.data(), multipliers_.data())) return;
  events_.watch(arguments(t + look_ahead_, ahead_.data(), qdd_.data(), multipliers_.data()), ahead_values_.data(),
                rates_.data());
  for (std::size_t k = 0; k < values_.size(); ++k)
    if (events_.events[k].reads_forces) branches_.set_rate(first + k, (ahead_values_[k] - values_[k]) / look_ahead_);
  evaluate_inputs(dynamics_, t, motion_.workspace);
}

void StatedEvents::measure_terms(double t, const double* y) {
  events_.measure(arguments(t, y, none_.data(), multipliers_.data()), values_.data());
  for (std::size_t k = 0; k < values_.size(); ++k) branches_.note_terms(branches_.first_of_events() + k, values_[k]);
}

// Puts each event whose g is 0 up to round-off on the side to which g moves: such an event does not happen now.
void StatedEvents::take_sides() {
  for (std::size_t k = branches_.first_of_events(); k < branches_.count(); ++k) {
    branches_.forget_offset(k);
    const double g = branches_.guard(k), rate = maker_.direction * branches_.rate(k);
    // An event that has just passed, and whose g the jump has left as it was, is at 0 however far it was located beyond.
    const double passed = passed_at_[k - branches_.first_of_events()];
    const bool at_limit = std::abs(g) <= branches_.noise(k) || std::abs(g - passed) <= branches_.noise(k);
    const double side = at_limit ? rate : g;
    branches_.set_level(k, static_cast<double>((side > 0) - (side < 0)));
    if (at_limit && side != 0) branches_.stand_at_limit(k, side > 0);
  }
}

void StatedEvents::pass_poles() {
  for (std::size_t event = 0; event < poles_.size(); ++event) {
    const double pole = std::exchange(poles_[event], kNone);
    if (std::isnan(pole)) continue;
    const std::size_t k = branches_.first_of_events() + event;
    branches_.forget_offset(k);
    const double g = branches_.guard(k);
    branches_.set_level(k, static_cast<double>((g > 0) - (g < 0)));
    if (std::exchange(told_poles_[event], 1) != 0) continue;
    path_.verdict.warnings.push_back(
        fmt::format("the function of the event `{}` grows without bound near t = {} s, where it passes no zero: the "
                    "event does not happen there",
                    events_.events[event].name, to_text(pole, 4)));
  }
}

bool StatedEvents::counts(std::size_t event, bool upwards, const KernelArguments& in) const {
  const int direction = events_.events[event].direction;
  // In a run backwards in time, an event that is passed from below counts as passed from above.
  const bool rises = upwards == (maker_.direction > 0);
  return (direction == 0 || rises == (direction > 0)) && events_.holds(event, in);
}

void StatedEvents::pass(std::size_t guard, bool upwards, double t, const double* y, const double* qdd,
                        const double* lambda, const std::vector<char>& jumped) {
  const std::size_t from = branches_.first_of_events();
  passing_.clear();
  std::ranges::fill(passed_at_, std::numeric_limits<double>::quiet_NaN());
  first_ = guard >= from ? guard - from : 0;
  rate_ = branches_.rate(guard);
  const KernelArguments in = arguments(t, y, qdd, lambda);
  for (std::size_t k = from; k < branches_.count(); ++k) {
    if (branches_.level(k) == 0 || has_pole(k - from)) continue;
    const bool up = k == guard ? upwards : branches_.above(k) < branches_.below(k);
    const double room = up ? branches_.above(k) : branches_.below(k);
    const double reach = branches_.noise(k) + instant(t) * std::abs(branches_.rate(k));
    const bool leaves = (up ? 1 : -1) * maker_.direction * branches_.rate(k) > 0;
    if (k != guard && !(room <= reach && (leaves || room < -branches_.noise(k)))) continue;
    branches_.set_level(k, branches_.next_level(k, up));
    branches_.stand_at_limit(k, up);
    if (jumped[k - from] != 0)
      branches_.forget_offset(k);
    else if (branches_.has_rate(k) || std::abs(branches_.value(k)) <= reach)
      passed_at_[k - from] = branches_.value(k);
    if (counts(k - from, up, in)) passing_.push_back(k - from);
  }
  if (guard >= from || passing_.empty()) return;
  first_ = passing_.front();
  rate_ = branches_.rate(from + first_);
}

bool StatedEvents::changes_motion_beside(std::size_t event, double t, const double* y, const double* qdd,
                                         const double* lambda) {
  if (!changes_motion(event)) return false;
  const double rate = maker_.direction * branches_.rate(branches_.first_of_events() + event);
  const KernelArguments in = arguments(t, y, qdd, lambda);
  return (rate >= 0 && counts(event, true, in)) || (rate <= 0 && counts(event, false, in));
}

bool StatedEvents::changes_motion(std::size_t event) const { return events_.events[event].sets() || ends_run(event); }

bool StatedEvents::sets() const {
  return std::ranges::any_of(passing_, [&](std::size_t k) { return events_.events[k].sets(); });
}

bool StatedEvents::stops() const {
  return std::ranges::any_of(passing_, [&](std::size_t k) { return ends_run(k); });
}

// Writes to `after`, a state at which the arguments are, what these events set. `beside`: the state is displaced.
bool StatedEvents::find_settings(const std::vector<std::size_t>& events, const KernelArguments& in, State& after,
                                 bool beside, Settings& found) {
  found.hold_position.assign(index(nq_), false);
  found.hold_velocity.assign(index(nv_), false);
  for (const std::size_t k : events) {
    const Events::Event& event = events_.events[k];
    std::vector<double> values(event.coordinates.size() + event.velocities.size());
    events_.set(k, in, values.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool velocity = i >= event.coordinates.size();
      const std::size_t place = index(velocity ? event.velocities[i - event.coordinates.size()] : event.coordinates[i]);
      double& target = velocity ? after.v[place] : after.q[place];
      std::vector<bool>& hold = velocity ? found.hold_velocity : found.hold_position;
      const std::string what = velocity ? dynamics_.names().velocity(place)
                                        : name_of(dynamics_.names().coordinates, static_cast<int>(place), "coordinate");
      if (hold[place] && !(std::abs(target - values[i]) <= (beside ? kSameValue : 0) * std::abs(target))) {
        problem_ = fmt::format("two events set `{}` {}, to {} and {}", what, when(in.t), target, values[i]);
        return false;
      }
      if (!std::isfinite(values[i])) {
        problem_ =
            fmt::format("the event `{}` sets `{}` to a value that is not finite {}", event.name, what, when(in.t));
        return false;
      }
      target = values[i];
      hold[place] = true;
      found.moves = found.moves || !velocity;
    }
  }
  return true;
}

// Brings `after` onto the constraints of `system`, with what was set held. `beside`: the state is displaced, and so may be below 0 of a gap that is 0 in the run.
bool StatedEvents::assemble_with(const Dynamics& system, const Settings& settings, bool beside, State& after) {
  AssembleOptions held;
  held.may_penetrate = beside;
  held.hold_position = settings.hold_position;
  held.hold_velocity = settings.hold_velocity;
  // If the events set no position, positions stay the same to the last digit.
  if (!settings.moves) held.hold_position.assign(index(nq_), true);
  Assembly assembly = assemble(system, after, held);
  // Displaced along the motion by a first-order amount, positions are off the constraints by one of second order.
  if (!assembly.ok() && beside && !settings.moves) {
    held.hold_position.assign(index(nq_), false);
    assembly = assemble(system, after, held);
  }
  if (!assembly.ok()) {
    problem_ = fmt::format("what the event `{}` sets {} contradicts the constraints: {}", events_.events[first_].name,
                           when(after.t), explain_failure(dynamics_, assembly, held).message);
    return false;
  }
  after = std::move(assembly.state);
  return true;
}

// Brings `after` onto the constraints where contacts do not pull: with all of them open, then by what those that would close push. `before`: the state before the events.
bool StatedEvents::let_contacts_part(const Settings& settings, const double* before, State& after) {
  const std::vector<char> none(contacts_->count());
  const Dynamics open = dynamics_.with_contacts(none);
  const State set = after;
  Settings of_positions = settings;
  // Velocities are found at the new positions alone: those of a contact that the search of positions closes need not be 0.
  if (settings.moves) {
    of_positions.hold_velocity.assign(index(nv_), false);
    if (!assemble_with(open, of_positions, false, after)) return false;
    after.v = set.v;
  }
  Settings of_velocities = settings;
  of_velocities.moves = false;
  if (!assemble_with(open, of_velocities, false, after)) return false;
  std::vector<double> y(index(ny_));
  std::ranges::copy(after.q, y.begin());
  std::ranges::copy(after.v, y.begin() + nq_);
  const std::vector<std::size_t> touching =
      settings.moves ? contacts_->touching(after.t, y.data(), before) : contacts_->closed();
  if (!contacts_->push(after.t, y.data(), touching, settings.hold_velocity, rests_)) {
    problem_ = contacts_->problem();
    return false;
  }
  std::copy_n(y.begin() + nq_, nv_, after.v.begin());
  return true;
}

// Applies the settings of these events to (t, y), then brings the state back onto the constraints.
bool StatedEvents::set(const std::vector<std::size_t>& events, double t, const double* y, const double* qdd,
                       const double* lambda, State& after) {
  after = {t, {y, y + nq_}, {y + nq_, y + nq_ + nv_}};
  Settings settings;
  if (!find_settings(events, arguments(t, y, qdd, lambda), after, false, settings)) return false;
  if (m_ == 0) return true;
  return contacts_ != nullptr ? let_contacts_part(settings, y, after)
                              : assemble_with(dynamics_, settings, false, after);
}

// The same at a state beside that of the last jump: the rows of contacts that rest after it hold here as well. False where they rest without an impulse and would part or be struck here.
bool StatedEvents::set_displaced(const std::vector<std::size_t>& events, double t, const double* y, const double* qdd,
                                 const double* lambda, State& after) {
  after = {t, {y, y + nq_}, {y + nq_, y + nq_ + nv_}};
  Settings settings;
  if (!find_settings(events, arguments(t, y, qdd, lambda), after, true, settings)) return false;
  if (m_ == 0) return true;
  if (contacts_ == nullptr) return assemble_with(dynamics_, settings, true, after);
  if (std::ranges::any_of(rests_.unpressed, [](char one) { return one != 0; })) {
    State open = after;
    if (!assemble_with(dynamics_.with_contacts(std::vector<char>(contacts_->count())), settings, true, open))
      return false;
    std::vector<double> there(index(ny_));
    std::ranges::copy(open.q, there.begin());
    std::ranges::copy(open.v, there.begin() + nq_);
    if (contacts_->move(t, there.data(), rests_.unpressed)) {
      problem_ = fmt::format("what the event `{}` sets {} leaves a contact between pressing and parting",
                             events_.events[first_].name, when(t));
      return false;
    }
  }
  return assemble_with(dynamics_.with_contacts(rests_.all), settings, true, after);
}

bool StatedEvents::happen(double t, double* y, const double* qdd, const double* lambda) {
  State after;
  const bool jumps = sets();
  if (jumps && maker_.direction < 0) {
    problem_ = fmt::format("the event `{}` sets a state {}: a run backwards in time cannot know the state before it",
                           events_.events[first_].name, when(t));
    return false;
  }
  if (jumps && !set(passing_, t, y, qdd, lambda, after)) return false;
  for (const std::size_t k : passing_)
    path_.events.push_back(
        {events_.events[k].stops ? RunEventKind::kStop : RunEventKind::kEvent, events_.events[k].name, t});
  // An event that ends the run is listed last.
  std::ranges::stable_sort(path_.events.end() - static_cast<std::ptrdiff_t>(passing_.size()), path_.events.end(), {},
                           &RunEvent::kind);
  if (!jumps) return true;
  if (accumulate(t)) return false;
  jumped_at_ = t;
  std::ranges::copy(after.q, y);
  std::ranges::copy(after.v, y + nq_);
  if (contacts_ != nullptr) contacts_->open_apart(t, y);
  return true;
}

// Whether jumps follow each other ever faster, without end: with a ratio r of the intervals Δt, they come to t + Δt r/(1 − r).
bool StatedEvents::accumulate(double t) {
  const double last = interval_;
  interval_ = t - jumped_at_;
  const bool still = std::abs(rate_) * interval_ <= kStill * branches_.noise(branches_.first_of_events() + first_);
  at_once_ = still || interval_ <= instant(t) ? at_once_ + 1 : 0;
  if (at_once_ > kAtOnce) {
    problem_ = fmt::format("the event `{}` happens again and again {}: what it sets leads back to it at once",
                           events_.events[first_].name, when(t));
    return true;
  }
  if (!(interval_ < last)) {
    shorter_ = 0;
    longest_interval_ = interval_;
    return false;
  }
  if (++shorter_ < kShorter || !(interval_ < kShort * longest_interval_)) return false;
  const double ratio = interval_ / last;
  problem_ = fmt::format(
      "the event `{}` happens ever faster: after {} times at shorter and shorter intervals it comes to t = {} s "
      "without end",
      events_.events[first_].name, shorter_, to_text(t + interval_ * ratio / (1 - ratio), 8));
  return true;
}

bool StatedEvents::set_beside(double t, double* y) { return set_alone(passing_, t, y); }

bool StatedEvents::set_alone(const std::vector<std::size_t>& events, double t, double* y) {
  std::vector<double> qdd(index(nv_)), multipliers(step_.lambda.size());
  State after;
  // What is impossible beside the run is no problem of the run.
  std::string kept = std::exchange(problem_, {});
  // Where a contact rests is known of what all events of the last jump set.
  if (events != passing_ && contacts_ != nullptr && contacts_->any_touches(rests_.all)) {
    beside_ = fmt::format("what the event `{}` sets {} is not known without that of others: a contact is closed",
                          events_.events[first_].name, when(t));
    problem_ = std::move(kept);
    return false;
  }
  const bool done = motion_.find_forces(t, y, qdd.data(), multipliers.data()) &&
                    set_displaced(events, t, y, qdd.data(), multipliers.data(), after);
  beside_ = std::exchange(problem_, std::move(kept));
  if (!done) return false;
  std::ranges::copy(after.q, y);
  std::ranges::copy(after.v, y + nq_);
  return true;
}

bool StatedEvents::holds_at(std::size_t event, double t, const double* y) {
  std::vector<double> qdd(index(nv_)), multipliers(step_.lambda.size());
  return motion_.find_forces(t, y, qdd.data(), multipliers.data()) &&
         events_.holds(event, arguments(t, y, qdd.data(), multipliers.data()));
}

double StatedEvents::value_of(std::size_t event, double t, const double* y) {
  if (reads_forces_ && !motion_.find_forces(t, y, qdd_.data(), multipliers_.data())) return 0;
  events_.watch(arguments(t, y, reads_forces_ ? qdd_.data() : none_.data(), multipliers_.data()), values_.data(),
                rates_.data());
  return values_[event];
}

}  // namespace dalembert::integration
