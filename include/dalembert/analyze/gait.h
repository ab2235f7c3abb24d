// SPDX-License-Identifier: Apache-2.0
// The displacement of the passive coordinates by one period of the shape (the actuated ones), and its sensitivities (theory §6).
//
//   kinematic   W_p q̇_p = −(W_a q̇_a + a)                                                                     (1)
//   dynamic     M_pp q̈_p − W_pᵀλ = F_p − M_pa q̈_a − B_p − G_p,   W_p q̈_p = −W_a q̈_a − γ                       (2)
//
// with q_a(t; c) given. A dynamic system starts from rest, with momentum 0 along the directions that the rows allow:
//   ∂T/∂q̇_p = W_pᵀμ,   W_p q̇_p = −(W_a q̇_a + a).
// Where there are holonomic rows, the start depends on the shape: h = 0 at the passive coordinates q0 + (∂h/∂q_p)ᵀμ,
// with derivatives taken at q0.
// Let D_z be the matrix of the unknowns z in (1) or (2). Where it is singular, the shape does not determine how the rest
// moves. A cycle through such a shape has no displacement, whatever numbers an integration across it gives. So a step is
// refused where det D_z changes its sign, or its magnitude by more than a factor of 2: steps end before singular shapes,
// also where det D_z only touches 0.
// Sensitivities to c are exact: (1) and (2) are differentiated, D_z δz = −(D_q δq + D_q̇ δq̇ + D_q̈a δq̈_a), and integrated
// with the motion, by Dormand–Prince 8(5,3) at a small tolerance.
#pragma once

#include <string>
#include <vector>

#include "dalembert/derive/equations.h"

namespace dalembert {

struct GaitParameter {
  std::string name;  ///< "alpha.cos1", or the name of a parameter of the model
  Expr symbol;       ///< symbol of the parameter, of kind kParameter
  double value = 0;
};

/// The actuated coordinates as functions of t, of parameters of the model and of the gait.
struct Gait {
  std::vector<int> actuated;  ///< indices of the actuated coordinates, ascending
  std::vector<Expr> shape;    ///< one function of t for each of them
  double start = 0, period = 0;
  std::vector<GaitParameter> parameters;  ///< the parameters for which sensitivities are computed
};

struct GaitOptions {
  double rtol = 1e-12, atol = 1e-15;
  int cycles = 1;
  int max_steps = 20000;
  /// A run fails where GaitRun::margin would fall below this.
  double least_margin = 1e-10;
  /// Limit for the multiplications in the steps of a cycle, estimated from its first part: some seconds.
  double most_run_work = 2e9;
  /// Limit for optimize_gait(): steps of all runs together times the number of their equations; some seconds.
  double most_work = 6e6;
};

/// The result of a cycle. Passive coordinates are in the order of GaitSystem::passive().
struct GaitRun {
  std::string failure;  ///< why the run failed; empty: it succeeded
  double failed_at = 0;
  double work_beyond = 0;  ///< where the run would be too long: its work as a multiple of GaitOptions::most_run_work
  bool singular = false;   ///< the run failed at a shape that is singular, or nearer to one than least_margin
  /// Distance of the cycle from singular shapes: the smallest pivot of D_z, relative to the largest entry that its row had before.
  double margin = 1;
  std::vector<double> displacement;  ///< displacement of the cycle, q_p(end) − q_p(start)
  std::vector<double> velocity;      ///< rates q̇_p of the passive coordinates at the end
  /// Derivatives of both by the parameters, [passive][parameter].
  std::vector<std::vector<double>> displacement_by, velocity_by;
  double effort = 0;              ///< effort of the cycle: ∫ q̇_a·q̇_a dt
  std::vector<double> effort_by;  ///< sensitivities of the effort, one per parameter
  int steps = 0;
  bool ok() const { return failure.empty(); }
};

class GaitSystem {
 public:
  /// Compiles the system in the graph of the equations, which must be on an overlay. `kinematic`: there are as many
  /// rows as passive coordinates.
  GaitSystem(const Equations& equations, Gait gait, bool kinematic);
  ~GaitSystem();
  /// Runs the gait from passive coordinates `q0`, corrected where holonomic rows require it. `values`: one for each of gait.parameters.
  GaitRun run(const std::vector<double>& q0, const std::vector<double>& values, const GaitOptions& options) const;
  const std::vector<int>& passive() const;

 private:
  class Flow;
  std::unique_ptr<Flow> flow_;
};

/// Turns a displacement of (x, y, θ), or a sensitivity of it, into the axes of the body at the start, with heading `theta0`.
void turn_to_body(double theta0, std::vector<double>& displacement);

/// The common period of expressions in which t occurs in sines and cosines of angles linear in t; 0 where there is none.
double find_period(const std::vector<Expr>& shape, const Model& model);

/// The shape as a Fourier series: its mean, and `harmonics` sines and cosines. The coefficients become the parameters.
Gait fourier_gait(const Gait& gait, const Model& model, int harmonics);
/// The same shape plus a Fourier series with coefficients 0, for sensitivities.
Gait perturbed_gait(const Gait& gait, const Model& model, int harmonics);
/// The shape in the notation of model files: "0.3*sin(t) + 0.1*cos(2*t)"; for gaits of fourier_gait.
std::vector<std::string> fourier_text(const Gait& gait, const std::vector<double>& values, int harmonics);

struct GaitOptimum {
  std::vector<double> values;
  GaitRun run;
  double start = 0, best = 0;  ///< distance per effort at the given values and at the best ones
  int iterations = 0;
  bool converged = false;
  std::string remark;
};
/// The coefficients with the largest displacement √(x² + y²) per effort, found by BFGS from `values`. `x`, `y`: indices
/// among the passive coordinates. Near singular shapes the distance grows without bound, so only cycles count whose
/// GaitRun::margin is at least a hundredth of the first cycle's and at least 1e-3 (or the first cycle's, if that is
/// smaller). The search ends early at GaitOptions::most_work.
GaitOptimum optimize_gait(const GaitSystem& system, const std::vector<double>& q0, std::vector<double> values, int x,
                          int y, const GaitOptions& options, int max_iterations = 200);

}  // namespace dalembert
