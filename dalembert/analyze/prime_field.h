// SPDX-License-Identifier: Apache-2.0
// Ranks of matrices of expressions, exactly: values at a random point of the field of 2⁶¹ − 1 elements.
//
// Numbers, symbols and sums, products and quotients of them are elements of the field; sine and cosine of an angle are a
// point of the circle, (1 − s²)/(1 + s²) and 2s/(1 + s²) with random s, those of sums of angles follow; a square root is one of
// the two, where the field has any. A minor that is not 0 there is not 0 as a function, so the rank is never too large; it
// is too small with a probability of about degree/2⁶¹ (J. T. Schwartz, Fast probabilistic algorithms for verification of
// polynomial identities, J. ACM 27 (1980) 701-717).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "dalembert/expr/expr.h"

namespace dalembert {

class PrimeFieldPoint {
 public:
  static constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;

  /// Symbols have the values given (those of parameters, say), or random ones. The graph must outlive this.
  PrimeFieldPoint(const Graph& graph, std::uint64_t seed, std::unordered_map<SymbolId, Rational> known = {});

  /// The value; nothing where a function has none here (exp, |x|, a quotient by 0, the root of what is no square).
  std::optional<std::uint64_t> value(const Expr& expression);

 private:
  struct Circle {
    std::uint64_t cosine = 1, sine = 0;
  };
  using AngleParts = std::vector<std::pair<std::string, Rational>>;

  std::optional<std::uint64_t> compute(NodeId node);
  std::optional<std::uint64_t> known(NodeId node) const;
  AngleParts parts_of(NodeId angle) const;
  std::optional<Circle> circle(NodeId angle);
  std::uint64_t random();

  const Graph& graph_;
  std::uint64_t state_;
  std::unordered_map<SymbolId, Rational> given_;
  std::unordered_map<NodeId, std::optional<std::uint64_t>> values_;
  std::unordered_map<std::string, Circle> circles_;  // of a part of angles, over kFraction
};

/// Rows reduced to echelon form in the field, as they come in.
class PrimeFieldRank {
 public:
  /// Whether the row is independent of those before.
  bool add(std::vector<std::uint64_t> row);
  std::size_t rank() const { return rows_.size(); }

 private:
  std::vector<std::pair<std::size_t, std::vector<std::uint64_t>>> rows_;  // pivot, row with 1 there
};

}  // namespace dalembert
