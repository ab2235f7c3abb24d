// SPDX-License-Identifier: Apache-2.0
// What Tangents records for the adjoint of a run, and the gradients that this gives (adjoint.h).
#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dalembert/base/numeric.h"
#include "dalembert/integrate/tangents.h"

namespace dalembert::integration {

// The quantities of changes: each entry of the state, then each parameter.
void Tangents::set_units() {
  for (std::size_t i = 0; i < n_; ++i) quantities_.push_back({.name = {}});
  for (const Tangent& one : options_.tangents)
    for (const auto& [parameter, rate] : one.parameters)
      quantities_.push_back({.name = {}, .parameters = {{parameter, 1.0}}});
  tangent_.assign(quantities_.size(), std::vector<double>(n_));
  for (std::size_t i = 0; i < n_; ++i) tangent_[i][i] = 1;
}

// Ends what changed before the present step.
void Tangents::record_change() {
  if (!changes_ || lost_) return;
  adjoint_->add_change(tangent_, of_integrals_);
  for (std::size_t k = 0; k < tangent_.size(); ++k) {
    std::ranges::fill(tangent_[k], 0.0);
    if (k < n_) tangent_[k][k] = 1;
    if (integrals_ != nullptr) std::ranges::fill(of_integrals_[k], 0.0);
  }
  changes_ = false;
  projected_ = false;
}

// Where something changes at the point, the projection is part of the change: it is found along directions that the constraints allow. Off them it is not even
// linear, as where an impact finds a closed contact that opens or sinks.
void Tangents::record_projection(double t, const double* y) {
  if (lost_) return;
  if (adjoint_ == nullptr || !of_own_.workspace.basis.all || (m_ > 0 && !exact_->projects()))
    return lose("the equations have no exact derivatives there");
  if (is_exact_at_ends() && !at_change_) return adjoint_->add_projection(t, y);
  projected_ = false;
  changes_ = true;
  if (!project(t, y)) lose("the state cannot be displaced");
}

// Records the present step and the projection at its end.
void Tangents::record_maps() {
  if (lost_) return;
  if (!is_exact_within()) return lose("the equations have no exact derivatives there");
  if (ends_at_rest()) return carry_to_rest();
  adjoint_->add_step(method(), step_.t, step_.t1, step_.y.data(), step_.y1.data());
  record_projection(step_.t1, step_.y1.data());
}

// The last step of a friction in a plane is a change, too: its map is singular in the end (tangents_at_rest.cpp).
void Tangents::carry_to_rest() {
  at_ = step_.t;
  projected_ = false;
  changes_ = true;
  if (!carry_to(step_.t1, step_.y1.data()) || !project(step_.t1, step_.y1.data()))
    lose("the state cannot be displaced");
}

std::optional<AdjointRest> Tangents::finish() {
  warn_of_stays(true);
  if (options_.sensitivities_at_end && options_.gradient_of.empty() && path_.size() > 0) record(path_.size() - 1);
  for (const int output : options_.gradient_of) {
    Gradient& gradient = path_.gradients.emplace_back();
    gradient.output = dynamics_.names().outputs[index(output)];
    for (const Tangent& one : options_.tangents)
      gradient.by.push_back({one.name, one.unit, std::numeric_limits<double>::quiet_NaN()});
  }
  if (options_.gradient_of.empty() || lost_ || adjoint_ == nullptr || path_.status != RunStatus::kOk ||
      path_.size() == 0)
    return std::nullopt;
  record_change();
  if (rest_ != nullptr) {
    adjoint_->begin(*rest_);
  } else {
    const State last = path_.final_state();
    std::vector<double> y = last.q, integrals;
    y.insert(y.end(), last.v.begin(), last.v.end());
    for (std::size_t i = 0; integrals_ != nullptr && i < integrals_->count(); ++i)
      integrals.push_back(integrals_->value_at(i, last.t));
    if (end_moves_ && outputs_depend_on_time(last.t, y.data())) {
      lose("an event ends the run, and an output depends on the time itself");
      return std::nullopt;
    }
    if (!adjoint_->begin(last.t, y.data(), options_.gradient_of, integrals_ != nullptr ? integrals.data() : nullptr)) {
      lose("the outputs cannot be differentiated");
      return std::nullopt;
    }
  }
  bool stopped = false;
  const auto go_on = [&] {
    stopped = options_.progress && !options_.progress(maker_.point(path_.steps));
    return !stopped;
  };
  if (!adjoint_->sweep(go_on)) {
    if (stopped) {
      path_.status = RunStatus::kStopped;
      path_.reason = "stopped before the gradients were known";
    }
    lose("the adjoint cannot be carried back");
    return std::nullopt;
  }
  if (std::optional<AdjointRest> rest = adjoint_->rest()) return rest;
  set_gradients();
  return std::nullopt;
}

// Whether one of the outputs has another value at the same state a little later.
bool Tangents::outputs_depend_on_time(double t, const double* y) {
  const std::size_t before = index(nv_) + step_.lambda.size();
  std::vector<double> now(before + path_.outputs.size()), later(now);
  if (integrals_ != nullptr) integrands_.assign(integrals_->count(), 0.0);
  recorded_at_ = t;
  const double h = DerivativeAlong::kDisplacement * std::abs(step_.length);
  if (!find_results(tangent_.size(), t, 0, y, now.data()) || !find_results(tangent_.size(), t + h, 0, y, later.data()))
    return true;
  return std::ranges::any_of(options_.gradient_of,
                             [&](int output) { return now[before + index(output)] != later[before + index(output)]; });
}

// From the weights at the start.
void Tangents::set_gradients() {
  for (std::size_t f = 0; f < path_.gradients.size(); ++f) {
    const AdjointWeights& weights = adjoint_->weights()[f];
    std::size_t place = 0;
    if (!weights.known) continue;
    for (std::size_t k = 0; k < options_.tangents.size(); ++k) {
      const Tangent& one = options_.tangents[k];
      double sum = 0;
      for (std::size_t i = 0; i < one.q.size(); ++i) sum += weights.state[i] * one.q[i];
      for (std::size_t i = 0; i < one.v.size(); ++i) sum += weights.state[one.q.size() + i] * one.v[i];
      for (const auto& [parameter, rate] : one.parameters) sum += rate * weights.parameters[place++];
      path_.gradients[f].by[k].value = sum;
    }
  }
}

}  // namespace dalembert::integration
