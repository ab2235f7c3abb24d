// SPDX-License-Identifier: Apache-2.0
// The sign of an expression near a point, by its structure: a product of squares and of what is positive at the point is not negative.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "dalembert/expr/expr.h"

namespace dalembert {

struct LocalSign {
  int sign = 0;         ///< 1: nowhere near the point negative, -1: nowhere positive, 0: not known
  bool strict = false;  ///< not 0 at the point, and so nowhere near it
  /// Where the expression is 0 near the point, all of these are; no value where that is not known.
  std::optional<std::vector<Expr>> zeros = {};
};

/// Whether a sum is the negative of the one that stands for both, as y' − x' of x' − y', by the coefficient of its first term.
bool is_turned(const Expr& sum);
/// −e of a sum, as a sum of this graph, which contains it.
Expr negated(Graph& graph, const Expr& sum);

class LocalSigns {
 public:
  /// `graph`: an overlay, or a graph that may grow. `values`: of all symbols at the point; the symbols `state` differ near it, the others do not. Where
  /// solutions coincide the point is known to kWithin only, elsewhere to kBeside of max(1, its coordinates).
  static constexpr double kBeside = 1e-6, kWithin = 2e-3;
  LocalSigns(Graph& graph, const std::unordered_map<SymbolId, double>& values, std::span<const Expr> state,
             double known_to = kBeside);

  LocalSign of(const Expr& e);
  /// The sign of a product of expressions, in which factors may be the same.
  LocalSign of_product(std::span<const Expr> factors);

 private:
  struct Factors;
  void gather(const Expr& e, int exponent, Factors& into);
  LocalSign of_sum(const Expr& e);
  LocalSign of_function(const Expr& e);
  LocalSign by_value(const Expr& e) const;

  Graph& graph_;
  const std::unordered_map<SymbolId, double>& values_;
  std::vector<SymbolId> state_;
  double known_to_;
  std::unordered_map<NodeId, LocalSign> known_;
};

}  // namespace dalembert
