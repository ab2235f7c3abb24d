// SPDX-License-Identifier: Apache-2.0
// Gradients of measures of a run: from the adjoint of runs that end where the measures read outputs, or from derivatives that are carried along a run.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/base/wording.h"
#include "dalembert/integrate/cross_check.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/integrate/unknown_derivatives.h"
#include "dalembert/study/measures.h"
#include "dalembert/study/system_at.h"
#include "dalembert/study/tangents.h"

namespace dalembert {
namespace {

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

bool is_known(const Tangent& tangent) {
  const auto finite = [](double x) { return std::isfinite(x); };
  return std::ranges::all_of(tangent.q, finite) && std::ranges::all_of(tangent.v, finite);
}

// Whether the adjoint has found nothing, although it could have.
bool is_lost(const std::vector<Gradient>& gradients, const std::vector<Tangent>& tangents) {
  for (const Gradient& gradient : gradients)
    for (std::size_t k = 0; k < tangents.size(); ++k)
      if (is_known(tangents[k]) && std::isfinite(gradient.by[k].value)) return false;
  return std::ranges::any_of(tangents, is_known);
}

void add_new(const std::string& warning, std::vector<std::string>& warnings) {
  if (std::ranges::find(warnings, warning) == warnings.end()) warnings.push_back(warning);
}

// Of held values: the end of the run is NaN.
bool is_same_instant(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// The options of a further run, which is made for its gradients alone.
IntegrateOptions for_gradients(const IntegrateOptions& options) {
  IntegrateOptions own = options;
  own.recorded = {};
  own.take_rows = {};
  own.sensitivities_at_end = false;  // of values within the run
  own.power_balance = own.error_estimate = own.second_run = own.cross_check = own.find_peaks = false;
  own.tangents.clear();
  own.gradient_of.clear();
  own.derivatives = nullptr;
  own.output_times.clear();
  own.output_step = 0;
  return own;
}

}  // namespace

struct RunGradients::Parts {
  std::optional<BuiltModel> system;  // with outputs for the formulas
  Measures measures;
  std::vector<std::string> texts;
  std::vector<int> outputs;  // where the numbers are last values of outputs, these
  std::vector<Tangent> tangents;
  std::shared_ptr<const RunDerivatives> derivatives;
  Diagnostics warnings;

  Diagnostics read(const BuiltModel& given, const std::vector<MappedText>& numbers, const CompileOptions& compile);
};

namespace {

// Finds gradients with given tolerances.
class GradientSearch {
 public:
  GradientSearch(const BuiltModel& system, const Measures& measures, const std::vector<Tangent>& tangents,
                 std::shared_ptr<const RunDerivatives> derivatives, const State& start, IntegrateOptions options)
      : system_(system),
        model_(*system.model),
        measures_(measures),
        tangents_(tangents),
        derivatives_(std::move(derivatives)),
        start_(start),
        options_(std::move(options)) {
    const auto progress = options_.progress;
    if (progress)
      options_.progress = [this, progress](const RunPoint& at) {
        stopped_ = !progress(at);
        return !stopped_;
      };
  }

  /// Nothing where a run failed or was stopped.
  std::optional<MeasureDerivatives> find() {
    if (derivatives_ != nullptr)
      if (std::optional<MeasureDerivatives> found = by_adjoint()) return found;
    if (stopped_) return std::nullopt;
    return by_tangents();
  }
  bool stopped() const { return stopped_; }
  const std::string& why() const { return why_; }
  /// What the runs have said of the derivatives that they found.
  const std::vector<std::string>& told() const { return told_; }

 private:
  Trajectory run(const IntegrateOptions& options) {
    Trajectory made = integrate(system_.dynamics, start_, options);
    if (made.status != RunStatus::kOk) why_ = made.reason;
    for (const std::string& one : made.verdict.warnings)
      if (integration::says_whose_derivatives(one)) add_new(one, told_);
    return made;
  }

  void ask_gradient(std::vector<int> outputs, IntegrateOptions& options) const {
    options.gradient_of = std::move(outputs);
    options.tangents = tangents_;
    options.derivatives = derivatives_;
  }

  // Two of the numbers at most have the same instant, as a rule, so each instant has a run.
  std::optional<MeasureDerivatives> by_adjoint() {
    IntegrateOptions options = options_;
    measures_.ask(model_, start_.t, true, options);
    const bool extremes = measures_.have_extremes();
    if (!extremes) ask_gradient(measures_.outputs_at_end(), options);
    const Trajectory first = run(options);
    if (first.status != RunStatus::kOk || first.size() == 0) return std::nullopt;
    Trajectory beside;
    if (extremes) {
      IntegrateOptions rows = options_;
      measures_.ask_derivatives(first, model_, start_.t, rows);
      rows.tangents = {
          {.name = "t", .q = std::vector<double>(start_.q.size()), .v = std::vector<double>(start_.v.size())}};
      rows.derivatives = derivatives_;
      beside = run(rows);
      if (beside.status != RunStatus::kOk) return std::nullopt;
    }
    const auto held = measures_.held_values(first, extremes ? beside : first, model_, start_.t);
    if (!held) return std::nullopt;
    std::vector<Trajectory> made;  // of each instant, in the order of `instants`
    std::vector<double> instants;
    std::vector<std::vector<double>> by;
    for (const HeldValue& value : *held) {
      const Gradient* found = std::isnan(value.t) ? find_in(first, value.output) : nullptr;
      for (std::size_t i = 0; i < made.size() && found == nullptr; ++i)
        if (is_same_instant(instants[i], value.t)) found = find_in(made[i], value.output);
      if (found == nullptr) {
        found = run_to(value, *held, made);
        instants.push_back(value.t);
      }
      if (found == nullptr || is_lost({*found}, tangents_)) return std::nullopt;
      std::vector<double>& of_one = by.emplace_back();
      for (std::size_t k = 0; k < tangents_.size(); ++k)
        of_one.push_back(is_known(tangents_[k]) ? found->by[k].value : 0);
    }
    return without_unknown(measures_.derivatives_of_held(first, model_, start_.t, tangents_, by));
  }

  // Quantities whose start has no derivative count as 0 on the way.
  MeasureDerivatives without_unknown(MeasureDerivatives found) const {
    for (std::vector<double>& by : found.by)
      for (std::size_t k = 0; k < by.size(); ++k)
        if (!is_known(tangents_[k])) by[k] = kNotKnown;
    return found;
  }

  const Gradient* find_in(const Trajectory& made, int output) const {
    const std::string& name = system_.dynamics.names().outputs[static_cast<std::size_t>(output)];
    const auto found = std::ranges::find(made.gradients, name, &Gradient::output);
    return found != made.gradients.end() ? &*found : nullptr;
  }

  // Makes the run that ends at the instant of a value, with the gradients of all values there.
  const Gradient* run_to(const HeldValue& value, const std::vector<HeldValue>& held, std::vector<Trajectory>& made) {
    IntegrateOptions options = options_;
    if (!std::isnan(value.t)) options.until = value.t;
    options.output_times = {start_.t, options.until};
    std::vector<int> outputs;
    for (const HeldValue& one : held)
      if (is_same_instant(one.t, value.t) && std::ranges::find(outputs, one.output) == outputs.end())
        outputs.push_back(one.output);
    ask_gradient(std::move(outputs), options);
    made.push_back(run(options));
    return made.back().status == RunStatus::kOk ? find_in(made.back(), value.output) : nullptr;
  }

  // A derivative by each quantity goes along the run.
  std::optional<MeasureDerivatives> by_tangents() {
    IntegrateOptions options = options_;
    measures_.ask(model_, start_.t, true, options);
    const Trajectory first = run(options);
    if (first.status != RunStatus::kOk || first.size() == 0) return std::nullopt;
    options = options_;
    measures_.ask_derivatives(first, model_, start_.t, options);
    options.tangents = tangents_;
    for (Tangent& one : options.tangents)
      if (!is_known(one)) {
        one.q.assign(one.q.size(), 0.0);
        one.v.assign(one.v.size(), 0.0);
      }
    options.derivatives = derivatives_;
    const Trajectory second = run(options);
    if (second.status != RunStatus::kOk) return std::nullopt;
    return without_unknown(measures_.derivatives(first, second, model_, start_.t, options.tangents));
  }

  const BuiltModel& system_;
  const Model& model_;
  const Measures& measures_;
  const std::vector<Tangent>& tangents_;
  const std::shared_ptr<const RunDerivatives> derivatives_;
  const State& start_;
  IntegrateOptions options_;
  bool stopped_ = false;
  std::string why_;
  std::vector<std::string> told_;
};

}  // namespace

Diagnostics RunGradients::Parts::read(const BuiltModel& given, const std::vector<MappedText>& numbers,
                                      const CompileOptions& compile) {
  const std::vector<std::string>& known = given.dynamics.names().outputs;
  std::vector<StudyStatement::Named> formulas;
  for (const MappedText& number : numbers) {
    const auto place = std::ranges::find(known, number.text);
    if (place == known.end() && is_identifier(number.text)) return {no_such_output(given, number.text, number.span())};
    if (std::ranges::find(texts, number.text) != texts.end()) continue;
    texts.push_back(number.text);
    const bool plain = place != known.end();
    if (plain) outputs.push_back(static_cast<int>(place - known.begin()));
    formulas.push_back({fmt::format("number{}", formulas.size() + 1),
                        plain ? MappedText::of(fmt::format("final({})", number.text)) : number,
                        {}});
  }
  if (outputs.size() < texts.size()) outputs.clear();
  auto measured = std::make_shared<Model>(*given.model);
  Result<Measures> read = Measures::read(*measured, formulas);
  if (!read) return read.diagnostics();
  measures = *std::move(read);
  measures.differentiate(*measured);
  if (measured->outputs.size() == given.model->outputs.size()) {
    system = given;
  } else {
    Result<BuiltModel> built = build_model(std::move(measured), {}, compile);
    if (!built) return built.diagnostics();
    system = *std::move(built);
  }
  IntegrateOptions options;
  if (Diagnostics problems = find_all_tangents(*system, options); !problems.empty()) return problems;
  tangents = std::move(options.tangents);
  derivatives = std::move(options.derivatives);
  if (derivatives != nullptr) return {};
  Diagnostic slow = warning(
      "W0330", fmt::format("a derivative by each of {} is carried along the run, since the model has no exact "
                           "derivatives for the adjoint of the run: {}",
                           counted(static_cast<int>(tangents.size()), "quantity", "quantities"), kWhyNoDerivatives));
  slow.help.emplace_back("`--sensitivity NAMES` differentiates by a few of them in less time");
  warnings = {std::move(slow)};
  return {};
}

Result<RunGradients> RunGradients::prepare(const BuiltModel& system, const std::vector<MappedText>& numbers,
                                           const CompileOptions& compile) {
  auto parts = std::make_shared<Parts>();
  if (Diagnostics problems = parts->read(system, numbers, compile); !problems.empty()) return problems;
  RunGradients gradients;
  gradients.parts_ = std::move(parts);
  return gradients;
}

const Diagnostics& RunGradients::warnings() const { return parts_->warnings; }

void RunGradients::ask(IntegrateOptions& options) const {
  if (parts_->outputs.empty() || parts_->derivatives == nullptr) return;
  options.gradient_of = parts_->outputs;
  options.tangents = parts_->tangents;
  options.derivatives = parts_->derivatives;
}

void RunGradients::finish(const IntegrateOptions& given, const State& start, Trajectory& run) const {
  const Parts& parts = *parts_;
  const bool asked = !run.gradients.empty();
  if (asked && (run.status != RunStatus::kOk || !is_lost(run.gradients, parts.tangents))) return;
  std::vector<Gradient> gradients;
  for (const std::string& text : parts.texts) {
    Gradient& gradient = gradients.emplace_back(Gradient{.output = text, .by = {}});
    for (const Tangent& one : parts.tangents) gradient.by.push_back({one.name, one.unit, kNotKnown});
  }
  run.gradients = gradients;
  if (run.status != RunStatus::kOk) return;
  const auto find = [&](const IntegrateOptions& options, std::vector<Gradient>& into, bool tell) {
    GradientSearch search(*parts.system, parts.measures, parts.tangents, parts.derivatives, start, options);
    const std::optional<MeasureDerivatives> found = search.find();
    if (search.stopped()) {
      run.status = RunStatus::kStopped;
      run.reason = "stopped before the gradients were known";
    }
    for (const std::string& one : search.told())
      if (tell) add_new(one, run.verdict.warnings);
    for (std::size_t i = 0; i < into.size(); ++i) {
      const std::string why = !found ? search.why() : found->unknown[i];
      const bool in_part = found && std::ranges::any_of(found->by[i], [](double x) { return std::isfinite(x); });
      if (!why.empty() && tell)
        run.verdict.warnings.push_back(
            fmt::format("the gradient of `{}` is unknown{}: {}", parts.texts[i], in_part ? " in part" : "", why));
      for (std::size_t k = 0; found && k < into[i].by.size(); ++k) into[i].by[k].value = found->by[i][k];
    }
    return found.has_value() && !search.stopped();
  };
  IntegrateOptions options = for_gradients(given);
  if (asked) std::erase_if(run.verdict.warnings, integration::says_unknown_derivatives);
  for (const Tangent& one : parts.tangents)
    if (!one.unknown.empty())
      run.verdict.warnings.push_back(
          fmt::format("{} by `{}` are unknown: {}", integration::kOfDerivatives, one.name, one.unknown));
  if (!find(options, run.gradients, true) || run.verdict.error.method != "cross-check") return;
  const double tighter = integration::factor_of_second_run(options.rtol);
  options.rtol *= tighter;
  options.atol *= tighter;
  if (!options.adaptive) options.initial_step /= 2;
  if (!find(options, gradients, false)) return;
  for (std::size_t i = 0; i < gradients.size(); ++i)
    run.gradients[i].error =
        integration::error_of_gradient(parts.system->dynamics, parts.tangents, run.gradients[i], gradients[i]);
}

}  // namespace dalembert
