// SPDX-License-Identifier: Apache-2.0
// The multipliers eliminated in numbers (theory §4): fewer velocities w that determine all velocities v of a system.
//
//   ⎡ W_R ⎤     ⎡ −a_R   ⎤               ⎡ W_R ⎤⁻¹ ⎡ 0 ⎤
//   ⎢     ⎥ v = ⎢        ⎥    so  v = S w + s₀,  S = ⎢     ⎥   ⎢   ⎥ ,   SᵀM S ẇ = Sᵀ(F − B − G − M(Ṡ w + ṡ₀))
//   ⎣  Y  ⎦     ⎣ w − y₀ ⎦               ⎣  Y  ⎦   ⎣ I ⎦
//
// R are independent rows of W. Y is given by a second system, whose rows say w = Y v + y₀, or it picks velocities: those
// that complete pivoting, in the units that M gives the velocities, leaves for the last. Then w is a part of v, and other
// velocities may be picked at any state without a jump in anything. Ṡ w + ṡ₀ is [W_R; Y]⁻¹ [−γ_R; −γ_Y]: no derivative
// of S is taken. Of stated velocities those are left out that prescribed coordinates determine. O(n³) each time.
// Source: Golub & Van Loan, 4th ed., §3.4.8 (complete pivoting).
#pragma once

#include <optional>
#include <vector>

#include "dalembert/dynamics/small_lu.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {

/// Belongs to one thread, like its workspace; allocates in its constructor and in choose() alone.
class VelocityElimination {
 public:
  /// Both must outlive this. `stated`: a system of the same coordinates and velocities, whose rows are w; null: picked.
  VelocityElimination(const Dynamics& dynamics, const Dynamics* stated);

  /// Which rows and velocities, afresh, at a state: false where W or M is not finite.
  bool choose(double t, const double* q, const double* v);
  /// Chosen at least once.
  bool is_stated() const { return stated_ != nullptr; }
  /// Picked velocities, where none are stated.
  const std::vector<int>& picked() const { return picked_; }

  int size() const { return static_cast<int>(reduced_); }  ///< of w: nv − rank W
  /// w of consistent velocities v.
  bool reduce(double t, const double* q, const double* v, double* w);
  /// v = S w + s₀. False where [W; Y] is singular.
  bool expand(double t, const double* q, const double* w, double* v);
  /// v, v̇ and ẇ of w; λ, where it is asked for, 0 for rows that follow from others. False where [W; Y] or SᵀM S is
  /// singular or something is not finite.
  bool solve(double t, const double* q, const double* w, double* v, double* vdot, double* wdot, double* lambda);
  /// ẇ of v and of v̇ that was found elsewhere, with forces that depend on multipliers (friction.h). After expand().
  bool reduce_rates(double t, const double* q, const double* v, const double* vdot, double* wdot);
  /// The largest entry of S at the last state, in the units of choose(): at most about 1 after a good choice; infinite
  /// where [W; Y] was singular.
  double growth() const { return growth_; }
  /// How far [W_R; Y] is from singular at the last state, as a part of what it was where it was chosen: rows that were
  /// picked of redundant ones may come to depend on each other where others would not, without any growth of S.
  double grip() const { return K_.least_pivot() / grip_chosen_; }
  /// The sign of det [W_R; Y] at the last state: where it has changed, S had no value on the way.
  int orientation() const { return K_.sign(); }
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
  std::vector<int> rows_, picked_, taken_;  // taken: of the stated ones
  std::vector<double> scale_;               // of the velocities
  SmallLu K_, inertia_;
  std::vector<double> right_, S_, MS_, acceleration_;
};

}  // namespace dalembert
