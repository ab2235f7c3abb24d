// SPDX-License-Identifier: Apache-2.0
// Exact derivatives by sweeps over the graph: cost proportional to the size of the graph, never an expansion.
// Griewank and Walther, Evaluating Derivatives, 2nd ed., SIAM 2008, ch. 3.
#pragma once

#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dalembert/expr/expr.h"

namespace dalembert {

/// ∂f/∂s for each s of `wrt`, by one reverse sweep. |x|' is sign(x); derivatives of sign, comparisons are 0; min, max
/// and if() take the derivative of the branch that is chosen.
std::vector<Expr> gradient(const Expr& f, std::span<const Expr> wrt);

/// Σ_s (∂f/∂s) seed(s), by one forward sweep for all of `functions`. Symbols without a seed are constants.
std::vector<Expr> directional_derivative(std::span<const Expr> functions,
                                         const std::unordered_map<SymbolId, Expr>& seeds);
/// Of the nodes that were differentiated along one set of seeds, which may only grow; null: 0.
struct KnownDerivatives {
  std::unordered_map<NodeId, Expr> of;
  std::size_t seeds = 0;
};
/// The same of one function, for many that are made of each other: each node is differentiated once.
Expr directional_derivative(const Expr& function, const std::unordered_map<SymbolId, Expr>& seeds,
                            KnownDerivatives& known);

/// Symbols to differentiate by, looked up once for many functions, so that each costs what it contains.
class Variables {
 public:
  explicit Variables(std::span<const Expr> symbols);
  int size() const { return static_cast<int>(symbols_.size()); }
  const Expr& symbol(int place) const { return symbols_[static_cast<std::size_t>(place)]; }
  int find(SymbolId symbol) const;           ///< its place; -1: none
  std::vector<int> in(const Expr& f) const;  ///< places of those that f contains, ascending

 private:
  std::vector<Expr> symbols_;
  std::unordered_map<SymbolId, int> place_;
};

/// (place, ∂f/∂s) of the variables that f contains, those up to `last` only where that is >= 0; ascending, without
/// entries that are structurally zero.
std::vector<std::pair<int, Expr>> sparse_gradient(const Expr& f, const Variables& wrt, int last = -1);

/// The nonzero entries of a Jacobian or Hessian, row by row, columns ascending; an entry that is structurally zero is
/// absent.
struct SparseMatrix {
  int rows = 0, cols = 0;
  std::vector<int> row, col;
  std::vector<Expr> value;
  /// The entry, or a null Expr.
  Expr find(int r, int c) const;
};

/// ∂f_i/∂s_j, one reverse sweep a row over only what the row contains.
SparseMatrix jacobian(std::span<const Expr> functions, std::span<const Expr> wrt);
SparseMatrix jacobian(std::span<const Expr> functions, const Variables& wrt);
/// ∂²f/∂s_i∂s_j; both halves, mirrored from one computation of each pair.
SparseMatrix hessian(const Expr& f, std::span<const Expr> wrt);

}  // namespace dalembert
