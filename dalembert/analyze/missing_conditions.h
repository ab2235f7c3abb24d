// SPDX-License-Identifier: Apache-2.0
// What a claim that holds on the constraints only has not stated. Inside analyze only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dalembert/analyze/conditions.h"
#include "dalembert/derive/equations.h"
#include "dalembert/expr/print.h"

namespace dalembert {

/// The fewest equations of the constraints, each about one of `symbols`, ascending, with which `proved` says yes: "it holds on
/// the constraints only: state given = …"; empty where there are none, or the constraints are many. `canonicalizer` is for what
/// is printed.
std::string missing_conditions(const Equations& equations, const Conditions& conditions,
                               const std::vector<SymbolId>& symbols, Canonicalizer& canonicalizer, Notation notation,
                               const std::function<bool(const Conditions&)>& proved);

}  // namespace dalembert
