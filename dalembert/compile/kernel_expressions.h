// SPDX-License-Identifier: Apache-2.0
// What the functions of a kernel evaluate, as expressions, and where the entries of matrices are.
#pragma once

#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/kernel.h"

namespace dalembert {

/// The expressions that `function` evaluates, in the order of its outputs (dynamics/kernel.h), built in the graph of the
/// equations (F − B − G): a pass calls it with equations on an overlay.
std::vector<Expr> kernel_expressions(const Equations& equations, KernelFunction function);

/// Expressions of the model's symbols, in the graph of the equations, in those that kernels read: velocities and accelerations of the
/// motion, multipliers of the rows for actuations, those of the equations for frictions.
std::vector<Expr> in_kernel_symbols(const Equations& equations, std::vector<Expr> list);

/// Σ|∂h/∂q_j q_j| of each holonomic row, the size of h's terms, built in the graph of the equations; nothing where v = q̇.
std::vector<Expr> position_sizes(const Equations& equations);

/// Where the entries of a matrix are.
Pattern pattern(const SparseMatrix& matrix);

/// f = F − B − G, built in the graph of the equations.
std::vector<Expr> generalized_force(const Equations& equations);

/// Sizes and sparsity; `work` and `prepared` are left 0, they belong to the form of code.
Layout kernel_layout(const Equations& equations);

}  // namespace dalembert
