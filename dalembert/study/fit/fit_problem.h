// SPDX-License-Identifier: Apache-2.0
// A fit that is ready to be solved: the model with its measured outputs compiled, the unknowns, the samples and their standard deviations.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/study/built_model.h"
#include "dalembert/study/fit.h"
#include "dalembert/study/fit/fit_runs.h"
#include "dalembert/study/fit/unknowns.h"

namespace dalembert::fitting {

struct MeasuredColumn {
  std::string name, unit;
  int output = 0, rate = -1;    ///< indices of outputs; −1: no rate is needed
  std::optional<double> sigma;  ///< as given for all its samples
  bool own_sigma = false;       ///< each sample has its own
};

struct FitProblem {
  BuiltModel system;
  IntegrateOptions options;
  Unknowns unknowns;
  std::vector<MeasuredColumn> columns;
  std::vector<SampleSeries> series;
};

/// Errors: see fit().
Result<FitProblem> prepare_fit(const Model& model, const std::vector<FitData>& data, const FitRequest& request);

}  // namespace dalembert::fitting
