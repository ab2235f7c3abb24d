// SPDX-License-Identifier: Apache-2.0
// Motions that are steady but for a turn of the whole system: a conical pendulum in x, y and z, a top whose attitude is a quaternion.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dalembert/analyze/linear_motion.h"
#include "dalembert/analyze/stability/steady_system.h"
#include "dalembert/store/json_value.h"
#include "dalembert/study/system_at.h"

namespace dalembert {

/// The symmetries of a system, and why they are not known where they are not. None where coordinates are left out.
struct TurnsFound {
  std::shared_ptr<const std::vector<Symmetry>> symmetries;
  std::string undecided;
};
/// Looks for symmetries only if a motion through the state may be along them (may_turn_as_a_whole).
TurnsFound find_turns(const SystemAt& given, const SteadySystem& system);

/// Whether turns of the whole system are looked for: not where coordinates are left out, or frictions or contacts are held.
bool may_be_along_turns(const SystemAt& given, const SteadySystem& system);

/// Whether the motion through the state is not steady, even up to turns of the whole system of whatever kind: it is at rest, or ½ vᵀM v, which they keep,
/// changes along it. False where that is not known.
bool surely_unsteady(const SystemAt& given, const SteadySystem& system, const State& state);

/// The steady motions that are looked for at a state, in words: "those in which only … were looked for".
std::string kinds_looked_for(const SystemAt& given);

/// turning_texts() (study/linearization.h) as objects {"planes": [[x, y], …], "attitudes": [frame, …], "shifts": {x: 1, …}, "rate"}.
Json turning_json(const SystemAt& given, const LinearMotion& motion);

}  // namespace dalembert
