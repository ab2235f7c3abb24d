// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/project.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "dalembert/dynamics/residual.h"

namespace dalembert {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr int kIterations = 6;
constexpr double kGoodEnough = 2;  // in units of round-off

std::size_t index(int i) { return static_cast<std::size_t>(i); }

struct Size {
  double largest = 0;   // max |r_j|
  double roundoff = 0;  // max |r_j| / (eps · magnitude_j)
  double scaled = 0;    // max |r_j| / (‖W_j‖ · ‖x‖): how far off, without units
};

Size measure(const double* residual, const double* W, const double* x, const double* a, int m, int n) {
  Size size;
  double length = 0;
  for (int i = 0; i < n; ++i) length = std::hypot(length, x[i]);
  for (int r = 0; r < m; ++r) {
    const double* row = W + index(r) * index(n);
    const double value = std::abs(residual[r]);
    const double magnitude = row_magnitude(row, x, n) + (a != nullptr ? std::abs(a[r]) : 0.0);
    if (!(value <= std::numeric_limits<double>::max())) return {value, value, value};
    size.largest = std::max(size.largest, value);
    if (value > 0) {
      size.roundoff = std::max(size.roundoff, value / std::max(kEps * magnitude, std::numeric_limits<double>::min()));
      double norm = 0;
      for (int i = 0; i < n; ++i) norm = std::hypot(norm, row[i]);
      size.scaled = std::max(size.scaled, value / std::max(norm * length, std::numeric_limits<double>::min()));
    }
  }
  return size;
}

// The mass metric, or the plain one where some allowed direction has no inertia. Directions in which rows differ by no
// more than the state is off are no constraint directions: their rank cannot be told.
bool factor_metric(KktSolver& solver, RowBasis& basis, const double* W, const double* residual, double off,
                   Workspace& workspace) {
  if (!basis.all) basis.gather(W, residual, index(solver.n()));
  KktSolver& used = basis.all ? solver : basis.solver;
  const double* rows = basis.all ? W : basis.W.data();
  const double tolerance = basis.all ? std::clamp(100 * off, 1e-10, 1e-4) : 1e-10;
  KktStatus status = used.factor(workspace.M.data(), rows, tolerance);
  if (status == KktStatus::kSingular) status = used.factor(workspace.identity.data(), rows, tolerance);
  return status == KktStatus::kOk;
}

// The step into workspace.step that takes `residual` away, with the factors at hand.
bool solve_step(KktSolver& solver, RowBasis& basis, const double* residual, Workspace& workspace) {
  if (basis.all)
    return solver.solve(workspace.f.data(), residual, workspace.step.data(), workspace.multipliers.data()) !=
           KktStatus::kNotFinite;
  for (std::size_t k = 0; k < basis.rows.size(); ++k) basis.values[k] = residual[basis.rows[k]];
  return basis.solver.solve(workspace.f.data(), basis.values.data(), workspace.step.data(), basis.lambda.data()) !=
         KktStatus::kNotFinite;
}

}  // namespace

Projection project(const Dynamics& dynamics, double t, double* q, double* v, Workspace& workspace) {
  const Layout& layout = dynamics.layout();
  const int n = layout.n, m = layout.m, m_h = static_cast<int>(layout.holonomic.size());
  Projection result;
  std::fill(workspace.dq.begin(), workspace.dq.end(), 0.0);
  std::fill(workspace.dv.begin(), workspace.dv.end(), 0.0);
  if (m == 0) {
    result.ok = true;
    return result;
  }
  std::fill(workspace.f.begin(), workspace.f.end(), 0.0);
  evaluate_mass(dynamics, t, q, v, workspace);

  // Positions (1).
  double off = 0;
  if (m_h > 0) {
    evaluate_velocity(dynamics, t, q, workspace);
    evaluate_position(dynamics, t, q, workspace);
    Size size = measure(workspace.h.data(), workspace.W_position.data(), q, nullptr, m_h, n);
    off = size.scaled;
    result.position_roundoff_before = size.roundoff;
    const auto factor = [&] {
      return factor_metric(workspace.position, workspace.position_basis, workspace.W_position.data(),
                           workspace.h.data(), off, workspace);
    };
    if (size.roundoff > kGoodEnough && !factor()) return result;
    for (int k = 0; k < kIterations && size.roundoff > kGoodEnough; ++k) {
      if (!solve_step(workspace.position, workspace.position_basis, workspace.h.data(), workspace)) return result;
      ++result.iterations;
      for (int i = 0; i < n; ++i) q[i] += workspace.step[index(i)];
      evaluate_position(dynamics, t, q, workspace);
      const Size next = measure(workspace.h.data(), workspace.W_position.data(), q, nullptr, m_h, n);
      // No better than before: arithmetic has reached its end, and the state before the step is the one to keep.
      if (!(next.roundoff < size.roundoff)) {
        for (int i = 0; i < n; ++i) q[i] -= workspace.step[index(i)];
        break;
      }
      for (int i = 0; i < n; ++i) workspace.dq[index(i)] += workspace.step[index(i)];
      const bool slow = next.roundoff > 0.05 * size.roundoff && next.roundoff > 10;
      const bool stuck = next.roundoff > 0.5 * size.roundoff;
      size = next;
      off = size.scaled;
      if (stuck && size.roundoff < 10) break;
      if (slow) {
        evaluate_mass(dynamics, t, q, v, workspace);
        evaluate_velocity(dynamics, t, q, workspace);
        if (!factor()) return result;
      }
    }
    result.position_residual = size.largest;
    result.position_roundoff = size.roundoff;
  }

  // Velocities (2): linear, so the second pass only removes what round-off left.
  evaluate_velocity_residual(dynamics, t, q, v, workspace);
  Size size = measure(workspace.residual.data(), workspace.W.data(), v, workspace.a.data(), m, n);
  result.velocity_roundoff_before = size.roundoff;
  if (size.roundoff > kGoodEnough) {
    if (!factor_metric(workspace.kkt, workspace.basis, workspace.W.data(), workspace.residual.data(), off, workspace))
      return result;
    for (int k = 0; k < 3 && size.roundoff > kGoodEnough; ++k) {
      if (!solve_step(workspace.kkt, workspace.basis, workspace.residual.data(), workspace)) return result;
      ++result.iterations;
      for (int i = 0; i < n; ++i) v[i] += workspace.step[index(i)];
      for (int r = 0; r < m; ++r) {
        double sum = workspace.a[index(r)];
        for (int i = 0; i < n; ++i) sum += workspace.W[index(r) * index(n) + index(i)] * v[i];
        workspace.residual[index(r)] = sum;
      }
      const Size next = measure(workspace.residual.data(), workspace.W.data(), v, workspace.a.data(), m, n);
      if (!(next.roundoff < size.roundoff)) {
        for (int i = 0; i < n; ++i) v[i] -= workspace.step[index(i)];
        break;
      }
      for (int i = 0; i < n; ++i) workspace.dv[index(i)] += workspace.step[index(i)];
      size = next;
    }
  }
  result.velocity_residual = size.largest;
  result.velocity_roundoff = size.roundoff;
  result.ok = std::isfinite(result.position_residual) && std::isfinite(result.velocity_residual);
  return result;
}

Projection project(const Dynamics& dynamics, State& state) {
  Workspace workspace(dynamics);
  return project(dynamics, state.t, state.q.data(), state.v.data(), workspace);
}

}  // namespace dalembert
