// SPDX-License-Identifier: Apache-2.0
// The search for an optimum from one start.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dalembert/study/optimize/problem.h"

namespace dalembert::optimizing {

/// Excesses up to this fraction of a condition's scale are allowed where no point without them was found that is as good.
inline constexpr double kFeasible = 1e-8;

struct SearchOutcome {
  OptimizationStart start;
  std::optional<Trial>
      best;  ///< feasible, or of the points that count the one with the smallest violation; with gradients where they are known
  double violation = 0;  ///< of `best`; at most 1 if it is feasible
  bool holds = false;    ///< `best` is feasible and keeps all inequalities to the last digit
  double steepest = 0;   ///< the largest derivative of the objective at the start, times the range of its quantity
  std::vector<double> scales;  ///< of each condition
};

/// Searches by sequential quadratic programming, again from where it ends as long as that helps.
SearchOutcome search_from(const Problem& problem, const std::vector<double>& from, const OptimizeOptions& options,
                          Evaluator& evaluator);

/// Whether a is a better answer than b.
bool is_better(const SearchOutcome& a, const SearchOutcome& b);

}  // namespace dalembert::optimizing
