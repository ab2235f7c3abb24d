// SPDX-License-Identifier: Apache-2.0
#include "dalembert/expr/constant_range.h"

#include <algorithm>
#include <cmath>

namespace dalembert {
namespace {

constexpr std::size_t kMaxBits = 16384;
// Bits of a number (numerator and denominator together) up to which is_in_range() is not called. A node's number of at
// most kShortNumber bits counts as in range. A sum of at most kComputableBits bits has a numerator and a denominator
// that are finite as doubles.
constexpr std::size_t kShortNumber = 128, kComputableBits = 1000;

}  // namespace

bool is_in_range(const Rational& value) {
  const double nearest = value.to_double();
  const bool computable = std::isfinite(nearest) && (nearest != 0 || value.is_zero()) &&
                          std::isfinite(value.numerator().to_double()) &&
                          std::isfinite(value.denominator().to_double());
  return value.bits() <= kMaxBits && computable;
}

bool are_numbers_in_range(const Expr& expression) {
  const auto good = [](const Rational& number) { return number.bits() <= kShortNumber || is_in_range(number); };
  const Op op = expression.op();
  if (op != Op::kConstant && op != Op::kSum && op != Op::kProduct) return true;
  const Graph& graph = expression.graph();
  if (!good(graph.number(expression.id()))) return false;
  return op != Op::kSum || std::ranges::all_of(graph.items(expression.id()),
                                               [&](const Graph::Item& item) { return good(graph.number(item)); });
}

bool LikeTerms::add(const Expr& term) {
  const Op op = term.op();
  if (op != Op::kConstant && op != Op::kProduct) return true;
  const Graph& graph = term.graph();
  const auto factors = graph.items(term.id());
  if (!std::ranges::equal(factors, factors_)) {
    factors_.assign(factors.begin(), factors.end());
    sum_ = 0;
  }
  sum_ = sum_ + graph.number(term.id());
  return sum_.bits() <= kComputableBits || is_in_range(sum_);
}

}  // namespace dalembert
