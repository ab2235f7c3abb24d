// SPDX-License-Identifier: Apache-2.0
// Private to integrate: contacts that open, close and strike along a run. contact_states.cpp explains how.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/dynamics/contact_problem.h"
#include "dalembert/integrate/branches.h"
#include "dalembert/integrate/observer.h"
#include "dalembert/integrate/stick_slip.h"

namespace dalembert::integration {

class ContactStates final : public Observer {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// For systems with contacts only. `branches`, which holds their guards and states, and `frictions`, null without friction, must outlive
  /// this object.
  ContactStates(StepMaker& maker, Trajectory& path, Branches& branches, StickSlip* frictions);

  /// An impact of contacts.
  struct Struck {
    std::vector<std::size_t> contacts;
    std::vector<double> restitution;  // of each of these contacts
    // How it went: a displaced impact goes the same way. `solution`: with friction.
    ContactProblem::Like like = {};
    std::optional<FrictionSolution> solution = {};
    std::vector<char> held = {};  // the contacts that were held at rest after it; empty: none was
  };

  /// Of each contact, whether it touches and ḣ = 0 after what an event has set; and whether it does so without an impulse.
  struct Rests {
    std::vector<char> all, unpressed;
  };

  void note_end() override;
  /// Evaluates the guards of the contacts at a point, into `branches`. The rate of λ is a finite difference over the `seconds`
  /// of look_ahead().
  void watch(double t, const double* y, bool with_rates);
  void look_ahead(double seconds) { look_ahead_ = seconds; }
  /// Whether a closed contact pulls at the point of the last watch().
  bool have_left() const;
  /// Whether a contact at h = 0 has ḣ < 0 at a point, so that the velocities jump. `hit`: a contact that has reached h = 0 there.
  bool strikes(double t, const double* y, std::size_t hit);
  /// The open contacts that do so: at the point of the last strikes().
  std::vector<std::size_t> striking(std::size_t hit) const;
  /// Contact `hit` has reached h = 0 at t, up to the round-off of t. Moves the state back along its motion exactly to h = 0, so that the energy is kept, and returns the time by which.
  double move_to_gap(double t, double* y, const double* slope, std::size_t hit);
  /// Decides the states of the contacts from a point on the manifold on: first an impact, if there is one, then which contacts stay closed.
  /// `hit` has just reached h = 0, `released` λ = 0; `exit`: a friction that has left its state. The states of the frictions are decided with
  /// those of the contacts. Changes the velocities of y at an impact. False, with problem(), where nothing is consistent, or more than one mode.
  bool decide(double t, double* y, std::size_t hit = kNone, std::size_t released = kNone,
              const FrictionExit& exit = {});
  /// At a point at which a condition has just changed: opens the closed contacts whose gap or its rate has jumped above 0 by more than `part` of its
  /// terms. False, with problem(), where one has jumped below 0. `condition`: what has changed.
  bool part_where_broken(double t, double* y, double part, const std::string& condition);
  std::size_t count() const { return contacts_.count(); }
  std::vector<std::size_t> closed() const;
  /// Whether one of them is closed, or is among these.
  bool any_touches(const std::vector<char>& others) const {
    const auto is_one = [](char one) { return one != 0; };
    return std::ranges::any_of(branches_.closed(), is_one) || std::ranges::any_of(others, is_one);
  }
  bool touches(std::size_t k, double t, const double* y);  ///< whether the gap is 0 where a state was set
  /// The contacts that touch at (t, y), where an event has set a position: of those that were closed, and of others that have come to 0 from `before`.
  std::vector<std::size_t> touching(double t, const double* y, const double* before);
  /// At (t, y), where an event has set velocities, of which some are `held`: of the contacts `touching` none closes any more, by the least change of the others, if there is one
  /// without impulses that pull. False, with problem(), where that cannot be solved.
  bool push(double t, double* y, const std::vector<std::size_t>& touching, const std::vector<bool>& held, Rests& rests);
  /// Whether the gap of one of these contacts opens or closes at (t, y), by more than what a displacement does in second order.
  bool move(double t, const double* y, const std::vector<char>& contacts);
  /// Opens the closed contacts whose gap an event has set above 0.
  void open_apart(double t, const double* y);
  /// Whether row r is that of a contact.
  bool is_row(int r) const {
    return std::ranges::any_of(contacts_.contacts, [r](const Contacts::Contact& one) { return one.row == r; });
  }
  /// Forgets the impacts of the last instant. Several decisions may be made at one.
  void begin_instant() {
    struck_.clear();
    noted_.clear();
  }
  /// Whether a decision since begin_instant() had an impact.
  bool struck() const { return !struck_.empty(); }
  /// The contacts that took part in it, and the impulses of all contacts in the last impact, also in one beside the run.
  const std::vector<std::size_t>& noted() const { return noted_; }
  const std::vector<double>& last_impulses() const { return last_impulses_; }
  /// Applies these impacts to a neighbouring state y = (q, v).
  bool strike_beside(double t, double* y);
  /// Applies to y the impacts that follow where these contacts, at h = 0, and those that are closed are struck, and notes in `how` how they went; or applies those of `how` in
  /// the same way. False where none is consistent.
  bool strike_alone(double t, double* y, const std::vector<std::size_t>& hit, std::vector<Struck>& how);
  /// After a change of held inputs, or of parameters that inputs may read.
  void follow_inputs() { problem_of_.follow_inputs(motion_.workspace); }
  /// Recomputes the coefficients of restitution from the present parameters, also those that strike_beside() uses.
  void use_parameters();
  double gap_at(std::size_t k, double t, const double* y);  ///< the gap of contact k at a point
  struct GapAt {
    double gap = 0, rate = 0, noise = 0, rate_noise = 0;
  };
  GapAt gap_and_rate_at(std::size_t k, double t, const double* y);
  const std::string& problem() const { return problem_; }
  /// The sizes of forces, which watch() enlarges; to be brought back after a look at other points.
  const std::vector<double>& force_sizes() const { return force_size_; }
  void recall(const std::vector<double>& force_sizes) { force_size_ = force_sizes; }

  /// Adds to the events the contacts that come to rest before the end of the run.
  void finish();

 private:
  struct Press {
    double force = 0, size = 0;  // λ, and the size of its terms
    bool lifts = false;          // the contact would open
  };
  struct History {
    double last = std::numeric_limits<double>::quiet_NaN();  // time of the last impact, s
    double interval = 0;                                     // between the last two impacts, s
    // The most reliable of the extrapolated times at which the series of impacts ends, s; the difference from the one extrapolated an impact before.
    double end = 0, change = std::numeric_limits<double>::infinity();
    double previous_end = 0;
  };

  std::vector<double> restitution() const;
  bool is_struck(std::size_t k, std::size_t hit) const;
  double gap_noise(std::size_t k) const;
  double touch_noise(std::size_t k) const;
  double rate_noise(std::size_t k) const;
  std::string name(std::size_t k) const;
  bool fail_with(ContactStatus status, double t);
  bool strike(double t, double* y, const std::vector<std::size_t>& group);
  bool closes(const std::vector<std::size_t>& group) const;
  bool strike_once(double t, double* y, Struck& now);
  void take_impulses(const std::vector<double>& impulses, const std::vector<std::size_t>& group);
  void record_impact(double t, const std::vector<std::size_t>& group, const std::vector<double>& before,
                     const std::vector<double>& impulse);
  std::vector<int> evaluate_frictions(double t, const double* y, const std::vector<char>& closed,
                                      const std::vector<std::size_t>& group);
  bool find_press(double t, double* y, const std::vector<std::size_t>& group, std::vector<Press>& found);
  bool come_to_rest(double t, double* y, const std::vector<std::size_t>& group);
  double least_excursion(std::size_t k) const;
  bool flies_high(std::size_t k);
  bool find_stopping(const FrictionSolution& solution);
  bool hold_at_rest(double t, double* y, const std::vector<char>& closed);
  void note_interval(double t, std::size_t k);
  void bring_to_gap(double t, double* y, const std::vector<std::size_t>& group);
  bool choose_closed(double t, double* y, const std::vector<std::size_t>& group, std::size_t released,
                     const FrictionExit& exit, std::vector<char>& closed);
  bool choose_with_friction(double t, double* y, const std::vector<std::size_t>& resting, std::size_t released,
                            const FrictionExit& exit, std::vector<char>& closed);
  int row(std::size_t k) const { return contacts_.contacts[k].row; }
  FrictionSystem* solver() const { return motion_.workspace.friction.get(); }
  void drop_limits(double t, const double* y, std::vector<char>& closed);
  bool take(double t, double* y, const std::vector<char>& closed);
  bool find_forces(double t, const double* y);
  double multiplier(std::size_t k) const { return multipliers_[index(contacts_.contacts[k].row)]; }

  Branches& branches_;
  StickSlip* const frictions_;
  const Contacts& contacts_;
  ContactProblem problem_of_;
  std::vector<double> restitution_;
  std::vector<double> force_size_;  // size of the terms of λ, for its round-off
  std::vector<History> history_;    // by contact
  std::vector<int> chatter_;        // for each contact: number of successive bounces below the tolerance
  std::vector<std::pair<double, std::size_t>>
      rests_;                                   // times at which contacts come to rest, not yet listed in the events
  std::vector<Struck> struck_;                  // the impacts of the last instant, one after the other
  std::vector<std::size_t> noted_;              // the contacts among them whose impulse is kept
  std::vector<double> last_impulses_;           // by contact
  std::vector<std::size_t> pressing_, limits_;  // at the last decision: contacts with λ > 0; contacts with λ = 0 = ḧ
  std::vector<double> qdd_, multipliers_, ahead_, impulses_;
  // Memory of decide().
  std::vector<std::size_t> at_gap_, from_, resting_;
  std::vector<char> closed_before_, closed_after_;
  std::vector<double> rate_before_;
  std::vector<char> stands_;  // for each friction whether it is at rest, or stops within the tolerance
  double look_ahead_ = 0;
  double decided_at_ = std::numeric_limits<double>::quiet_NaN();
  int decisions_ = 0;  // number of decisions at that instant
  std::string problem_;
};

}  // namespace dalembert::integration
