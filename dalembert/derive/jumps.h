// SPDX-License-Identifier: Apache-2.0
// Energies that are not continuous: at a jump the force would have no duration, and no derivative of the energy has it.
#pragma once

#include <vector>

#include "dalembert/expr/expr.h"
#include "dalembert/model/model.h"

namespace dalembert {

/// Conditions, sign and floor choose between branches; where both agree on the limit between them the energy has a kink
/// only. Those that do not: the guards whose zeros (or integers, of floor) are the jumps of `energy`. Found at random
/// points on the limit, with the model's parameter values.
std::vector<Expr> find_jumps(const Expr& energy, const Model& model);

}  // namespace dalembert
