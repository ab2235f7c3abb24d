// SPDX-License-Identifier: Apache-2.0
// Forces that depend on multipliers, and dry friction among them (theory §8):
//
//   M v̇ − (Wᵀ + Φ) λ + Cᵀ f = F − B − G,   W v̇ = −γ                                                   (1)
//   slides:  f = d μ|N| + c v_s, d = sign v_s        sticks:  C v̇ = −γ_c with |f| ≤ μ_s|N|             (2)
//   v_s = C v + c₀,   N = (∂N/∂λ) λ + N₀
//
// The friction of a contact in space has two rows of C, for two perpendicular directions in its plane: v_s and f are vectors there, d is a unit
// vector, and |f| is a length (`second_` marks the second row). What slides from rest begins along its own acceleration, d ∥ v̇_s: such
// directions are found by friction_directions.cpp.
//
// The forces f are further multipliers, stored after λ. A mode is a state of each friction: it sticks, or it slides
// with a direction d and a sign of N. In a given mode (1) and (2) are linear, but not symmetric. A mode is
// consistent when the signs that it assumes come out. There may be no consistent mode, or several (Painlevé's
// paradox): decide() finds them.
//
// Rows of open contacts do not act (`acts`). A friction whose normal force comes only from such rows does not act either. Contacts that
// may open or close are part of the mode: decide_with_contacts(). An impact is the same problem, with impulses in place of forces and
// speeds after the impact in place of accelerations: strike().
//
// The solve scales the rows of W and of the sticking frictions, and factors Ŵᵀ P = Q R. In x̂ = Q (y, z) these rows
// alone give y. Elimination with pivoting then gives (z, λ) from n equations, with iterative refinement where digits
// may have been lost. So v̇ is exactly 0 where everything sticks. O(n³ + n² (m + k)).
// FrictionSolver does this for frictions that depend on each other; FrictionSystem (friction_system.h) splits a system into such parts.
// Sources: Leine & Nijmeijer; Génot & Brogliato; Cottle, Pang & Stone, §4.1 (the least index rule).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "dalembert/base/hypotenuse.h"
#include "dalembert/dynamics/dense.h"
#include "dalembert/dynamics/dense_workspace.h"
#include "dalembert/dynamics/equilibrate.h"
#include "dalembert/dynamics/kernel.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/roomiest.h"
#include "dalembert/dynamics/small_lu.h"

namespace dalembert {

struct FrictionTerms;

/// The state that one friction has just left. It is not taken again unless no other mode is consistent.
struct FrictionExit {
  int friction = -1;  ///< index of the friction; −1: no friction has left its state
  enum What { kStick, kDirection, kLoad } what = kStick;
  FrictionState from;
  int towards = 0;  ///< for kStick: the direction in which the friction starts to slide
};

/// States of contacts and frictions that may be consistent.
struct ModeCandidate {
  std::uint64_t closed = 0;  ///< of the contacts in question, one bit each
  FrictionMode mode;
  std::vector<int> ordinal;  ///< the place of each friction's state among those that it may have
};

/// Changes of the terms of (1) and (2) with the values of the last solve() held.
struct FrictionChange {
  /// Of M v̇ − f − (Wᵀ + Φ)λ + Cᵀf [n], of W v̇ + γ [m] and of C v̇ + γ_c [k].
  std::vector<double> forces, rows, sticking;
  std::vector<double> normal, speed, mu, viscous;  ///< of N, v_s, μ and c, k each
  FrictionChange() = default;
  FrictionChange(std::size_t n, std::size_t m, std::size_t k)
      : forces(n), rows(m), sticking(k), normal(k), speed(k), mu(k), viscous(k) {}
};

/// Solves (1) and (2) at one point. Sticking frictions and redundant rows may leave forces undetermined (a ladder at
/// rest). Then those forces are returned that keep each friction as far below its limit as possible (friction_relief.cpp). The object belongs
/// to one thread. After construction only decide() allocates, and evaluate() where M is not positive semidefinite.
class FrictionSolver {
 public:
  /// A force or rate below this fraction of its terms is round-off: its sign is not used.
  static constexpr double kSignNoise = 1e-11;

  explicit FrictionSolver(const Layout& layout);

  FrictionMode mode;       ///< the mode that solve() assumes
  std::vector<char> acts;  ///< for each row whether it acts

  /// Takes all terms of (1) and (2) at a point, which the other members mean by the last evaluate().
  void evaluate(const FrictionTerms& terms);
  /// Whether a motion that the rows allow, without those of contacts, has a negative inertia at the point of the last evaluate(). Then solve() is singular
  /// in every mode: elimination alone would not see it, and of several modes none would be the one that the motion takes.
  bool has_negative_inertia() const { return negative_inertia_; }
  /// Solves in the present mode, with the rows of `basis`. `multipliers` receives λ, then f.
  KktStatus solve(const RowBasis& basis, double* qdd, double* multipliers);
  /// The changes of v̇ and of the multipliers by a change of the terms, in the mode of the last solve(), which nothing but measure() may follow. False where
  /// they are not finite. See determines().
  bool differentiate(const FrictionChange& change, double* qdd, double* multipliers);
  /// Whether the rows and frictions of the last solve() determine the motion's derivatives, and those of the multipliers too.
  enum class Determines { kNothing, kMotion, kAll };
  Determines determines() const;
  /// Prepares find_step() at the point of the last evaluate(), for the rows of `basis` and, with `stops`, the sticking frictions. False where coordinates
  /// without inertia are not held by them.
  bool prepare_step(const RowBasis& basis, bool stops);
  /// The smallest change of v in the mass metric by which W v and C v change by −rows [m] and −frictions [k].
  void find_step(const double* rows, const double* frictions, double* change);
  /// The largest force that the last solve() balanced, in the scaled coordinates.
  double largest_force() const { return largest_force_; }
  /// Notes the largest_force() of a point that the motion has reached: the round-off of forces is that of the largest force
  /// met so far.
  void meet_forces(double largest) { largest_met_ = std::max(largest_met_, largest); }
  /// Finds the smallest change of v, in the mass metric and with W δv = 0, that brings the sticking frictions to rest
  /// at the point of the last evaluate(). False where no change is needed or possible.
  bool find_stop(const RowBasis& basis, double* change);

  /// Computes N, the rates of the sliding speeds and the sizes of their terms for given v̇ and multipliers. Must follow
  /// evaluate().
  void measure(const double* qdd, const double* multipliers);

  // After solve(): number of independent rows, number of rows at work, and how far these are from being dependent (1:
  // orthogonal).
  int rank() const { return rank_; }
  int active() const { return active_; }
  double independence() const { return independence_; }

  int count() const { return k_; }
  /// Whether friction j is the second direction of the friction before it, in a plane.
  bool is_second(int j) const { return second_[at(j)] != 0; }
  /// The size of a quantity of friction j: its own where it has one direction, the length of both components in a plane.
  double size_of(const double* values, int j) const { return size_of(values, at(j)); }
  double sliding_speed(int j) const { return size_of(speed_.data(), at(j)); }
  double sliding_rate(int j) const { return size_of(rate_.data(), at(j)); }
  /// Sum of the magnitudes of the terms of the sliding speed.
  double size_of_speeds(int j) const { return size_of(speed_size_.data(), at(j)); }
  bool is_plane(int j) const { return is_plane(at(j)); }
  /// Σ|∂v_s/∂v_i| of friction j, summed over both directions in a plane: an error ε of each velocity changes v_s by at most ε times this.
  double row_size(int j) const;
  /// Whether friction j has no row that could press: it exerts no force, and its mode means nothing.
  bool is_idle(int j) const { return idle_[at(j)] != 0; }
  /// Sets `acts`, and with it which frictions are idle, after evaluate().
  void let_act(const std::vector<char>& rows) {
    acts = rows;
    find_idle();
  }
  bool sticks() const;            ///< whether a friction sticks
  bool slides_with_load() const;  ///< whether a friction slides whose N depends on multipliers
  // Results of the last evaluate().
  double speed(int j) const { return speed_[at(j)]; }     ///< sliding speed v_s
  double coefficient(int j) const { return mu_[at(j)]; }  ///< of a friction that slides, at this sliding speed
  double static_coefficient(int j) const { return mu_s_[at(j)]; }
  // Results of the last solve() or measure().
  double normal(int j) const { return normal_[at(j)]; }         ///< normal force N
  double rate(int j) const { return rate_[at(j)]; }             ///< rate of the sliding speed, dv_s/dt
  double load_size(int j) const { return load_size_[at(j)]; }   ///< sum of the magnitudes of the terms of N
  bool has_load(int j) const { return has_load_[at(j)] != 0; }  ///< whether N depends on multipliers

  /// Whether the last solve() confirms the assumptions of its mode, up to round-off. `at_rest` marks the frictions
  /// whose v_s is 0. If a friction has just left a state because N, or its reserve below the limit, reached 0, the sign
  /// of that quantity is round-off and is not tested.
  bool is_consistent(const std::vector<char>& at_rest, const double* multipliers, const FrictionExit& exit = {});
  /// Finds the modes in which the motion may continue: of the consistent modes, those in which the most frictions
  /// stick. Only frictions that `at_rest` marks may stick; the others keep sliding. The present mode is not changed. Up
  /// to kMostModes modes are all tried, and more where it is certain of most that they are not consistent. Beyond that, the search changes
  /// one friction at a time until it finds one consistent mode (the least index rule, which ends unless friction is so strong that modes
  /// are ambiguous). `candidates`: only these modes are tried.
  /// With `contacts`, rows of contacts, only modes count in which none of these pulls where it is closed, or sinks where it is open.
  FrictionAnswer decide(const RowBasis& basis, const std::vector<char>& at_rest, const FrictionExit& exit = {},
                        const std::vector<int>* contacts = nullptr,
                        const std::vector<FrictionMode>* candidates = nullptr);
  /// Finds these modes together with the states of the contacts of the rows `rest`, which are at rest at h = 0 and may stay closed or open; contacts
  /// of other rows keep the state in `acts`. Closed contacts press, open ones do not sink. `released`: a row whose λ has just fallen to 0, -1: none;
  /// its contact stays closed only if nothing else is consistent. Of solutions with the same accelerations the one with the most closed contacts is
  /// given. Must follow evaluate() of the system with all contacts closed.
  FrictionAnswer decide_with_contacts(const std::vector<int>& rest, int released, const std::vector<char>& at_rest,
                                      const FrictionExit& exit = {});
  /// Solves for the impact at which the contacts of the rows `hit` are at h = 0, with ḣ⁻ (1 + e) of each in `rates`. The solutions have the
  /// changes of the velocities in `qdd`, and impulses in `multipliers`. Must follow evaluate() of the system with all contacts closed. `like`: the solution of
  /// an impact beside this one, whose mode is taken whether it is consistent here or not: so the answer is as smooth as the terms are.
  FrictionAnswer strike(const std::vector<int>& hit, const std::vector<double>& rates,
                        const FrictionSolution* like = nullptr);
  /// Tries all signs of N with the directions of the present mode. Returns the consistent solutions, the present one
  /// included. The answer is incomplete where more than kMostLoads frictions slide whose N depends on multipliers.
  FrictionAnswer find_loads(const RowBasis& basis);
  /// Marks the frictions whose |v_s| is at most `speed`, or round-off.
  void find_at_rest(double speed, std::vector<char>& at_rest);
  /// Up to this speed friction j, in a plane, slides along the direction in its mode, not along its speed; find_at_rest() sets it to `speed`.
  void keep_along(int j, double speed) { rest_[at(j)] = speed, begin_[at(j)] = 0; }
  /// Lets friction j, which begins to slide in a plane along the direction in its mode, pass over to the direction of its speed, smoothly about this speed.
  void begin_along(int j, double speed) { begin_[at(j)] = speed; }
  // These speeds.
  double kept_along(int j) const { return rest_[at(j)]; }
  double begun_along(int j) const { return begin_[at(j)]; }
  /// Takes both kinds of speeds from another solver of the same system.
  void keep_as(const FrictionSolver& other) { rest_ = other.rest_, begin_ = other.begin_; }
  /// Whether friction j, in a plane, slides so slowly that it keeps the direction in its mode.
  bool keeps_along(int j) const { return sliding_speed(j) <= rest_[at(j)] && !(begin_[at(j)] > 0); }

  /// Beyond this many modes those that cannot be consistent are left out first (friction_candidates.cpp).
  double few_modes = 64;
  static constexpr std::int64_t kMostModes = 5'000;
  static constexpr int kMostLoads = 10;
  static constexpr std::size_t kMostContacts = 8;

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  bool is_mass_semidefinite();
  bool find_negative_inertia() const;
  void choose_rows(const RowBasis& basis);
  void find_scales();
  void factor_rows();
  double solve_rows(const double* rates);
  void find_unit_force(int row, double* force) const;
  void assemble_unknowns();
  bool factor_unknowns();
  int refinements() const;
  void solve_unknowns();
  void find_forces(double* multipliers);
  void apply_factors(const double* force, double* qdd, double* multipliers);
  bool solve_refined(double* force, double* qdd, double* multipliers);
  void solve_step(double* change);
  int find_open();
  using Open = std::vector<std::vector<double>>;  // directions, of m + k numbers each
  std::vector<Open> list_open();
  void relieve(double* multipliers);
  void maximise_margin(const std::vector<double>& direction, double* multipliers) const;
  bool holds(const std::vector<double>& direction, const double* multipliers) const;
  bool moves(std::size_t j, const std::vector<double>& direction) const;
  bool never_pulls(std::size_t j, std::vector<char>& limited) const;
  void find_roomiest(const Open& open, double* multipliers);
  /// Whether row r is that of a closed contact, and whether it pulls by more than round-off.
  bool is_closed(std::size_t r) const { return one_sided_[r] != 0 && acts[r] != 0; }
  bool pulls(std::size_t r, const double* multipliers) const {
    return is_closed(r) && !(multipliers[r] >= -kSignNoise * lambda_size_[r]);
  }
  double normal_by(std::size_t j, const double* multipliers) const;
  double normal_along(std::size_t j, const double* direction) const;
  double margin(const double* multipliers, double share, const double* direction) const;
  bool solve_like(const FrictionSolution& like, const std::vector<char>& at_rest, FrictionSolution& found);
  bool is_locked(std::size_t j);
  std::vector<std::vector<FrictionState>> states_of(const std::vector<char>& at_rest) const;
  template <typename Visit>
  void solve_directions(const RowBasis& basis, const std::vector<char>& at_rest, bool at_limit, FrictionSolution& tried,
                        const Visit& visit);
  bool is_plane(std::size_t j) const { return j + 1 < at(k_) && second_[j + 1] != 0; }
  double size_of(const double* values, std::size_t j) const {
    return is_plane(j) ? hypotenuse(values[j], values[j + 1]) : std::abs(values[j]);
  }
  // Column 0: values without forces of these frictions; column c: change by a force of 1.
  struct Response {
    std::vector<double> of_rates, of_normals;
    double* rates(std::size_t column, std::size_t count) { return of_rates.data() + column * 2 * count; }
    double* normals(std::size_t column, std::size_t count) { return of_normals.data() + column * count; }
  };
  // The frictions in a plane that slide from rest: `turning`, their first directions (friction_directions.cpp).
  std::vector<std::size_t> find_turning(const std::vector<char>& at_rest) const;
  void set_along(std::size_t j, double x, double y);
  void set_angle(std::size_t j, double angle);
  void align_with_speeds(const std::vector<char>& at_rest);
  struct Heading {
    double x, y, size;          // of the sum whose direction it is, and its length
    double forwards, kept, by;  // its parts: forwards · v_s + kept · along; `by`: the rate of `kept` with the speed
  };
  bool follows_speed(std::size_t j, double speed) const {
    return !from_rest_ && idle_[j] == 0 && (speed > rest_[j] || begin_[j] > 0);
  }
  Heading heading(std::size_t j, double speed) const;
  void turn_by(std::size_t j, double x, double y, double* turn) const;
  void find_units();
  double turn(std::size_t j) const;
  double rate_along(std::size_t j) const;
  double turn_noise(std::size_t j) const { return hypotenuse(rate_noise_[j], rate_noise_[j + 1]); }
  bool is_aligned(std::size_t j) const;
  double turn_at(const RowBasis& basis, std::size_t j, double angle, FrictionSolution& tried);
  std::vector<double> list_directions(const RowBasis& basis, std::size_t j, FrictionSolution& tried);
  bool refine_directions(const RowBasis& basis, const std::vector<std::size_t>& turning, FrictionSolution& tried);
  bool find_response(const RowBasis& basis, const std::vector<std::size_t>& turning, Response& response,
                     FrictionSolution& tried);
  bool find_directions(const RowBasis& basis, const std::vector<std::size_t>& turning, FrictionSolution& tried);
  bool find_directions_at_limit(const RowBasis& basis, const std::vector<std::size_t>& turning,
                                FrictionSolution& tried);
  void find_idle();
  bool sticks(std::size_t j) const { return mode[j].direction == 0 && idle_[j] == 0; }
  bool presses(const FrictionSolution& solution) const;
  /// Whether friction j may exert a force: its N depends on no multiplier, N₀ is not 0, or one of its rows acts, by row_acts(r).
  template <typename Acts>
  bool is_pressed(std::size_t j, const Acts& row_acts) const {
    if (N0_[j] != 0 || has_load_[j] == 0) return true;
    for (std::size_t r = 0; r < at(m_); ++r)
      if (load_[j * at(m_) + r] != 0 && row_acts(r)) return true;
    return false;
  }
  double count_modes(const std::vector<int>& rest, const std::vector<char>& at_rest) const;
  class ModeSearch;
  bool find_candidates(const std::vector<int>& rest, const std::vector<char>& at_rest,
                       std::vector<ModeCandidate>& found) const;
  int first_wrong(const std::vector<int>& rest, const FrictionSolution& solution);
  double size_of_terms(std::size_t i, const double* qdd) const;
  bool has_open_loads(const FrictionSolution& solution);
  bool balances(const FrictionSolution& solution) const;
  bool same_motion(const FrictionSolution& a, const FrictionSolution& b, double noise) const;
  bool same(const FrictionSolution& a, const FrictionSolution& b) const;
  bool follows(const FrictionState& state, const FrictionExit& exit) const;
  bool stays_stuck(std::size_t j, const FrictionSolution& solution) const;
  bool rests_idle(const FrictionExit& exit) const;
  void note_mode(const FrictionExit& exit, FrictionSolution& solution) const;
  bool find_by_pivots(const RowBasis& basis, const std::vector<char>& at_rest, const FrictionExit& exit,
                      FrictionSolution& found);

  const int n_, m_, k_;
  // Row-major matrices, of shapes n×n, m×n, n×m, k×n, k×m.
  std::vector<double> M_, W_, Phi_, C_, load_;
  std::vector<double> f_, gamma_, speed_, speed_size_, speed_rate_, N0_, mu_, mu_s_, viscous_;
  SkylineLdlt mass_;                                        // of is_mass_semidefinite()
  bool is_semidefinite_ = true, negative_inertia_ = false;  // of M_; has_negative_inertia()
  std::vector<char> has_load_, idle_;
  std::vector<int> planes_;   // the first directions of frictions in a plane
  std::vector<char> second_;  // for each friction whether it is the second direction of the one before it
  // The direction d of each sliding friction in the last solve(): ±1, or a component of a unit vector.
  std::vector<double> unit_;
  std::vector<double> given_;  // friction forces that are added to those of the mode
  bool from_rest_ = false;     // whether frictions in a plane slide along their `along`, whatever their speed is
  // For a friction in a plane that has just begun to slide: the speed around which its direction changes from the first one to that of v_s; 0: the
  // direction is that of v_s.
  std::vector<double> begin_;
  std::vector<double> rest_;  // up to this speed a friction in a plane slides along its `along`
  bool has_Phi_ = false;
  std::vector<char> one_sided_;  // for each row whether it is a contact
  std::vector<double> normal_, load_size_, rate_, rate_noise_;
  std::vector<double> lambda_size_;  // for each row: size of the forces that its λ balances
  double largest_force_ = 0, largest_met_ = 0;

  // Indices of the rows at work: rows of W, then m + j for each sticking friction j.
  std::vector<int> rows_;
  int active_ = 0, rank_ = 0;
  double independence_ = 1, largest_unit_force_ = 0;
  Equilibration scales_;
  std::vector<const double*> at_work_;  // the entries of each row in rows_
  HouseholderQr qr_, range_;
  SmallLu E_;
  Roomiest roomiest_;
  // Scales of the n columns of E_; for each row at work, n numbers: minus the force of one unit of its multiplier.
  std::vector<double> unknown_scale_, unit_force_;
  std::vector<double> K_, g_, y_, unknown_, row_, temporary_, x_, values_, applied_, all_columns_, free_, open_;
  std::vector<double> change_, multiplier_change_;  // corrections of one step of refinement
  std::vector<double> own_change_;                  // of differentiate()
};

}  // namespace dalembert
