// SPDX-License-Identifier: Apache-2.0
// Whether a list of assemblies is complete: a search through all positions, by intervals.
//
// Around each known assembly lies a box in which h has at most one zero: C ∂h/∂q is regular over all of it, C the inverse
// of ∂h/∂q at the assembly (2). Every other part of the space is taken apart until bounds of h exclude a zero in it
// (algebra/narrowing.h), or
//
//   q_i ∈ m_i − ((C h(m))_i + Σ_{j≠i} A_ij (q_j − m_j))/A_ii,   A = C ∂h/∂q over the box, m its middle                   (1)
//
// leaves nothing of it. Bounds round outwards, so what was decided is proved for the model's numbers as they stand.
// Sources: Moore, Kearfott & Cloud, ch. 8; Neumaier, Interval Methods for Systems of Equations, 1990, ch. 5.
#pragma once

#include <span>
#include <vector>

#include "dalembert/derive/equations.h"

namespace dalembert {

struct AssemblyProof {
  enum class Outcome {
    kComplete,    ///< there is no other one
    kTooMuch,     ///< more boxes than kMostBoxes, or parts that stay open however small they are
    kUnbounded,   ///< coordinates that the constraints do not bound
    kNotDecided,  ///< functions without bounds, an angle that is used as another number, a known one that is singular
  };
  Outcome outcome = Outcome::kNotDecided;
  int boxes = 0;
};

/// `known`: all coordinates of each assembly. `free`: the coordinates that are not held; `angle`: those of them whose full
/// turns change nothing. `t`, `parameters`: where h is taken; models with inputs in h are not decided.
AssemblyProof prove_complete(const Equations& equations, double t, const std::vector<double>& parameters,
                             std::span<const std::vector<double>> known, const std::vector<int>& free,
                             const std::vector<bool>& angle);

}  // namespace dalembert
