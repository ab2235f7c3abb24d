// SPDX-License-Identifier: Apache-2.0
// Private to analyze: doubles with a bound on their error, for matrix ranks that do not depend on round-off.
//
// A number whose magnitude exceeds its error bound is certainly not 0; any other number may be 0. The bounds are of
// first order, and each operation adds kRounding of its result, more than its round-off (N. J. Higham, Accuracy and
// Stability of Numerical Algorithms, 2nd ed., SIAM 2002, §3.3).
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dalembert/analyze/integrability/taylor_of.h"

namespace dalembert {

struct BoundedNumber {
  double value = 0, error = 0;
  /// Whether the number is certainly not 0.
  bool is_nonzero() const { return std::abs(value) > error; }
};

class BoundedNumbers {
 public:
  using Number = BoundedNumber;
  static constexpr double kRounding = 3e-16;

  Number zero() const { return {}; }
  Number one() const { return {1, 0}; }
  bool is_zero(const Number& a) const { return a.value == 0 && a.error == 0; }
  Number of(std::int64_t integer) const { return {static_cast<double>(integer), 0}; }
  std::optional<Number> of(const Rational& number) const {
    const double value = number.to_double();
    return Number{value, number.as_int() ? 0 : std::abs(value) * kRounding};
  }
  Number add(const Number& a, const Number& b) const {
    const double value = a.value + b.value;
    return {value, a.error + b.error + std::abs(value) * kRounding};
  }
  Number negative(const Number& a) const { return {-a.value, a.error}; }
  Number subtract(const Number& a, const Number& b) const { return add(a, negative(b)); }
  Number multiply(const Number& a, const Number& b) const {
    const double value = a.value * b.value;
    return {value, std::abs(a.value) * b.error + std::abs(b.value) * a.error + a.error * b.error +
                       std::abs(value) * kRounding};
  }
  /// 1/a; the error is infinite where a may be 0.
  Number inverse(const Number& a) const {
    const double least = std::abs(a.value) - a.error, value = 1 / a.value;
    return {value, least > 0 ? a.error / (std::abs(a.value) * least) + std::abs(value) * kRounding : HUGE_VAL};
  }
};

/// The values of symbols and functions at one point of numbers, for taylor_of.h. An expression with a symbol that has
/// no value has none either.
class BoundedPoint {
 public:
  using Number = BoundedNumber;
  using Polynomial = std::vector<Number>;

  BoundedPoint(const Graph& graph, std::unordered_map<SymbolId, Number> values,
               const std::unordered_map<SymbolId, int>& variables)
      : graph_(graph), values_(std::move(values)), variables_(variables) {}

  std::optional<Number> number(const Rational& value) const { return numbers_.of(value); }
  Number pi() const { return {3.141592653589793, 2e-16}; }
  std::optional<Number> raised(const Number& a, const Rational& exponent) const;
  std::optional<Polynomial> symbol(const Taylor<BoundedNumbers>& taylor, SymbolId id) const;
  std::optional<Number> exponential(NodeId node, const Polynomial& u) const;
  std::optional<Number> logarithm(NodeId node, const Polynomial& u, const Polynomial& rest) const;
  struct Circle {
    Number cosine, sine;
  };
  std::optional<Circle> circle(NodeId angle, const Polynomial& u) const;
  template <class Of>
  std::optional<Number> angle(NodeId node, const Of& of, const Polynomial&) const {
    std::vector<Number> arguments;
    for (const Graph::Item& item : graph_.items(node)) {
      const Polynomial& p = of.at(item.node);
      arguments.push_back(p.empty() ? Number{} : p[0]);
    }
    return angle_value(graph_.op(node), arguments);
  }
  /// The sign of `a`; no value where it is not certain. It is also recorded in signs(), by node.
  std::optional<int> sign(NodeId node, const Number& a);
  const std::unordered_map<NodeId, int>& signs() const { return signs_; }

 private:
  static std::optional<Number> angle_value(Op op, const std::vector<Number>& arguments);

  BoundedNumbers numbers_;
  const Graph& graph_;
  std::unordered_map<SymbolId, Number> values_;
  const std::unordered_map<SymbolId, int>& variables_;
  std::unordered_map<NodeId, int> signs_;
};

/// The rank of a matrix whose rows are added one by one and reduced to echelon form. The rank is never too large.
class BoundedRank {
 public:
  /// Adds a row. Returns whether it is certainly independent of the rows before it.
  bool add(std::vector<BoundedNumber> row);
  std::size_t rank() const { return rows_.size(); }
  /// Largest error bound of an entry that was taken for 0, relative to the size of its row; 0 where all decisions are certain.
  double doubt() const { return doubt_; }

 private:
  BoundedNumbers numbers_;
  std::vector<std::pair<std::size_t, std::vector<BoundedNumber>>> rows_;
  double doubt_ = 0;
};

}  // namespace dalembert
