// SPDX-License-Identifier: Apache-2.0
// Forces that depend on multipliers, and dry friction among them (theory §8):
//
//   M v̇ − (Wᵀ + Φ) λ + Cᵀ f = F − B − G,   W v̇ = −γ                                                   (1)
//   slides:  f = d μ|N| + c v_s, d = sign v_s        sticks:  C v̇ = −γ_c with |f| ≤ μ_s|N|             (2)
//   v_s = C v + c₀,   N = (∂N/∂λ) λ + N₀
//
// f are multipliers that follow λ. For given states of the frictions, direction d and sign of N of those that slide, (1)
// and (2) are linear, and not symmetric. A state is consistent when what it assumes of the signs comes out. That there is
// none, or more than one, is an answer (Painlevé): decide() finds them.
//
// Solved with Ŵᵀ P = Q R of the rows and those that stick, scaled: in x̂ = Q (y, z) the rows alone give
// y, and (z, λ) follow from n equations by elimination with pivots, again for what is left over where digits may have
// been lost. So v̇ is exactly 0 where everything sticks. O(n³ + n² (m + k)).
// Sources: Leine & Nijmeijer; Génot & Brogliato; Cottle, Pang & Stone, §4.1 (the least index rule).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dalembert/dynamics/dense.h"
#include "dalembert/dynamics/dense_workspace.h"
#include "dalembert/dynamics/equilibrate.h"
#include "dalembert/dynamics/friction_answer.h"
#include "dalembert/dynamics/kernel.h"
#include "dalembert/dynamics/small_lu.h"

namespace dalembert {

class Dynamics;
struct Workspace;

/// A state of one friction that is left and is not to be taken again, unless nothing else is consistent.
struct FrictionExit {
  int friction = -1;  ///< none
  enum What { kStick, kDirection, kLoad } what = kStick;
  FrictionState from;
  int towards = 0;  ///< of kStick: the direction in which it no longer holds
};

/// (1) and (2) at one point. Where frictions that stick and rows together leave
/// forces open (a ladder at rest), those are found that leave each the most of its limit. Belongs to one thread and to the layout that it was made with; allocates nothing after that,
/// but in decide().
class FrictionSolver {
 public:
  /// Signs of forces and rates are told down to this part of their terms.
  static constexpr double kSignNoise = 1e-11;

  explicit FrictionSolver(const Layout& layout);

  FrictionMode mode;       ///< what solve() assumes
  bool held = false;       ///< a run decides about the mode; else each solve_kkt() does, by the state
  FrictionAnswer decided;  ///< of the last decision that solve_kkt() made

  /// Everything of (1) and (2) at a point, W, M, f and γ of the workspace as well.
  void evaluate(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace);
  /// In the mode, with the rows of `basis`; multipliers: λ and f.
  KktStatus solve(const RowBasis& basis, double* qdd, double* multipliers);
  /// Of what the last solve() balanced, in the scaled coordinates.
  double largest_force() const { return largest_force_; }
  /// Of a point that the motion has come to: forces and normal forces have the round-off of the largest ones met so.
  /// Stages and rejected steps come to states far off, whose forces say nothing about it.
  void meet_forces(double largest) { largest_met_ = std::max(largest_met_, largest); }
  /// The change of v, least in the metric of the masses, after which what sticks is at rest; W δv = 0. False: none needed
  /// or possible. Of the last evaluate().
  bool find_stop(const RowBasis& basis, double* change);

  /// N, rates and their sizes for these v̇ and multipliers, after evaluate().
  void measure(const double* qdd, const double* multipliers);

  // After solve(): as many rows as were independent, of how many; and how far from depending on each other.
  int rank() const { return rank_; }
  int active() const { return active_; }
  double independence() const { return independence_; }

  int count() const { return k_; }
  bool sticks() const;            ///< some friction does
  bool slides_with_load() const;  ///< some friction whose N depends on multipliers does
  // Of the last evaluate().
  double speed(int j) const { return speed_[at(j)]; }            ///< v_s
  double speed_size(int j) const { return speed_size_[at(j)]; }  ///< of its terms
  double static_coefficient(int j) const { return mu_s_[at(j)]; }
  // Of the last solve() or measure().
  double normal(int j) const { return normal_[at(j)]; }         ///< N
  double rate(int j) const { return rate_[at(j)]; }             ///< dv_s/dt
  double load_size(int j) const { return load_size_[at(j)]; }   ///< of the terms of N
  bool has_load(int j) const { return has_load_[at(j)] != 0; }  ///< N depends on multipliers

  /// Whether the last solve() bears out what its mode assumes, but for round-off; `at_rest`: frictions whose v_s is 0.
  /// Where a state was left because N or what is left of the limit came to 0, its sign there is nothing but round-off.
  bool is_consistent(const std::vector<char>& at_rest, const double* multipliers, const FrictionExit& exit = {});
  /// Modes that the state may go on with: of those consistent the ones in which the most frictions stick. `at_rest` says
  /// which may; the others slide as they do. Leaves the mode as it was. Up to kMostModes of them all are tried; beyond
  /// that, one is found by changing one friction after the other (the least index rule,
  /// which ends where the friction is not so strong that modes are ambiguous).
  FrictionAnswer decide(const RowBasis& basis, const std::vector<char>& at_rest, const FrictionExit& exit = {});
  /// The same directions with other signs of N: solutions that are consistent, this one among them; incomplete where more
  /// than kMostLoads slide.
  FrictionAnswer find_loads(const RowBasis& basis);
  /// Which frictions have |v_s| no more than this, or round-off.
  void find_at_rest(double speed, std::vector<char>& at_rest) const;

  static constexpr std::int64_t kMostModes = 5'000;
  static constexpr int kMostLoads = 10;

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
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
  bool solve_active(double* force, double* qdd, double* multipliers);
  int find_open();
  void relieve(double* multipliers);
  double margin(const double* multipliers, double share, const double* direction) const;
  bool is_locked(std::size_t j);
  bool same(const FrictionSolution& a, const FrictionSolution& b) const;
  bool follows(const FrictionState& state, const FrictionExit& exit) const;
  bool find_by_pivots(const RowBasis& basis, const std::vector<char>& at_rest, const FrictionExit& exit,
                      FrictionSolution& found);

  const Layout& layout_;
  const int n_, m_, k_;
  // Row-major: n×n, m×n, n×m, k×n, k×m.
  std::vector<double> M_, W_, Phi_, C_, load_;
  std::vector<double> f_, gamma_, speed_, speed_size_, speed_rate_, N0_, mu_, mu_s_, viscous_;
  std::vector<char> has_load_;
  std::vector<double> normal_, load_size_, rate_, rate_noise_;
  std::vector<double> lambda_size_;  // of what λ balances
  double largest_force_ = 0, largest_met_ = 0;

  // Rows at work: of W, then frictions that stick (m + friction).
  std::vector<int> rows_;
  int active_ = 0, rank_ = 0;
  double independence_ = 1, largest_unit_force_ = 0;
  Equilibration scales_;
  std::vector<const double*> at_work_;  // the rows of rows_
  HouseholderQr qr_, range_;
  SmallLu E_;
  std::vector<double> unknown_scale_, unit_force_;  // n; active_×n: what one unit of each multiplier at work does
  std::vector<double> K_, g_, y_, unknown_, row_, temporary_, x_, values_, applied_, all_columns_, free_, open_;
  std::vector<double> change_, multiplier_change_;  // of the step of refinement
};

}  // namespace dalembert
