// SPDX-License-Identifier: Apache-2.0
// A motion linearised, and what is known of its stability: what linearize.h, stability.h and stability_formulas.h find.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/analyze/matrix.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/expr/expr.h"

namespace dalembert {

/// A coordinate of the constraint manifold: an entry of q or of v.
struct MotionState {
  std::string name;  ///< "theta", "theta'"
  bool velocity = false;
  std::size_t index = 0;  ///< in q or in v
};

enum class MotionKind {
  kEquilibrium,  ///< q̇ = 0, v̇ = 0
  kSteadyMotion,  ///< v̇ = 0, and only coordinates move that nothing depends on, or that are left out; or up to symmetries
  kState,         ///< neither, or the equations depend on time
};
std::string_view to_text(MotionKind kind);

struct LinearMotion {
  MotionKind kind = MotionKind::kState;
  MotionPoint at;  ///< an equilibrium or a steady motion to round-off, where the state given was near one
  std::vector<MotionState> states;
  Matrix A, B, C, D;                ///< ż = A z + B u, y = C z + D u; inputs and outputs in the order of the model.
                                    ///< The row of an output that has no slope there is NaN.
  Matrix tangent;                   ///< (nq + nv) × states: ∂X/∂z
  std::vector<std::size_t> cyclic;  ///< states that are coordinates which nothing depends on
  std::vector<std::size_t> lost;    ///< outputs that contain coordinates that are left out
  /// Of SteadySystem::symmetries, at a steady motion: the rates c that they turn it at. A is then the slope of (q̇, v̇) − Σ c_k X_k, the
  /// flow for someone who turns too, and the states are those that are left when all that is turned counts as the same.
  std::vector<double> turning = {};
  bool nearly_dependent = false;  ///< rows of W, by more than round-off and less than numbers tell apart (rank_loss.h)
};

enum class StabilityVerdict { kAsymptoticallyStable, kStable, kMarginal, kUnstable, kNone };
/// "asymptotically stable", …; empty for kNone.
std::string_view to_text(StabilityVerdict verdict);

struct Mode {
  std::complex<double> eigenvalue;
  std::vector<std::complex<double>> shape;  ///< by state, the largest 1; of a zero eigenvalue empty
};

struct Stability {
  std::vector<Mode> modes;           ///< as many as states: by descending real part, of a pair the positive one first
  std::size_t zeros = 0;             ///< eigenvalues that are zero
  std::vector<std::string> because;  ///< what they come from
  std::size_t unexplained = 0;       ///< zeros that none of these explain
  std::vector<std::string> family;   ///< states along which a family of equilibria or steady motions extends
  /// Why nothing is decided where eigenvalues do not say it: kMarginal then, without modes. Empty elsewhere.
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
  std::vector<std::string> states;   ///< without coordinates that nothing depends on
  std::vector<std::vector<Expr>> J;  ///< ∂(rate of a state)/∂(state)
  std::vector<Expr> characteristic;  ///< a₁ … aₙ, in order
  std::size_t zeros = 0;             ///< roots that are zero whatever the parameters: the last a's vanish
  std::vector<Expr> conditions;      ///< all positive exactly where the other roots are on the left
  std::string none;                  ///< why there are none; empty where there are
};

}  // namespace dalembert
