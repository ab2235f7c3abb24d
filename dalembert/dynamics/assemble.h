// SPDX-License-Identifier: Apache-2.0
// A consistent start from a guess: h(q₀, t₀) = 0 and W(q₀, t₀) q̇₀ + a(q₀, t₀) = 0, moving as little as possible.
//
//   positions   min ½ (q − q_guess)ᵀM(q − q_guess)  subject to  h(q) = 0,  q_i held where told
//   velocities  min ½ (q̇ − q̇_guess)ᵀM(q̇ − q̇_guess)  subject to  W q̇ + a = 0,  q̇_i held where told
//
// Positions: Newton by KKT steps with backtracking, Levenberg–Marquardt when that stalls (poor guesses, singular
// configurations on the way), restarts from fixed perturbations when both do; then the point reached is moved along the
// manifold to the one nearest to the guess. M at the guess is the metric; the plain one where M is singular on the free
// directions. Systems larger than kSmallSystem take sparse steps where their factors stay sparse (assembly_steps.h).
// Sources: Nocedal & Wright, Numerical Optimization, 2nd ed., ch. 10, 18; Madsen, Nielsen & Tingleff, Methods for
// non-linear least squares problems, 2nd ed. (2004), §3.2.
#pragma once

#include <string_view>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/dynamics/dynamics.h"

namespace dalembert {

struct AssembleOptions {
  std::vector<bool> hold_position = {}, hold_velocity = {};  ///< nq and nv, or empty: none held
  /// A row counts as satisfied when its residual is at most this, in its own unit (or at round-off of its terms, if
  /// larger).
  double tolerance = 1e-10;
  int max_iterations = 100;  ///< per attempt
  int restarts = 20;         ///< attempts from perturbed guesses when the guess leads nowhere; 8 for large systems
};

enum class AssemblyStatus {
  kOk,
  kNoPosition,  ///< no q with h = 0 was found with the coordinates held
  kNoVelocity,  ///< positions are consistent, but no q̇ with Wq̇ + a = 0 exists with the velocities held
  kNotFinite,   ///< the kernel returned a NaN or an infinity at the guess
  kTooLarge,  ///< the guess is not consistent, and steps would need a larger dense matrix than fits_dense() allows, or too many
};
std::string_view to_text(AssemblyStatus status);

struct Assembly {
  AssemblyStatus status = AssemblyStatus::kOk;
  State state;                           ///< the consistent state; on failure the nearest thing to one that was found
  std::vector<double> moved_q, moved_v;  ///< nq and nv: state − guess; exactly 0 for what was held
  double position_residual = 0;          ///< max |h_j| at `state`
  double velocity_residual = 0;          ///< max |(Wq̇ + a)_j| at `state`
  int worst_row = -1;                    ///< row of the model that is violated most, on failure
  double worst_residual = 0;             ///< its residual, with sign
  int rank = 0;                          ///< of W at `state`; kUnknownRank where that is too large to be told
  int iterations = 0;
  int attempts = 1;  ///< 1: from the guess itself

  static constexpr int kUnknownRank = -1;
  bool ok() const { return status == AssemblyStatus::kOk; }
};

Assembly assemble(const Dynamics& dynamics, const State& guess, const AssembleOptions& options = {});

/// Whether the state itself satisfies all rows within the tolerance; nothing is moved. status kNoPosition or
/// kNoVelocity if not.
Assembly check_consistency(const Dynamics& dynamics, const State& state, double tolerance = 1e-10);

/// E0301 (velocity), E0302 (position) or E0303 (not finite), without a place in the source: the caller adds it.
/// The assembly must have failed.
Diagnostic explain_failure(const Dynamics& dynamics, const Assembly& assembly, const AssembleOptions& options = {});

}  // namespace dalembert
