// SPDX-License-Identifier: Apache-2.0
// Turns of a whole system under which its motion is the same: what a top goes round with when its attitude is a quaternion.
//
// Elementary fields X(x) = L x + b on the states x = (q, v) are turns of one attitude about the ground's axes (ė = ½ (0, n) ∘ e) and about its
// own (ė = ½ e ∘ (0, n), ω̇ = ω × n), turns of three coordinates of a place (ṙ = n × r) and shifts of single coordinates. The
// combinations of them along which the flow f of the constrained motion does not change, [f, X] = 0 on the constraints, are found
// as a null space, from exact slopes at random states: whatever axis gravity or an ellipsoid of inertia has. A motion with
// f = Σ c_k X_k, c constant, is a relative equilibrium: a top that precesses. Source: Marsden & Ratiu.
#pragma once

#include <vector>

#include "dalembert/analyze/matrix.h"
#include "dalembert/analyze/steady_system.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

/// X(x) = L x + b; of size nq + nv.
struct Symmetry {
  Matrix L;
  std::vector<double> b;
};

/// Of a system with attitudes by quaternions and constant inputs, near a consistent state; empty where there are none, or where
/// states around could not be found. Shifts of coordinates that nothing depends on are none of them.
std::vector<Symmetry> find_symmetries(const SteadySystem& system, const Equations& equations, const State& state);

/// L x + b at a point: the q part, then the v part.
std::vector<double> field_at(const Symmetry& symmetry, const MotionPoint& at);
/// c of Σ c_k X_k nearest to (q̇, v̇), of all such the least; coordinates that nothing depends on do not count. Of
/// system.symmetries, as many as these.
std::vector<double> turning_rates(const SteadySystem& system, const MotionPoint& at);
/// `at` turned by the flow of the symmetries as near to `target` as it gets; v̇ and λ stay as they are.
MotionPoint turned_towards(const std::vector<Symmetry>& symmetries, const MotionPoint& at, const MotionPoint& target);

}  // namespace dalembert
