// SPDX-License-Identifier: Apache-2.0
// A consistent start from a guess: h(q₀, t₀) = 0 and W(q₀, t₀) q̇₀ + a(q₀, t₀) = 0, moving as little as possible.
//
//   positions   min ½ (q − q_guess)ᵀM(q − q_guess)  subject to  h(q) = 0,  q_i fixed where hold_position says so
//   velocities  min ½ (q̇ − q̇_guess)ᵀM(q̇ − q̇_guess)  subject to  W q̇ + a = 0,  q̇_i fixed where hold_velocity says so
//
// Positions: Newton's method by KKT steps with backtracking. Levenberg–Marquardt takes over when Newton stalls (poor
// guesses, singular configurations on the way). When both fail, the search restarts from fixed perturbations of the
// guess. Last, the point found is moved along the manifold to the one nearest to the guess. The metric is M at the
// guess, or the identity where M is singular on the free directions. Systems larger than kSmallSystem take sparse steps
// where their factors stay sparse (assembly_steps.h).
// Sources: Nocedal & Wright, Numerical Optimization, 2nd ed., ch. 10, 18; Madsen, Nielsen & Tingleff, Methods for
// non-linear least squares problems, 2nd ed. (2004), §3.2.
#pragma once

#include <string_view>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/dynamics/dynamics.h"

namespace dalembert {

struct AssembleOptions {
  /// nq and nv entries, true for what keeps the value of the guess; empty: nothing is held.
  std::vector<bool> hold_position = {}, hold_velocity = {};
  /// A row counts as satisfied when its residual, in its own unit, is at most this, or at most the round-off
  /// of its terms if that is larger.
  double tolerance = 1e-10;
  int max_iterations = 100;  ///< largest number of iterations in each attempt
  /// Largest number of further attempts, from perturbed guesses; at most 8 for large systems.
  int restarts = 20;
  bool may_penetrate = false;  ///< open contacts may have negative gaps
};

enum class AssemblyStatus {
  kOk,
  kNoPosition,  ///< no q with h = 0 was found with the coordinates held
  kNoVelocity,  ///< positions are consistent, but no q̇ with Wq̇ + a = 0 exists with the velocities held
  kNotFinite,   ///< the kernel returned a NaN or an infinity at the guess
  /// The guess is inconsistent, and steps need a larger dense matrix than fits_dense() allows, or were too many.
  kTooLarge,
};
std::string_view to_text(AssemblyStatus status);

struct Assembly {
  AssemblyStatus status = AssemblyStatus::kOk;
  /// The consistent state; on failure the point with the smallest residual that was found.
  State state;
  std::vector<double> moved_q, moved_v;  ///< nq and nv entries: state − guess; exactly 0 for what was held
  double position_residual = 0;          ///< max |h_j| at `state`
  double velocity_residual = 0;          ///< max |(Wq̇ + a)_j| at `state`
  int worst_row = -1;                    ///< on failure, the row that is violated most; else −1
  double worst_residual = 0;             ///< residual of worst_row, with its sign
  /// Rank of W at `state`; kUnknownRank where the system is too large to find it.
  int rank = 0;
  int iterations = 0;
  int attempts = 1;  ///< number of starting points tried; 1: the guess alone was enough

  static constexpr int kUnknownRank = -1;
  bool ok() const { return status == AssemblyStatus::kOk; }
};

class AssemblyMemory;

/// `memory`: private to dalembert, for one assembly after the other; null: its own.
Assembly assemble(const Dynamics& dynamics, const State& guess, const AssembleOptions& options = {},
                  AssemblyMemory* memory = nullptr);

/// Checks whether the state satisfies all rows within the tolerance, without moving it. The status is kNoPosition or
/// kNoVelocity if it does not.
Assembly check_consistency(const Dynamics& dynamics, const State& state, double tolerance = 1e-10);

/// The error message of an assembly that failed: E0301 (velocity), E0302 (position) or E0303 (not finite). It has no
/// position in the model file; the caller adds it.
Diagnostic explain_failure(const Dynamics& dynamics, const Assembly& assembly, const AssembleOptions& options = {});

}  // namespace dalembert
