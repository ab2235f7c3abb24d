// SPDX-License-Identifier: Apache-2.0
// Stability by the energy, where eigenvalues on the imaginary axis decide nothing.
//
// E = T₂ + V − T₀ (T₂, T₀: the terms of T that are quadratic in the velocities and free of them) has a strict minimum at an equilibrium where its second
// variation on the constraint manifold is positive. Forces that depend on positions alone and have a potential count as part of V. The power of the others,
// Σ P_k, a term for each that is stated, decides then:
//   P = 0                                           stable (Lagrange and Dirichlet); also with flat directions of V along families
//   all P_k ≤ 0 near the point                      stable
//   and P = 0 only where the combinations u_k of    asymptotically stable (La Salle): a motion on which all u_k stay 0 is one of the undamped system, whose
//   velocities are 0, which all modes on the axis   states near the point are told apart by the u_k and their derivatives, as those of its linearisation are
//   move
//   the same with P_k ≥ 0                           unstable: backwards in time it is asymptotically stable
// Where the second variation vanishes in some directions, V decides by its terms: each is nowhere less near the point than there, and all of them are
// there together at the point alone, as x² + (x − y)⁴. La Salle's principle then asks that the u_k are all velocities; V is analytic, so that near a strict
// minimum there is no other equilibrium (Łojasiewicz).
// With conditions at their limit the energy must be continuous across it, and the last two rows are not used where V, T or the constraints have them.
// Source: Khalil, Nonlinear Systems, 3rd ed., theorem 4.4.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "dalembert/analyze/linear_motion.h"
#include "dalembert/analyze/stability/steady_system.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

struct EnergyVerdict {
  StabilityVerdict verdict;
  std::string because = {};  ///< empty where no force does work
};
/// What eigenvalues leave open.
struct EnergyQuestion {
  std::size_t flat = 0;           ///< number of directions that families and cyclic coordinates explain
  std::size_t drifts = 0;         ///< number of drifts at a constant rate
  std::span<const Mode> on_axis;  ///< modes whose eigenvalues are on the axis and not 0
  bool higher_order = false;      ///< there are zero eigenvalues that nothing explains
  bool kinked = false;            ///< conditions are at their limit here
};
/// No value where the energy does not decide.
std::optional<EnergyVerdict> judge_by_energy(const SteadySystem& system, const Equations& equations,
                                             const LinearMotion& motion, const EnergyQuestion& question);
/// Whether no force but those of a potential adds energy near an equilibrium.
bool never_gains_energy(const Equations& equations, const Dynamics& dynamics, const MotionPoint& at);

}  // namespace dalembert
