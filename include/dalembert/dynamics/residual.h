// SPDX-License-Identifier: Apache-2.0
// Constraint residuals and energy of a state.
#pragma once

#include <cstddef>
#include <vector>

#include "dalembert/dynamics/dynamics.h"

namespace dalembert {

struct Workspace;  // make_workspace() in kkt.h

/// h(q, t) of each row that has a position level, in the order of layout.holonomic. Size m_h, units of h.
std::vector<double> position_residual(const Dynamics& dynamics, const State& state);
/// W q̇ + a of every row. Size m, units of η (of ḣ for holonomic rows).
std::vector<double> velocity_residual(const Dynamics& dynamics, const State& state);

/// The allocation-free form of velocity_residual(): computes workspace.residual, W and a.
void evaluate_velocity_residual(const Dynamics& dynamics, double t, const double* q, const double* v,
                                Workspace& workspace);
/// Updates workspace.residual for another v, with the present W and a.
void update_velocity_residual(const double* v, Workspace& workspace);

/// Computes workspace.residual and the sizes of its terms (workspace.row_sizes) in one pass over W. Needs W and a, and,
/// unless v_is_qdot, the result of evaluate_position().
void measure_rows(const Dynamics& dynamics, const double* q, const double* v, Workspace& workspace);

/// Size of the terms that cancel in a residual; eps times this size is the round-off of the residual.
/// position_magnitude: Σᵢ |∂h/∂qᵢ qᵢ| of holonomic row layout.holonomic[k], from the last evaluate_velocity() and
/// evaluate_position(). velocity_magnitude: Σᵢ |Wᵣᵢ vᵢ| + |aᵣ| of row r.
double position_magnitude(const Dynamics& dynamics, const Workspace& workspace, std::size_t k, const double* q);
double velocity_magnitude(const Workspace& workspace, int r, const double* v);

/// Energies of a state. Along a motion dE/dt = power − λᵀa − partial_t (theory §9).
struct Energy {
  double kinetic = 0, potential = 0;
  double total = 0;      ///< E = q̇·∂L/∂q̇ − L
  double partial_t = 0;  ///< ∂L/∂t at fixed q and q̇
  double power = 0;      ///< power F·q̇ of the forces
};

/// The energies at a state. `conserved`, if not null, receives the layout.conserved conserved quantities.
Energy energy(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace,
              double* conserved = nullptr);
Energy energy(const Dynamics& dynamics, const State& state);

}  // namespace dalembert
