// SPDX-License-Identifier: Apache-2.0
// Routines that models with friction, and with other forces that depend on multipliers, have besides (program.h): what
// dynamics/friction.h and friction_modes.cpp do, as text. They need support.h's reflections and the constants nf (frictions)
// and nl = nr + nf.
//
// A mode is an array of 2 nf numbers: of each friction its direction (1, -1; 0 sticks), then the sign of N of each. `law`
// holds, nf numbers each: v_s, the size of its terms, its rate without forces, N0, mu, mu_s, the viscous coefficient, and
// whether N depends on multipliers. `found` holds, nf numbers each: N, the size of its terms, dv_s/dt, its round-off, whether
// rows and what sticks say how fast the friction slides; then of each row the size of what its multiplier balances.
#pragma once

#include <string_view>

namespace dalembert {

/// turn, factor_rows, fix_rows, eliminate: what solve_mode takes a system apart by.
extern const std::string_view kFactorMode;
/// find_open, relieve: where the multipliers of a mode are open, those that leave each friction at rest the most of its limit.
extern const std::string_view kOpenForces;
/// solve_mode: v' and the multipliers while frictions do what a mode says. Without frictions: the unsymmetric system.
extern const std::string_view kSolveMode;
/// find_rest, is_consistent, decide: the mode that a state goes on with.
extern const std::string_view kDecideMode;
/// advance, in place of support.h's: the mode is held, and what leaves it is found within the step.
extern const std::string_view kAdvanceWithFriction;

}  // namespace dalembert
