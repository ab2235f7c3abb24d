// SPDX-License-Identifier: Apache-2.0
// The stability of equilibria in a phase plane, by what `linearize` asks (analyze/stability/stability.h).
#pragma once

#include <optional>

#include "dalembert/analyze/stability/phase_plane.h"
#include "dalembert/compile/equation_derivatives.h"
#include "dalembert/study/system_at.h"

namespace dalembert {

class PlaneJudge {
 public:
  /// `given` must outlive it.
  explicit PlaneJudge(const SystemAt& given);

  /// The stability of the equilibrium or steady motion at a state, or within `near` of it in each entry of q and v; no value where there is none.
  /// Undecided where the system cannot be linearised, or a friction is at its limit.
  std::optional<PlaneStability> judge(const State& state, double near) const;

 private:
  std::optional<PlaneStability> judge(const SystemAt& at, const EquationDerivatives& derivatives, double near) const;

  const SystemAt& given_;
  std::optional<EquationDerivatives> derivatives_;  // no value with frictions: their mode changes from place to place
};

}  // namespace dalembert
