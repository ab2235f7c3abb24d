// SPDX-License-Identifier: Apache-2.0
// What one period of the shape moves the rest by, and how that depends on the shape (theory §6).
//
//   kinematic   W_p q̇_p = −(W_a q̇_a + a)                                                                     (1)
//   dynamic     M_pp q̈_p − W_pᵀλ = F_p − M_pa q̈_a − B_p − G_p,   W_p q̈_p = −W_a q̈_a − γ                       (2)
//
// with q_a(t; c) given. A dynamic system starts from rest: with the momentum 0 along what the rows allow,
//   ∂T/∂q̇_p = W_pᵀμ,   W_p q̇_p = −(W_a q̇_a + a).
// With holonomic rows the start goes with the shape: h = 0 at the passive coordinates q0 + (∂h/∂q_p)ᵀμ, the slopes at q0.
// Where the matrix D_z of the unknowns z is singular, the shape does not determine how the rest moves, and a cycle through
// such a shape has no displacement, whatever numbers an integration across it gives. So no step is taken in which det D_z
// changes its sign or is less than half of what it is elsewhere in it: steps end before such shapes, and
// do not pass them unseen, also where it only touches 0.
// Sensitivities by c are exact: (1) and (2) are differentiated, D_z δz = −(D_q δq + D_q̇ δq̇ + D_q̈a δq̈_a), and integrated
// along. All of it with Dormand–Prince 8(5,3) at a small tolerance.
#pragma once

#include <string>
#include <vector>

#include "dalembert/derive/equations.h"

namespace dalembert {

struct GaitParameter {
  std::string name;  ///< "alpha.cos1", or a parameter of the model
  Expr symbol;       ///< kParameter
  double value = 0;
};

/// The actuated coordinates as functions of t, of parameters of the model and of the gait.
struct Gait {
  std::vector<int> actuated;  ///< coordinates, ascending
  std::vector<Expr> shape;    ///< one for each of them
  double start = 0, period = 0;
  std::vector<GaitParameter> parameters;  ///< those that sensitivities are wanted of
};

struct GaitOptions {
  double rtol = 1e-12, atol = 1e-15;
  int cycles = 1;
  int max_steps = 20000;
  /// The cycle ends where GaitRun::margin would fall below this.
  double least_margin = 1e-10;
  /// Products that the steps of a cycle may take, by what its first part took: some seconds.
  double most_run_work = 2e9;
  /// Of optimize_gait: where it ends, in steps of all runs together times their equations; some seconds.
  double most_work = 6e6;
};

/// A cycle's result. Passive coordinates in their order.
struct GaitRun {
  std::string failure;  ///< empty: it went through
  double failed_at = 0;
  double work_beyond = 0;  ///< it failed, as it would take so many times GaitOptions::most_run_work
  bool singular = false;   ///< it failed, at a shape that is singular or nearer to one than least_margin
  /// How far from singular shapes it stays: the smallest pivot of D_z over the cycle, relative to what its row was before.
  double margin = 1;
  std::vector<double> displacement;                               ///< q_p(end) − q_p(start)
  std::vector<double> velocity;                                   ///< q̇_p at the end
  std::vector<std::vector<double>> displacement_by, velocity_by;  ///< [passive][parameter]
  double effort = 0;                                              ///< ∫ q̇_a·q̇_a dt
  std::vector<double> effort_by;                                  ///< [parameter]
  int steps = 0;
  bool ok() const { return failure.empty(); }
};

class GaitSystem {
 public:
  /// Built in the graph of the equations, which are on an overlay. `kinematic`: as many rows as passive coordinates.
  GaitSystem(const Equations& equations, Gait gait, bool kinematic);
  ~GaitSystem();
  /// From passive coordinates `q0`, or where the holonomic rows ask for others beside them. `values`: of gait.parameters.
  GaitRun run(const std::vector<double>& q0, const std::vector<double>& values, const GaitOptions& options) const;
  const std::vector<int>& passive() const;

 private:
  class Flow;
  std::unique_ptr<Flow> flow_;
};

/// A displacement of (x, y, θ) and what it depends on, as seen from the body at the start with heading `theta0`.
void turn_to_body(double theta0, std::vector<double>& displacement);

/// The period of expressions of t by their sines and cosines of angles linear in t; 0 where there is none.
double find_period(const std::vector<Expr>& shape, const Model& model);

/// A shape as a Fourier series: its mean, and `harmonics` sines and cosines, with the coefficients that `shape` has.
Gait fourier_gait(const Gait& gait, const Model& model, int harmonics);
/// The same shape plus such a series with coefficients 0: for sensitivities.
Gait perturbed_gait(const Gait& gait, const Model& model, int harmonics);
/// The shape in words of the file: "0.3*sin(t) + 0.1*cos(2*t)"; for gaits of fourier_gait.
std::vector<std::string> fourier_text(const Gait& gait, const std::vector<double>& values, int harmonics);

struct GaitOptimum {
  std::vector<double> values;
  GaitRun run;
  double start = 0, best = 0;  ///< distance per effort
  int iterations = 0;
  bool converged = false;
  std::string remark;
};
/// The coefficients with the most √(x² + y²) of displacement per effort, by BFGS from `values`. `x`, `y`: places among
/// the passive coordinates. Near singular shapes the distance grows beyond all bounds, so cycles count whose
/// GaitRun::margin is a hundredth of the first one's, and 1e-3 (or the first one's), or more. It ends early at
/// GaitOptions::most_work.
GaitOptimum optimize_gait(const GaitSystem& system, const std::vector<double>& q0, std::vector<double> values, int x,
                          int y, const GaitOptions& options, int max_iterations = 200);

}  // namespace dalembert
