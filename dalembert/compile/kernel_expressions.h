// SPDX-License-Identifier: Apache-2.0
// The expressions that a kernel's functions evaluate, and the sparsity patterns of its matrices.
#pragma once

#include <unordered_map>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/kernel.h"

namespace dalembert {

/// The expressions that `function` evaluates, in the order of its outputs (dynamics/kernel.h). Adds nodes to the graph
/// of the equations (generalized_force()), so a pass calls it with equations on an overlay. Empty for functions that
/// solve the KKT system.
std::vector<Expr> kernel_expressions(const Equations& equations, KernelFunction function);

/// Rewrites expressions of the model's symbols, which are in the graph of the equations, in the symbols that kernels read: velocities and
/// accelerations of the motion, multipliers of the rows in place of actuations, the equations' own symbols of friction forces.
std::vector<Expr> in_kernel_symbols(const Equations& equations, std::vector<Expr> list);

/// The rates of t, q, v and inputs along the motion, v̇ and λ aside, built in the graph of the equations. `inputs`: the expressions of those
/// inputs that have one.
std::unordered_map<SymbolId, Expr> rates_along(const Equations& equations,
                                               const std::unordered_map<SymbolId, Expr>& inputs);

/// For each holonomic constraint h(q, t) = 0 the size of its terms, Σ|∂h/∂q_j q_j|; empty where v = q̇. Adds nodes to
/// the equations' graph.
std::vector<Expr> position_sizes(const Equations& equations);

/// The sparsity pattern of a matrix.
Pattern pattern(const SparseMatrix& matrix);

/// f = F − B − G: the forces F without the velocity terms B and the gradient G of the potential, built in the graph of
/// the equations.
std::vector<Expr> generalized_force(const Equations& equations);

/// Sizes and sparsity patterns. `work` and `prepared` stay 0: they depend on how the functions are implemented.
Layout kernel_layout(const Equations& equations);

}  // namespace dalembert
