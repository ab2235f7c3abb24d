// SPDX-License-Identifier: Apache-2.0
// The derivatives of the equations at a point. Inside analyze only.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "dalembert/analyze/stability/matrix.h"
#include "dalembert/compile/equation_derivatives.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

/// The derivatives of all equations (compile/equation_derivatives.h) as a dense matrix, and sizes that make their units comparable.
struct Slopes {
  Slopes(const EquationDerivatives& derivatives, const Dynamics& dynamics, const MotionPoint& at);

  Matrix all;
  std::vector<double> q_size,
      v_size;  ///< typical sizes of coordinates and velocities: 1/sqrt(M_ii), 1 without inertia; at most 1e6 times the smallest 1/sqrt(M_ii)
  std::vector<double> row_size;  ///< for each row of W, then of h: 1/‖row‖ in the sizes above
};

/// The values of the inputs at a time.
std::vector<double> inputs_at(const Dynamics& dynamics, double t);
/// The point of a state, with v̇ and λ of its motion (0 where there is no unique one) and the inputs at its time.
MotionPoint point_at(const Dynamics& dynamics, const State& state);
/// The values at a point of the symbols of the equations: coordinates, velocities, accelerations, multipliers, time, parameters, inputs.
std::unordered_map<SymbolId, double> values_at(const Equations& equations, const Dynamics& dynamics,
                                               const MotionPoint& at);
/// The numbers of expressions with such values; a symbol without one, as a friction's force, is 0.
std::vector<double> numbers_of(std::span<const Expr> e, const std::unordered_map<SymbolId, double>& values);
inline State state_of(const MotionPoint& point) { return {point.t, point.q, point.v}; }

}  // namespace dalembert
