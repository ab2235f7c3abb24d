// SPDX-License-Identifier: Apache-2.0
// Studies: many runs of a model with other parameters and initial values, each of which gives a row of numbers.
//
// The values of run i, and every digit of its row, follow from the study and i alone: not from threads, shards, interruptions or the
// order in which runs are made. Run i of a grid has value (i / s) mod n of a quantity of n values, where s is the number of values of
// the quantities after it; samples change fastest. Each point of a grid has the same samples.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/compile/compile.h"
#include "dalembert/integrate/integrate_options.h"
#include "dalembert/model/model.h"

namespace dalembert {

/// Quantities and their values in rows, instead of a grid and samples: [row][quantity], SI.
struct StudyRows {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;
  /// Of a file: where each name stands, and the dimension of the unit that stands beside it. Else empty.
  std::vector<Span> places = {};
  std::vector<std::optional<Dimension>> dimensions = {};
};

struct StudyRun {
  std::int64_t index = 0;
  std::vector<double> values;    ///< of the quantities, SI
  std::vector<double> measures;  ///< NaN: the run has no such number
  bool holds = false;            ///< whether the verdict holds
  RunStatus status = RunStatus::kFailed;
  double error = std::numeric_limits<double>::quiet_NaN();  ///< relative error that the verdict names; NaN: none
  std::string reason = {};       ///< why the run failed, or why its verdict does not hold; else empty
  double seconds = 0;            ///< that the run took; of a run that others were made with, its share of their time
  std::int64_t evaluations = 0;  ///< Trajectory::evaluations
};

class Sweep {
 public:
  /// Derives and compiles the model with the measures of the study, once for all runs. `options` are those of each run. Errors: those of
  /// derive(); E0420 to E0422 and those of expressions for what the study says.
  static Result<Sweep> prepare(const Model& model, const StudyStatement& study, const StudyRows& rows,
                               const IntegrateOptions& options, const CompileOptions& compile = {});

  /// What is wrong with the study of a model file, as far as that shows without running it.
  static Diagnostics check(const Model& model);

  std::int64_t runs() const;
  const std::string& model() const;  ///< its name
  const std::vector<std::string>& quantities() const;
  const std::vector<std::string>& measures() const;
  /// Number of values of each quantity of the grid; these are the first of quantities().
  std::vector<std::int64_t> grid() const;
  /// Number of samples at each point of the grid; 0: nothing is sampled.
  std::int64_t samples() const;
  /// SI; empty where unknown.
  const std::vector<std::string>& quantity_units() const;
  const std::vector<std::string>& measure_units() const;
  /// Warnings of the model.
  const Diagnostics& warnings() const;
  /// A text in which all that the rows depend on stands, but for the version of this program.
  const std::string& description() const;
  /// The values of the quantities in run `index`, 0 ≤ index < runs().
  std::vector<double> values(std::int64_t index) const;

  /// Makes runs. Belongs to one thread; the Sweep must outlive it.
  class Worker {
   public:
    explicit Worker(const Sweep& sweep);
    ~Worker();
    Worker(Worker&&) noexcept;
    /// Nothing if `keep_on`, which is called again and again, returned false.
    std::optional<StudyRun> run(std::int64_t index, const std::function<bool()>& keep_on = {});
    /// Makes the runs whose indices `next` gives, until it gives a negative one, and hands them to `take` in this order. Where the
    /// system allows, some are made at once; each has the bits that run() gives. Runs that were begun when `keep_on` returned false are given up.
    void run_all(const std::function<std::int64_t()>& next, const std::function<void(StudyRun)>& take,
                 const std::function<bool()>& keep_on = {});

   private:
    struct Seat;
    struct Parts;
    const Sweep& sweep_;
    std::unique_ptr<Parts> parts_;
  };

 private:
  struct Parts;
  std::shared_ptr<const Parts> parts_;
};

}  // namespace dalembert
