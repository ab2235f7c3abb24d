// SPDX-License-Identifier: Apache-2.0
// Integrates a motion from a consistent start and keeps it on the constraint manifold.
//
// y = (q, v) on the index-1 form: q' = v, v' = q̈(t, q, v) from the KKT solve, by an explicit Runge–Kutta pair. After
// each step positions and velocities are projected (dynamics/project.h), and the step is judged by the embedded
// estimate and the displacement together: error control sees the projected state. Output points between steps come from
// the continuous extension, projected as well, with q̈ and λ solved there: residuals are at round-off in every row of
// the output. Steps end at the corners of table inputs and never cross one: beyond it the motion is smooth again.
// Sources: Hairer, Nørsett & Wanner, Solving ODEs I, 2nd ed., II.4-6; Hairer & Wanner, Solving ODEs II, 2nd ed., IV.2,
// VII.2.
#pragma once

#include "dalembert/integrate/integrate_options.h"
#include "dalembert/integrate/trajectory.h"

namespace dalembert {

/// Never throws; every failure is a status with a reason that says when, what and which. See Trajectory.
Trajectory integrate(const Dynamics& dynamics, const State& start, const IntegrateOptions& options = {});

}  // namespace dalembert
