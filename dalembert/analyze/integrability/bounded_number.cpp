// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/integrability/bounded_number.h"

#include <algorithm>

#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr double kFunctionError = 1e-15;  // error bound of a function of the C++ library, relative to its value

BoundedNumber constant_term(const std::vector<BoundedNumber>& p) { return p.empty() ? BoundedNumber{} : p[0]; }

}  // namespace

std::optional<BoundedNumber> BoundedPoint::raised(const Number& a, const Rational& exponent) const {
  const double e = exponent.to_double(), value = evaluate_power(a.value, e);
  const double least = std::abs(a.value) - a.error;
  if (!std::isfinite(value) || !(least > 0)) return std::nullopt;
  const double relative = std::expm1(std::abs(e) * std::log(std::abs(a.value) / least));
  return Number{value, std::abs(value) * (relative + kFunctionError * (1 + std::abs(e)))};
}

std::optional<BoundedPoint::Polynomial> BoundedPoint::symbol(const Taylor<BoundedNumbers>& taylor, SymbolId id) const {
  const auto found = values_.find(id);
  if (found == values_.end()) return std::nullopt;
  Polynomial p(taylor.monomials().size(taylor.degree()));
  p[0] = found->second;
  const auto variable = variables_.find(id);
  if (taylor.degree() > 0 && variable != variables_.end()) p[1 + static_cast<std::size_t>(variable->second)] = {1, 0};
  return p;
}

std::optional<BoundedNumber> BoundedPoint::exponential(NodeId, const Polynomial& u) const {
  const Number a = constant_term(u);
  const double value = std::exp(a.value);
  if (!std::isfinite(value)) return std::nullopt;
  return Number{value, value * (std::expm1(a.error) + kFunctionError)};
}

std::optional<BoundedNumber> BoundedPoint::logarithm(NodeId, const Polynomial& u, const Polynomial&) const {
  const Number a = constant_term(u);
  if (!(a.value > a.error)) return std::nullopt;
  const double value = std::log(a.value);
  return Number{value, std::log(a.value / (a.value - a.error)) + kFunctionError * (1 + std::abs(value))};
}

std::optional<BoundedPoint::Circle> BoundedPoint::circle(NodeId, const Polynomial& u) const {
  const Number a = constant_term(u);
  if (!std::isfinite(a.value)) return std::nullopt;
  return Circle{{std::cos(a.value), a.error + kFunctionError}, {std::sin(a.value), a.error + kFunctionError}};
}

std::optional<BoundedNumber> BoundedPoint::angle_value(Op op, const std::vector<Number>& arguments) {
  const Number& a = arguments[0];
  if (op == Op::kAtan) return Number{std::atan(a.value), a.error + kFunctionError};
  if (op == Op::kAtan2) {
    const Number& b = arguments[1];
    const double radius = std::hypot(a.value, b.value), error = std::hypot(a.error, b.error);
    // There is no bound at the origin and at the branch cut, where the value jumps.
    if (!(radius > 2 * error) || (b.value < 0 && std::abs(a.value) <= 2 * error)) return std::nullopt;
    return Number{std::atan2(a.value, b.value), 2 * error / radius + kFunctionError * 4};
  }
  const double farthest = std::abs(a.value) + a.error;
  if (!(farthest < 1)) return std::nullopt;
  const double value = op == Op::kAsin ? std::asin(a.value) : std::acos(a.value);
  return Number{value, a.error / std::sqrt(1 - farthest * farthest) + 4 * kFunctionError};
}

std::optional<int> BoundedPoint::sign(NodeId node, const Number& a) {
  if (!a.is_nonzero()) return std::nullopt;
  return signs_[node] = a.value > 0 ? 1 : -1;
}

bool BoundedRank::add(std::vector<BoundedNumber> row) {
  double size = 0;
  for (const BoundedNumber& x : row) size = std::max(size, std::abs(x.value));
  for (const auto& [pivot, with] : rows_) {
    const BoundedNumber factor = numbers_.negative(row[pivot]);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = numbers_.add(row[j], numbers_.multiply(factor, with[j]));
    row[pivot] = {};
  }
  std::optional<std::size_t> pivot;
  double left = 0;
  for (std::size_t j = 0; j < row.size(); ++j) {
    left = std::isnan(row[j].value) ? HUGE_VAL : std::max(left, row[j].error);
    if (row[j].is_nonzero() && (!pivot || std::abs(row[j].value) > std::abs(row[*pivot].value))) pivot = j;
  }
  if (!pivot) {
    doubt_ = std::max(doubt_, left / std::max(size, 1.0));
    return false;
  }
  const BoundedNumber over = numbers_.inverse(row[*pivot]);
  for (BoundedNumber& x : row) x = numbers_.multiply(x, over);
  row[*pivot] = numbers_.one();
  rows_.emplace_back(*pivot, std::move(row));
  return true;
}

}  // namespace dalembert
