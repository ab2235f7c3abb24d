// SPDX-License-Identifier: Apache-2.0
// Passes over the graph: reachability, dependence, substitution, evaluation, operation count.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "dalembert/expr/expr.h"

namespace dalembert {

/// All nodes that `roots` contain, each once, in ascending order (children before parents). Cost O(n log n) for n returned nodes.
std::vector<NodeId> reachable(std::span<const Expr> roots);

/// The symbols that `roots` contain, ascending.
std::vector<SymbolId> symbols_in(std::span<const Expr> roots);
bool depends_on(const Expr& expression, std::span<const Expr> symbols);
bool depends_on_kind(const Expr& expression, SymbolKind kind);

/// Which kinds of symbols an expression contains, for many expressions of one growing graph.
/// One bit mask for each node, filled in order of ids as the graph grows. All queries together cost O(nodes), where a search for each query
/// would cost O(N²) for a chain of N bodies.
class KindMasks {
 public:
  using Mask = std::uint16_t;  ///< one bit for each SymbolKind
  static constexpr Mask bit(SymbolKind kind) { return static_cast<Mask>(1u << static_cast<unsigned>(kind)); }
  Mask of(const Expr& expression);
  bool contains(const Expr& expression, SymbolKind kind) { return (of(expression) & bit(kind)) != 0; }

 private:
  std::vector<Mask> masks_;
};

/// The expression with every symbol of `replacements` replaced simultaneously (not repeatedly).
Expr substitute(const Expr& expression, const std::unordered_map<SymbolId, Expr>& replacements);
std::vector<Expr> substitute(std::span<const Expr> expressions, const std::unordered_map<SymbolId, Expr>& replacements);

/// Rebuilds expressions from the leaves up. `change(node, arguments)` receives the rebuilt arguments of a node (none for a leaf; of sums and products
/// the terms without coefficients, the factors without exponents) and returns the new node, or null to apply the same operation to the new arguments.
std::vector<Expr> rebuild(std::span<const Expr> expressions,
                          const std::function<Expr(NodeId, std::span<const Expr>)>& change);

/// Values of `expressions`, where symbol s has the value value_of(s). NaN where undefined.
std::vector<double> evaluate(std::span<const Expr> expressions, const std::function<double(SymbolId)>& value_of);
double evaluate(const Expr& expression, const std::function<double(SymbolId)>& value_of);

/// Value of a function node for given argument values. This is the only definition of the numerical meaning of an Op.
double evaluate_function(Op op, const double* arguments);
/// x^e as every part of the program evaluates it: small integer powers by multiplication, ±1/2 by square roots.
double evaluate_power(double base, double exponent);

/// Number of additions, multiplications, divisions and function calls; a shared node counts once.
std::size_t count_operations(std::span<const Expr> expressions);

}  // namespace dalembert
