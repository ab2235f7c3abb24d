// SPDX-License-Identifier: Apache-2.0
// How far a state is from its constraints, and its energy.
#pragma once

#include <vector>

#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {

/// h(q, t) of each row that has a position level, in the order of layout.holonomic. Size m_h, units of h.
std::vector<double> position_residual(const Dynamics& dynamics, const State& state);
/// W q̇ + a of every row. Size m, units of η (of ḣ for holonomic rows).
std::vector<double> velocity_residual(const Dynamics& dynamics, const State& state);

/// The inner loop's form of the above: workspace.h, and workspace.residual with W and a.
void evaluate_velocity_residual(const Dynamics& dynamics, double t, const double* q, const double* v,
                                Workspace& workspace);
/// The same at another v where W and a have not changed.
void update_velocity_residual(const double* v, Workspace& workspace);

/// The same, with what residuals are measured by (workspace.row_sizes), in one pass over W; of holonomic rows at what
/// evaluate_position has computed.
void measure_rows(const Dynamics& dynamics, const double* q, const double* v, Workspace& workspace);

/// Size of the terms that cancel in a residual; eps times it is the least that arithmetic can leave. Of h of
/// layout.holonomic[k], Σᵢ |∂h/∂qᵢ qᵢ|, at what evaluate_velocity and evaluate_position have computed; of row r at the
/// level of velocities, Σᵢ |Wᵣᵢ vᵢ| + |aᵣ|.
double position_magnitude(const Dynamics& dynamics, const Workspace& workspace, std::size_t k, const double* q);
double velocity_magnitude(const Workspace& workspace, int r, const double* v);

/// dE/dt = power − λᵀa − partial_t (theory §9).
struct Energy {
  double kinetic = 0, potential = 0;
  double total = 0;      ///< E = q̇·∂L/∂q̇ − L
  double partial_t = 0;  ///< ∂L/∂t
  double power = 0;      ///< F·q̇
};

/// `conserved`, when given, receives layout.conserved values.
Energy energy(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace,
              double* conserved = nullptr);
Energy energy(const Dynamics& dynamics, const State& state);

}  // namespace dalembert
