// SPDX-License-Identifier: Apache-2.0
// Passes over the graph: reachability, dependence, substitution, evaluation, operation count.
#pragma once

#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "dalembert/expr/expr.h"

namespace dalembert {

/// The nodes that `roots` are made of, each once, ascending (children before parents). Cost O(nodes returned · log).
std::vector<NodeId> reachable(std::span<const Expr> roots);

/// Symbols that `roots` contain, ascending.
std::vector<SymbolId> symbols_in(std::span<const Expr> roots);
bool depends_on(const Expr& expression, std::span<const Expr> symbols);
bool depends_on_kind(const Expr& expression, SymbolKind kind);

/// Every symbol of `replacements` replaced at once (not repeatedly).
Expr substitute(const Expr& expression, const std::unordered_map<SymbolId, Expr>& replacements);
std::vector<Expr> substitute(std::span<const Expr> expressions, const std::unordered_map<SymbolId, Expr>& replacements);

/// The expressions built anew from the leaves up: `change(node, arguments)` returns what a node that is neither a sum
/// nor a product becomes now that its arguments have become `arguments` (none of a leaf), or null to keep its
/// operation.
std::vector<Expr> rebuild(std::span<const Expr> expressions,
                          const std::function<Expr(NodeId, std::span<const Expr>)>& change);

/// Values of `expressions` where symbol s has the value value_of(s). NaN where undefined.
std::vector<double> evaluate(std::span<const Expr> expressions, const std::function<double(SymbolId)>& value_of);
double evaluate(const Expr& expression, const std::function<double(SymbolId)>& value_of);

/// Value of one function node from its argument values; the one definition of what every Op means in numbers.
double evaluate_function(Op op, const double* arguments);
/// x^e as evaluated everywhere: small integers by multiplication, ±1/2 by square roots.
double evaluate_power(double base, double exponent);

/// Additions, multiplications, divisions and function calls, each shared node once.
std::size_t count_operations(std::span<const Expr> expressions);

}  // namespace dalembert
