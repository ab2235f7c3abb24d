// SPDX-License-Identifier: Apache-2.0
// Derivatives of the start of a run by a parameter or an initial value, by finite differences of starts that are each assembled onto the constraints.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/study/changing_system.h"
#include "dalembert/study/system_at.h"

namespace dalembert {
namespace {

Result<StudyQuantity> differentiable_quantity(const Model& model, const std::string& name) {
  std::optional<StudyQuantity> found = quantity_of(model, name);
  // A quasi-velocity that the model does not hold has no value of its own at the start.
  const auto is_free = [&](const StudyQuantity& quantity) {
    return quantity.parameter < 0 && quantity.place.kind == InitialPlace::Kind::kQuasiVelocity &&
           std::ranges::find(model.initial.quasi_velocity, quantity.place.index, &InitialValue::coordinate) ==
               model.initial.quasi_velocity.end();
  };
  if (found && !is_free(*found)) return *std::move(found);
  Diagnostic problem = error(
      "E0403", fmt::format("`{}` is neither a parameter nor the initial value of a coordinate or velocity", name));
  if (const auto near = nearest(name, quantity_names(model)); near && *near != name)
    problem.help.push_back(fmt::format("did you mean `{}`?", *near));
  return problem;
}

}  // namespace

Diagnostics find_tangents(const BuiltModel& system, IntegrateOptions& options) {
  const Assembly start = assemble_start(system.equations, system.dynamics);
  std::vector<int> parameters;
  for (Tangent& tangent : options.tangents) {
    Result<StudyQuantity> quantity = differentiable_quantity(*system.model, tangent.name);
    if (!quantity) return quantity.diagnostics();
    const int parameter = quantity->parameter;
    // Alone: beside it, other quantities are free to follow.
    ChangingSystem changing(system, {*std::move(quantity)});
    const std::vector<double> values = changing.stated_values();
    changing.set(values);
    const double size = parameter >= 0 && values[0] != 0 ? std::abs(values[0]) : 1;
    if (!changing.differentiate_start(0, size, start.state, tangent)) {
      Diagnostic problem = error("E0403", fmt::format("no start has `{}` a little larger or smaller", tangent.name));
      problem.help.emplace_back(
          "the constraints and the values that are held determine it: differentiate by one of those, or hold fewer");
      return {problem};
    }
    if (parameter >= 0) parameters.push_back(parameter);
  }
  if (!options.tangents.empty()) options.derivatives = compile_derivatives(system.equations, parameters);
  return {};
}

}  // namespace dalembert
