// SPDX-License-Identifier: Apache-2.0
// What the model says at the times of the samples, and its derivatives by the unknowns: one run for each file, several of them at once. Numbers do not
// depend on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/study/changing_system.h"
#include "dalembert/study/fit.h"
#include "dalembert/study/fit/unknowns.h"

namespace dalembert::fitting {

/// The samples of a column in a file, without what is missing.
struct SampleSeries {
  std::size_t file = 0, column = 0;   ///< the column: index of FitRequest::measure
  std::vector<std::size_t> rows;      ///< of the file
  std::vector<double> values, sigma;  ///< SI; of each sample, empty if the column has one for all
};

struct Evaluation {
  bool ok = false;
  std::string why;               ///< there are no values
  std::vector<double> values;    ///< of all samples, series by series, SI
  std::vector<double> jacobian;  ///< [sample][unknown]
  std::vector<Trajectory> runs;  ///< of each file, if they are kept
};

/// How a run is made.
struct RunKind {
  bool derivatives = false;
  bool judged = false;  ///< with the error of its end, and kept
  double tighter = 1;   ///< factor of the tolerances
};

class FitRuns {
 public:
  /// `measured` are the outputs that the columns measure, `rates` their derivatives by time; rates are needed with offsets alone. A copy shares the code.
  FitRuns(const BuiltModel& system, const Unknowns& unknowns, const std::vector<FitData>& data,
          const std::vector<SampleSeries>& series, std::vector<int> measured, std::vector<int> rates,
          const IntegrateOptions& options);

  /// Runs of several files are made by so many threads.
  void use_threads(int threads);
  /// Runs at x, the values of the unknowns in SI. `keep_on` is called again and again by this thread; if it returns false the evaluation ends, and is not ok.
  Evaluation evaluate(const std::vector<double>& x, const RunKind& kind, const std::function<bool()>& keep_on);
  std::int64_t runs() const { return runs_; }
  std::size_t samples() const { return samples_; }

 private:
  /// Adds a file to the evaluation; says why not.
  std::string evaluate_file(ChangingSystem& system, std::size_t file, const std::vector<double>& x, const RunKind& kind,
                            const std::function<bool()>& keep_on, Evaluation& made) const;
  std::string read_run(std::size_t file, const Trajectory& run, const std::vector<double>& x, bool derivatives,
                       Evaluation& made) const;
  void differentiate(std::size_t file, const std::vector<std::size_t>& places, const Trajectory& run, std::size_t row,
                     std::size_t column, double* by) const;
  std::vector<double> sizes_at(const std::vector<double>& values) const;

  const Unknowns& unknowns_;
  const std::vector<FitData>& data_;
  const std::vector<SampleSeries>& series_;
  const std::vector<int> measured_, rates_;
  IntegrateOptions options_;
  std::vector<ChangingSystem> systems_;  // of each thread
  std::size_t samples_ = 0;
  std::int64_t runs_ = 0;
};

}  // namespace dalembert::fitting
