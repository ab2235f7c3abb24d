// SPDX-License-Identifier: Apache-2.0
// Measures: numbers of a run, such as `max(abs(lambda(pin))) - final(x)`, by which the runs of a study are compared.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/expr/scope.h"
#include "dalembert/integrate/integrate_options.h"
#include "dalembert/model/model.h"

namespace dalembert::sweeping {

class Measures {
 public:
  /// Reads the texts. Each expression of which a function of the run is taken becomes an output of `model`, after its own outputs; the
  /// equations must be derived after that. Errors: those of expressions (E01xx, E0203); E0420 for an expression that is no number of a run
  /// and for names that are not fit for columns.
  static Result<Measures> read(Model& model, const std::vector<StudyStatement::Named>& texts);

  const std::vector<std::string>& names() const { return names_; }
  /// In SI; empty where unknown. `outputs` are the units of the model's outputs, as compiled.
  std::vector<std::string> units(const std::vector<std::string>& outputs) const;

  /// Asks the run, which begins at `start`, for what the measures need. `model` has the parameter values of the run.
  void ask(const Model& model, double start, IntegrateOptions& options) const;
  /// The values for a run from the time `start` that was made with these options. NaN: the run has no such number, as at a time after its end.
  std::vector<double> of(const Trajectory& run, const Model& model, double start) const;

 private:
  class Names;
  // A function of the run, and the symbol that stands for it in the measures.
  struct Part {
    enum class Kind { kOfRun, kTime, kCount } kind = Kind::kOfRun;
    OfRun function = OfRun::kFinal;
    int output = 0;         // index of the output that is its expression
    Expr time = {};         // of at(e, t)
    std::string happening;  // of time(tip), count(tip): the name of an event or contact
    Expr symbol = {};
  };
  double value(const Part& part, const Trajectory& run, const Model& model, double start) const;

  std::vector<std::string> names_;
  std::vector<std::optional<Dimension>> dimensions_;
  std::vector<Expr> values_;
  std::vector<Part> parts_;
};

}  // namespace dalembert::sweeping
