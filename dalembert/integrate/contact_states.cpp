// SPDX-License-Identifier: Apache-2.0
// Contacts along a run (dynamics/contact_problem.h). Each contact stays open or closed until its guard (branches.h) is 0: an open contact until its
// gap closes, a closed one until its force would pull. A step ends at that instant. If a gap closes with ḣ < 0, an impact changes the velocities.
// Then complementarity decides which of the contacts at h = 0 stay closed.
//
// A sequence of impacts whose intervals shrink in the ratio r comes to rest after t_n + Δt_n r/(1 − r). Once the excursions between
// impacts are below the absolute tolerance, the contacts count as closed; the event says when the sequence ends.
#include "dalembert/integrate/contact_states.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/dynamics/project.h"

namespace dalembert::integration {
namespace {

// A force, or an acceleration of a gap, below this fraction of its terms is round-off.
constexpr double kForceNoise = 1e-11;
// The rate of a gap below this many units of round-off of its terms is 0.
constexpr double kRateNoise = 256;
// A gap below this many units of round-off of its terms is 0: a projection cannot make it smaller.
constexpr double kGapNoise = 2;
// At one instant contacts are decided at most this often for each of them.
constexpr int kDecisions = 20;
// The geometric series of the intervals between impacts is summed with at most this ratio; with a larger one its end would be far off and inexact.
constexpr double kLargestRatio = 0.9999;
// Largest number of impacts of coupled contacts at one instant.
constexpr int kImpactsAtOnce = 300;
// A contact is far from rest if its gap would open by more than this many tolerances within the time between its last two impacts.
constexpr double kFarFromRest = 1e6;
// Largest number of successive bounces of a contact below the tolerance; then the run ends with an error (chatter).
constexpr int kMostChatter = 1000;
// Before the first step, whose length sets the scale, rates of forces are finite differences over this fraction of the run.
constexpr double kFirstLookAhead = 1e-6;

}  // namespace

ContactStates::ContactStates(StepMaker& maker, Trajectory& path, Branches& branches, StickSlip* frictions)
    : Observer(maker, path),
      branches_(branches),
      frictions_(frictions),
      contacts_(*dynamics_.contacts()),
      problem_of_(*branches.all_closed()),
      force_size_(contacts_.count(), 0.0),
      history_(contacts_.count()),
      chatter_(contacts_.count(), 0) {
  restitution_ = restitution();
  qdd_.resize(index(nv_));
  multipliers_.resize(step_.lambda.size());
  ahead_.resize(index(ny_));
}

std::vector<double> ContactStates::restitution() const {
  std::vector<double> work(contacts_.work_size()), e(contacts_.count());
  contacts_.restitution(dynamics_.parameters().data(), work.data(), e.data());
  return e;
}

std::string ContactStates::name(std::size_t k) const {
  return name_of(dynamics_.names().rows, contacts_.contacts[k].row, "row");
}

double ContactStates::gap_noise(std::size_t k) const {
  return 1e-3 * options_.atol + 16 * kEps * problem_of_.gap_size(k) + instant(step_.t) * std::abs(problem_of_.rate(k));
}

double ContactStates::rate_noise(std::size_t k) const {
  return 1e-3 * options_.atol + kRateNoise * kEps * problem_of_.rate_size(k);
}

bool ContactStates::find_forces(double t, const double* y) {
  // All closed rows share the forces, also those that follow from others and that steps leave out.
  bool& all = motion_.workspace.basis.all;
  const bool kept = std::exchange(all, true);
  const bool found = motion_.find_forces(t, y, qdd_.data(), multipliers_.data());
  all = kept;
  return found;
}

void ContactStates::watch(double t, const double* y, bool with_rates) {
  const std::size_t first = branches_.first_of_contacts();
  const std::vector<char>& closed = branches_.closed();
  if (with_rates)
    problem_of_.measure(t, y, y + nq_);
  else
    problem_of_.measure_gaps(t, y);
  const bool any = std::ranges::any_of(closed, [](char one) { return one != 0; });
  const bool found = !any || find_forces(t, y);
  // The round-off of a force is that of the largest force solved with it, even if the force is always 0.
  double largest = 0;
  if (any && found)
    for (const double one : multipliers_) largest = std::max(largest, std::abs(one));
  for (std::size_t k = 0; k < closed.size(); ++k) {
    if (closed[k] == 0) {
      branches_.set_guard(first + k, problem_of_.gap(k), 4 * problem_of_.gap_size(k));
      if (with_rates) branches_.set_rate(first + k, problem_of_.rate(k));
      continue;
    }
    const double force = found ? multiplier(k) : std::numeric_limits<double>::quiet_NaN();
    force_size_[k] = std::max(force_size_[k], std::abs(force));
    branches_.set_guard(first + k, force, std::max(force_size_[k], largest));
  }
  if (!any || !found || !with_rates || look_ahead_ == 0) return;
  // Rates of the forces along the motion, by a finite difference.
  find_qdot(dynamics_, t, y, y + nq_, motion_.workspace, ahead_.data());
  std::copy(qdd_.begin(), qdd_.end(), ahead_.begin() + nq_);
  for (std::size_t i = 0; i < index(ny_); ++i) ahead_[i] = y[i] + look_ahead_ * ahead_[i];
  if (find_forces(t + look_ahead_, ahead_.data()))
    for (std::size_t k = 0; k < closed.size(); ++k)
      if (closed[k] != 0) branches_.set_rate(first + k, (multiplier(k) - branches_.value(first + k)) / look_ahead_);
  evaluate_inputs(dynamics_, t, motion_.workspace);
}

void ContactStates::note_end() {
  for (std::size_t k = 0; k < contacts_.count(); ++k)
    if (branches_.closed()[k] == 0)
      path_.verdict.max_penetration =
          std::max(path_.verdict.max_penetration, -branches_.value(branches_.first_of_contacts() + k));
}

bool ContactStates::have_left() const {
  const std::size_t first = branches_.first_of_contacts();
  for (std::size_t k = 0; k < contacts_.count(); ++k)
    if (branches_.closed()[k] != 0 && branches_.below(first + k) < -branches_.noise(first + k)) return true;
  return false;
}

// At the point of the last measure().
bool ContactStates::is_struck(std::size_t k, std::size_t hit) const {
  return (k == hit || branches_.closed()[k] != 0 || problem_of_.gap(k) <= gap_noise(k)) &&
         problem_of_.rate(k) < -rate_noise(k);
}

bool ContactStates::strikes(double t, const double* y, std::size_t hit) {
  problem_of_.measure(t, y, y + nq_);
  for (std::size_t k = 0; k < contacts_.count(); ++k)
    if (is_struck(k, hit)) return true;
  return false;
}

std::vector<std::size_t> ContactStates::striking(std::size_t hit) const {
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < contacts_.count(); ++k)
    if (branches_.closed()[k] == 0 && is_struck(k, hit)) found.push_back(k);
  return found;
}

bool ContactStates::fail_with(ContactStatus status, double t) {
  if (status == ContactStatus::kOk) return true;
  const bool none = status == ContactStatus::kNone;
  problem_ = describe(status, none ? name(problem_of_.violated()) : "", when(t));
  if (none) problem_ += ": they press it below 0";
  return false;
}

bool ContactStates::decide(double t, double* y, std::size_t hit, std::size_t released, const FrictionExit& exit) {
  const bool again = std::abs(t - decided_at_) <= kOneInstant * kEps * std::abs(t);
  decisions_ = again ? decisions_ + 1 : 0;
  decided_at_ = t;
  if (decisions_ > kDecisions * static_cast<int>(contacts_.count() + 1)) {
    problem_ = fmt::format("contacts open and close again and again {}", when(t));
    return false;
  }
  problem_of_.measure(t, y, y + nq_);
  std::vector<std::size_t>&at_gap = at_gap_, &from = from_;
  at_gap.clear();
  from.clear();
  bool impact = false;
  for (std::size_t k = 0; k < contacts_.count(); ++k) {
    const bool closed = branches_.closed()[k] != 0;
    if (!closed && k != hit && !(problem_of_.gap(k) <= gap_noise(k))) continue;
    at_gap.push_back(k);
    const bool closes = problem_of_.rate(k) < -rate_noise(k);
    impact = impact || closes;
    if (!closed || closes || k == released) from.push_back(k);
    if (problem_of_.gap_slope(k) == 0) {
      problem_ =
          fmt::format("the gradient of the contact `{}` vanishes {}: its force has no direction", name(k), when(t));
      return false;
    }
  }
  // If no contact has closed, strikes or is released (a force has jumped), all contacts at h = 0 are decided anew; with friction they always are.
  const std::vector<std::size_t> group =
      from.empty() || solver() != nullptr ? at_gap : problem_of_.coupled(at_gap, from);
  const std::vector<char>& before = closed_before_ = branches_.closed();
  std::vector<char>& closed = closed_after_ = before;
  for (const std::size_t k : group) closed[k] = 0;
  if (impact) {
    if (!strike(t, y, group)) return false;
    if (!come_to_rest(t, y, group)) return false;
  }
  if (!choose_closed(t, y, group, released, exit, closed) || !take(t, y, closed)) return false;
  if (have_left() && !pressing_.empty()) {
    // The rows that are closed depend on each other: λ is not unique, and its least-norm values pull somewhere. Those that complementarity
    // found do not, with the other contacts unloaded.
    for (const std::size_t k : group) closed[k] = 0;
    for (const std::size_t k : pressing_) closed[k] = 1;
    if (!take(t, y, closed)) return false;
  }
  drop_limits(t, y, closed);
  const auto comes_to_rest = [&](std::size_t k) {
    return std::ranges::any_of(rests_, [&](const auto& rest) { return rest.second == k && rest.first >= t; });
  };
  for (std::size_t k = 0; k < closed.size(); ++k)
    if (closed[k] != before[k] && !(closed[k] != 0 && comes_to_rest(k)))
      path_.events.push_back({closed[k] != 0 ? RunEventKind::kContact : RunEventKind::kRelease, name(k), t, {}});
  return true;
}

bool ContactStates::part_where_broken(double t, double* y, double part, const std::string& condition) {
  problem_of_.measure(t, y, y + nq_);
  std::vector<char> closed = branches_.closed();
  for (std::size_t k = 0; k < closed.size(); ++k) {
    const double gap = problem_of_.gap(k), most = options_.atol + part * problem_of_.gap_size(k);
    const double rate = problem_of_.rate(k), fastest = options_.atol + part * problem_of_.rate_size(k);
    const bool jumps = std::abs(gap) > most;
    if (gap < -most || (closed[k] != 0 && !jumps && rate < -fastest)) {
      problem_ = fmt::format(
          "the contact `{}` {} where {} {}: the motion strikes it at once. State each side of the corner as a "
          "one-sided constraint",
          name(k), jumps ? "jumps below 0" : "has a corner", condition, when(t));
      return false;
    }
    if (closed[k] == 0 || !(jumps || rate > fastest)) continue;
    closed[k] = 0;
    path_.events.push_back({RunEventKind::kRelease, name(k), t, {}});
  }
  return closed == branches_.closed() || take(t, y, closed);
}

// Which of the contacts of the group at rest stay closed: those that press, by complementarity. The gaps were measured last.
bool ContactStates::choose_closed(double t, double* y, const std::vector<std::size_t>& group, std::size_t released,
                                  const FrictionExit& exit, std::vector<char>& closed) {
  limits_.clear();
  pressing_.clear();
  std::vector<std::size_t>& resting = resting_;
  resting.clear();
  for (const std::size_t k : group)
    if (problem_of_.rate(k) <= rate_noise(k)) resting.push_back(k);
  if (solver() != nullptr) return choose_with_friction(t, y, resting, released, exit, closed);
  if (resting.empty()) return true;
  const ContactStatus status = problem_of_.accelerate(t, y, y + nq_, resting);
  if (status != ContactStatus::kOk) return fail_with(status, t);
  for (std::size_t i = 0; i < resting.size(); ++i) {
    const std::size_t k = resting[i];
    force_size_[k] = std::max(force_size_[k], problem_of_.multiplier_size()[i]);
    // A force that has just fallen to 0 differs from 0 by the round-off of its earlier size.
    const double noise = kForceNoise * (k == released ? force_size_[k] : problem_of_.multiplier_size()[i]);
    const bool presses = problem_of_.multiplier()[i] > noise;
    const bool lifts = problem_of_.left()[i] > kForceNoise * problem_of_.left_size()[i];
    // A force that has just fallen to 0 would become negative, so its contact opens.
    closed[k] = presses || (!lifts && k != released) ? 1 : 0;
    if (presses) pressing_.push_back(k);
    if (!presses && closed[k] != 0) limits_.push_back(k);
  }
  return true;
}

// Evaluates the frictions with the contacts in the states `closed`; the states of the contacts in `group` are still to be decided. Returns the rows of
// the group.
std::vector<int> ContactStates::evaluate_frictions(double t, const double* y, const std::vector<char>& closed,
                                                   const std::vector<std::size_t>& group) {
  FrictionSystem& f = *solver();
  f.evaluate(*branches_.all_closed(), t, y, y + nq_, motion_.workspace);
  for (std::size_t k = 0; k < contacts_.count(); ++k) f.acts[index(row(k))] = closed[k];
  std::vector<int> rows;
  for (const std::size_t k : group) rows.push_back(row(k));
  return rows;
}

// Chooses which resting contacts stay closed together with the modes of the frictions, which take effect.
bool ContactStates::choose_with_friction(double t, double* y, const std::vector<std::size_t>& resting,
                                         std::size_t released, const FrictionExit& exit, std::vector<char>& closed) {
  FrictionSystem& f = *solver();
  const std::vector<int> rows = evaluate_frictions(t, y, closed, resting);
  const FrictionAnswer answer =
      f.decide_with_contacts(rows, released == kNone ? -1 : row(released),
                             frictions_ != nullptr ? frictions_->find_at_rest(t, exit) : std::vector<char>(), exit);
  if (answer.solutions.size() != 1) {
    problem_ = f.has_negative_inertia() ? describe(ContactStatus::kSingular, "", when(t))
                                        : fmt::format("{}: {}", when(t), describe(answer, dynamics_.names(), m_));
    return false;
  }
  const FrictionSolution& solution = answer.solutions.front();
  for (const std::size_t k : resting) {
    closed[k] = solution.acts[index(row(k))];
    force_size_[k] = std::max(force_size_[k], std::abs(solution.multipliers[index(row(k))]));
    if (closed[k] != 0 && !(solution.multipliers[index(row(k))] > kForceNoise * force_size_[k])) limits_.push_back(k);
  }
  f.let_act(solution.acts);
  if (frictions_ != nullptr) frictions_->adopt(t, solution.mode);
  return true;
}

// Makes the states `closed` take effect and projects y onto the manifold of the closed contacts.
bool ContactStates::take(double t, double* y, const std::vector<char>& closed) {
  branches_.set_contacts(closed);
  motion_.hold_slide(branches_);
  // Where no row acts, every state is on the manifold.
  const bool free = dynamics_.idle_rows() == m_ && dynamics_.layout().v_is_qdot && solver() == nullptr;
  if (!free && !manifold_.project_by_all_rows(t, y)) {
    problem_ = fmt::format("the contacts that close {} contradict the other constraints", when(t));
    return false;
  }
  manifold_.forget_residuals();
  const double ahead = std::exchange(look_ahead_, 0.0);
  watch(t, y, true);
  look_ahead_ = ahead;
  branches_.begin_contacts();
  if (frictions_ != nullptr) frictions_->begin_guards(t, y);
  return true;
}

// Opens contacts whose force is 0 here and falls below 0 at once: where λ = 0 = ḧ, the next derivative decides.
void ContactStates::drop_limits(double t, const double* y, std::vector<char>& closed) {
  if (limits_.empty()) return;
  const std::size_t first = branches_.first_of_contacts();
  if (look_ahead_ == 0) look_ahead_ = kFirstLookAhead * (options_.until - step_.t);
  watch(t, y, true);
  bool changed = false;
  for (const std::size_t k : limits_) {
    const double later = branches_.value(first + k) + look_ahead_ * branches_.rate(first + k);
    if (!(later < -kForceNoise * force_size_[k])) continue;
    closed[k] = 0;
    changed = true;
  }
  if (!changed) return;
  branches_.set_contacts(closed);
  motion_.hold_slide(branches_);
  watch(t, y, true);
  branches_.begin_contacts();
}

double ContactStates::move_to_gap(double t, double* y, const double* slope, std::size_t hit) {
  problem_of_.measure(t, y, y + nq_);
  const double rate = problem_of_.rate(hit);
  if (!(rate < -rate_noise(hit))) return 0;
  // The instant of h = 0 is known up to the round-off of t; a longer way is not moved.
  const double early = problem_of_.gap(hit) / rate;
  if (!(std::abs(early) <= kOneInstant * kEps * std::abs(t))) return 0;
  for (std::size_t i = 0; i < index(ny_); ++i) y[i] -= early * slope[i];
  return early;
}

// Projects the positions of the last measure() onto h = 0 of the contacts in the group, up to round-off. The velocities stay the same.
void ContactStates::bring_to_gap(double t, double* y, const std::vector<std::size_t>& group) {
  if (std::ranges::all_of(group, [this](std::size_t k) {
        return std::abs(problem_of_.gap(k)) <= kGapNoise * kEps * problem_of_.gap_size(k);
      }))
    return;
  const std::vector<char> kept = branches_.closed();
  std::vector<char> closed = kept;
  for (const std::size_t k : group) closed[k] = 1;
  std::vector<double> before(y, y + ny_);
  branches_.set_contacts(closed);
  if (!manifold_.project_by_all_rows(t, y)) std::copy_n(before.begin(), nq_, y);
  std::copy(before.begin() + nq_, before.end(), y + nq_);
  manifold_.forget_residuals();
  branches_.set_contacts(kept);
  problem_of_.measure(t, y, y + nq_);
}

bool ContactStates::closes(const std::vector<std::size_t>& group) const {
  return std::ranges::any_of(group, [this](std::size_t k) { return problem_of_.rate(k) < -rate_noise(k); });
}

// Carries out the impacts of the group. A contact with ḣ > 0 before an impact takes no part in it; if the impact makes this contact close, another
// impact follows at the same instant.
bool ContactStates::strike(double t, double* y, const std::vector<std::size_t>& group) {
  bring_to_gap(t, y, group);
  for (int round = 0; closes(group); ++round) {
    if (round == kImpactsAtOnce) {
      problem_ = fmt::format("impacts follow each other at once, without end, {}", when(t));
      return false;
    }
    std::vector<double>& before = rate_before_;
    before.resize(contacts_.count());
    Struck& now = struck_.emplace_back();
    for (const std::size_t k : group) {
      before[k] = problem_of_.rate(k);
      if (before[k] > rate_noise(k)) continue;
      now.contacts.push_back(k);
      now.restitution.push_back(restitution_[k]);
    }
    if (!strike_once(t, y, now)) return false;
    if (frictions_ != nullptr) frictions_->let_go();
    problem_of_.measure_rates(y, y + nq_);
    record_impact(t, now.contacts, before, impulses_);
  }
  return true;
}

// Carries out one impact at the point of the last measure(), and notes how it went, or goes as is noted.
bool ContactStates::strike_once(double t, double* y, Struck& now) {
  const bool first = now.like.approached.empty();
  for (std::size_t i = 0; first && i < now.contacts.size(); ++i)
    now.like.approached.push_back(problem_of_.rate(now.contacts[i]) < 0 ? 1 : 0);
  if (solver() == nullptr) {
    const ContactStatus status =
        problem_of_.strike(t, y, y + nq_, now.contacts, now.restitution, first ? nullptr : &now.like);
    if (!fail_with(status, t)) return false;
    take_impulses(problem_of_.impulses(), now.contacts);
    for (std::size_t i = 0; first && i < now.contacts.size(); ++i)
      now.like.pressed.push_back(problem_of_.multiplier()[i] > 0 ? 1 : 0);
    return true;
  }
  std::vector<int> rows;
  std::vector<double> rates;
  for (std::size_t i = 0; i < now.contacts.size(); ++i) {
    const double before = problem_of_.rate(now.contacts[i]);
    rows.push_back(row(now.contacts[i]));
    rates.push_back(now.like.approached[i] != 0 ? (1 + now.restitution[i]) * before : before);
  }
  FrictionSystem& f = *solver();
  f.evaluate(*branches_.all_closed(), t, y, y + nq_, motion_.workspace);
  FrictionAnswer answer = f.strike(rows, rates, now.solution ? &*now.solution : nullptr);
  if (answer.solutions.size() != 1) {
    problem_ = fmt::format("at the impact {}: {}", when(t), describe(answer, dynamics_.names(), m_));
    return false;
  }
  for (std::size_t i = 0; i < index(nv_); ++i) y[index(nq_) + i] += answer.solutions.front().qdd[i];
  take_impulses(answer.solutions.front().multipliers, now.contacts);
  if (first) now.solution = std::move(answer.solutions.front());
  return true;
}

// Of contacts that an impact of several rounds strikes again, the impulse is that of the last round in which there was one.
void ContactStates::take_impulses(const std::vector<double>& impulses, const std::vector<std::size_t>& group) {
  impulses_ = impulses;
  last_impulses_.resize(contacts_.count());
  for (const std::size_t k : group)
    if (const double own = impulses_[index(row(k))]; own != 0) last_impulses_[k] = own;
}

void ContactStates::record_impact(double t, const std::vector<std::size_t>& group, const std::vector<double>& before,
                                  const std::vector<double>& impulse) {
  Verdict& verdict = path_.verdict;
  double largest = 0;
  for (const double one : impulse) largest = std::max(largest, std::abs(one));
  bool first = true;
  for (const std::size_t k : group) {
    const double own = impulse[index(contacts_.contacts[k].row)];
    if (!(before[k] < -rate_noise(k)) && !(own > kForceNoise * largest)) continue;
    RunEvent event{RunEventKind::kImpact, name(k), t, RunImpact{{}, before[k], problem_of_.rate(k)}};
    event.impact->impulses.emplace_back(contacts_.contacts[k].row, own);
    // The impulses of the bilateral rows are listed once.
    for (std::size_t r = 0; first && r < impulse.size(); ++r)
      if ((r >= index(m_) || contacts_.of_row[r] < 0) && std::abs(impulse[r]) > kForceNoise * largest)
        event.impact->impulses.emplace_back(static_cast<int>(r), impulse[r]);
    first = false;
    branches_.note_impulse(k, own);
    if (std::ranges::find(noted_, k) == noted_.end()) noted_.push_back(k);
    verdict.impact_loss -= own * (before[k] + problem_of_.rate(k)) / 2;
    ++verdict.impacts;
    note_interval(t, k);
    path_.events.push_back(std::move(event));
  }
}

// Updates the interval between the impacts of contact k, and the time at which a geometric series of such intervals would end.
void ContactStates::note_interval(double t, std::size_t k) {
  History& history = history_[k];
  const double interval = t - history.last, ratio = interval / history.interval;
  if (interval < history.interval && history.interval > 0) {
    const double end = t + interval * ratio / (1 - ratio), change = std::abs(end - history.previous_end);
    if (history.previous_end != 0 && change < history.change) history.end = end, history.change = change;
    history.previous_end = end;
  } else {
    history = {};
  }
  history.last = t;
  history.interval = std::isfinite(interval) ? interval : 0;
}

// Finds the forces of the contacts of the group, and their sizes, as if all of these contacts were at rest here. Friction is included if its state is
// unique, otherwise left out. False where the forces cannot be found.
bool ContactStates::find_press(double t, double* y, const std::vector<std::size_t>& group, std::vector<Press>& found) {
  if (problem_of_.accelerate(t, y, y + nq_, group) != ContactStatus::kOk) return false;
  found.clear();
  for (std::size_t i = 0; i < group.size(); ++i)
    found.push_back({problem_of_.multiplier()[i], problem_of_.multiplier_size()[i],
                     problem_of_.left()[i] > kForceNoise * problem_of_.left_size()[i]});
  if (solver() == nullptr) return true;
  FrictionSystem& f = *solver();
  const FrictionMode mode = f.mode;
  const std::vector<char> acts = f.acts;
  const std::vector<int> rows = evaluate_frictions(t, y, branches_.closed(), group);
  f.find_at_rest(StickSlip::kAtRest * options_.atol, stands_);
  FrictionAnswer answer = f.decide_with_contacts(rows, -1, stands_);
  if (answer.solutions.size() == 1 && find_stopping(answer.solutions.front()))
    answer = f.decide_with_contacts(rows, -1, stands_);
  f.mode = mode;
  f.acts = acts;
  if (answer.solutions.size() != 1) return true;
  const std::vector<double>& multipliers = answer.solutions.front().multipliers;
  double largest = 0;
  for (const double force : multipliers) largest = std::max(largest, std::abs(force));
  for (std::size_t i = 0; i < group.size(); ++i)
    found[i] = {multipliers[index(rows[i])], largest, answer.solutions.front().acts[index(rows[i])] == 0};
  return true;
}

// Marks the frictions that, with the accelerations of this solution, stop after sliding less than the absolute tolerance: they count as at rest. True if
// there are any.
bool ContactStates::find_stopping(const FrictionSolution& solution) {
  FrictionSystem& f = *solver();
  f.mode = solution.mode;
  f.let_act(solution.acts);
  f.measure(solution.qdd.data(), solution.multipliers.data());
  bool any = false;
  for (int j = 0; j < f.count(); ++j) {
    if (stands_[index(j)] != 0 || f.is_plane(j) || f.is_second(j) || f.is_idle(j)) continue;
    const double speed = f.speed(j), rate = f.rate(j);
    if (!(speed * rate < 0) || !(speed * speed <= 2 * std::abs(rate) * options_.atol * f.row_size(j))) continue;
    stands_[index(j)] = 1;
    any = true;
  }
  return any;
}

// A gap that opens by less than this counts as closed.
double ContactStates::least_excursion(std::size_t k) const {
  return options_.atol * problem_of_.gap_slope(k) + 16 * kEps * problem_of_.gap_size(k);
}

// Whether contact k separates so fast that, within the time between its last two impacts, its gap would grow far beyond the tolerance. Should it come
// back much sooner, the test at the next impact uses that shorter time.
bool ContactStates::flies_high(std::size_t k) {
  if (!(problem_of_.rate(k) * history_[k].interval > kFarFromRest * least_excursion(k))) return false;
  chatter_[k] = 0;
  return true;
}

// Brings to rest the contacts of the group that separate after the impact, if their gaps would open by less than the tolerance and each of them presses
// when at rest. False, with problem(), if a contact keeps bouncing below the tolerance without end.
bool ContactStates::come_to_rest(double t, double* y, const std::vector<std::size_t>& group) {
  if (group.size() == 1 && flies_high(group.front())) return true;
  std::vector<double> rate(contacts_.count()), least(contacts_.count());
  std::vector<char> flies(contacts_.count(), 0), closed = branches_.closed();
  for (const std::size_t k : group) {
    rate[k] = problem_of_.rate(k);
    flies[k] = rate[k] > rate_noise(k) ? 1 : 0;
    closed[k] = 1;
    least[k] = least_excursion(k);
  }
  if (std::ranges::count(flies, 1) == 0) return true;
  for (const std::size_t k : group) {
    if (flies[k] == 0) continue;
    chatter_[k] = rate[k] * history_[k].interval < least[k] ? chatter_[k] + 1 : 0;
    if (chatter_[k] < kMostChatter) continue;
    problem_ = fmt::format(
        "the contact `{}` chatters {}: it bounces below the tolerance without end, for at rest it would not press",
        name(k), when(t));
    return false;
  }
  std::vector<Press> found;
  if (!find_press(t, y, group, found)) return true;
  std::vector<std::pair<double, std::size_t>> rests;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const std::size_t k = group[i];
    const bool presses = found[i].force > kForceNoise * found[i].size;
    if (!presses) closed[k] = 0;
    // A contact with zero force and zero acceleration is held at rest by the other contacts.
    if (flies[k] == 0 || !(presses || found[i].lifts)) continue;
    const double fall = found[i].force * problem_of_.response(i);  // −ḧ, if only this contact were open
    if (!presses || !(rate[k] * rate[k] <= 2 * fall * least[k])) return true;
    const History& history = history_[k];
    const double flight = 2 * rate[k] / fall,
                 ratio = std::min(history.interval > 0 ? flight / history.interval : restitution_[k], kLargestRatio);
    double end = t + flight / (1 - ratio);
    if (history.change < std::abs(end - t)) end = std::max(t, history.end);
    rests.emplace_back(end, k);
  }
  if (hold_at_rest(t, y, closed)) {
    rests_.insert(rests_.end(), rests.begin(), rests.end());
    if (!struck_.empty()) struck_.back().held = closed;
  }
  problem_of_.measure(t, y, y + nq_);
  return true;
}

// Projects the state onto h = ḣ = 0 of the contacts in `closed`, which brings them to rest. Frictions that are at rest, or stop within the tolerance
// (find_press), stick during the projection, the others slide. So a block that rocks less and less stands still in the end, and does not slide away
// with the speed of its last turn.
bool ContactStates::hold_at_rest(double t, double* y, const std::vector<char>& closed) {
  const std::vector<char> kept = branches_.closed();
  FrictionMode mode;
  if (FrictionSystem* f = solver()) {
    mode = f->mode;
    f->evaluate(*branches_.all_closed(), t, y, y + nq_, motion_.workspace);
    for (std::size_t j = 0; j < stands_.size(); ++j)
      f->mode[j].direction = stands_[j] != 0 ? 0 : f->speed(static_cast<int>(j)) > 0 ? 1 : -1;
  }
  branches_.set_contacts(closed);
  const bool rest = manifold_.project_by_all_rows(t, y);
  manifold_.forget_residuals();
  branches_.set_contacts(kept);
  if (solver() != nullptr) solver()->mode = mode;
  return rest;
}

bool ContactStates::strike_beside(double t, double* y) {
  // What is impossible beside the run is no problem of the run.
  std::string kept = problem_;
  const bool done = std::ranges::all_of(struck_, [&](Struck& one) {
    problem_of_.measure(t, y, y + nq_);
    return strike_once(t, y, one) && (one.held.empty() || hold_at_rest(t, y, one.held));
  });
  problem_ = std::move(kept);
  return done;
}

bool ContactStates::strike_alone(double t, double* y, const std::vector<std::size_t>& hit, std::vector<Struck>& how) {
  const std::string kept = problem_;
  const auto strike = [&](Struck& now) {
    now.restitution.clear();
    for (const std::size_t k : now.contacts) now.restitution.push_back(restitution_[k]);
    return strike_once(t, y, now) && (now.held.empty() || hold_at_rest(t, y, now.held));
  };
  bool done = true;
  if (!how.empty()) {
    for (Struck& one : how) {
      problem_of_.measure(t, y, y + nq_);
      done = done && strike(one);
    }
    problem_ = kept;
    return done;
  }
  std::vector<std::size_t> group = hit;
  for (std::size_t k = 0; k < contacts_.count(); ++k)
    if (branches_.closed()[k] != 0) group.push_back(k);
  problem_of_.measure(t, y, y + nq_);
  while (done && closes(group) && how.size() < static_cast<std::size_t>(kImpactsAtOnce)) {
    Struck& now = how.emplace_back();
    for (const std::size_t k : group)
      if (!(problem_of_.rate(k) > rate_noise(k))) now.contacts.push_back(k);
    done = strike(now);
    problem_of_.measure(t, y, y + nq_);
  }
  done = done && !closes(group);
  // What the impacts at once have brought to rest, these bring to rest as well.
  const std::vector<char> held = struck_.empty() ? std::vector<char>() : struck_.back().held;
  if (done && !held.empty() && !how.empty()) {
    std::vector<char> rest = branches_.closed();
    for (const std::size_t k : hit) rest[k] = held[k];
    how.back().held = rest;
    done = hold_at_rest(t, y, rest);
  }
  problem_ = kept;
  return done;
}

void ContactStates::use_parameters() {
  restitution_ = restitution();
  for (Struck& one : struck_)
    for (std::size_t i = 0; i < one.contacts.size(); ++i) one.restitution[i] = restitution_[one.contacts[i]];
}

double ContactStates::gap_at(std::size_t k, double t, const double* y) {
  problem_of_.measure_gaps(t, y);
  return problem_of_.gap(k);
}

ContactStates::GapAt ContactStates::gap_and_rate_at(std::size_t k, double t, const double* y) {
  problem_of_.measure(t, y, y + nq_);
  return {problem_of_.gap(k), problem_of_.rate(k), gap_noise(k), rate_noise(k)};
}

void ContactStates::finish() {
  for (const auto& [t, k] : rests_)
    if (maker_.direction * (step_.t - t) >= 0) path_.events.push_back({RunEventKind::kRest, name(k), t, {}});
  const auto time = [this](const RunEvent& event) { return maker_.direction * event.t; };
  if (!std::ranges::is_sorted(path_.events, {}, time)) std::ranges::stable_sort(path_.events, {}, time);
}

}  // namespace dalembert::integration
