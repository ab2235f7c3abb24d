// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/residual.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "dalembert/dynamics/workspace.h"

namespace dalembert {

std::vector<double> position_residual(const Dynamics& dynamics, const State& state) {
  Workspace workspace(dynamics);
  evaluate_position(dynamics, state.t, state.q.data(), workspace);
  return workspace.h;
}

std::vector<double> velocity_residual(const Dynamics& dynamics, const State& state) {
  Workspace workspace(dynamics);
  evaluate_velocity_residual(dynamics, state.t, state.q.data(), state.v.data(), workspace);
  return workspace.residual;
}

void evaluate_velocity_residual(const Dynamics& dynamics, double t, const double* q, const double* v,
                                Workspace& workspace) {
  evaluate_velocity(dynamics, t, q, workspace);
  update_velocity_residual(v, workspace);
}

void update_velocity_residual(const double* v, Workspace& workspace) {
  for (std::size_t r = 0; r < workspace.residual.size(); ++r) {
    double sum = workspace.a[r];
    workspace.W_rows.for_each(static_cast<int>(r), workspace.W, [&](int i, double w) { sum += w * v[i]; });
    workspace.residual[r] = sum;
  }
}

void measure_rows(const Dynamics& dynamics, const double* q, const double* v, Workspace& workspace) {
  const Layout& layout = dynamics.layout();
  const bool reads_q = layout.v_is_qdot;
  for (std::size_t r = 0; r < workspace.residual.size(); ++r) {
    const double a = workspace.a[r];
    double sum = a;
    Workspace::RowSize size{.velocity = std::abs(a)};
    workspace.W_rows.for_each(static_cast<int>(r), workspace.W, [&](int i, double w) {
      const double term = w * v[i];
      sum += term;
      size.velocity += std::abs(term);
      if (reads_q) size.position += std::abs(w * q[i]);
      size.squared += w * w;
    });
    workspace.residual[r] = sum;
    workspace.row_sizes[r] = size;
  }
  if (reads_q) return;
  for (std::size_t k = 0; k < layout.holonomic.size(); ++k)
    workspace.row_sizes[static_cast<std::size_t>(layout.holonomic[k])].position = workspace.h_size[k];
}

double position_magnitude(const Dynamics& dynamics, const Workspace& workspace, std::size_t k, const double* q) {
  const Layout& layout = dynamics.layout();
  return layout.v_is_qdot ? workspace.W_rows.magnitude(layout.holonomic[k], workspace.W, q) : workspace.h_size[k];
}

double velocity_magnitude(const Workspace& workspace, int r, const double* v) {
  return workspace.W_rows.magnitude(r, workspace.W, v) + std::abs(workspace.a[static_cast<std::size_t>(r)]);
}

Energy energy(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace,
              double* conserved) {
  evaluate_inputs(dynamics, t, workspace);
  call_kernel(dynamics, KernelFunction::kEnergy, t, q, v, workspace, workspace.out.data());
  const double* out = workspace.out.data();
  using At = EnergyPlaces;
  if (conserved != nullptr) std::copy_n(out + At::conserved, dynamics.layout().conserved, conserved);
  return {.kinetic = out[At::T],
          .potential = out[At::V],
          .total = out[At::E],
          .partial_t = out[At::dLdt],
          .power = out[At::power]};
}

Energy energy(const Dynamics& dynamics, const State& state) {
  Workspace workspace(dynamics);
  return energy(dynamics, state.t, state.q.data(), state.v.data(), workspace);
}

}  // namespace dalembert
