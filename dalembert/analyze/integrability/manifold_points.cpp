// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/integrability/manifold_points.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "dalembert/analyze/stability/matrix.h"
#include "dalembert/base/numeric.h"
#include "dalembert/dynamics/numbers.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr int kMostNewtonSteps = 30;       // largest number of steps of Newton's method
constexpr double kIndependentPart = 1e-7;  // least part of a row that is independent of the others
constexpr double kFarthestOff = 1e-9;      // largest distance from the manifold, relative to max(1, magnitude)
constexpr double kEnlarged = 8;            // by which bounds of first order are enlarged

}  // namespace

// Residuals of rows and of the norms of quaternions, bounds on their round-off, and their derivatives by q.
struct ManifoldPoints::Residuals {
  std::vector<double> value, error;
  Matrix slopes;
};

double ManifoldPoints::spread(int seed, std::size_t i) {
  return std::fmod(0.6180339887498949 * static_cast<double>(i + 1) + 0.137 * seed, 1.0);
}

ManifoldPoints::ManifoldPoints(const Equations& equations, Values known, State state)
    : eq_(equations), known_(std::move(known)), state_(std::move(state)) {
  state_.q.resize(eq_.q.size());
  for (std::size_t i = 0; i < eq_.q.size(); ++i) variables_.emplace(eq_.q[i].symbol(), static_cast<int>(i));
  const auto all = residuals(state_, eq_.holonomic);
  if (!all) return;
  Matrix columns(eq_.q.size(), eq_.holonomic.size());
  for (std::size_t k = 0; k < eq_.holonomic.size(); ++k) {
    double length = 0;
    for (std::size_t i = 0; i < eq_.q.size(); ++i) length = std::hypot(length, all->slopes(k, i));
    for (std::size_t i = 0; i < eq_.q.size() && length > 0; ++i) columns(i, k) = all->slopes(k, i) / length;
  }
  for (const std::size_t k : pivot_columns(columns, kIndependentPart)) kept_.push_back(eq_.holonomic[k]);
}

ManifoldPoints::Values ManifoldPoints::values_of(const State& at, double off) const {
  Values values = known_;
  for (std::size_t i = 0; i < at.q.size(); ++i) values[eq_.q[i].symbol()] = {at.q[i], off};
  values[eq_.t.symbol()] = {at.t, 0};
  return values;
}

// The polynomial of degree 1 of h of a row, in the coordinates; `found` is false where h has no value.
std::vector<BoundedNumber> ManifoldPoints::polynomial(const Values& values, int row, bool& found) const {
  const Expr& h = eq_.h[index(row)];
  const BoundedNumbers field;
  const Taylor<BoundedNumbers> taylor(field, static_cast<int>(eq_.q.size()), 1);
  BoundedPoint point(*eq_.graph, values, variables_);
  TaylorOf<BoundedNumbers, BoundedPoint> of(*eq_.graph, taylor, point);
  found = true;
  for (const NodeId node : reachable(std::array{h})) found = found && of.add(node);
  if (!found) return {};
  std::vector<BoundedNumber> p = of.at(h.id());
  p.resize(1 + eq_.q.size());
  return p;
}

std::optional<ManifoldPoints::Residuals> ManifoldPoints::residuals(const State& at,
                                                                   const std::vector<int>& rows) const {
  const std::size_t n = eq_.q.size();
  Residuals found;
  found.slopes = Matrix(rows.size() + eq_.quaternions.size(), n);
  const Values values = values_of(at, 0);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    bool has_value = false;
    const std::vector<BoundedNumber> p = polynomial(values, rows[k], has_value);
    if (!has_value) return std::nullopt;
    found.value.push_back(p[0].value);
    found.error.push_back(p[0].error);
    for (std::size_t i = 0; i < n; ++i) found.slopes(k, i) = p[1 + i].value;
  }
  for (std::size_t k = 0; k < eq_.quaternions.size(); ++k) {
    double norm = 0;
    for (std::size_t i = index(eq_.quaternions[k]); i < index(eq_.quaternions[k]) + 4; ++i) {
      norm += at.q[i] * at.q[i];
      found.slopes(rows.size() + k, i) = 2 * at.q[i];
    }
    found.value.push_back(norm - 1);
    found.error.push_back(4 * kEps);
  }
  for (const double value : found.value)
    if (!std::isfinite(value)) return std::nullopt;
  return found;
}

std::optional<ManifoldPoints::Values> ManifoldPoints::beside(double shift, int seed) const {
  State at = state_;
  for (std::size_t i = 0; i < at.q.size(); ++i) at.q[i] += shift * (spread(seed, i) - 0.4);
  at.t += shift * (0.3 + spread(seed, at.q.size()));
  const std::size_t rows = kept_.size() + eq_.quaternions.size();
  if (rows == 0) return values_of(at, 0);
  double last = HUGE_VAL;
  for (int step = 0; step < kMostNewtonSteps; ++step) {
    const auto now = residuals(at, kept_);
    if (!now) return std::nullopt;
    // The right side is r for the step, and beside it the identity for the size of J⁺.
    Matrix right(rows, 1 + rows);
    for (std::size_t k = 0; k < rows; ++k) right(k, 0) = now->value[k], right(k, 1 + k) = 1;
    const Matrix solved = solve_least(now->slopes, right, 1e-12);
    std::vector<double> change(at.q.size());
    double off = 0;
    for (std::size_t i = 0; i < at.q.size(); ++i) {
      change[i] = solved(i, 0);
      double here = 0;
      for (std::size_t k = 0; k < rows; ++k)
        here += std::abs(solved(i, 1 + k)) * (std::abs(now->value[k]) + now->error[k]);
      off = std::max(off, here);
    }
    const double moved = largest_magnitude(change), size = std::max(1.0, largest_magnitude(at.q));
    if (!std::isfinite(moved)) return std::nullopt;
    // At the limit of round-off steps no longer shrink.
    if (off < kFarthestOff * size && moved >= last / 2) return values_of(at, kEnlarged * off + 4 * kEps * size);
    last = moved;
    for (std::size_t i = 0; i < at.q.size(); ++i) at.q[i] -= change[i];
  }
  return std::nullopt;
}

bool ManifoldPoints::all_rows_may_hold(const Values& values) const {
  return std::ranges::all_of(eq_.holonomic, [&](int row) {
    bool found = false;
    const std::vector<BoundedNumber> p = polynomial(values, row, found);
    return found && !p[0].is_nonzero();
  });
}

}  // namespace dalembert
