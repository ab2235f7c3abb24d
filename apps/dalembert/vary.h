// SPDX-License-Identifier: Apache-2.0
// linearize --vary: eigenvalues as a parameter or an initial value changes.
#pragma once

#include <string>

#include "apps/dalembert/json.h"
#include "apps/dalembert/system_at.h"
#include "apps/dalembert/terminal.h"
#include "dalembert/analyze/follow.h"
#include "dalembert/analyze/stability.h"

namespace dalembert::app {

struct Variation {
  std::string name, unit;
  Followed path;
  std::vector<StabilityVerdict> verdict;  ///< by value
  std::string stopped;                    ///< why it ended before the last value; empty
  bool interrupted = false;
};

/// `range`: NAME=FROM:TO:STEP, in SI; NAME a parameter, a coordinate or a velocity. The equilibrium or the steady motion is
/// followed, what its family leaves free stays as it is. Throws Failure: E0403, exit 2.
Variation vary(const std::string& range, const SystemAt& given, const LinearMotion& motion, const Stability& stability);

Json variation_json(const Variation& variation);
std::string variation_text(const Variation& variation, const Terminal& terminal);

}  // namespace dalembert::app
