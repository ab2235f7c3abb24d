// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/stability/slopes.h"

#include <algorithm>
#include <cmath>

#include "dalembert/dynamics/kkt.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

// Largest ratio of the sizes of two velocities. Where the inertia of a driven coordinate vanishes, a size of its own would hide that it does not follow.
constexpr double kWidest = 1e6;

}  // namespace

Slopes::Slopes(const EquationDerivatives& derivatives, const Dynamics& dynamics, const MotionPoint& at)
    : all(derivatives.rows().end, derivatives.columns().end) {
  const std::vector<double> values = derivatives.derivatives(dynamics, at);
  const Pattern& pattern = derivatives.pattern();
  for (std::size_t k = 0; k < values.size(); ++k)
    all(static_cast<std::size_t>(pattern.row[k]), static_cast<std::size_t>(pattern.col[k])) = values[k];

  const auto nq = static_cast<std::size_t>(dynamics.nq()), nv = static_cast<std::size_t>(dynamics.nv());
  const DerivativeRows& row = derivatives.rows();
  const DerivativeColumns& column = derivatives.columns();
  v_size.assign(nv, 1);
  double most = 0;
  for (std::size_t i = 0; i < nv; ++i) most = std::max(most, all(row.r + i, column.vdot + i));
  for (std::size_t i = 0; i < nv; ++i) {
    const double inertia = all(row.r + i, column.vdot + i);
    if (inertia > 0) v_size[i] = std::min(1 / std::sqrt(inertia), kWidest / std::sqrt(most));
  }
  q_size = dynamics.layout().v_is_qdot ? v_size : std::vector<double>(nq, 1);
  for (std::size_t i = row.w; i < row.k; ++i) {
    const bool position = i >= row.h;
    double norm = 0;
    for (std::size_t j = 0; j < (position ? nq : nv); ++j)
      norm = std::hypot(norm, position ? all(i, column.q + j) * q_size[j] : all(i, column.v + j) * v_size[j]);
    row_size.push_back(norm > 0 ? 1 / norm : 1);
  }
}

MotionPoint point_at(const Dynamics& dynamics, const State& state) {
  MotionPoint point{.t = state.t, .q = state.q, .v = state.v, .vdot = {}, .lambda = {}, .u = {}};
  const KktSolution motion = solve_kkt(dynamics, state);
  point.vdot = motion.status == KktStatus::kOk ? motion.qdd : std::vector<double>(state.v.size());
  point.lambda = motion.status == KktStatus::kOk ? motion.lambda : std::vector<double>(as_size(dynamics.m()));
  point.u = inputs_at(dynamics, state.t);
  return point;
}

std::vector<double> inputs_at(const Dynamics& dynamics, double t) {
  std::vector<double> u(as_size(dynamics.layout().inputs)), work(dynamics.layout().work);
  dynamics.inputs(t, work.data(), u.data());
  return u;
}

std::unordered_map<SymbolId, double> values_at(const Equations& equations, const Dynamics& dynamics,
                                               const MotionPoint& at) {
  std::unordered_map<SymbolId, double> values;
  const auto add = [&](const std::vector<Expr>& symbols, const std::vector<double>& numbers) {
    for (std::size_t i = 0; i < symbols.size() && i < numbers.size(); ++i)
      values.emplace(symbols[i].symbol(), numbers[i]);
  };
  add(equations.q, at.q);
  add(equations.velocities(), at.v);
  add(equations.accelerations(), at.vdot);
  add(equations.lambda, at.lambda);
  values.emplace(equations.t.symbol(), at.t);
  for (std::size_t i = 0; i < equations.model->parameters.size(); ++i)
    values.emplace(equations.model->parameters[i].symbol.symbol(), dynamics.parameters()[i]);
  for (std::size_t i = 0; i < equations.model->inputs.size() && i < at.u.size(); ++i)
    values.emplace(equations.model->inputs[i].symbol.symbol(), at.u[i]);
  return values;
}

std::vector<double> numbers_of(std::span<const Expr> e, const std::unordered_map<SymbolId, double>& values) {
  return evaluate(e, [&](SymbolId symbol) {
    const auto found = values.find(symbol);
    return found == values.end() ? 0.0 : found->second;
  });
}

}  // namespace dalembert
