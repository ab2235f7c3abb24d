// SPDX-License-Identifier: Apache-2.0
// Accelerations and multipliers where no formula for them is at hand. Inside analyze only.
#pragma once

#include <optional>

#include "dalembert/analyze/compare.h"
#include "dalembert/analyze/conditions.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

struct MotionComparison {
  int points = 0;                        ///< random states at which the motion is unique
  std::optional<Difference> difference;  ///< a: what the KKT system gives for the unknown, b: what is claimed
};

/// Holds `claimed`, which may contain q̈ and λ, against `unknown`, one of their symbols, at random states: the KKT
/// system is solved in numbers, O((N+m)³) each. No points where the conditions are about q̈ or λ.
MotionComparison compare_motion(const Equations& equations, const Conditions& conditions, const Expr& unknown,
                                const Expr& claimed);

}  // namespace dalembert
