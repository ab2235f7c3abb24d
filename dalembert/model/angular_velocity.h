// SPDX-License-Identifier: Apache-2.0
// The angular velocity of a frame that a quaternion turns, in formulas of users: `top.omega.x`.
#pragma once

#include "dalembert/model/model.h"

namespace dalembert {

/// Component `axis` (0, 1, 2) of ω against the parent along the frame's axes, in rad/s, by the rates of the quaternion: ω = 2 Eᵀė with ė = ½ E ω
/// (docs/decisions/0028). Holds for quaternions of norm 1, which all states have.
Expr angular_velocity_by_rates(const Model& model, const FrameQuaternion& quaternion, int axis);

}  // namespace dalembert
