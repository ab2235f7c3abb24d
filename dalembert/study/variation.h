// SPDX-License-Identifier: Apache-2.0
// Eigenvalues as a parameter or an initial value changes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dalembert/analyze/follow.h"
#include "dalembert/analyze/stability.h"
#include "dalembert/store/json_value.h"
#include "dalembert/study/linearization.h"

namespace dalembert {

struct Variation {
  std::string name, unit;
  Followed path;
  std::vector<StabilityVerdict> verdict;  ///< by value
  std::string stopped;                    ///< why it ended before the last value; empty
  bool interrupted = false;
};

/// `name`: a parameter, a coordinate or a velocity; `values` in SI, in order. The equilibrium or the steady motion is
/// followed, what its family leaves free stays as it is. It ends where `keep_on` says no. E0403 for a name that is none of
/// these.
Result<Variation> vary(const std::string& name, const std::vector<double>& values, const LinearizedModel& from,
                       std::function<bool()> keep_on = {});

/// The member "vary" of `linearize --json`.
Json variation_json(const Variation& variation);

}  // namespace dalembert
