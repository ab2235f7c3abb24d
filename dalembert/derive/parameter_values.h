// SPDX-License-Identifier: Apache-2.0
// What is left of formulas with the values that the parameters of the model have: A*sin(w*t) with A = 0 does not contain the time.
#pragma once

#include <span>

#include "dalembert/derive/equations.h"
#include "dalembert/expr/expr.h"

namespace dalembert {

/// Whether one of the expressions contains the time.
bool contains_time(const Equations& equations, std::span<const Expr> expressions);
/// The same with the exact values of the model's parameters in the place of their symbols. The expressions are of the graph of the equations.
bool depends_on_time(const Equations& equations, std::span<const Expr> expressions);

}  // namespace dalembert
