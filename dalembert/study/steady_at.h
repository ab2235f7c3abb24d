// SPDX-License-Identifier: Apache-2.0
// The SteadySystem of a system at a state (system_at.h), by which steady motions are found and judged.
#pragma once

#include "dalembert/analyze/stability/steady_system.h"
#include "dalembert/study/system_at.h"

namespace dalembert {

/// Owns the SteadySystem of `given` and, if further coordinates drop out (SystemAt::relative), the one without these.
class SteadyAt {
 public:
  /// `dynamics`: of the same system, possibly with other parameters.
  SteadyAt(const SystemAt& given, const Dynamics& dynamics, const EquationDerivatives& derivatives);
  SteadyAt(const SteadyAt&) = delete;
  SteadyAt& operator=(const SteadyAt&) = delete;
  const SteadySystem& operator*() const { return steady_; }
  /// The system without the coordinates that drop out; null if none do.
  const SteadySystem* relative() const { return steady_.relative; }

 private:
  SteadySystem relative_, steady_;
};

}  // namespace dalembert
