// SPDX-License-Identifier: Apache-2.0
// Eigenvalues as functions of a parameter or an initial value.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dalembert/analyze/follow.h"
#include "dalembert/analyze/linear_motion.h"
#include "dalembert/store/json_value.h"
#include "dalembert/study/linearization.h"

namespace dalembert {

struct Variation {
  std::string name, unit;
  Followed path;
  std::vector<StabilityVerdict> verdict;  ///< verdict on stability at each value
  std::string stopped;                    ///< why the variation stopped before its last value; empty if it did not
  bool interrupted = false;
};

/// Follows the equilibrium or steady motion while `name`, a parameter, coordinate or velocity, takes the `values` (SI,
/// in order). If the equilibrium belongs to a family, its free coordinates stay as they are. Stops when `keep_on`
/// returns false. Errors: E0403 for any other name.
Result<Variation> vary(const std::string& name, const std::vector<double>& values, const LinearizedModel& from,
                       std::function<bool()> keep_on = {});

/// The member "vary" of the output of `linearize --json`.
Json variation_json(const Variation& variation);

}  // namespace dalembert
