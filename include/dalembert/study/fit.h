// SPDX-License-Identifier: Apache-2.0
// Fits parameters and initial values of a model to measurements: the least sum of squares
//   ½ Σ ((y_i − m(t_i; x)) / σ_i)² + priors,   lower ≤ x ≤ upper,
// where m is an expression of the model along a run and y_i a sample. Derivatives of m by the unknowns x come from the runs themselves
// (IntegrateOptions::tangents). Standard errors and correlations are those of the linearised problem at the solution. Source: Bates & Watts,
// Nonlinear Regression Analysis (1988), ch. 2; Seber & Wild, Nonlinear Regression (1989), ch. 2.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/base/source.h"
#include "dalembert/base/units.h"
#include "dalembert/compile/compile.h"
#include "dalembert/integrate/integrate_options.h"
#include "dalembert/model/model.h"
#include "dalembert/store/json_value.h"

namespace dalembert {

/// Samples of one experiment.
struct FitData {
  struct Column {
    std::string name;
    std::vector<double> values;               ///< one for each time, SI; NaN: there is no sample
    std::optional<Dimension> dimension = {};  ///< of the unit that the file states; nothing if it states none
    Span place = {};                          ///< of the name
  };
  std::string name;          ///< of the file
  std::vector<double> time;  ///< s, none before the one before it
  std::vector<Column> columns;
  SourcePtr source = {};                   ///< the file; null: there is none
  std::vector<std::uint32_t> places = {};  ///< where in it each time is
};

/// What is fitted to what. Texts are as options of the command `fit` have them.
struct FitRequest {
  using Named = StudyStatement::Named;
  std::vector<Named>
      measure;  ///< column, and the expression that it measures: "theta", or the name of a series, "q/theta"
  std::vector<std::string> free;  ///< the unknowns: parameters and initial values
  std::vector<std::string> per_file =
      {};  ///< those of them that have a value of their own for each file: "theta" is theta[1], theta[2] …
  bool offset = false;             ///< the clock of each file is shifted by an unknown, "offset" or offset[1] …
  std::vector<Named> bounds = {};  ///< "0 N/m : 10 N/m"; one side may be empty
  std::vector<Named> prior = {};   ///< "normal(20 N/m, 2 N/m)" or "lognormal(20 N/m, 0.1)"
  std::vector<Named> sigma =
      {};  ///< of a column: "0.01 rad", or the column that has one for each sample; else it is estimated
  IntegrateOptions run = {};  ///< of each run; it ends with the last sample
  CompileOptions compile = {};
  int most_iterations = 200;  ///< of a search
  int starts =
      1;  ///< searches: from the model's values, then from points of a Sobol' sequence in the bounds, or as priors have them
  std::uint64_t seed = 0;  ///< of the sequence
  int threads = 0;         ///< 0: one for each processor of this process. Numbers do not depend on it
  /// Called by the calling thread, again and again, with the number of runs so far and the least cost; returning false ends the search. Must not throw.
  std::function<bool(std::int64_t runs, double cost)> progress = {};
};

/// Reads the columns that the request names from a CSV file: one row of names, each perhaps with a unit, "theta [deg]", then numbers. Times are in the column
/// "time", else in the first one. Empty cells and NaN are no samples. Errors: E0431, with the place in the file; E0502 if it cannot be read.
Result<FitData> read_fit_data(const std::string& path, const FitRequest& request);

/// What is doubtful about the times of samples that are taken all the same: W0431 where one is so far beyond the others that runs last 100 times as long or more,
/// W0432 where times are repeated. fit() warns of it as well.
Diagnostics doubts_of_data(const std::vector<FitData>& data);

struct Fit {
  enum class End {
    kConverged,
    kNotConverged,  ///< `message` says why
    kInterrupted,   ///< `progress` returned false: values are the best so far, and nothing is said of errors
  };
  struct Parameter {
    std::string name, unit;       ///< the unit in SI
    double start = 0, value = 0;  ///< SI
    double sigma = std::numeric_limits<
        double>::quiet_NaN();  ///< standard error; NaN: not determined, at a bound, or nothing estimates it
    double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
    int at_bound = 0;        ///< −1, 1: it is at its lower or upper bound, and would go beyond
    bool determined = true;  ///< false: it is part of a combination in `unidentifiable`, and no prior or bound holds it
  };
  struct Column {
    std::string name, unit;
    std::int64_t samples = 0;
    double rms = 0;    ///< of the residuals, SI
    double sigma = 0;  ///< standard deviation of a sample, SI: as given, or as estimated; NaN: each sample has its own
    bool sigma_given = false;
  };
  /// A direction in the space of the unknowns along which nothing that was measured changes.
  struct Combination {
    /// Name and rate of change: relative to the value where it is above zero, else to the size of the unknown. The squares add up to 1.
    std::vector<std::pair<std::string, double>> parts;
    std::string text;  ///< "k and m: only k/m is determined"
  };
  /// What was measured and what the model says, in the order of the residuals.
  struct Series {
    std::string file, column, unit;
    std::vector<double> time, measured, computed;  ///< s, SI; without what is missing
  };

  /// A search from one start.
  struct Start {
    End end = End::kNotConverged;
    std::string message;
    std::vector<double> from, to;  ///< of each parameter, SI; `to` is empty if there is no run at `from`
    /// −ln of the likelihood at `to`, less that of the answer. NaN: there is nothing at `to` that could be judged.
    double worse_by = std::numeric_limits<double>::quiet_NaN();
    bool holds = false;         ///< the verdict of the run at `to`
    std::int64_t minimum = -1;  ///< number of the minimum, in which it converged: 0 is that of the answer; −1: none
    int iterations = 0;
    std::int64_t runs = 0;
  };

  End end = End::kNotConverged;
  std::string message;
  std::vector<Parameter> parameters;
  std::vector<std::vector<double>> correlation;  ///< [parameter][parameter]; NaN where a standard error is
  std::vector<Column> columns;
  std::vector<Combination> unidentifiable;
  std::vector<Series> series;
  std::vector<Start> starts;  ///< of all searches
  std::size_t best = 0;       ///< the start from which the answer was found
  int iterations = 0;         ///< of all searches
  std::int64_t runs = 0;      ///< runs made, of all files
  std::map<std::string, std::int64_t>
      failures;                   ///< why runs at trial values failed, and how many did; such values are not taken
  double cost = 0;                ///< ½ Σ residuals²
  std::int64_t freedoms = 0;      ///< number of samples and priors less the number of determined unknowns
  std::vector<double> residuals;  ///< (m − y)/σ of all samples, series by series; then those of priors
  std::vector<double> jacobian;   ///< their derivatives by the unknowns, [residual][unknown]
  Verdict verdict;                ///< of the run at the solution; of several files, the one to trust least
  std::string verdict_of;         ///< the file of that run
  Diagnostics warnings;
};

/// Errors: those of derive(); E0430 for what the request says; E0431 for data that no run has; E0432 if there is no run at the first values; E0433 without
/// the solver. Warnings: W0308 for combinations that the data do not determine, and those of doubts_of_data().
Result<Fit> fit(const Model& model, const std::vector<FitData>& data, const FitRequest& request);

/// What `fit --json` prints.
Json fit_json(const Fit& fit);
/// Measured and computed values, and their differences, over time, as an SVG document; with `degrees` angles and their rates in degrees.
std::string fit_svg(const Fit& fit, const std::string& title, bool degrees = false);

}  // namespace dalembert
