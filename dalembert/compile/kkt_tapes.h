// SPDX-License-Identifier: Apache-2.0
// The kernel functions that solve the KKT system themselves (dynamics/kernel.h), as tapes.
#pragma once

#include <cstddef>
#include <optional>

#include "dalembert/derive/equations.h"
#include "dalembert/tape/tape.h"

namespace dalembert {

/// Tapes in single-assignment form, like those of flatten().
struct KktTapes {
  Tape accelerations, position_step, velocity_step;
  std::size_t operations_as_derived = 0;  ///< operations of `accelerations` for the equations as derive() gives them
};

/// Empty where no order of elimination works for every state (a coordinate without mass that no row gives alone, an empty row), or where the
/// factors are so full that a loop over a dense matrix is faster than instructions.
std::optional<KktTapes> make_kkt_tapes(const Equations& equations);

/// Whether make_kkt_tapes() gives tapes, found without making them. Meant for systems of more than 100 velocities and
/// rows, whose equations make_kkt_tapes() does not simplify first.
bool has_kkt_tapes(const Equations& equations);

}  // namespace dalembert
