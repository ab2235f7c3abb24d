// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/changing_system.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/dynamics/derivative_along.h"
#include "dalembert/dynamics/linearization.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/model/limit_words.h"
#include "dalembert/study/kept_derivatives.h"
#include "dalembert/study/system_at.h"

namespace dalembert {
namespace {

// The value that the model states; nothing if it states none.
std::optional<double> stated_value(const Model& model, const StudyQuantity& quantity) {
  return quantity.parameter >= 0 ? model.parameters[static_cast<std::size_t>(quantity.parameter)].value
                                 : held_value(model.initial, quantity.place);
}

// The value of an initial value in a state.
double value_in(const Model& model, const StudyQuantity& quantity, const State& state) {
  using Kind = InitialPlace::Kind;
  const InitialPlace& place = quantity.place;
  if (place.kind == Kind::kPosition) return state.q[static_cast<std::size_t>(place.index)];
  const std::vector<VelocityPlace> places = model.velocity_places();
  const auto is_it = [&](const VelocityPlace& one) {
    return place.kind == Kind::kVelocity ? one.quaternion < 0 && one.coordinate == place.index
                                         : one.quaternion >= 0 && 3 * one.quaternion + one.axis == place.index;
  };
  const auto found = std::ranges::find_if(places, is_it);
  return found == places.end() ? 0 : state.v[static_cast<std::size_t>(found - places.begin())];
}

}  // namespace

ChangingSystem::ChangingSystem(const BuiltModel& system, std::vector<StudyQuantity> quantities)
    : quantities_(std::move(quantities)),
      model_(std::make_shared<Model>(*system.model)),
      system_(system),
      stated_(model_->initial) {
  system_.model = system_.equations.model = model_;
  for (const Parameter& one : model_->parameters) parameters_.push_back(one.value);
}

ChangingSystem::ChangingSystem(const ChangingSystem& other)
    : quantities_(other.quantities_),
      model_(std::make_shared<Model>(*other.model_)),
      system_(other.system_),
      stated_(other.stated_),
      parameters_(other.parameters_),
      values_(other.values_),
      derivatives_(other.derivatives_) {
  system_.model = system_.equations.model = model_;
}

std::vector<double> ChangingSystem::stated_values() const {
  std::vector<double> values;
  std::optional<State> start;
  for (const StudyQuantity& quantity : quantities_) {
    const std::optional<double> stated = stated_value(*model_, quantity);
    if (!stated && !start) start = assemble_model_start(system_).assembly.state;
    values.push_back(stated ? *stated : value_in(*model_, quantity, *start));
  }
  return values;
}

void ChangingSystem::set(std::span<const double> values) {
  values_.assign(values.begin(), values.end());
  Initial& initial = model_->initial;
  initial = stated_;
  bool changed = false;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const int index = quantities_[k].parameter;
    if (index < 0) continue;
    changed = true;
    model_->parameters[static_cast<std::size_t>(index)].value = parameters_[static_cast<std::size_t>(index)] =
        values[k];
  }
  if (changed) {
    system_.dynamics.set_parameters(0, parameters_);
    evaluate_initial_formulas(*model_);
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    const StudyQuantity& quantity = quantities_[k];
    if (quantity.parameter >= 0) continue;
    // What the model holds stays held beside it; hold() would release velocities.
    const auto held = quantity.place.kind == InitialPlace::Kind::kQuasiVelocity
                          ? std::ranges::find(initial.quasi_velocity, quantity.place.index, &InitialValue::coordinate)
                          : initial.quasi_velocity.end();
    if (held != initial.quasi_velocity.end())
      held->value = values[k];
    else
      hold(initial, quantity.place, values[k], {});
  }
}

std::optional<State> ChangingSystem::start(std::string& why) {
  const auto failed = [&](const Diagnostics& problems) {
    why = problems.empty() ? "there is no start" : problems.front().message;
    return std::nullopt;
  };
  // As where a model with these values is loaded.
  why = refuse_limits(*model_);
  if (!why.empty()) return std::nullopt;
  // What a drive must not be is decided by ranks, which a start does not need otherwise.
  if (system_.dynamics.names().actuated > 0) {
    const Result<ModelStart> start = find_model_start(system_);
    if (!start) return failed(start.diagnostics());
    if (!start->assembly.ok()) return failed({explain_start(system_, *start)});
    if (const Diagnostics twice = overdetermined(system_, *start); !twice.empty()) return failed(twice);
    return start->assembly.state;
  }
  const ModelStart start = assemble_model_start(system_, &memory_);
  if (!start.assembly.ok()) return failed({explain_start(system_, start)});
  return start.assembly.state;
}

std::string ChangingSystem::doubt(const State& start) {
  for (std::size_t k = 0; k < values_.size(); ++k) {
    const StudyQuantity& quantity = quantities_[k];
    if (quantity.parameter >= 0 && values_[k] < 0 && quantity.dimension && *quantity.dimension == Dimension::mass())
      return fmt::format("the mass `{}` is negative: {} kg", quantity.name, to_text(values_[k], 6));
  }
  // All terms are evaluated only where the inertias, which take less, show that something is to be said.
  Workspace& workspace = memory_.begin(system_.dynamics);
  evaluate_mass(system_.dynamics, start.t, start.q.data(), start.v.data(), workspace);
  const Pattern& M = system_.dynamics.layout().M;
  bool negative = false;
  for (std::size_t k = 0; k < workspace.M.size(); ++k)
    negative = negative || (M.row[k] == M.col[k] && workspace.M[k] < 0);
  if (!negative) return "";
  const Diagnostics doubts = inertia_warnings(system_, start);
  return doubts.empty() ? "" : doubts.front().message;
}

std::string ChangingSystem::doubt() {
  std::string why;
  const std::optional<State> from = start(why);
  return from ? doubt(*from) : "";
}

bool ChangingSystem::differentiate_start(std::size_t k, double size, const State& start, Tangent& tangent) {
  const std::vector<double> values = values_;
  std::vector<double> changed = values, derivative;
  DerivativeAlong difference;
  const bool found = difference.find(
      DerivativeAlong::kDisplacement * size,
      [&](double change, std::vector<double>& numbers) {
        changed[k] = values[k] + change;
        set(changed);
        const Assembly assembly =
            assemble_start(system_.equations, system_.dynamics, initial_state(*model_), held_values(*model_), &memory_);
        if (!assembly.ok()) return false;
        numbers = assembly.state.q;
        numbers.insert(numbers.end(), assembly.state.v.begin(), assembly.state.v.end());
        return true;
      },
      derivative);
  set(values);
  if (!found) return false;
  const StudyQuantity& quantity = quantities_[k];
  const auto middle = derivative.begin() + static_cast<std::ptrdiff_t>(start.q.size());
  tangent = {quantity.name, quantity.unit, {derivative.begin(), middle}, {middle, derivative.end()}};
  if (quantity.parameter >= 0) tangent.parameters.emplace_back(quantity.parameter, 1.0);
  return true;
}

void ChangingSystem::compile_derivatives() {
  std::vector<int> parameters;
  for (const StudyQuantity& quantity : quantities_)
    if (quantity.parameter >= 0) parameters.push_back(quantity.parameter);
  derivatives_ = derivatives_along_runs(system_, parameters);
  if (derivatives_ != nullptr) derivatives_->expect_many_calls();
}

Trajectory ChangingSystem::run(IntegrateOptions options, std::span<const double> sizes) {
  Trajectory none;
  none.status = RunStatus::kFailed;
  const std::optional<State> begin = start(none.reason);
  if (!begin) return none;
  for (std::size_t k = 0; k < sizes.size(); ++k)
    if (!differentiate_start(k, sizes[k], *begin, options.tangents.emplace_back())) {
      none.reason = fmt::format("no start has `{}` a little larger or smaller", quantities_[k].name);
      return none;
    }
  if (!sizes.empty()) options.derivatives = derivatives_;
  return integrate(system_.dynamics, *begin, options);
}

}  // namespace dalembert
