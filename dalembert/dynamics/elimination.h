// SPDX-License-Identifier: Apache-2.0
// Numerical elimination of the multipliers (theory §4): nv − rank W velocities w
// determine all velocities v of a system.
//
//   ⎡ W_R ⎤     ⎡ −a_R   ⎤               ⎡ W_R ⎤⁻¹ ⎡ 0 ⎤
//   ⎢     ⎥ v = ⎢        ⎥    so  v = S w + s₀,  S = ⎢     ⎥   ⎢   ⎥ ,   SᵀM S ẇ = Sᵀ(F − B − G − M(Ṡ w + ṡ₀))
//   ⎣  Y  ⎦     ⎣ w − y₀ ⎦               ⎣  Y  ⎦   ⎣ I ⎦
//
// R are independent rows of W. There are two choices of Y. Either a second system states it: the rows of that system
// are w = Y v + y₀. Or Y picks velocities: those that complete pivoting leaves for the last, with each velocity in the
// unit that M gives it. Then w is a part of v, and a new pick at any state changes no quantity of the motion. Ṡ w + ṡ₀
// is [W_R; Y]⁻¹ [−γ_R; −γ_Y], so no derivative of S is needed. A stated velocity is left out if prescribed coordinates
// determine it. Each solve costs O(n³).
// Source: Golub & Van Loan, 4th ed., §3.4.8 (complete pivoting).
#pragma once

#include <optional>
#include <vector>

#include "dalembert/dynamics/small_lu.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {

/// Belongs to one thread, like its workspace. Only the constructor and choose() allocate.
class VelocityElimination {
 public:
  /// Both systems must outlive this object. `stated` has the same coordinates and velocities, and its rows
  /// are w; null: w is picked from v.
  VelocityElimination(const Dynamics& dynamics, const Dynamics* stated);

  /// Chooses the rows R and the velocities w anew at a state; needed before any other call. False where W or M is not
  /// finite, or where the stated velocities do not complete the rows of W.
  bool choose(double t, const double* q, const double* v);
  /// Whether the velocities w are stated, not picked.
  bool is_stated() const { return stated_ != nullptr; }
  /// Indices in v of the picked velocities; empty when velocities are stated.
  const std::vector<int>& picked() const { return picked_; }

  int size() const { return static_cast<int>(reduced_); }  ///< number of entries of w: nv − rank W
  /// Computes w from consistent velocities v. False where a value is not finite.
  bool reduce(double t, const double* q, const double* v, double* w);
  /// Computes v = S w + s₀. False where [W_R; Y] is singular.
  bool expand(double t, const double* q, const double* w, double* v);
  /// Computes v, v̇ and ẇ from w, and λ unless `lambda` is null; λ is 0 for rows outside R. False where [W_R; Y] or SᵀM
  /// S is singular, or a value is not finite.
  bool solve(double t, const double* q, const double* w, double* v, double* vdot, double* wdot, double* lambda);
  /// Computes ẇ from v and v̇, for systems with forces that depend on multipliers, whose v̇ FrictionSystem finds. Must
  /// follow expand().
  bool reduce_rates(double t, const double* q, const double* v, const double* vdot, double* wdot);
  /// The largest entry of S (v = S w + s₀) at the last state, with the velocities in the units of choose(): about 1 or
  /// less after a good choice, infinite where [W_R; Y] was singular.
  double growth() const { return growth_; }
  /// How far [W_R; Y] is from singular at the last state, relative to the state of choose(). Where W has redundant
  /// rows, the rows R may become dependent although another choice of R would not; growth() does not show this.
  double grip() const { return K_.least_pivot() / grip_chosen_; }
  /// The sign of det [W_R; Y] at the last state. If it changes between two states, S was infinite somewhere in between.
  int orientation() const { return K_.sign(); }
  /// What the last state has left: growth(), grip(), orientation() and the S of displace(). set_last_state() restores it.
  struct LastState {
    SmallLu K;
    std::vector<double> S;
    double growth = 0;
  };
  LastState last_state() const { return {K_, S_, growth_}; }
  void set_last_state(const LastState& state) {
    K_ = state.K;
    S_ = state.S;
    growth_ = state.growth;
  }
  /// δv = S δw with the S of the last solve() or reduce_rates().
  void displace(const double* dw, double* dv) const;

 private:
  bool evaluate_rows(double t, const double* q);
  void find_S();
  double entry_of_S(std::size_t i, std::size_t k) const { return S_[i * reduced_ + k]; }

  const Dynamics& dynamics_;
  const Dynamics* stated_;
  Workspace workspace_;
  std::optional<Workspace> stated_workspace_;
  std::size_t n_, m_, rank_ = 0, reduced_ = 0;
  bool just_chosen_ = false;
  double growth_ = 0, grip_chosen_ = 1;
  std::vector<int> rows_, picked_, taken_;  // taken_: indices of the stated velocities in use
  std::vector<double> scale_;               // unit of each velocity, from M
  SmallLu K_, inertia_;
  std::vector<double> right_, S_, MS_, acceleration_;
};

}  // namespace dalembert
