// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/workspace.h"

#include <algorithm>
#include <cstddef>

namespace dalembert {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

// The entries outside the pattern stay zero for ever, so only the others are written.
void spread(const Pattern& pattern, const double* values, int cols, std::vector<double>& dense) {
  for (std::size_t k = 0; k < pattern.row.size(); ++k)
    dense[index(pattern.row[k]) * index(cols) + index(pattern.col[k])] = values[k];
}

}  // namespace

RowBasis::RowBasis(int n, int m) : W(index(m) * index(n)), values(index(m)), lambda(index(m)), solver(n, m) {
  rows.reserve(index(m));
}

void RowBasis::set(const KktSolver& found) {
  all = found.rank() == found.m();
  if (all) return;
  rows.clear();
  for (int k = 0; k < found.rank(); ++k) rows.push_back(found.independent_row(k));
  std::sort(rows.begin(), rows.end());  // neighbours stay neighbours: the skyline stays narrow
  solver.set_rows(found.rank());
}

void RowBasis::set(const std::vector<int>& independent) {
  all = false;
  rows = independent;
  solver.set_rows(static_cast<int>(rows.size()));
}

void RowBasis::gather(const double* matrix, const double* vector, std::size_t n) {
  for (std::size_t k = 0; k < rows.size(); ++k) {
    std::copy_n(matrix + index(rows[k]) * n, n, W.data() + k * n);
    values[k] = vector[rows[k]];
  }
}

Workspace::Workspace(const Dynamics& dynamics)
    : kkt(dynamics.n(), dynamics.m()),
      position(dynamics.n(), static_cast<int>(dynamics.layout().holonomic.size())),
      basis(dynamics.n(), dynamics.m()),
      position_basis(dynamics.n(), static_cast<int>(dynamics.layout().holonomic.size())) {
  const Layout& layout = dynamics.layout();
  const std::size_t n = index(layout.n), m = index(layout.m), m_h = layout.holonomic.size();
  work.resize(layout.work);
  std::size_t most = 1;
  for (KernelFunction function :
       {KernelFunction::kPosition, KernelFunction::kVelocity, KernelFunction::kMass, KernelFunction::kTerms,
        KernelFunction::kRates, KernelFunction::kEnergy, KernelFunction::kInputs, KernelFunction::kOutputs})
    most = std::max(most, output_size(layout, function));
  out.resize(most);
  u.resize(index(layout.inputs));
  M.resize(n * n);
  identity.resize(n * n);
  for (std::size_t i = 0; i < n; ++i) identity[i * n + i] = 1;
  W.resize(m * n);
  W_position.resize(m_h * n);
  for (std::vector<double>* x : {&f, &dq, &dv, &step}) x->resize(n);
  for (std::vector<double>* x : {&gamma, &a, &multipliers, &residual}) x->resize(m);
  h.resize(m_h);
}

KernelArguments kernel_arguments(const Dynamics& dynamics, double t, const double* q, const double* v,
                                 Workspace& workspace) {
  return {.t = t,
          .q = q,
          .v = v,
          .u = workspace.u.data(),
          .p = dynamics.parameters().data(),
          .prepared = dynamics.prepared(),
          .work = workspace.work.data()};
}

void evaluate_rates(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace) {
  const Layout& layout = dynamics.layout();
  dynamics.inputs(t, workspace.work.data(), workspace.u.data());
  dynamics.kernel().call(KernelFunction::kRates, kernel_arguments(dynamics, t, q, v, workspace), workspace.out.data());
  const double* out = workspace.out.data();
  spread(layout.M, out, layout.n, workspace.M);
  out += layout.M.nonzeros();
  std::copy(out, out + layout.n, workspace.f.begin());
  out += layout.n;
  spread(layout.W, out, layout.n, workspace.W);
  out += layout.W.nonzeros();
  std::copy(out, out + layout.m, workspace.gamma.begin());
}

void evaluate_mass(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace) {
  dynamics.kernel().call(KernelFunction::kMass, kernel_arguments(dynamics, t, q, v, workspace), workspace.out.data());
  spread(dynamics.layout().M, workspace.out.data(), dynamics.n(), workspace.M);
}

void evaluate_velocity(const Dynamics& dynamics, double t, const double* q, Workspace& workspace) {
  const Layout& layout = dynamics.layout();
  if (layout.m == 0) return;
  dynamics.kernel().call(KernelFunction::kVelocity, kernel_arguments(dynamics, t, q, nullptr, workspace),
                         workspace.out.data());
  spread(layout.W, workspace.out.data(), layout.n, workspace.W);
  const double* a = workspace.out.data() + layout.W.nonzeros();
  std::copy(a, a + layout.m, workspace.a.begin());
  const std::size_t n = index(layout.n);
  for (std::size_t k = 0; k < layout.holonomic.size(); ++k)
    std::copy_n(workspace.W.data() + index(layout.holonomic[k]) * n, n, workspace.W_position.data() + k * n);
}

void evaluate_position(const Dynamics& dynamics, double t, const double* q, Workspace& workspace) {
  if (dynamics.layout().holonomic.empty()) return;
  dynamics.kernel().call(KernelFunction::kPosition, kernel_arguments(dynamics, t, q, nullptr, workspace),
                         workspace.h.data());
}

}  // namespace dalembert
