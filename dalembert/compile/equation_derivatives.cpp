// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/equation_derivatives.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dalembert/base/numeric.h"
#include "dalembert/compile/argument_entries.h"
#include "dalembert/compile/kernel_expressions.h"
#include "dalembert/compile/residuals.h"
#include "dalembert/compile/tape_arguments.h"
#include "dalembert/compile/tape_kernel.h"
#include "dalembert/derive/parameter_values.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/visit.h"
#include "dalembert/tape/tape_jacobian.h"
#include "dalembert/tape/tape_passes.h"

namespace dalembert {
namespace {

// All functions, part by part; sets the offsets of the parts.
std::vector<Expr> functions_of(const Equations& eq, DerivativeRows& rows) {
  std::vector<Expr> all;
  const auto add = [&](const std::vector<Expr>& list) {
    const std::size_t begin = all.size();
    all.insert(all.end(), list.begin(), list.end());
    return begin;
  };
  rows.r = add(force_residuals(eq));
  rows.c = add(acceleration_rows(eq));
  rows.w = add(velocity_rows(eq));
  rows.h = all.size();
  for (const int row : eq.holonomic) all.push_back(eq.h[index(row)]);
  rows.k = add(rates_of_coordinates(eq));
  rows.y = all.size();
  const std::vector<Expr> outputs = kernel_expressions(eq, KernelFunction::kOutputs);
  all.insert(all.end(), outputs.begin(), outputs.end());
  rows.end = all.size();
  return all;
}

}  // namespace

EquationDerivatives::EquationDerivatives(const Equations& given) {
  const Equations eq = with_prescribed_rows(on_overlay(given));
  const std::vector<Expr> functions = functions_of(eq, rows_);
  Tape tape = flatten(functions);
  const std::size_t nq = eq.q.size(), nv = eq.velocities().size();
  columns_ = {.q = 0, .v = nq, .vdot = nq + nv, .lambda = nq + 2 * nv, .u = 0, .t = 0, .end = 0};
  columns_.u = columns_.lambda + eq.rows.size();
  columns_.t = columns_.u + eq.model->inputs.size();
  columns_.end = columns_.t + 1;
  const std::vector<ArgumentEntry> by =
      entries_of(eq, {TapeArray::kCoordinate, TapeArray::kVelocity, TapeArray::kAcceleration, TapeArray::kMultiplier,
                      TapeArray::kInput, TapeArray::kTime});
  TapeJacobian jacobian = make_jacobian(tape, by, rows_.end);
  derivatives_ = std::move(jacobian.tape);
  pattern_ = {static_cast<int>(rows_.end), static_cast<int>(by.size()), std::move(jacobian.row),
              std::move(jacobian.col)};
  finish(derivatives_);
  finish(tape);
  values_ = std::move(tape);
  const std::vector<bool> counts = find_dependence(eq), chosen_by = find_choices(eq, functions);
  for (std::size_t j = 0; j < columns_.end; ++j) depends_[j] = depends_[j] || chosen_by[j];
  find_drives(eq, counts, chosen_by);
  find_time(eq, functions);
}

// The time in the functions and in the formulas of inputs, with the values of the parameters.
void EquationDerivatives::find_time(const Equations& eq, const std::vector<Expr>& functions) {
  const std::vector<Expr> of_motion(functions.begin(), functions.begin() + static_cast<std::ptrdiff_t>(rows_.y));
  std::vector<Expr> of_inputs;
  for (const Input& input : eq.model->inputs)
    if (input.value) of_inputs.push_back(eq.graph->adopt(input.value));
  const bool motion = depends_[columns_.t], inputs = contains_time(eq, of_inputs);
  depends_[columns_.t] = motion && depends_on_time(eq, of_motion);
  inputs_depend_on_time_ = depends_on_time(eq, of_inputs);
  values_decide_time_ = motion != depends_[columns_.t] || inputs != inputs_depend_on_time_;
}

// The motion depends on a coordinate, or on the time, that chooses a branch, although the derivative of the choice is 0.
std::vector<bool> EquationDerivatives::find_choices(const Equations& eq, const std::vector<Expr>& functions) const {
  std::vector<bool> by(columns_.end);
  std::vector<Expr> chosen_by;
  for (const NodeId id : reachable(std::span(functions).first(rows_.y))) {
    const Op op = eq.graph->op(id);
    if (function_info(op).guard == Guard::kNone && op != Op::kEqual) continue;
    for (const Graph::Item& item : eq.graph->items(id)) chosen_by.emplace_back(eq.graph.get(), item.node);
  }
  const std::vector<SymbolId> symbols = symbols_in(chosen_by);
  for (std::size_t i = 0; i < eq.q.size(); ++i)
    by[columns_.q + i] = std::ranges::find(symbols, eq.q[i].symbol()) != symbols.end();
  by[columns_.t] = std::ranges::find(symbols, eq.t.symbol()) != symbols.end();
  return by;
}

// A row α − ω t = 0 that drives a coordinate α at a constant rate. If no other function contains α, and the time is in
// such rows only, then t → t + s, α → α + ω s changes nothing: the motion depends neither on these α nor on t.
void EquationDerivatives::find_drives(const Equations& eq, const std::vector<bool>& counts,
                                      const std::vector<bool>& chosen_by) {
  const auto is_position = [&](std::size_t column) { return column < columns_.v; };
  std::vector<std::vector<std::size_t>> contains(rows_.y);  // by function: coordinates and the time in it
  std::vector<std::size_t> functions_with(columns_.end);    // by column: number of functions and choices with it
  for (std::size_t j = 0; j < columns_.end; ++j) functions_with[j] = chosen_by[j] ? 1 : 0;
  for (std::size_t k = 0; k < pattern_.row.size(); ++k) {
    const std::size_t row = index(pattern_.row[k]), column = index(pattern_.col[k]);
    if (row >= rows_.y || !counts[k] || !(is_position(column) || column == columns_.t)) continue;
    contains[row].push_back(column);
    ++functions_with[column];
  }
  std::vector<std::size_t> driven;
  for (std::size_t i = 0; i < eq.holonomic.size(); ++i) {
    const std::size_t row = index(eq.holonomic[i]);
    const std::vector<std::size_t>& of = contains[rows_.h + i];
    // h is linear in q and t, with constant factors, exactly if neither Ẇ nor W contains them.
    if (std::ranges::find(of, columns_.t) == of.end() || !contains[rows_.w + row].empty() ||
        !contains[rows_.c + row].empty())
      continue;
    const auto alone = std::ranges::find_if(
        of, [&](std::size_t column) { return is_position(column) && functions_with[column] == 1; });
    if (alone != of.end()) driven.push_back(*alone);
  }
  if (driven.empty() || driven.size() != functions_with[columns_.t]) return;
  depends_[columns_.t] = false;
  for (const std::size_t column : driven) depends_[column] = false;
}

std::vector<bool> EquationDerivatives::find_dependence(const Equations& eq) {
  depends_.assign(columns_.end, false);
  std::vector<bool> by_structure(columns_.end);
  for (std::size_t k = 0; k < pattern_.row.size(); ++k)
    if (index(pattern_.row[k]) < rows_.y) by_structure[index(pattern_.col[k])] = true;
  for (std::size_t j = columns_.v; j < columns_.end; ++j) depends_[j] = by_structure[j];
  std::vector<bool> counts(pattern_.row.size());  // by entry: it is not 0
  for (std::size_t k = 0; k < counts.size(); ++k) counts[k] = index(pattern_.col[k]) >= columns_.v;
  // Terms that cancel, as in the inertia of a wheel about its axle, are found only by evaluating the derivatives.
  std::vector<double> parameters, out(derivatives_.outputs), work(derivatives_.registers);
  for (const Parameter& parameter : eq.model->parameters) parameters.push_back(parameter.value);
  const auto scrambled = [](std::size_t count, double from) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i)
      values.push_back(0.2 + std::fmod(from + 0.6180339887498949 * static_cast<double>(i + 1), 1.0));
    return values;
  };
  for (const double from : {0.11, 0.43, 0.77}) {
    std::vector<double> q = scrambled(columns_.v, from);
    for (const int first : eq.quaternions) {
      double norm = 0;
      for (std::size_t k = 0; k < 4; ++k) norm = std::hypot(norm, q[index(first) + k]);
      for (std::size_t k = 0; k < 4; ++k) q[index(first) + k] /= norm;
    }
    const std::vector<double> v = scrambled(columns_.vdot - columns_.v, from + 0.2),
                              vdot = scrambled(v.size(), from + 0.4),
                              lambda = scrambled(columns_.u - columns_.lambda, from + 0.6),
                              u = scrambled(columns_.t - columns_.u, from + 0.8);
    const KernelArguments in{.t = from,
                             .q = q.data(),
                             .v = v.data(),
                             .qdd = vdot.data(),
                             .lambda = lambda.data(),
                             .u = u.data(),
                             .p = parameters.data(),
                             .work = work.data()};
    run(derivatives_, in, out.data());
    std::vector<double> most(rows_.end);
    for (std::size_t k = 0; k < out.size(); ++k)
      most[index(pattern_.row[k])] = std::max(most[index(pattern_.row[k])], std::abs(out[k]));
    for (std::size_t k = 0; k < out.size(); ++k)
      if (index(pattern_.row[k]) < rows_.y && index(pattern_.col[k]) < columns_.v &&
          !(std::abs(out[k]) <= 1e-13 * most[index(pattern_.row[k])])) {
        depends_[index(pattern_.col[k])] = true;
        counts[k] = true;
      }
  }
  return counts;
}

namespace {

std::vector<double> run_at(const Tape& tape, const Dynamics& dynamics, const MotionPoint& point) {
  std::vector<double> out(tape.outputs), work(tape.registers);
  const KernelArguments in{.t = point.t,
                           .q = point.q.data(),
                           .v = point.v.data(),
                           .qdd = point.vdot.data(),
                           .lambda = point.lambda.data(),
                           .u = point.u.data(),
                           .p = dynamics.parameters().data(),
                           .work = work.data()};
  run(tape, in, out.data());
  return out;
}

}  // namespace

std::vector<double> EquationDerivatives::values(const Dynamics& dynamics, const MotionPoint& point) const {
  return run_at(values_, dynamics, point);
}

std::vector<double> EquationDerivatives::derivatives(const Dynamics& dynamics, const MotionPoint& point) const {
  return run_at(derivatives_, dynamics, point);
}

}  // namespace dalembert
