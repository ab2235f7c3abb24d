// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/run_options.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dalembert/algebra/canonical.h"
#include "dalembert/base/text.h"
#include "dalembert/dynamics/cubic_spline.h"
#include "dalembert/model/energy_place.h"

namespace dalembert {
namespace {

Span place_of(const SimulationSettings& settings, std::string_view key) {
  const auto place = settings.places.find(std::string(key));
  return place == settings.places.end() ? Span{} : place->second;
}

// Reports the first setting whose value is a name that this setting does not accept.
std::optional<Diagnostic> unknown_name(const SimulationSettings& settings) {
  for (const Setting& setting : kSettings) {
    if (!setting.name || !(settings.*setting.name)) continue;
    const std::string& value = *(settings.*setting.name);
    const std::vector<std::string> known = choices_of(setting);
    if (std::ranges::find(known, value) != known.end()) continue;
    Diagnostic diagnostic = error("E0410", fmt::format("[simulation] {} does not take `{}`", setting.key, value),
                                  place_of(settings, setting.key));
    if (const auto near = nearest(value, known)) diagnostic.help.push_back(fmt::format("did you mean `{}`?", *near));
    diagnostic.help.push_back(fmt::format("it takes {}", join_words(known, "`", "or")));
    return diagnostic;
  }
  return std::nullopt;
}

// Contacts open and close, and impacts cannot be undone.
std::optional<Diagnostic> refused_by_contacts(const SimulationSettings& settings, const IntegrateOptions& options,
                                              const Model& model, double start_time) {
  const auto contact = std::ranges::find_if(model.constraints, &Constraint::unilateral);
  if (contact == model.constraints.end()) return std::nullopt;
  const bool reduced = options.formulation == Formulation::kReduced;
  if (!reduced && options.until >= start_time) return std::nullopt;
  Diagnostic problem =
      reduced ? error("E0446",
                      fmt::format("the formulation `reduced` cannot follow the contact `{}`: the multipliers that it "
                                  "eliminates decide when contacts open",
                                  contact->name),
                      place_of(settings, "formulation"))
              : error("E0446",
                      fmt::format("a run backwards in time cannot pass the contact `{}`: the state after an impact "
                                  "does not tell the one before",
                                  contact->name),
                      place_of(settings, "until"));
  problem.help.push_back(reduced ? "leave the formulation out: `index1` is for every model"
                                 : "end the run after its start, or make the constraint two-sided");
  return problem;
}

}  // namespace

std::vector<std::string> choices_of(const Setting& setting) {
  if (setting.name == &SimulationSettings::method) return method_names();
  if (setting.name == &SimulationSettings::formulation) return {"index1", "reduced"};
  return {};
}

Result<IntegrateOptions> run_options(const SimulationSettings& settings, const Model& model, double start_time) {
  IntegrateOptions options;
  options.second_run = true;
  options.until = settings.until.value_or(kDefaultUntil);
  options.rtol = settings.rtol.value_or(options.rtol);
  options.atol = settings.atol.value_or(options.atol);
  options.output_step = settings.output_step.value_or(0);
  options.max_step = settings.max_step.value_or(0);
  if (!(options.rtol >= kLeastRtol && options.rtol < 1)) {
    Diagnostic diagnostic =
        error("E0403", fmt::format("a relative tolerance of {} is out of range", to_text(options.rtol)),
              place_of(settings, "rtol"));
    diagnostic.help.push_back("it takes a number from 1e-15 to 1");
    return diagnostic;
  }
  if (options.output_step > 0 && !(std::abs(options.until - start_time) / options.output_step <= kMostRows)) {
    Diagnostic diagnostic = error("E0403",
                                  fmt::format("an output step of {} s is too small: that makes more than {} rows",
                                              to_text(options.output_step), to_text(kMostRows)),
                                  place_of(settings, "output_step"));
    diagnostic.help.push_back("choose a longer step, or an earlier end");
    return diagnostic;
  }
  // With a fixed output step the rows do not fill memory, so the limit for the number of steps is raised.
  if (options.output_step > 0) options.max_steps = std::int64_t{1'000'000'000};
  if (std::optional<Diagnostic> unknown = unknown_name(settings)) return *std::move(unknown);
  if (settings.method) options.method = *parse_method(*settings.method);
  if (settings.formulation == "reduced") options.formulation = Formulation::kReduced;
  if (std::optional<Diagnostic> refused = refused_by_contacts(settings, options, model, start_time))
    return *std::move(refused);
  return options;
}

Result<IntegrateOptions> run_options(const Model& model) {
  return run_options(model.simulation, model, model.initial.t);
}

Diagnostics missing_samples(const Model& model, const Dynamics& dynamics, double from, double to) {
  Diagnostics problems;
  for (const SplineInput& input : dynamics.splines()) {
    const CubicSpline& spline = *input.spline;
    if (spline.contains(from) && spline.contains(to)) continue;
    const Input& stated = model.inputs[static_cast<std::size_t>(input.input[0])];
    const std::string wanted = from == to ? fmt::format("the state at {} s", to_text(from, 6))
                                          : fmt::format("the run from {} to {} s", to_text(std::min(from, to), 6),
                                                        to_text(std::max(from, to), 6));
    problems.push_back(error("E0506",
                             fmt::format("the samples of the spline `{}` are from {} to {} s, {}", stated.name,
                                         to_text(spline.begin(), 6), to_text(spline.end(), 6), wanted),
                             stated.span));
    problems.back().notes.push_back("a spline has no values before and after its samples");
    problems.back().help.push_back(from == to ? "give samples for that time"
                                              : "end the run with the samples, or give samples for all of it");
  }
  return problems;
}

Diagnostics short_tables(const Model& model, double from, double to) {
  if (from > to) std::swap(from, to);
  Diagnostics doubts;
  for (const Input& input : model.inputs) {
    if (input.value || input.time.empty() || input.interpolation == Interpolation::kSpline ||
        (input.time.front() <= from && to <= input.time.back()))
      continue;
    doubts.push_back(warning(
        "W0504",
        fmt::format("the samples of `{}` are from {} to {} s, the run from {} to {} s", input.name,
                    to_text(input.time.front(), 6), to_text(input.time.back(), 6), to_text(from, 6), to_text(to, 6)),
        input.span));
    doubts.back().notes.push_back("before and after its samples an input keeps its first and last value");
  }
  return doubts;
}

Diagnostics negative_inertia(const Model& model, const Dynamics& dynamics, const Terms& terms) {
  const Layout& layout = dynamics.layout();
  Diagnostics warnings;
  for (std::size_t k = 0; k < terms.M.size(); ++k) {
    if (layout.M.row[k] != layout.M.col[k] || !(terms.M[k] < 0)) continue;
    const std::string& name = dynamics.names().of_motion()[static_cast<std::size_t>(layout.M.row[k])];
    warnings.push_back(warning("W0104",
                               fmt::format("the inertia of `{}` is negative at the start: M[{},{}] = {}", name, name,
                                           name, to_text(terms.M[k], 6)),
                               energy_place(model, false)));
  }
  return warnings;
}

Diagnostics idle_events(const Equations& given) {
  if (given.model->events.empty()) return {};
  const Equations equations = on_overlay(given);
  Canonicalizer canonicalizer(*equations.graph);
  Diagnostics problems;
  for (const Event& event : given.model->events) {
    if (decide_zero(canonicalizer, equations.graph->adopt(event.when)) != ZeroTest::kZero) continue;
    problems.push_back(
        error("E0283", fmt::format("`when` of the event `{}` is always 0", event.name), event.when_span));
    problems.back().help.emplace_back("an event happens where an expression of the motion passes 0");
  }
  return problems;
}

}  // namespace dalembert
