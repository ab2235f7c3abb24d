// SPDX-License-Identifier: Apache-2.0
// Derivatives of the start of a run by a parameter or an initial value, by finite differences of starts that are each assembled onto the constraints.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/expr/visit.h"
#include "dalembert/study/changing_system.h"
#include "dalembert/study/kept_derivatives.h"
#include "dalembert/study/parameter_kinks.h"
#include "dalembert/study/system_at.h"
#include "dalembert/study/tangents.h"

namespace dalembert {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

Result<StudyQuantity> differentiable_quantity(const Model& model, const std::string& name, const Span& place) {
  std::optional<StudyQuantity> found = quantity_of(model, name);
  // A quasi-velocity that the model does not hold has no value of its own at the start.
  const auto is_free = [&](const StudyQuantity& quantity) {
    return quantity.parameter < 0 && quantity.place.kind == InitialPlace::Kind::kQuasiVelocity &&
           std::ranges::find(model.initial.quasi_velocity, quantity.place.index, &InitialValue::coordinate) ==
               model.initial.quasi_velocity.end();
  };
  if (found && !is_free(*found)) return *std::move(found);
  if (std::ranges::find(model.inputs, name, &Input::name) != model.inputs.end()) {
    Diagnostic problem = error("E0403", fmt::format("`{}` is an input, a function of time", name), place);
    problem.help.push_back(
        fmt::format("state it by parameters, such as `{0} = \"{0}0\"` in [inputs], and differentiate by these", name));
    return problem;
  }
  Diagnostic problem =
      error("E0403", fmt::format("`{}` is neither a parameter nor the initial value of a coordinate or velocity", name),
            place);
  if (const auto near = nearest(name, quantity_names(model)); near && *near != name)
    problem.help.push_back(fmt::format("did you mean `{}`?", *near));
  return problem;
}

// The symbols that the assembled start may depend on: those of the constraints, of the masses, which weigh what assembly changes, and of the initial
// values; and of the inputs among them. Nothing where contacts or frictions decide about the start.
std::optional<std::vector<SymbolId>> symbols_of_start(const BuiltModel& system) {
  if (!system.equations.unilateral.empty() || system.equations.load_dependent()) return std::nullopt;
  const Equations equations = with_prescribed_rows(on_overlay(system.equations));
  const Model& model = *system.model;
  std::vector<Expr> read;
  for (const std::vector<Expr>* list :
       {&equations.M.value, &equations.W.value, &equations.a, &equations.N.value, &equations.n0})
    read.insert(read.end(), list->begin(), list->end());
  for (const int row : equations.holonomic) read.push_back(equations.h[static_cast<std::size_t>(row)]);
  const auto take = [&](const Expr& expression) {
    if (expression) read.push_back(equations.graph->adopt(expression));
  };
  const Initial& initial = model.initial;
  for (const auto* values : {&initial.position, &initial.velocity, &initial.position_guess, &initial.velocity_guess,
                             &initial.angular, &initial.angular_guess, &initial.quasi_velocity})
    for (const InitialValue& value : *values) take(value.formula);
  for (const QuasiVelocity& velocity : model.quasi_velocities) take(velocity.definition);
  for (const Prescribed& prescribed : model.prescribed) take(prescribed.value);
  const std::vector<SymbolId> directly = symbols_in(read);
  for (const Input& input : model.inputs)
    if (std::ranges::binary_search(directly, input.symbol.symbol())) take(input.value);
  return symbols_in(read);
}

// The quantity of this name as a tangent with the derivative of the start, which counts as not a number where `may_be_unknown`.
Result<Tangent> make_tangent(const BuiltModel& system, const std::string& name, const State& start,
                             const std::optional<std::vector<SymbolId>>& of_start, bool may_be_unknown,
                             const Span& place = {}) {
  Result<StudyQuantity> quantity = differentiable_quantity(*system.model, name, place);
  if (!quantity) return quantity.diagnostics();
  if (quantity->parameter >= 0 && of_start) {
    const Expr& symbol = system.model->parameters[static_cast<std::size_t>(quantity->parameter)].symbol;
    if (!std::ranges::binary_search(*of_start, symbol.symbol()))
      return Tangent{name,
                     quantity->unit,
                     std::vector<double>(start.q.size()),
                     std::vector<double>(start.v.size()),
                     {{quantity->parameter, 1.0}}};
  }
  // Alone: beside it, other quantities are free to follow.
  ChangingSystem changing(system, {*quantity});
  const std::vector<double> values = changing.stated_values();
  changing.set(values);
  const double size = quantity->parameter >= 0 && values[0] != 0 ? std::abs(values[0]) : 1;
  Tangent tangent;
  if (changing.differentiate_start(0, size, start, tangent)) return tangent;
  if (!may_be_unknown) {
    Diagnostic problem = error("E0403", fmt::format("no start has `{}` a little larger or smaller", name), place);
    problem.help.emplace_back(
        "the constraints and the values that are held determine it: differentiate by one of those, or hold fewer");
    return problem;
  }
  tangent = {name, quantity->unit, std::vector<double>(start.q.size(), kUnknown),
             std::vector<double>(start.v.size(), kUnknown)};
  if (quantity->parameter >= 0) tangent.parameters.emplace_back(quantity->parameter, 1.0);
  return tangent;
}

void compile_for(const BuiltModel& system, IntegrateOptions& options) {
  std::vector<int> parameters;
  for (const Tangent& tangent : options.tangents)
    for (const auto& [parameter, rate] : tangent.parameters) parameters.push_back(parameter);
  options.derivatives = derivatives_along_runs(system, parameters);
}

// Every parameter, and every initial value that the model holds.
std::vector<std::string> gradient_quantities(const Model& model) {
  std::vector<std::string> names;
  for (const Parameter& parameter : model.parameters) names.push_back(parameter.name);
  for (const InitialValue& held : model.initial.position)
    names.push_back(model.coordinates[static_cast<std::size_t>(held.coordinate)].name);
  const auto is_held = [](const std::vector<InitialValue>& values, int index) {
    return std::ranges::find(values, index, &InitialValue::coordinate) != values.end();
  };
  for (const VelocityPlace& place : model.velocity_places())
    if (place.quaternion < 0 ? is_held(model.initial.velocity, place.coordinate)
                             : is_held(model.initial.angular, 3 * place.quaternion + place.axis))
      names.push_back(model.velocity_name(place));
  for (const InitialValue& held : model.initial.quasi_velocity)
    names.push_back(model.quasi_velocities[static_cast<std::size_t>(held.coordinate)].name);
  return names;
}

}  // namespace

Diagnostics find_tangents(const BuiltModel& system, IntegrateOptions& options, const std::vector<Span>& places) {
  if (options.tangents.empty()) return {};
  const Assembly start = assemble_start(system.equations, system.dynamics);
  const std::optional<std::vector<SymbolId>> of_start = symbols_of_start(system);
  const ParameterKinks kinks(system);
  for (std::size_t k = 0; k < options.tangents.size(); ++k) {
    Tangent& tangent = options.tangents[k];
    Result<Tangent> found =
        make_tangent(system, tangent.name, start.state, of_start, false, k < places.size() ? places[k] : Span{});
    if (!found) return found.diagnostics();
    tangent = *std::move(found);
    tangent.unknown = kinks.why_unknown(tangent);
  }
  compile_for(system, options);
  return {};
}

Diagnostics find_all_tangents(const BuiltModel& system, IntegrateOptions& options) {
  const Assembly start = assemble_start(system.equations, system.dynamics);
  options.tangents.clear();
  const std::optional<std::vector<SymbolId>> of_start = symbols_of_start(system);
  const ParameterKinks kinks(system);
  for (const std::string& name : gradient_quantities(*system.model)) {
    Result<Tangent> found = make_tangent(system, name, start.state, of_start, true);
    if (!found) return found.diagnostics();
    Tangent& tangent = options.tangents.emplace_back(*std::move(found));
    tangent.unknown = kinks.why_unknown(tangent);
    if (tangent.unknown.empty()) continue;
    std::ranges::fill(tangent.q, kUnknown);
    std::ranges::fill(tangent.v, kUnknown);
  }
  compile_for(system, options);
  return {};
}

Diagnostic no_such_output(const BuiltModel& system, const std::string& name, const Span& span) {
  const std::vector<std::string>& known = system.dynamics.names().outputs;
  Diagnostic problem = error("E0440", fmt::format("the model has no output `{}`", name), span);
  if (std::ranges::find(system.dynamics.names().coordinates, name) != system.dynamics.names().coordinates.end())
    problem.help.push_back(fmt::format("a formula takes a number of the run: `final({})` is the last value", name));
  else if (const auto near = nearest(name, known))
    problem.help.push_back(fmt::format("did you mean `{}`?", *near));
  else
    problem.help.push_back(known.empty() ? "an output is stated in [outputs]: reach = \"x\""
                                         : fmt::format("its outputs are {}", join_words(known)));
  return problem;
}

Diagnostics find_gradients(const BuiltModel& system, const std::vector<std::string>& outputs,
                           IntegrateOptions& options) {
  const std::vector<std::string>& known = system.dynamics.names().outputs;
  for (const std::string& name : outputs) {
    const auto place = std::ranges::find(known, name);
    if (place == known.end()) return {no_such_output(system, name)};
    options.gradient_of.push_back(static_cast<int>(place - known.begin()));
  }
  if (Diagnostics problems = find_all_tangents(system, options); !problems.empty()) return problems;
  if (options.derivatives != nullptr) return {};
  Diagnostic problem =
      error("E0441", fmt::format("the gradient by the adjoint of the run needs exact derivatives of the "
                                 "accelerations, which this model does not have: {}",
                                 kWhyNoDerivatives));
  problem.help.emplace_back("RunGradients finds it from derivatives that are carried along the run");
  return {problem};
}

}  // namespace dalembert
