// SPDX-License-Identifier: Apache-2.0
// Energies that are not continuous: at a jump the force would have no duration, and no derivative of the energy has it.
#pragma once

#include <optional>
#include <vector>

#include "dalembert/expr/expr.h"
#include "dalembert/model/model.h"

namespace dalembert {

/// Conditions, sign and floor choose between branches; where both agree on the limit between them the energy has a kink
/// only. Those that do not: the guards whose zeros (or integers, of floor) are the jumps of `energy`. Found at random
/// points on the limit, with the model's parameter values.
std::vector<Expr> find_jumps(const Expr& energy, const Model& model);

/// Where a function of time, or its rate, jumps.
struct TimeJump {
  double t = 0;
  bool of_rate = false;
  double before = 0, after = 0;
};
/// The first jump of a function of t alone between two times (`to` may be infinite: then for 100 s), of the value before
/// one of the rate. A kink of the rate is none. Conditions that hold for less than a few thousandths of the time may be
/// overlooked.
std::optional<TimeJump> find_time_jump(const Expr& value, const Model& model, double from, double to);

}  // namespace dalembert
