// SPDX-License-Identifier: Apache-2.0
// What is steady of a system at a state (system_at.h).
#pragma once

#include "dalembert/analyze/stability/steady_system.h"
#include "dalembert/study/system_at.h"

namespace dalembert {

/// With the relative equilibria besides.
class SteadyAt {
 public:
  /// `dynamics`: of the same system, possibly with other parameters.
  SteadyAt(const SystemAt& given, const Dynamics& dynamics, const EquationDerivatives& derivatives);
  SteadyAt(const SteadyAt&) = delete;
  SteadyAt& operator=(const SteadyAt&) = delete;
  const SteadySystem& operator*() const { return steady_; }
  /// Null if no further coordinates drop out.
  const SteadySystem* relative() const { return steady_.relative; }

 private:
  SteadySystem relative_, steady_;
};

}  // namespace dalembert
