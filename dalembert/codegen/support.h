// SPDX-License-Identifier: Apache-2.0
// Routines that are the same for every model, as text (program.h): the solver for matrices of any rank, projection, steps.
#pragma once

#include <string>
#include <string_view>

namespace dalembert {

/// balance, make_reflection, reflect: powers of two as scales, and Householder's reflections.
extern const std::string_view kReflections;
/// solve_dense: x and y of M x − Wᵀy = f, W x = c, the first `rows` rows of W, as dynamics/kkt.h does on its slow path. Needs
/// kReflections and the constants nv, nr (rows).
extern const std::string_view kSolveDense;
/// project_position of position_step, project_velocity of velocity_step: Newton's method until arithmetic is at its end.
std::string project_position_routine();
std::string project_velocity_routine();
/// `text` with every `what` in it replaced.
std::string replaced(std::string_view text, std::string_view what, std::string_view by);
/// advance: the classical Runge–Kutta method of order 4, then project.
extern const std::string_view kAdvance;
/// step: advance with the model's own inputs.
extern const std::string_view kStep;
/// step_held: the same with inputs that stay as they are.
extern const std::string_view kStepHeld;

}  // namespace dalembert
