// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/base/numeric.h"

#include <cmath>
#include <limits>

namespace dalembert {
namespace {

using Vector = std::vector<double>;

// y ← y + N x, and y ← y + Nᵀx.
void add_product(const Pattern& pattern, const Vector& N, const double* x, double* y) {
  for (std::size_t k = 0; k < pattern.row.size(); ++k) y[pattern.row[k]] += N[k] * x[pattern.col[k]];
}
void add_transposed_product(const Pattern& pattern, const Vector& N, const double* x, double* y) {
  for (std::size_t k = 0; k < pattern.row.size(); ++k) y[pattern.col[k]] += N[k] * x[pattern.row[k]];
}

double dot(const Vector& x, const Vector& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

}  // namespace

void evaluate_kinematics(const Dynamics& dynamics, double t, const double* q, Workspace& workspace) {
  call_kernel(dynamics, KernelFunction::kKinematics, t, q, nullptr, workspace, workspace.N.data());
}

void multiply_kinematics(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace,
                         double* qdot) {
  evaluate_kinematics(dynamics, t, q, workspace);
  copy_few(workspace.N.data() + KinematicsPlaces(dynamics.layout()).n0, index(dynamics.layout().nq), qdot);
  add_product(dynamics.layout().N, workspace.N, v, qdot);
}

void displace_by_kinematics(const Dynamics& dynamics, double t, double* q, const double* step, Workspace& workspace) {
  evaluate_kinematics(dynamics, t, q, workspace);
  add_product(dynamics.layout().N, workspace.N, step, q);
  normalize_quaternions(dynamics.layout(), q);
}

void find_displacement(const Dynamics& dynamics, double t, const double* q, const double* dq, Workspace& workspace,
                       double* x) {
  const Layout& layout = dynamics.layout();
  if (layout.v_is_qdot) {
    std::copy_n(dq, layout.nv, x);
    return;
  }
  evaluate_kinematics(dynamics, t, q, workspace);
  std::fill_n(x, layout.nv, 0.0);
  Vector r(dq, dq + layout.nq), s(index(layout.nv)), p, Np(index(layout.nq));
  add_transposed_product(layout.N, workspace.N, r.data(), s.data());
  p = s;
  double gamma = dot(s, s);
  const double enough = gamma * std::numeric_limits<double>::epsilon() * std::numeric_limits<double>::epsilon();
  for (int k = 0; k < 2 * layout.nv && gamma > enough; ++k) {
    std::fill(Np.begin(), Np.end(), 0.0);
    add_product(layout.N, workspace.N, p.data(), Np.data());
    const double squared = dot(Np, Np);
    if (!(squared > 0)) return;
    const double alpha = gamma / squared;
    for (std::size_t i = 0; i < p.size(); ++i) x[i] += alpha * p[i];
    for (std::size_t i = 0; i < r.size(); ++i) r[i] -= alpha * Np[i];
    std::fill(s.begin(), s.end(), 0.0);
    add_transposed_product(layout.N, workspace.N, r.data(), s.data());
    const double next = dot(s, s), beta = next / gamma;
    gamma = next;
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = s[i] + beta * p[i];
  }
}

void normalize_quaternion(double* e) {
  // IEEE 754 fixes the rounding of a square root, but not of hypot, which differs between platforms.
  const double norm = std::sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
  for (int i = 0; i < 4; ++i) e[i] = norm > 0 ? e[i] / norm : std::numeric_limits<double>::quiet_NaN();
}

void normalize_quaternions(const Layout& layout, double* q) {
  for (const int first : layout.quaternions) normalize_quaternion(q + first);
}

}  // namespace dalembert
