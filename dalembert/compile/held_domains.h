// SPDX-License-Identifier: Apache-2.0
// Private to compile: a step looks beyond the guard at which it is to end, with branches held. There the held branch may have no value, as (−y)^1.5 of max(0, −y)^1.5.
#pragma once

#include <span>
#include <vector>

#include "dalembert/expr/expr.h"

namespace dalembert {

/// A guard of held branches: its value is held by `level` to a sign, or to the integers from `level` on if `floor`.
struct HeldGuard {
  Expr value, level;
  bool floor = false;
};

/// Continues roots, logarithms and inverse functions of sines: where a guard has left its level, they are those of the magnitude of their argument, or of the
/// nearest argument that they have. Those are continued whose argument a held branch gives, or that stand within branches. Elsewhere, and where all guards keep
/// their levels, nothing is changed: what has no value there is not a number.
std::vector<Expr> continue_domains(std::span<const Expr> held, std::span<const HeldGuard> guards);

}  // namespace dalembert
