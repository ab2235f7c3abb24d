// SPDX-License-Identifier: Apache-2.0
// The search for a fit from one start.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "dalembert/study/fit/fit_problem.h"
#include "dalembert/study/fit/least_squares.h"

namespace dalembert::fitting {

struct SearchFrom {
  std::vector<double> x;  ///< of each unknown, SI
  int most_iterations = 200;
  std::function<bool(std::int64_t runs, double cost)> progress;  ///< as in FitRequest; the runs of this search
};

/// The fit that is found from there, judged; without Fit::starts. Error: E0432 if there is no run at the start.
Result<Fit> fit_from(const FitProblem& problem, const std::vector<FitData>& data, FitRuns& runs,
                     SolveLeastSquares solve, const SearchFrom& from);

}  // namespace dalembert::fitting
