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

/// ∂f/∂s for each s of `wrt`, by one reverse sweep. The derivative of |x| is sign(x); derivatives of sign and of comparisons are 0; min,
/// max and if() have the derivative of the branch that is chosen.
std::vector<Expr> gradient(const Expr& f, std::span<const Expr> wrt);

/// Σ_s (∂f/∂s) seed(s), by one forward sweep for all of `functions`. Symbols without a seed are constants.
std::vector<Expr> directional_derivative(std::span<const Expr> functions,
                                         const std::unordered_map<SymbolId, Expr>& seeds);
/// Derivatives of nodes along one set of seeds. The set may only grow: a new number of seeds clears them. Null means 0.
struct KnownDerivatives {
  std::unordered_map<NodeId, Expr> of;
  std::size_t seeds = 0;
};
/// The directional derivative of one function, for many functions that share nodes: `known` keeps results, so that each node is differentiated once.
Expr directional_derivative(const Expr& function, const std::unordered_map<SymbolId, Expr>& seeds,
                            KnownDerivatives& known);

/// d/dt of an expression of t, coordinates and velocities, which become accelerations; null where there is none. A look at every
/// symbol of the graph, and one sweep.
Expr time_derivative(const Expr& expression);

/// Symbols to differentiate by. They are looked up once for many functions, so that a function costs only as much as the symbols it contains.
class Variables {
 public:
  explicit Variables(std::span<const Expr> symbols);
  int size() const { return static_cast<int>(symbols_.size()); }
  const Expr& symbol(int place) const { return symbols_[static_cast<std::size_t>(place)]; }
  int find(SymbolId symbol) const;           ///< its index in the list; -1: not in it
  std::vector<int> in(const Expr& f) const;  ///< indices of the symbols that f contains, ascending

 private:
  std::vector<Expr> symbols_;
  std::unordered_map<SymbolId, int> place_;
};

/// Pairs (index of s, ∂f/∂s) for the variables that f contains, ascending, without structural zeros. If `last` >= 0, only variables up to index `last`.
std::vector<std::pair<int, Expr>> sparse_gradient(const Expr& f, const Variables& wrt, int last = -1);

/// The nonzero entries of a Jacobian or Hessian, row by row, columns ascending. Structural zeros are absent.
struct SparseMatrix {
  int rows = 0, cols = 0;
  std::vector<int> row, col;
  std::vector<Expr> value;
  /// The entry (r, c), or a null Expr if it is absent.
  Expr find(int r, int c) const;
};

/// ∂f_i/∂s_j, by one reverse sweep for each row over the nodes of that row only.
SparseMatrix jacobian(std::span<const Expr> functions, std::span<const Expr> wrt);
SparseMatrix jacobian(std::span<const Expr> functions, const Variables& wrt);
/// ∂²f/∂s_i∂s_j as a full symmetric matrix; each pair (i, j) is computed once and mirrored.
SparseMatrix hessian(const Expr& f, std::span<const Expr> wrt);

}  // namespace dalembert
