// SPDX-License-Identifier: Apache-2.0
// A system at a state, its frictions held at what they do there (analyze/held_friction.h).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dalembert/analyze/held_friction.h"
#include "dalembert/store/json_value.h"
#include "dalembert/study/system_at.h"

namespace dalembert {

/// Without frictions the same. E0273 where one is at a limit at the state, E0307 where it has no unique motion.
Result<SystemAt> hold_frictions(SystemAt given);
/// At whatever mode, at the same state.
SystemAt hold_frictions(const SystemAt& given, const FrictionMode& mode);

/// Why the frictions do not go on at this state with what they are held at; empty where they do. `dynamics`: of the system
/// that is not held.
std::string breaks_mode(const Dynamics& dynamics, const FrictionMode& mode, const State& state);

/// {"belt": {"state": "slides", "direction": -1, "force": -3}}, at a state that bears the mode out.
Json frictions_json(const Unheld& unheld, const State& state);
/// "belt slides (-)", "corner sticks".
std::vector<std::string> list_frictions(const Unheld& unheld);

}  // namespace dalembert
