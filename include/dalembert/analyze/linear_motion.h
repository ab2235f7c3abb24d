// SPDX-License-Identifier: Apache-2.0
// A motion linearised, and what is known of its stability: what linearize.h, stability.h,
// stability_formulas.h and follow.h find.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/dynamics/dynamics.h"
#include "dalembert/expr/expr.h"

namespace dalembert {

/// A matrix of rows × cols numbers, stored row by row.
struct Matrix {
  std::size_t rows = 0, cols = 0;
  std::vector<double> entries;

  Matrix() = default;
  Matrix(std::size_t r, std::size_t c) : rows(r), cols(c), entries(r * c) {}
  double& operator()(std::size_t i, std::size_t j) { return entries[i * cols + j]; }
  double operator()(std::size_t i, std::size_t j) const { return entries[i * cols + j]; }
};

/// A coordinate of the constraint manifold: an entry of q or of v.
struct MotionState {
  std::string name;  ///< printed name: "theta", "theta'"
  bool velocity = false;
  std::size_t index = 0;  ///< index in q or in v
};

enum class MotionKind {
  kEquilibrium,   ///< a state at rest, q̇ = 0 and v̇ = 0
  kSteadyMotion,  ///< v̇ = 0, and only cyclic coordinates and those left out move; or this holds up to symmetries
  kState,         ///< neither of these, or the equations depend on time
};
std::string_view to_text(MotionKind kind);

struct LinearMotion {
  MotionKind kind = MotionKind::kState;
  MotionPoint at;  ///< the state; if it was near an equilibrium or a steady motion, that one to round-off
  std::vector<MotionState> states;
  /// The linear system ż = A z + B u, y = C z + D u; inputs and outputs in the order of the model. The row of an output that has no
  /// derivative there is NaN.
  Matrix A, B, C, D;
  Matrix tangent;                   ///< (nq + nv) × states: ∂X/∂z
  std::vector<std::size_t> cyclic;  ///< states that are cyclic coordinates
  std::vector<std::size_t> lost;    ///< outputs that contain coordinates that are left out
  /// At a steady motion up to symmetries: the rates c_k at which SteadySystem::symmetries turn it. A is then the
  /// derivative of (q̇, v̇) − Σ c_k X_k, the flow seen in axes that turn with the motion, and states that a symmetry
  /// turns into each other count as one.
  std::vector<double> turning = {};
  bool nearly_dependent = false;  ///< rows of W are nearly dependent, but by more than round-off (rank_loss.h)
};

enum class StabilityVerdict { kAsymptoticallyStable, kStable, kMarginal, kUnstable, kNone };
/// The verdict as text, "asymptotically stable", …; empty for kNone.
std::string_view to_text(StabilityVerdict verdict);

struct Mode {
  std::complex<double> eigenvalue;
  std::vector<std::complex<double>> shape;  ///< one entry for each state, the largest is 1; empty for a zero eigenvalue
};

struct Stability {
  std::vector<Mode> modes;           ///< one for each state, by descending real part; of a pair Im > 0 first
  std::size_t zeros = 0;             ///< number of eigenvalues that are zero
  std::vector<std::string> because;  ///< explanations of the zeros, or of the verdict
  std::size_t unexplained = 0;       ///< number of zero eigenvalues without an explanation
  std::vector<std::string> family;   ///< states along which a family of equilibria or steady motions extends
  /// The reason where nothing can be decided and eigenvalues do not show it; else empty.
  std::string undecided = {};
  StabilityVerdict verdict =
      StabilityVerdict::kNone;  ///< kNone where the state is neither an equilibrium nor a steady motion
};

struct Equilibrium {
  LinearMotion motion;
  Stability stability;
};

struct StabilityFormulas {
  std::shared_ptr<Graph> graph;
  std::vector<std::string> states;   ///< names of the states, without cyclic coordinates
  std::vector<std::vector<Expr>> J;  ///< the Jacobian: ∂(rate of a state)/∂(state)
  std::vector<Expr> characteristic;  ///< coefficients a₁ … aₙ of the characteristic polynomial
  std::size_t zeros = 0;             ///< number of roots that are 0 for all parameters: the last a's vanish
  std::vector<Expr> conditions;      ///< all are positive exactly where the other roots have negative real parts
  std::string none;                  ///< why there are no formulas; empty where there are
};

using Spectrum = std::vector<std::complex<double>>;

struct CriticalValue {
  double value = 0;
  std::complex<double> eigenvalue;  ///< the eigenvalue on the axis; of a pair the one with Im > 0
  bool to_unstable = false;         ///< the system becomes unstable here, in the order of the values
};

/// Eigenvalues as a parameter changes.
struct Followed {
  std::vector<double> value;
  std::vector<Spectrum> spectrum;       ///< eigenvalues at each value; entry k follows one eigenvalue
  std::vector<CriticalValue> critical;  ///< crossings of the imaginary axis, in the order of the values
};

}  // namespace dalembert
