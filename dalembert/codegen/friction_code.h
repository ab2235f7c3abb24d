// SPDX-License-Identifier: Apache-2.0
// Of models whose forces depend on multipliers: the routines that depend on what the model is, as text (program.h). Those that
// all have are in texts.h.
#pragma once

#include <string>

#include "dalembert/dynamics/layout.h"

namespace dalembert {

/// load_terms, and friction_system of kernel_rates and kernel_friction: everything that solve_mode takes.
std::string load_terms_text(const Layout& layout);
/// accelerations of solve_mode and decide; with frictions friction_states as well.
std::string load_accelerations_text(const Layout& layout);

}  // namespace dalembert
