// SPDX-License-Identifier: Apache-2.0
// Finds the conditions that a claim leaves unstated if it holds on the constraints only. Inside analyze only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dalembert/analyze/audit/conditions.h"
#include "dalembert/derive/equations.h"
#include "dalembert/expr/print.h"

namespace dalembert {

/// The hint "it holds on the constraints only: state given = …", with a set of constraint equations, each solved for
/// one of `symbols` (ascending), for which `proved` returns true and of which none can be left out. Empty where there
/// is no such set, or there are many constraints. `canonicalizer` is used for printing.
std::string missing_conditions(const Equations& equations, const Conditions& conditions,
                               const std::vector<SymbolId>& symbols, Canonicalizer& canonicalizer, Notation notation,
                               const std::function<bool(const Conditions&)>& proved);

/// The hint "it holds for values of this model: state given = …", with the values of the parameters that are in `correct` and not in `claimed`
/// (multiples of π/180 where a value is one to 15 digits), for which `proved` returns true. Empty where there are none, or more than four.
std::string missing_values(const Model& model, const Conditions& conditions, const Expr& correct, const Expr& claimed,
                           Notation notation, const std::function<bool(const Conditions&)>& proved);

}  // namespace dalembert
