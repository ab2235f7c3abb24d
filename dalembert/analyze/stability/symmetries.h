// SPDX-License-Identifier: Apache-2.0
// Rotations of a whole system that do not change its motion, such as those about the vertical for a top whose attitude is a quaternion.
//
// Elementary fields X(x) = L x + b on the states x = (q, v) are turns of one attitude about the ground's axes (ė = ½
// (0, n) ∘ e) and about its own (ė = ½ e ∘ (0, n), ω̇ = ω × n), turns of three coordinates of a position (ṙ = n × r),
// and shifts of single coordinates. Their combinations along which the flow f of the constrained motion does not
// change, [f, X] = 0 on the constraints, are a null space, which is computed from exact derivatives at random states.
// So the axes of gravity and of ellipsoids of inertia may have any direction. A motion with f = Σ c_k X_k, c constant,
// is a relative equilibrium, such as a top that precesses. Source: Marsden & Ratiu.
#pragma once

#include <optional>
#include <vector>

#include "dalembert/analyze/stability/matrix.h"
#include "dalembert/analyze/stability/steady_system.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

/// A field X(x) = L x + b on the states, of size nq + nv.
struct Symmetry {
  Matrix L;
  std::vector<double> b;
};

/// The symmetries of a system with quaternions as attitudes and constant inputs, near a consistent state; nothing where that is not known: not enough
/// states nearby were found, or the elementary fields are too many. Shifts of cyclic coordinates are not listed.
std::optional<std::vector<Symmetry>> find_symmetries(const SteadySystem& system, const Equations& equations,
                                                     const State& state);
/// Whether a motion with f = Σ c_k X_k may pass through the state: f is along a combination of elementary fields there. Fast at any size.
bool may_turn_as_a_whole(const SteadySystem& system, const Equations& equations, const State& state);

/// The field L x + b at a point: its q part, then its v part.
std::vector<double> field_at(const Symmetry& symmetry, const MotionPoint& at);
/// The rates c, one for each of system.symmetries, for which Σ c_k X_k is nearest to (q̇, v̇); of several such c the
/// one of least norm. Cyclic coordinates do not count.
std::vector<double> turning_rates(const SteadySystem& system, const MotionPoint& at);
/// `at`, turned by the flow of the symmetries as near to `target` as possible; v̇ and λ stay as they are.
MotionPoint turned_towards(const std::vector<Symmetry>& symmetries, const MotionPoint& at, const MotionPoint& target);

}  // namespace dalembert
