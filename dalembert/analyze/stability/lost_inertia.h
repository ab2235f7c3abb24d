// SPDX-License-Identifier: Apache-2.0
// Points at which coordinates do not describe the motion: a coordinate has inertia beside the point, and there none but round-off, as the azimuth
// of a spherical pendulum that hangs or stands. A linearisation in such coordinates says nothing.
#pragma once

#include <optional>
#include <string>

#include "dalembert/analyze/stability/steady_system.h"
#include "dalembert/base/diagnostic.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/kkt.h"

namespace dalembert {

/// A velocity whose inertia M_ii vanishes at the state, is there beside it, and without which M is singular on the motions that the constraints allow.
/// No value where there is none, or where the system is too large for a dense solve.
std::optional<int> find_lost_inertia(const SteadySystem& system, const State& state);

/// "phi' has no inertia at this position …", for the name of that velocity.
std::string describe_lost_inertia(const std::string& velocity);

/// E0307 where a solve for the accelerations has this status, which is not kOk; where M is singular it names the inertia that is missing or negative.
Diagnostic nothing_to_linearise(const Dynamics& dynamics, const State& state, KktStatus status);

}  // namespace dalembert
