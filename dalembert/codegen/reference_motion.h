// SPDX-License-Identifier: Apache-2.0
// What the library computes of a motion at a state, and in a step of the rule that exported code has: the truth of reference values (reference.h).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/friction.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert::reference {

using Numbers = std::vector<double>;

struct Answer {
  int status = 0;
  std::vector<Numbers> arrays;  // results in the order of their names
};

/// The inputs that the model states.
Numbers own_inputs(const Dynamics& dynamics, double t);

/// Solves as the inner loop of a run does, without iterative refinement: exported code has none either. Arrays: v̇, λ, forces of frictions.
Answer solve(const Dynamics& dynamics, double t, const Numbers& q, const Numbers& v, Workspace& workspace);
/// The multipliers of an answer of solve(), then the forces of its frictions, as kernels read them.
Numbers joined(const Answer& motion);

/// A workspace in which the frictions keep this mode at any state, so that a small change of the state changes results only a little.
Workspace holding(const Dynamics& dynamics, const FrictionMode& mode);

/// What events are at a state: functions, rates, conditions.
struct EventValues {
  Numbers value, rate, holds;
};
EventValues events_at(const Dynamics& dynamics, const State& state, const Numbers& vdot, const Numbers& multipliers);

Numbers coordinate_rates(const Dynamics& dynamics, double t, const Numbers& q, const Numbers& v);
/// What a function of the kernel that reads accelerations and forces is at a state.
Numbers of_motion(const Dynamics& dynamics, KernelFunction function, const State& state, const Answer& motion);

/// The values of the integrals over a run, which are parameters of the kernel.
std::span<const double> integrals_of(const Dynamics& dynamics);
/// The coordinates, then the integrals: the array q of exported code.
Numbers with_integrals(Numbers q, std::span<const double> integrals);

/// A step of the classical Runge–Kutta method, by the library's solver and projection: q, with the integrals, and v. Status −1 if a friction or a contact
/// leaves its mode in the step, or an event may happen.
Answer runge_kutta(const Dynamics& dynamics, double t, double h, const Numbers& q, const Numbers& v,
                   const FrictionMode& mode);

}  // namespace dalembert::reference
