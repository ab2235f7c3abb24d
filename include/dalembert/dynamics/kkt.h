// SPDX-License-Identifier: Apache-2.0
// Accelerations and multipliers: the KKT system of index 1,
//
//   ⎡ M  −Wᵀ ⎤ ⎡ q̈ ⎤   ⎡  f ⎤        f = F − B − G                    (1)
//   ⎣ W   0  ⎦ ⎣ λ ⎦ = ⎣ −γ ⎦
//
// q̈ is unique when M is positive definite on null(W) and the rows do not contradict each other. M may be singular
// (massless links), and W may lose rank (redundant constraints, singular configurations). In the second case λ is not
// unique, and the λ of least norm is returned.
//
// Fast path, O(n³/3 + n²m + nm²/2 + m³/6) within skylines: M = LDLᵀ, S = WM⁻¹Wᵀ = LDLᵀ,
//   S λ = −γ − W M⁻¹ f,   q̈ = M⁻¹(f + Wᵀλ)                                                            (2)
// with one step of iterative refinement when a pivot is small. Slow path, when a pivot is too small to be trusted:
// equilibration (equilibrate.h), Ŵᵀ P = Q R with column pivoting, which shows the rank r, then in x̂ = Q (y, z)
//   [R₁ R₂]ᵀ y = −Pᵀγ̂ (least squares),   (QᵀM̂Q)₂₂ z = (Qᵀf̂)₂ − (QᵀM̂Q)₂₁ y,   Wᵀλ = M q̈ − f (least norm)    (3)
// A kernel that can solve (1) itself (kernel.h) is tried first. The dense solver above serves all other kernels, and
// takes over where a kernel meets a pivot that it cannot trust; fits_dense() limits the size of its systems.
// Sources: Nocedal & Wright, Numerical Optimization, 2nd ed., §16.2; Golub & Van Loan, 4th ed., §5.4-5.5.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/kernel.h"

namespace dalembert {

/// What one friction does: stick, or slide in a direction.
struct FrictionState {
  int direction = 0;  ///< slides: the sign that v_s has or is about to take, in a plane 1; 0: sticks
  int load = 1;       ///< the sign of N that is assumed
  /// In a plane: this row's component of a unit vector. It is the direction in which the sliding begins; later the direction of v_s stays within a right
  /// angle of it.
  double along = 0;
  bool operator==(const FrictionState&) const = default;
};
using FrictionMode = std::vector<FrictionState>;  ///< one state for each friction

/// A mode that is consistent with its own result.
struct FrictionSolution {
  FrictionMode mode;
  std::vector<double> qdd, multipliers;  ///< v̇; λ, then f
  std::vector<char> acts = {};  ///< for each row whether it acts: all do, but those of open contacts; empty: all
};

/// The modes in which the motion may continue from a state.
struct FrictionAnswer {
  /// The solutions differ in v̇ or in a force; the one with the most sticking frictions comes first.
  std::vector<FrictionSolution> solutions;
  bool complete = true;  ///< these are all; else some of them, and there may be more
  /// Of several solutions, in the first the rows of closed contacts follow from each other: rigid bodies do not determine how they share the load.
  bool loads_are_open = false;
};

/// Describes a solution for a diagnostic: "corner slides forwards with a friction of -0.9 N and N > 0".
std::string to_text(const FrictionSolution& solution, const Names& names, int rows);
/// Explains that a state has no consistent mode, or several; empty where there is exactly one.
std::string describe(const FrictionAnswer& answer, const Names& names, int rows);

enum class KktStatus {
  kOk,
  kSingular,      ///< M is not positive definite on null(W): some motion that the constraints allow has no inertia
  kInconsistent,  ///< redundant rows contradict each other: no q̈ satisfies all; a least-squares answer is returned
  kNotFinite,     ///< the kernel returned a NaN or an infinity
  kTooLarge,      ///< the kernel's solve met a pivot it cannot trust, and the system is too large for the dense one
  kParadox,       ///< friction: no state of it is consistent, or more than one (friction.h)
};
std::string_view to_text(KktStatus status);

struct KktSolution {
  KktStatus status = KktStatus::kOk;
  std::vector<double> qdd;          ///< nv, accelerations v̇ (q̈)
  std::vector<double> lambda;       ///< m, the multipliers; least-norm where they are not unique
  std::vector<double> friction;     ///< force of each friction
  FrictionAnswer friction_answer;   ///< what the frictions do; no solution or several on kParadox
  std::vector<bool> lambda_unique;  ///< for each row: whether its λ is unique
  int rank = 0;                     ///< rank of W; −1: unknown, on kTooLarge
  double residual = 0;              ///< residual ‖Wq̈ + γ‖₂
};

/// The memory that evaluating a system needs (dynamics/workspace.h): made once, so that calls allocate nothing. It belongs to
/// one thread, and the system must outlive it.
struct Workspace;
std::shared_ptr<Workspace> make_workspace(const Dynamics& dynamics);

/// Solves (1) at a state, which need not satisfy the constraints. The first form creates its own workspace.
KktSolution solve_kkt(const Dynamics& dynamics, const State& state);
KktSolution solve_kkt(const Dynamics& dynamics, const State& state, Workspace& workspace);
/// The inner loop's form: q of size nq, v and qdd (v̇) of size nv, lambda of size layout().multipliers(). Allocates
/// only in the first dense solve of a system larger than kSmallSystem. Rank and residual are in workspace.kkt;
/// workspace.fallbacks counts the systems that the kernel could not solve. If workspace.basis names rows, only these
/// are used, and the multipliers of the other rows are zero.
KktStatus solve_kkt(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace,
                    double* qdd, double* lambda);
/// Improves q̈ and λ after a solve_kkt() at this point that found W of full rank. Where their residual is above
/// round-off, they are solved for again by QR of the scaled rows, whose error grows with the condition number, not with
/// its square. True if q̈ and λ were replaced by better ones. For systems up to kSmallSystem without friction. Takes
/// many times as long as a kernel's solve, and allocates.
bool refine_kkt(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace, double* qdd,
                double* lambda);

}  // namespace dalembert
