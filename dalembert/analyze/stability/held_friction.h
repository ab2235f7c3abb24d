// SPDX-License-Identifier: Apache-2.0
// Equations in which each friction keeps its mode: it sticks, or slides in one direction. They are smooth near every
// state at which no friction is at a limit (theory §8).
//
//   sticks: −v_s = 0 (v_s: sliding speed) is one more row, and its multiplier is the friction's force f
//   slides: F ← F − (∂v_s/∂v)ᵀ (d s μ N + c v_s), d the direction and s the sign of the normal force N: linear in λ
//
// Linearisations, equilibria and phase planes of these equations are valid as long as the state is consistent with the modes.
#pragma once

#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/friction.h"

namespace dalembert {

/// The equations with each friction held in its `mode` (one state for each friction), on an overlay of the graph; they
/// have no frictions. Their model is a copy with rows for the frictions that stick after its own constraints, named
/// "friction(corner)". Outputs may contain the friction forces.
Equations hold_frictions(const Equations& equations, const FrictionMode& mode);

/// The modes of the frictions at a state, where they are the same in its neighbourhood. Errors: E0307 where the state
/// has no unique motion, E0273 where a friction is at a limit: about to slide, at rest where it slides, or without load.
Result<FrictionMode> find_friction_mode(const Dynamics& dynamics, const State& state);

/// All combinations of modes, those with more frictions that stick first; empty where there are more than `most`.
std::vector<FrictionMode> list_friction_modes(const Equations& equations, std::size_t most);

/// The mode of a friction as text: "sticks", "slides (+)", "slides (-)".
std::string_view to_text(const FrictionState& state);

}  // namespace dalembert
