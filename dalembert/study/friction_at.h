// SPDX-License-Identifier: Apache-2.0
// A system at a state, in which each friction is held in the mode that it has there: it sticks, or slides in one
// direction (analyze/stability/held_friction.h).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dalembert/analyze/linear_motion.h"
#include "dalembert/analyze/stability/held_friction.h"
#include "dalembert/store/json_value.h"
#include "dalembert/study/system_at.h"

namespace dalembert {

/// Holds each friction in the mode that it has at the state. A system without frictions is returned unchanged. Errors:
/// E0273 if a friction is at a limit in this state, E0307 if the motion is not unique.
Result<SystemAt> hold_frictions(SystemAt given);
/// Holds the frictions in any given mode, at the same state.
SystemAt hold_frictions(const SystemAt& given, const FrictionMode& mode);

/// Why the frictions do not stay in this mode at the state; empty if they do. `dynamics`: of the system without held
/// frictions.
std::string breaks_mode(const Dynamics& dynamics, const FrictionMode& mode, const State& state);

/// Corrects the stability of the system with held frictions, at this motion, where a friction holds by static friction
/// alone (analyze/stability/static_friction.h); without held frictions it stays as it is. `parameters`: those of the
/// motion, where they are not the system's own.
void judge_static_friction(const SystemAt& held, const LinearMotion& motion, Stability& stability,
                           std::span<const double> parameters = {});

/// {"belt": {"state": "slides", "direction": -1, "force": -3}}, at a state where the mode is consistent.
Json frictions_json(const Unheld& unheld, const State& state);
/// What each friction does, such as "belt slides (-)", "corner sticks".
std::vector<std::string> list_frictions(const Unheld& unheld);

}  // namespace dalembert
