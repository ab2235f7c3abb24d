// SPDX-License-Identifier: Apache-2.0
// How large the terms are of which an expression is a sum: where they cancel, what is left is round-off of them.
#pragma once

#include <span>
#include <vector>

#include "dalembert/expr/expr.h"

namespace dalembert {

/// Of each expression, as nodes of `graph`: Σ|term| for a sum, the product of the factors' sizes for a product, |e| for anything else.
std::vector<Expr> sizes_of_terms(Graph& graph, std::span<const Expr> expressions);

}  // namespace dalembert
