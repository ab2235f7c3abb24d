// SPDX-License-Identifier: Apache-2.0
// Measures: numbers of a run, such as `max(abs(lambda(pin))) - final(x)`, by which runs are compared; and their derivatives.
//
// The derivative of an extreme is that of the output at the instant of the extreme, which may move without effect as the rate is 0 there. Where it is at a
// change of the motion (an impact, a friction that sticks), the output moves with that instant too. Two runs give derivatives: the first finds the instants, the
// second has tangents and rows there.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/expr/scope.h"
#include "dalembert/integrate/integrate_options.h"
#include "dalembert/model/model.h"
#include "dalembert/study/local_extremes.h"

namespace dalembert {

/// Whether what happened in a run is that event of the model, or that contact when it closes.
bool is_happening(const RunEvent& event, const std::string& name);

/// Derivatives of measures by the quantities of a run's tangents: [measure][quantity]. NaN: unknown, and `unknown` of the measure says why the first of them is.
struct MeasureDerivatives {
  std::vector<std::vector<double>> by;
  std::vector<std::string> unknown;
};

/// Another value of an extreme in measures, with its derivatives: that of a local extreme.
struct OtherExtreme {
  std::size_t part = 0;  ///< one of Measures::extremes_in()
  double value = 0;
  std::vector<double> by = {};
};

/// A value of an output at an instant that is held fixed; t is NaN at the end of the run.
struct HeldValue {
  int output = 0;
  double t = 0;
};

class Measures {
 public:
  /// Reads the texts. Each expression of which a function of the run is taken becomes an output of `model`, after its own outputs; the
  /// equations must be derived after that. Errors: those of expressions (E01xx, E0203); E0420 for an expression that is no number of a run
  /// and for names that are not fit for columns.
  static Result<Measures> read(Model& model, const std::vector<StudyStatement::Named>& texts);

  /// Reads texts of expressions that have a value at each time of a run; their names are not looked at. Each expression becomes an output of
  /// `model`, as above. Returns the indices of the outputs. Errors: those of expressions; E0420 for an expression of functions of the run.
  static Result<std::vector<int>> read_outputs(Model& model, const std::vector<StudyStatement::Named>& texts);

  const std::vector<std::string>& names() const { return names_; }
  /// W0327 for each measure with an at(e, t) whose time is outside of all runs, which go from `start` to `until`: it has no value in any of them. Times that
  /// depend on one of the `changed` parameters (indices) are not looked at.
  Diagnostics doubt_times(const Model& model, double start, double until, std::span<const int> changed) const;

  /// In SI, by what each measure is made of: an extreme of an angle is in rad; empty where unknown. `model` is that of read().
  std::vector<std::string> units(const Model& model) const;

  /// Asks the run, which begins at `start`, for what the measures need. `model` has the parameter values of the run. `each_step`: the run records
  /// each step, unless a measure is of stated times.
  void ask(const Model& model, double start, bool each_step, IntegrateOptions& options) const;
  /// The values for a run from the time `start` that was made with these options. NaN: the run has no such number, as at a time after its end.
  std::vector<double> of(const Trajectory& run, const Model& model, double start,
                         std::span<const OtherExtreme> instead = {}) const;
  /// Why one of the values for this run is none: "`tip` does not happen".
  std::string why_none(const Trajectory& run, const Model& model, double start) const;
  /// SI; nothing if unknown.
  const std::vector<std::optional<Dimension>>& dimensions() const { return dimensions_; }

  /// Prepares derivatives. `model` is that of read(), whose equations are derived after this.
  void differentiate(const Model& model);
  /// Asks a second run, with tangents, for what the derivatives need. `first`: the run with the options of ask().
  void ask_derivatives(const Trajectory& first, const Model& model, double start, IntegrateOptions& options) const;
  /// After differentiate(): the derivatives. `second`: the run with the options of ask_derivatives(), whose tangents are `tangents`. Where two extremes are
  /// equal, the derivative is that of the one that the run has found first.
  MeasureDerivatives derivatives(const Trajectory& first, const Trajectory& second, const Model& model, double start,
                                 std::span<const Tangent> tangents, std::span<const OtherExtreme> instead = {}) const;

  bool have_extremes() const;
  /// The outputs whose last values are read, as such, by final(), integral() and mean().
  std::vector<int> outputs_at_end() const;
  /// The values of outputs on which the measures depend, as far as derivatives are concerned, one for each function of the run in them; nothing if there are
  /// others. `first`: as above. `beside`: where have_extremes(), the run with the options of ask_derivatives() and any tangents; else `first`.
  std::optional<std::vector<HeldValue>> held_values(const Trajectory& first, const Trajectory& beside,
                                                    const Model& model, double start) const;
  /// After differentiate(): the derivatives, from those of the held values: by[value][quantity].
  MeasureDerivatives derivatives_of_held(const Trajectory& first, const Model& model, double start,
                                         std::span<const Tangent> tangents,
                                         const std::vector<std::vector<double>>& by) const;

  /// The extremes, max(e) and min(e), that these measures contain, each once.
  std::vector<std::size_t> extremes_in(std::span<const std::size_t> measures) const;
  Sought sought(std::size_t part) const;

 private:
  class Names;
  class Differences;
  // A function of the run, and the symbol that stands for it in the measures.
  struct Part {
    enum class Kind { kOfRun, kTime, kCount } kind = Kind::kOfRun;
    OfRun function = OfRun::kFinal;
    int output = 0;         // index of the output that is its expression
    Expr time = {};         // of at(e, t)
    std::string happening;  // of time(tip), count(tip): the name of an event or contact
    Expr symbol = {};
    bool is_extreme() const { return kind == Kind::kOfRun && (function == OfRun::kMax || function == OfRun::kMin); }
  };
  static const Extremes* extremes(const Part& part, const Trajectory& run);
  double value(const Part& part, const Trajectory& run, const Model& model, double start) const;
  double value_of(SymbolId id, const std::vector<double>& of_parts, const Model& model) const;
  std::vector<double> part_values(const Trajectory& run, const Model& model, double start,
                                  std::span<const OtherExtreme> instead) const;
  using OfPart = std::function<double(std::size_t part, std::size_t k, std::string& why)>;
  MeasureDerivatives combine(const std::vector<double>& parts, const Model& model, std::span<const Tangent> tangents,
                             const OfPart& of) const;

  std::vector<std::string> names_;
  std::vector<Span> places_;  // of each measure
  std::vector<std::optional<Dimension>> dimensions_;
  std::vector<Expr> values_;
  std::vector<Part> parts_;
  std::vector<std::vector<std::pair<SymbolId, Expr>>> gradients_;  // of each measure, by parts and parameters
};

}  // namespace dalembert
