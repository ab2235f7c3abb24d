// SPDX-License-Identifier: Apache-2.0
// A system with the derivatives of its equations, and their blocks at a point. Inside analyze only.
#pragma once

#include <vector>

#include "dalembert/analyze/matrix.h"
#include "dalembert/compile/equation_derivatives.h"

namespace dalembert {

/// The derivatives of everything (compile/equation_derivatives.h) as a dense matrix, and sizes that make their units
/// comparable.
struct Slopes {
  Slopes(const EquationDerivatives& derivatives, const Dynamics& dynamics, const MotionPoint& at);

  Matrix all;
  std::vector<double> q_size,
      v_size;                    ///< about how far a coordinate or a velocity goes: 1/sqrt(M_ii), 1 without inertia
  std::vector<double> row_size;  ///< of h by row, of w by row: 1/‖row‖ with those sizes
};

/// The inputs at a time.
std::vector<double> inputs_at(const Dynamics& dynamics, double t);
/// Of a state, with v̇ and λ of its motion (0 where there is none) and the inputs of its time.
MotionPoint point_at(const Dynamics& dynamics, const State& state);
inline State state_of(const MotionPoint& point) { return {point.t, point.q, point.v}; }

}  // namespace dalembert
