// SPDX-License-Identifier: Apache-2.0
// Energies that are not continuous: a jump means an impulsive force, which no derivative of the energy shows.
#pragma once

#include <optional>
#include <vector>

#include "dalembert/expr/expr.h"
#include "dalembert/model/model.h"

namespace dalembert {

/// The guards at whose zeros (at whose integers, for floor) `energy` jumps. Conditions, sign and floor choose between
/// branches; where both branches agree on the limit between them, the energy has only a kink, and the guard is not
/// listed. Jumps are found at random points on the limit, with the model's parameter values.
std::vector<Expr> find_jumps(const Expr& energy, const Model& model);

/// A time at which a function of time, or its rate, jumps.
struct TimeJump {
  double t = 0;
  bool of_rate = false;
  double before = 0, after = 0;
};
/// The first jump of a function of t alone, or of its rate, between two times in s (an infinite `to` means `from` + 100 s). A
/// kink of the rate does not count. Conditions that hold for less than a few thousandths of the interval may be overlooked.
std::optional<TimeJump> find_time_jump(const Expr& value, const Model& model, double from, double to);

}  // namespace dalembert
