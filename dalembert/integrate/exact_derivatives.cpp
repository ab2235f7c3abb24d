// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/exact_derivatives.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>

#include "dalembert/base/numeric.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/numbers.h"
#include "dalembert/integrate/lanes.h"

namespace dalembert::integration {

void project_on_quaternions(const Layout& layout, const double* q, double* s) {
  for (const int first : layout.quaternions) {
    const double* e = q + first;
    double* change = s + first;
    double along = 0;
    for (int i = 0; i < 4; ++i) along += e[i] * change[i];
    for (int i = 0; i < 4; ++i) change[i] -= along * e[i];
  }
}

ExactDerivatives::ExactDerivatives(const RunDerivatives& functions, const Dynamics& system, Workspace& workspace)
    : functions_(functions),
      system_(system),
      workspace_(workspace),
      layout_(system.layout()),
      nq_(index(layout_.nq)),
      nv_(index(layout_.nv)),
      m_(index(layout_.multipliers())),
      inputs_(index(layout_.inputs)),
      parameters_(index(functions.columns().integrals - functions.columns().p)),
      implicit_(functions.has(Part::kResiduals) ? std::make_unique<ImplicitDerivatives>(functions, layout_) : nullptr),
      own_solver_(implicit_ != nullptr && workspace.friction == nullptr ? std::make_unique<FrictionSystem>(layout_)
                                                                        : nullptr),
      of_rows_(index(functions.pattern(Part::kRows).rows)),
      forces_(nv_ + m_),
      prepared_(functions.prepared()),
      work_(functions.work()),
      one_{std::vector<double>(nq_), std::vector<double>(nv_), std::vector<double>(inputs_),
           std::vector<double>(nv_ + m_)},
      t_(kLanes),
      q_(nq_ * kLanes),
      v_(nv_ * kLanes),
      u_(inputs_ * kLanes),
      slopes_((pattern(Part::kAccelerations).row.size() + nv_ + m_ + 2) * kLanes),
      rates_(functions.size(Part::kRates) * kLanes),
      integrands_(functions.size(Part::kIntegrands) * kLanes) {
  for (const Part part : {Part::kPositionStep, Part::kVelocityStep, Part::kOutputs, Part::kRows, Part::kResiduals})
    values(part).resize(std::max(functions.size(part), pattern(part).row.size()));
  for (const Part part :
       {Part::kAccelerations, Part::kIntegrands, Part::kPositionStep, Part::kVelocityStep, Part::kOutputs, Part::kRows})
    entries_[static_cast<std::size_t>(part)] = sorted(pattern(part), columns().p, parameters_);
  of_inputs_ = sorted(functions.pattern_of_inputs(), 0, parameters_);
  du_one_.resize(functions.pattern_of_inputs().row.size());
  du_.resize(kLanes * du_one_.size());
}

ExactDerivatives::Entries ExactDerivatives::sorted(const Pattern& pattern, int first_parameter,
                                                   std::size_t parameters) {
  Entries found;
  found.first_of.assign(parameters + 1, 0);
  const auto parameter_of = [&](std::size_t k) { return pattern.col[k] - first_parameter; };
  const auto is_parameter = [&](std::size_t k) { return parameter_of(k) >= 0 && index(parameter_of(k)) < parameters; };
  for (std::size_t k = 0; k < pattern.col.size(); ++k) {
    if (is_parameter(k))
      ++found.first_of[index(parameter_of(k)) + 1];
    else
      (parameter_of(k) < 0 ? found.before : found.behind).push_back(k);
  }
  std::partial_sum(found.first_of.begin(), found.first_of.end(), found.first_of.begin());
  found.of_parameters.resize(found.first_of.back());
  std::vector<std::size_t> next = found.first_of;
  for (std::size_t k = 0; k < pattern.col.size(); ++k)
    if (is_parameter(k)) found.of_parameters[next[index(parameter_of(k))]++] = k;
  return found;
}

void ExactDerivatives::use_parameters() {
  parameter_values_.assign(system_.parameters().begin(), system_.parameters().end());
  functions_.prepare(parameter_values_.data(), prepared_.data());
}

// The inputs at t, in the workspace, and their derivatives by the parameters. Inputs that are held have none.
void ExactDerivatives::find_inputs(double t, double* du) {
  evaluate_inputs(system_, t, workspace_);
  if (!functions_.inputs_depend()) return;
  functions_.call_inputs({.t = &t, .p = parameter_values_.data(), .work = work_.data()}, du);
  if (workspace_.held_inputs.empty()) return;
  std::vector<char> is_held(inputs_, 0);
  for (const auto& [input, value] : workspace_.held_inputs) is_held[index(input)] = 1;
  const std::vector<int>& input_of = functions_.pattern_of_inputs().row;
  for (std::size_t k = 0; k < input_of.size(); ++k)
    if (is_held[index(input_of[k])] != 0) du[k] = 0;
}

void ExactDerivatives::set_point(std::size_t lane, double t, const double* y) {
  find_inputs(t, du_.data() + lane * (du_.size() / kLanes));
  t_[lane] = t;
  for (std::size_t i = 0; i < nq_; ++i) q_[i * kLanes + lane] = y[i];
  for (std::size_t i = 0; i < nv_; ++i) v_[i * kLanes + lane] = y[nq_ + i];
  for (std::size_t i = 0; i < inputs_; ++i) u_[i * kLanes + lane] = workspace_.u[i];
}

bool ExactDerivatives::find_slopes(std::size_t lanes) {
  // The other lanes compute the first point once more.
  for (std::size_t lane = lanes; lane < kLanes; ++lane) {
    t_[lane] = t_[0];
    for (LineNumbers* numbers : {&q_, &v_, &u_})
      for (std::size_t i = 0; i < numbers->size(); i += kLanes) (*numbers)[i + lane] = (*numbers)[i];
  }
  const DerivativePoints in{.t = t_.data(),
                            .q = q_.data(),
                            .v = v_.data(),
                            .u = u_.data(),
                            .p = parameter_values_.data(),
                            .prepared = prepared_.data(),
                            .work = work_.data()};
  if (implicit_ != nullptr) {
    if (!find_slopes_implicitly(lanes)) return false;
  } else {
    functions_.call(Part::kAccelerations, in, slopes_.data());
  }
  ++calls_;
  functions_.note_calls(1, left_);
  std::uint64_t good = 0;
  with_wide_registers([&]() __attribute__((always_inline)) {
    Lanes sum{};  // NaN as soon as a value is not finite
    for (std::size_t i = 0; i < slopes_.size(); i += kLanes) sum += lanes_at(slopes_.data() + i) * 0.0;
    LaneMask trust;
    find_trusted(at_rows(nv_ + m_), trust);
    good = bits_of((sum == 0.0) & trust);
  });
  if (std::countr_one(good) < static_cast<int>(lanes)) return false;
  if (!layout_.v_is_qdot) functions_.call(Part::kRates, in, rates_.data());
  return layout_.v_is_qdot || has(Part::kRates);
}

// v̇, then λ and the forces of frictions, whose mode is that of the workspace.
KktStatus ExactDerivatives::solve(double t, const double* q, const double* v, double* forces) {
  if (own_solver_ == nullptr) return solve_kkt(system_, t, q, v, workspace_, forces, forces + nv_);
  own_solver_->evaluate(system_, t, q, v, workspace_);
  return own_solver_->solve(workspace_.basis, forces, forces + nv_);
}

bool ExactDerivatives::find_slopes_implicitly(std::size_t lanes) {
  const auto pick = [](const LineNumbers& from, std::size_t lane, std::vector<double>& to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i * kLanes + lane];
  };
  double* const results = slopes_.data() + pattern(Part::kAccelerations).row.size() * kLanes;
  std::vector<double>& residuals = values(Part::kResiduals);
  auto& [q, v, u, forces] = one_;
  knows_forces_ = true;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    pick(q_, lane, q);
    pick(v_, lane, v);
    pick(u_, lane, u);
    const KktStatus status = solve(t_[lane], q.data(), v.data(), forces.data());
    if (status != KktStatus::kOk && status != KktStatus::kInconsistent) return false;
    for (std::size_t i = 0; i < forces.size(); ++i) results[i * kLanes + lane] = forces[i];
    functions_.call(Part::kResiduals,
                    {.t = &t_[lane],
                     .q = q.data(),
                     .v = v.data(),
                     .qdd = forces.data(),
                     .lambda = forces.data() + nv_,
                     .u = u.data(),
                     .p = parameter_values_.data(),
                     .prepared = prepared_.data(),
                     .work = work_.data()},
                    residuals.data());
    if (!implicit_->find_slopes(residuals.data(), solver(), slopes_.data() + lane, kLanes)) return false;
    knows_forces_ = knows_forces_ && solver().determines() == FrictionSolver::Determines::kAll;
    results[forces.size() * kLanes + lane] = results[(forces.size() + 1) * kLanes + lane] = 1;
  }
  return true;
}

bool ExactDerivatives::find_integrands() {
  if (!has(Part::kIntegrands) || (!knows_forces_ && layout_.integrals_read_forces)) return false;
  functions_.call(Part::kIntegrands,
                  {.t = t_.data(),
                   .q = q_.data(),
                   .v = v_.data(),
                   .qdd = qdd(),
                   .lambda = lambda(),
                   .u = u_.data(),
                   .p = parameter_values_.data(),
                   .prepared = prepared_.data(),
                   .work = work_.data()},
                  integrands_.data());
  return true;
}

bool ExactDerivatives::find(Part part, double t, const double* y, const double* qdd, const double* lambda) {
  find_inputs(t, du_one_.data());
  return call(part, t, y, qdd, lambda);
}

// As find(), with the inputs as they are.
bool ExactDerivatives::call(Part part, double t, const double* y, const double* qdd, const double* lambda) {
  if (!functions_.has(part)) return false;
  functions_.call(part,
                  {.t = &t,
                   .q = y,
                   .v = y + nq_,
                   .qdd = qdd,
                   .lambda = lambda,
                   .u = workspace_.u.data(),
                   .p = parameter_values_.data(),
                   .prepared = prepared_.data(),
                   .work = work_.data()},
                  values(part).data());
  return all_finite(values(part));
}

bool ExactDerivatives::find_steps(double t, const double* y) {
  if (m_ == 0) return true;
  if (!find(Part::kRows, t, y)) return false;
  steps_t_ = t;
  steps_y_ = y;
  if (implicit_ == nullptr) return true;
  solver().evaluate(system_, t, y, y + nq_, workspace_);
  for (const Part part : {Part::kPositionStep, Part::kVelocityStep}) {
    if (part == Part::kPositionStep && layout_.holonomic.empty()) continue;
    std::vector<double>& step = values(part);
    if (!implicit_->find_step(part, values(Part::kRows).data(), workspace_.basis, solver(), step.data()) ||
        !all_finite(step))
      return false;
  }
  return true;
}

// The numbers in of_rows_ of the rows that a step removes.
std::span<double> ExactDerivatives::rows_of(Part step) {
  const std::size_t levels = layout_.holonomic.size();
  return step == Part::kPositionStep ? std::span(of_rows_).first(levels) : std::span(of_rows_).subspan(levels, m_);
}

bool ExactDerivatives::add_step(Part part, Parameters moved, double* x, double* result) {
  if (implicit_ != nullptr) {
    multiply(part, 0, moved, x, result);
    return true;
  }
  std::ranges::fill(of_rows_, 0.0);
  multiply(Part::kRows, 0, moved, x, of_rows_.data());
  std::ranges::fill(forces_, 0.0);
  if (!call(part, steps_t_, steps_y_, forces_.data(), rows_of(part).data())) return false;
  for (std::size_t i = 0; i < nv_; ++i) result[i] += values(part)[i];
  return true;
}

bool ExactDerivatives::add_step_transposed(Part part, const double* w, double* x) {
  if (implicit_ != nullptr) {
    multiply_transposed(part, 0, w, x);
    return true;
  }
  std::ranges::fill(forces_, 0.0);
  if (!call(part, steps_t_, steps_y_, w, forces_.data())) return false;
  std::ranges::fill(of_rows_, 0.0);
  const std::span<double> rows = rows_of(part);
  std::copy_n(values(part).begin() + static_cast<std::ptrdiff_t>(nv_), rows.size(), rows.begin());
  multiply_transposed(Part::kRows, 0, of_rows_.data(), x);
  return true;
}

bool ExactDerivatives::find_outputs(std::size_t lane, double t, const double* y, const double* integrals) {
  const auto is_force = [&](int column) { return column >= columns().lambda && column < columns().u; };
  if (!knows_forces_ && std::ranges::any_of(pattern(Part::kOutputs).col, is_force)) return false;
  std::vector<double> forces(nv_ + m_);
  for (std::size_t i = 0; i < nv_; ++i) forces[i] = qdd()[i * kLanes + lane];
  for (std::size_t i = 0; i < m_; ++i) forces[nv_ + i] = lambda()[i * kLanes + lane];
  if (integrals != nullptr)
    std::copy_n(integrals, layout_.integrals, parameter_values_.begin() + layout_.first_integral);
  return find(Part::kOutputs, t, y, forces.data(), forces.data() + nv_);
}

// The values that follow the derivatives of the accelerations.
const double* ExactDerivatives::at_rows(std::size_t row) const {
  return slopes_.data() + (pattern(Part::kAccelerations).row.size() + row) * kLanes;
}

const double* ExactDerivatives::entry(Part part, std::size_t k) const {
  switch (part) {
    case Part::kAccelerations:
      return slopes_.data() + k * kLanes;
    case Part::kRates:
      return rates_.data() + k * kLanes;
    case Part::kIntegrands:
      return integrands_.data() + k * kLanes;
    default:
      return values_of_one_[static_cast<std::size_t>(part)].data() + k;
  }
}

const double* ExactDerivatives::du(Part part, std::size_t lane) const {
  return stride(part) > 1 ? du_.data() + lane * (du_.size() / kLanes) : du_one_.data();
}

std::vector<std::size_t> ExactDerivatives::inputs_of(Parameters moved) const {
  std::vector<std::size_t> inputs;
  for (const std::size_t k : of_inputs_.of(moved)) inputs.push_back(index(functions_.pattern_of_inputs().row[k]));
  std::ranges::sort(inputs);
  const auto again = std::ranges::unique(inputs);
  inputs.erase(again.begin(), again.end());
  return inputs;
}

void ExactDerivatives::set_inputs(Part part, std::size_t lane, Parameters moved, double* x) const {
  const Pattern& pattern = functions_.pattern_of_inputs();
  const double* values = du(part, lane);
  double* of_inputs = x + columns().u;
  for (const std::size_t k : of_inputs_.of(moved)) of_inputs[pattern.row[k]] = 0;
  for (const std::size_t k : of_inputs_.of(moved))
    of_inputs[pattern.row[k]] += values[k] * x[columns().p + pattern.col[k]];
}

void ExactDerivatives::multiply(Part part, std::size_t lane, Parameters moved, double* x, double* result) const {
  set_inputs(part, lane, moved, x);
  const Pattern& pattern = this->pattern(part);
  const Entries& entries = entries_[static_cast<std::size_t>(part)];
  const double* values = entry(part, 0) + lane;
  const std::size_t step = stride(part);
  for (const std::span<const std::size_t> some :
       {std::span<const std::size_t>(entries.before), entries.of(moved), std::span<const std::size_t>(entries.behind)})
    for (const std::size_t k : some) result[pattern.row[k]] += values[k * step] * x[pattern.col[k]];
}

void ExactDerivatives::multiply_transposed(Part part, std::size_t lane, const double* w, double* x) const {
  const Pattern& pattern = this->pattern(part);
  const double* values = entry(part, 0) + lane;
  const std::size_t step = stride(part);
  for (std::size_t k = 0; k < pattern.row.size(); ++k) x[pattern.col[k]] += values[k * step] * w[pattern.row[k]];
  pass_inputs_on(part, lane, x);
}

void ExactDerivatives::pass_inputs_on(Part part, std::size_t lane, double* x) const {
  double* of_inputs = x + columns().u;
  const Pattern& pattern = functions_.pattern_of_inputs();
  const double* values = du(part, lane);
  for (std::size_t k = 0; k < pattern.row.size(); ++k)
    x[columns().p + pattern.col[k]] += values[k] * of_inputs[pattern.row[k]];
  std::fill_n(of_inputs, inputs_, 0.0);
}

}  // namespace dalembert::integration
