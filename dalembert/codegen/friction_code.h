// SPDX-License-Identifier: Apache-2.0
// For models whose forces depend on multipliers: the text (program.h) of the routines that differ from model to model.
// The routines that are the same for all such models are in texts.h.
#pragma once

#include <string>

#include "dalembert/dynamics/kernel.h"

namespace dalembert {

/// The routines load_terms and friction_system, which compute everything that solve_mode takes by kernel_rates and
/// kernel_friction.
std::string load_terms_text(const Layout& layout);
/// The routine accelerations, which calls solve_mode or, with frictions, decide; with frictions also the routine
/// friction_states.
std::string load_accelerations_text(const Layout& layout);

}  // namespace dalembert
