// SPDX-License-Identifier: Apache-2.0
// Frictions that keep what they do: a smooth system near every state at which none is at a limit (theory §8).
//
//   sticks: −v_s = 0 is one more row, and its multiplier is the friction's force f
//   slides: F ← F − (∂v_s/∂v)ᵀ (d s μ N + c v_s), d the direction and s the sign of N: linear in λ
//
// What is made of the equations that result, linearisations, equilibria, a phase plane, is right as long as the state
// bears them out.
#pragma once

#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/friction.h"

namespace dalembert {

/// Equations without frictions, on an overlay of the graph. Their model is a copy with the rows of those that stick after
/// its own constraints, named "friction(corner)"; outputs know the forces. `mode` has a state for each friction.
Equations hold_frictions(const Equations& equations, const FrictionMode& mode);

/// What the frictions do at a state, and whether they go on with it near it. Errors: E0307 where the state has no unique
/// motion, E0273 where a friction is at a limit: about to slide, at rest where it slides, or without load.
Result<FrictionMode> find_friction_mode(const Dynamics& dynamics, const State& state);

/// All modes that a motion may have, those with more that stick first; at most `most` of them.
std::vector<FrictionMode> list_friction_modes(const Equations& equations, std::size_t most);

/// "sticks", "slides (+)", "slides (-)".
std::string_view to_text(const FrictionState& state);

}  // namespace dalembert
