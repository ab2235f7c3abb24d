// SPDX-License-Identifier: Apache-2.0
// Proves that a list of assemblies is complete, by a search of all positions with interval arithmetic.
//
// Assemblies are the zeros of the constraints h(q). Each known assembly gets a box in which h has at most one zero,
// because C ∂h/∂q is regular over all of the box, with C the inverse of ∂h/∂q at the assembly. The rest of the space is
// split into boxes until bounds of h exclude a zero in each of them (algebra/narrowing.h), or its intersection with
//
//   q_i ∈ m_i − ((C h(m))_i + Σ_{j≠i} A_ij (q_j − m_j))/A_ii,   A = C ∂h/∂q over the box, m its middle                   (1)
//
// is empty. Bounds are rounded outwards, so that a result is proved for the model's numbers as they are stored.
// Sources: Moore, Kearfott & Cloud, ch. 8; Neumaier, Interval Methods for Systems of Equations, 1990, ch. 5.
#pragma once

#include <span>
#include <vector>

#include "dalembert/derive/equations.h"

namespace dalembert {

struct AssemblyProof {
  enum class Outcome {
    kComplete,    ///< there is no other assembly
    kTooMuch,     ///< more boxes than kMostBoxes, or a box that stays undecided however small it is
    kUnbounded,   ///< there are coordinates that the constraints do not bound
    kNotDecided,  ///< a function without bounds, an angle outside sin, cos and tan, or a singular known assembly
  };
  Outcome outcome = Outcome::kNotDecided;
  int boxes = 0;
};

/// `known`: all coordinates of each assembly; `free`: indices of the coordinates that are not held; `angle`: for each
/// coordinate whether a full turn of it changes nothing; `t`, `parameters`: time and values at which h is taken. Models
/// with inputs in h are not decided.
AssemblyProof prove_complete(const Equations& equations, double t, const std::vector<double>& parameters,
                             std::span<const std::vector<double>> known, const std::vector<int>& free,
                             const std::vector<bool>& angle);

}  // namespace dalembert
