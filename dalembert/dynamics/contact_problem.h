// SPDX-License-Identifier: Apache-2.0
// What contacts do at a state (theory §8): the complementarity problems of accelerations and of impacts. With the bilateral rows eliminated,
//
//   ḧ = A λ + b >= 0,  λ >= 0,  ḧ·λ = 0          ξ = A Λ + ḣ⁻ + e ḣ⁻ >= 0,  Λ >= 0,  ξ·Λ = 0            A = W M⁻¹ Wᵀ      (1)
//
// for the contacts that are at h = 0; on the left for those that also rest, ḣ = 0. ξ = ḣ⁺ + e ḣ⁻ is Newton's law for all contacts at once
// (Moreau): a contact without impulse may open faster. Only a contact that closes, ḣ⁻ < 0, has e; the others have 0. A is symmetric and
// positive semidefinite, so that v̇ and v⁺ are unique; λ and Λ are not where the rows of W are dependent.
// Velocities that nothing couples to the contacts in question are left out: a ball of a thousand costs as much as one ball.
// Sources: Moreau; Pfeiffer & Glocker, ch. 5 to 8.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dalembert/dynamics/complementarity.h"
#include "dalembert/dynamics/contacts.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {

enum class ContactStatus {
  kOk,
  kNone,      ///< no motion satisfies the inequalities and the bilateral rows
  kSingular,  ///< a motion that the bilateral rows allow has no inertia, or a negative one
  kTooLarge,  ///< the coupled velocities are too many for dense matrices
  kParadox,   ///< with friction: no mode is consistent, or more than one
};

/// Which contacts are closed at a state that satisfies the bilateral rows.
struct ContactDecision {
  ContactStatus status = ContactStatus::kOk;
  std::vector<char> closed;  ///< for each contact
  int violated = -1;         ///< with kNone: the row that cannot be kept
  std::vector<int> closing;  ///< rows at h = 0 with ḣ < 0: an impact happens there
  FrictionAnswer
      answer;  ///< with forces that depend on multipliers: the consistent modes; decided where there is exactly one
};
/// Decides by the accelerations which of the contacts at rest, |h| and ḣ within `tolerance` or round-off, stay closed.
ContactDecision decide_contacts(const Dynamics& dynamics, const State& state, double tolerance = 1e-10);

/// The system with its contacts as decide_contacts() says; as it is where they are not decided, or without contacts.
Dynamics with_contacts_decided(const Dynamics& dynamics, const State& state, double tolerance = 1e-10);
/// "no motion keeps the contact `ground` and the other constraints at t = 1"; of kNone `contact` is the one that is violated. Empty for kOk,
/// and for kParadox, which the modes of the frictions explain.
std::string describe(ContactStatus status, const std::string& contact, const std::string& where);

/// The gap h of each contact at a state, whether it is open or closed.
std::vector<double> gaps_of(const Dynamics& dynamics, const State& state);

/// A contact with a negative gap at a state, beyond `tolerance` and round-off; the one that is farthest below.
struct Penetration {
  int row = -1;  ///< -1: there is none
  double gap = 0;
};
Penetration find_penetration(const Dynamics& dynamics, const State& state, double tolerance);

/// Belongs to one thread.
class ContactProblem {
 public:
  /// `closed`: the system with all contacts closed; it must outlive this object.
  explicit ContactProblem(const Dynamics& closed);

  /// Holds the inputs that `run` holds, and evaluates those that do not depend on time anew: after a change of held inputs or of parameters, of which
  /// the levels of branches are some.
  void follow_inputs(const Workspace& run);

  /// Evaluates gaps and their rates at a point.
  void measure(double t, const double* q, const double* v);
  /// Evaluates the gaps alone; rates and sizes stay those of the last measure().
  void measure_gaps(double t, const double* q);
  /// Evaluates the rates alone, for new velocities at the position of the last measure().
  void measure_rates(const double* q, const double* v);
  // Results of the last measure(), for contact k.
  double gap(std::size_t k) const { return workspace_.h[contacts_.contacts[k].level]; }            ///< h
  double rate(std::size_t k) const { return workspace_.residual[at(contacts_.contacts[k].row)]; }  ///< ḣ
  double gap_size(std::size_t k) const {
    return workspace_.row_sizes[at(contacts_.contacts[k].row)].position;
  }  ///< Σ|terms| of h
  double rate_size(std::size_t k) const {
    return workspace_.row_sizes[at(contacts_.contacts[k].row)].velocity;
  }  ///< Σ|terms| of ḣ
  /// Σ_i |∂h/∂q_i|, by which an error of every coordinate enters the gap.
  double gap_slope(std::size_t k) const;

  /// Of the contacts `candidates` those that are coupled, directly or by others of them, to one of `from`.
  std::vector<std::size_t> coupled(const std::vector<std::size_t>& candidates,
                                   const std::vector<std::size_t>& from) const;

  /// Solves for the accelerations at (t, q, v) with the contacts `at` at rest, h = ḣ = 0.
  ContactStatus accelerate(double t, const double* q, const double* v, const std::vector<std::size_t>& at);
  /// How an impact went, by the place in `at` of strike().
  struct Like {
    std::vector<char> approached, pressed;
  };
  /// Solves for the impact at (t, q), which was measured last, with the contacts `at` at h = 0; e: a coefficient for each of them, of those that approach.
  /// v receives v⁺. `like`: an impact beside this one, of which those contacts that pressed get an impulse, and those that approached have their coefficient, whether
  /// they do here or not: so the answer is as smooth as the terms are.
  ContactStatus strike(double t, const double* q, double* v, const std::vector<std::size_t>& at,
                       const std::vector<double>& e, const Like* like = nullptr);
  /// Adds to v the least change, by the mass metric, after which none of the contacts `at` closes, as far as the velocities that are not `held` allow: the rest
  /// is left. (t, q) was measured last; `rates`: ḣ of each of them. As strike() with e = 0, where nothing moves what is held.
  ContactStatus push(double t, const double* q, double* v, const std::vector<std::size_t>& at,
                     const std::vector<double>& rates, const std::vector<bool>& held);

  // Results of the last accelerate(), strike() or push(), by the place in `at`.
  const std::vector<double>& multiplier() const { return multiplier_; }  ///< λ, or Λ in N·s per unit of h
  const std::vector<double>& left() const { return left_; }              ///< ḧ, or ξ
  const std::vector<double>& multiplier_size() const {
    return multiplier_size_;
  }  ///< size of the terms that give λ or Λ
  const std::vector<double>& left_size() const { return left_size_; }
  /// The rate of ḧ, or of ḣ, with the contact's own multiplier: the entry of A on the diagonal.
  double response(std::size_t i) const { return A_[i * multiplier_.size() + i]; }
  /// After strike(): the impulses of all rows.
  const std::vector<double>& impulses() const { return impulses_; }
  /// After kNone: a contact that cannot be kept.
  std::size_t violated() const { return violated_; }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  bool gather(const std::vector<std::size_t>& contacts);
  ContactStatus solve(const std::vector<std::size_t>& contacts);
  ContactStatus complement(const std::vector<std::size_t>& contacts);
  bool press(const std::vector<char>& pressed);
  void hold(const std::vector<bool>& held);
  void apply_multipliers(double* v);

  const Dynamics& closed_;
  const Contacts& contacts_;
  Workspace workspace_;
  std::vector<char> one_sided_;  // for each row
  // Velocities that M and bilateral rows couple form a component; the columns of a contact's row lie in some of them.
  std::vector<int> component_;
  std::vector<std::vector<int>> velocities_of_, rows_of_;  // by component
  std::vector<std::vector<int>> components_of_;            // by contact
  // The velocities and bilateral rows that the contacts in question are coupled to, and their dense matrices.
  std::vector<int> velocities_, rows_, place_;
  std::unique_ptr<KktSolver> solver_;
  std::vector<double> M_, W_, G_;        // n×n; bilateral rows × n; rows of the contacts × n
  std::vector<double> response_, free_;  // for each contact, M⁻¹ applied to its row, n numbers; without contact forces
  std::vector<double> right_, zero_, unused_;
  std::vector<char> taken_;  // for each group of coupled velocities: whether gather() has collected it
  std::vector<double> A_, b_, scale_, scaled_A_, scaled_b_;
  Complementarity complementarity_;
  std::vector<double> multiplier_, left_, multiplier_size_, left_size_, impulses_;
  std::size_t violated_ = 0;
};

}  // namespace dalembert
