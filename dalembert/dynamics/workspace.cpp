// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/workspace.h"
#include "dalembert/base/numeric.h"

#include <algorithm>
#include <cstddef>

namespace dalembert {
Workspace::Workspace(const Dynamics& dynamics) : W_rows(dynamics.layout().W), kkt(dynamics.m()) {
  const Layout& layout = dynamics.layout();
  const std::size_t nq = index(layout.nq), nv = index(layout.nv), m = index(layout.m), m_h = layout.holonomic.size();
  work.resize(layout.work);
  std::size_t most = 1;
  const bool solves = dynamics.kernel().solves_kkt();
  for (int i = 0; i < kKernelFunctions; ++i) {
    const auto function = static_cast<KernelFunction>(i);
    if (dynamics.kernel().projects() || function < KernelFunction::kAccelerations)
      most = std::max(most, output_size(layout, function));
  }
  out.resize(most);
  u.resize(index(layout.inputs));
  M.resize(index(layout.M.nonzeros()));
  W.resize(index(layout.W.nonzeros()));
  for (std::vector<double>* x : {&f, &dv, &step, &zero}) x->resize(nv);
  for (std::vector<double>* x : {&dq, &start, &before}) x->resize(std::max(nq, nv));
  for (std::vector<double>* x : {&gamma, &a, &multipliers, &residual, &magnitude}) x->resize(m);
  h.resize(m_h);
  row_sizes.resize(m);
  if (!layout.v_is_qdot) {
    h_size.resize(m_h);
    N.resize(KinematicsPlaces(layout).end);
  }
  constant_inputs = dynamics.has_constant_inputs();
  evaluate_constant_inputs(dynamics, *this);
  basis.rows.reserve(m);
  acting.rows.reserve(m);
  position_basis.rows.reserve(m_h);
  if (layout.load_dependent()) friction = std::make_unique<FrictionSystem>(layout);
  if (!solves && layout.nv + layout.m <= kSmallSystem) dense_ = std::make_unique<DenseWorkspace>(layout, true);
}

void Workspace::renew(const Dynamics& dynamics) {
  const Layout& layout = dynamics.layout();
  for (std::vector<double>* x : {&work, &out, &u,  &M,    &W,     &f,      &gamma, &a,           &h,        &h_size,
                                 &N,    &dq,  &dv, &step, &start, &before, &zero,  &multipliers, &residual, &magnitude})
    std::ranges::fill(*x, 0.0);
  std::ranges::fill(row_sizes, RowSize{});
  held_inputs.clear();
  code = {};
  if (layout.load_dependent()) friction = std::make_unique<FrictionSystem>(layout);
  kkt = KktReport(dynamics.m());
  loss = 1;
  fallbacks = 0;
  for (RowBasis* rows : {&basis, &position_basis, &acting}) {
    rows->all = true;
    rows->rows.clear();
  }
  constant_inputs = dynamics.has_constant_inputs();
  evaluate_constant_inputs(dynamics, *this);
}

void Workspace::find_code(const Kernel& kernel) {
  for (std::size_t i = 0; i < code.size(); ++i) code[i] = kernel.code(static_cast<KernelFunction>(i));
}

void Workspace::find_acting_rows(const Dynamics& dynamics) {
  acting.all = false;
  acting.rows.clear();
  for (int r = 0; r < dynamics.m(); ++r)
    if (dynamics.acts(r)) acting.rows.push_back(r);
}

DenseWorkspace* Workspace::dense(const Dynamics& dynamics) {
  const Layout& layout = dynamics.layout();
  if (dense_ == nullptr && fits_dense(layout.nv, layout.m))
    dense_ = std::make_unique<DenseWorkspace>(layout, layout.nv + layout.m <= kSmallSystem);
  return dense_.get();
}

void evaluate_constant_inputs(const Dynamics& dynamics, Workspace& workspace) {
  if (!workspace.constant_inputs) return;
  dynamics.inputs(0, workspace.work.data(), workspace.u.data());
  for (const auto& [input, value] : workspace.held_inputs) workspace.u[static_cast<std::size_t>(input)] = value;
}

void evaluate_rates(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace) {
  evaluate_inputs(dynamics, t, workspace);
  call_kernel(dynamics, KernelFunction::kRates, t, q, v, workspace, workspace.out.data());
  const double* out = workspace.out.data();
  for (std::vector<double>* x : {&workspace.M, &workspace.f, &workspace.W, &workspace.gamma}) {
    std::copy_n(out, x->size(), x->begin());
    out += x->size();
  }
}

void evaluate_mass(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace) {
  call_kernel(dynamics, KernelFunction::kMass, t, q, v, workspace, workspace.M.data());
}

void evaluate_velocity(const Dynamics& dynamics, double t, const double* q, Workspace& workspace) {
  if (dynamics.m() == 0) return;
  call_kernel(dynamics, KernelFunction::kVelocity, t, q, nullptr, workspace, workspace.out.data());
  const double* out = workspace.out.data();
  copy_few(out, workspace.W.size(), workspace.W.data());
  copy_few(out + VelocityPlaces(dynamics.layout()).a, workspace.a.size(), workspace.a.data());
}

void evaluate_position(const Dynamics& dynamics, double t, const double* q, Workspace& workspace) {
  if (dynamics.layout().holonomic.empty()) return;
  if (dynamics.layout().v_is_qdot)
    return call_kernel(dynamics, KernelFunction::kPosition, t, q, nullptr, workspace, workspace.h.data());
  call_kernel(dynamics, KernelFunction::kPosition, t, q, nullptr, workspace, workspace.out.data());
  const double* out = workspace.out.data();
  std::copy_n(out, workspace.h.size(), workspace.h.begin());
  std::copy_n(out + PositionPlaces(dynamics.layout()).size, workspace.h.size(), workspace.h_size.begin());
}

bool find_position_basis(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace) {
  DenseWorkspace* dense = workspace.dense(dynamics);
  if (dense == nullptr) return false;
  evaluate_mass(dynamics, t, q, v, workspace);
  evaluate_velocity(dynamics, t, q, workspace);
  dense->spread_M(workspace.M);
  dense->spread_W(workspace.W);
  KktSolver& solver = dense->position();
  if (solver.factor(dense->M.data(), dense->W_position()) == KktStatus::kSingular)
    solver.factor(dense->identity(), dense->W_position());
  workspace.position_basis.set(solver);
  return true;
}

std::shared_ptr<Workspace> make_workspace(const Dynamics& dynamics) { return std::make_shared<Workspace>(dynamics); }

}  // namespace dalembert
