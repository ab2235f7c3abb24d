// SPDX-License-Identifier: Apache-2.0
// Equilibria that static friction alone holds (theory §8).
//
// A friction that sticks holds up to μ_s|N|, and resists with μ|N| as soon as it slides. Where it holds f with μ|N| < |f| ≤ μ_s|N|, the equations
// with it held (held_friction.h) know nothing of the push after which only μ|N| resists. Decided is this case: slid
// along its force with a vanishing speed, the friction gains speed, and everything else keeps its mode with a margin. Then a motion that begins
// with any such speed, however small, goes on until it has left a neighbourhood of the equilibrium, which is unstable.
#pragma once

#include <string>
#include <vector>

#include "dalembert/analyze/linear_motion.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/kkt.h"

namespace dalembert {

/// Corrects what was found of the stability of the equations with their frictions held in `mode`, at an equilibrium or a steady motion `at`:
/// to "unstable" where a friction holds by static friction alone and is decided to slide away after a push, to "marginal", with
/// the reason in `undecided`, where that is not decided. `dynamics`: of the system before its frictions were held. `pressing`: its rows that are closed contacts,
/// which must go on pressing.
void judge_static_friction(const Dynamics& dynamics, const FrictionMode& mode, const MotionPoint& at,
                           const std::vector<std::size_t>& pressing, Stability& stability);

}  // namespace dalembert
