// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/dynamics.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "dalembert/base/bounds.h"
#include "dalembert/dynamics/contacts.h"
#include "dalembert/dynamics/cubic_spline.h"
#include "dalembert/dynamics/switching.h"

namespace dalembert {
namespace {

// Factor on the sizes of spline corners. A spline has many small corners of alternating signs, so their errors cancel
// within a step. The integrator ends a step at a kink from a size of 0.01 rtol on; with this factor it ends at a corner
// only above 10 rtol. A cart driven by 1400 samples of a sine shows why. At rtol 1e-5, 114 steps across the corners are
// as accurate as 1006 steps that end at them. At rtol 1e-9, 1003 steps that end at them replace 1790 accepted and 3415
// rejected ones.
constexpr double kOfSplines = 1e-3;

}  // namespace

Dynamics::Dynamics(std::shared_ptr<const Kernel> kernel, Names names, std::vector<double> parameters,
                   std::vector<TableInput> tables, std::shared_ptr<const Switching> switching,
                   std::vector<SplineInput> splines, std::shared_ptr<const Events> events,
                   std::shared_ptr<const Contacts> contacts)
    : kernel_(std::move(kernel)),
      layout_(&kernel_->layout()),
      names_(std::move(names)),
      parameters_(std::move(parameters)),
      tables_(std::move(tables)),
      splines_(std::move(splines)),
      switching_(std::move(switching)),
      events_(std::move(events)),
      contacts_(std::move(contacts)) {
  assert(kernel_ != nullptr);
  assert(parameters_.size() == static_cast<std::size_t>(layout().parameters));
  prepared_.resize(layout().prepared);
  kernel_->prepare(parameters_.data(), prepared_.data());
  for ([[maybe_unused]] const TableInput& table : tables_) {
    assert(table.input >= 0 && table.input < layout().inputs);
    assert(!table.time.empty() && table.time.size() == table.value.size());
  }
}

Dynamics Dynamics::with_parameters(std::vector<double> parameters) const {
  for (std::size_t i = parameters.size(); i < parameters_.size(); ++i) parameters.push_back(parameters_[i]);
  return Dynamics(kernel_, names_, std::move(parameters), tables_, switching_, splines_, events_, contacts_);
}

void Dynamics::set_parameters(std::size_t first, std::span<const double> values) {
  assert(first + values.size() <= parameters_.size());
  std::ranges::copy(values, parameters_.begin() + static_cast<std::ptrdiff_t>(first));
  kernel_->prepare(parameters_.data(), prepared_.data());
}

void Dynamics::set_contacts(std::span<const char> closed) {
  assert(contacts_ != nullptr && closed.size() == contacts_->count());
  std::ranges::copy(closed, parameters_.begin() + static_cast<std::ptrdiff_t>(contacts_->first_parameter));
  kernel_->prepare(parameters_.data(), prepared_.data());
}

Dynamics Dynamics::with_contacts(std::span<const char> closed) const {
  Dynamics other = *this;
  other.set_contacts(closed);
  return other;
}

Dynamics Dynamics::with_all_contacts_closed() const { return with_contacts(std::vector<char>(contacts_->count(), 1)); }

bool Dynamics::is_closed(std::size_t contact) const { return parameters_[contacts_->first_parameter + contact] != 0; }

bool Dynamics::acts(int row) const {
  if (contacts_ == nullptr) return true;
  const int contact = contacts_->of_row[static_cast<std::size_t>(row)];
  return contact < 0 || is_closed(static_cast<std::size_t>(contact));
}

int Dynamics::idle_rows() const {
  int idle = 0;
  for (std::size_t k = 0; contacts_ != nullptr && k < contacts_->count(); ++k) idle += is_closed(k) ? 0 : 1;
  return idle;
}

Dynamics Dynamics::hold_branches(std::span<const double> levels) const {
  assert(switching_ != nullptr && switching_->held != nullptr && levels.size() == switching_->guards.size());
  std::vector<double> parameters = parameters_;
  parameters.insert(parameters.end(), levels.begin(), levels.end());
  return Dynamics(switching_->held, names_, std::move(parameters), tables_, {}, splines_, events_, contacts_);
}

void Dynamics::inputs(double t, double* work, double* u) const {
  if (layout().inputs == 0) return;
  kernel_->call(KernelFunction::kInputs, {.t = t, .p = parameters_.data(), .prepared = prepared_.data(), .work = work},
                u);
  table_inputs(t, u);
}

void Dynamics::table_inputs(double t, double* u) const {
  for (const TableInput& table : tables_) {
    const std::vector<double>&x = table.time, &y = table.value;
    // Index of the first sample later than t. The input is constant before the first and after the last sample.
    const auto after = static_cast<std::size_t>(std::upper_bound(x.begin(), x.end(), t) - x.begin());
    if (after == 0) {
      u[table.input] = y.front();
    } else if (after == x.size()) {
      u[table.input] = y.back();
    } else {
      const double s = (t - x[after - 1]) / (x[after] - x[after - 1]);
      u[table.input] = (1 - s) * y[after - 1] + s * y[after];
    }
  }
  for (const SplineInput& input : splines_) {
    const std::array<double, 3> values = input.spline->evaluate(t);
    for (std::size_t i = 0; i < 3; ++i) u[input.input[i]] = values[i];
  }
}

void Dynamics::table_bounds(Bounds t, Bounds* u) const {
  std::vector<double> at(static_cast<std::size_t>(layout().inputs));
  table_inputs(t.low, at.data());
  for (const TableInput& table : tables_)
    u[table.input] = {at[static_cast<std::size_t>(table.input)], at[static_cast<std::size_t>(table.input)]};
  table_inputs(t.high, at.data());
  for (const TableInput& table : tables_) {
    Bounds& bounds = u[table.input];
    const auto take = [&](double value) {
      bounds.low = std::min(bounds.low, value);
      bounds.high = std::max(bounds.high, value);
    };
    take(at[static_cast<std::size_t>(table.input)]);
    const auto first = std::upper_bound(table.time.begin(), table.time.end(), t.low);
    const auto last = std::lower_bound(first, table.time.end(), t.high);
    for (auto sample = first; sample != last; ++sample)
      take(table.value[static_cast<std::size_t>(sample - table.time.begin())]);
  }
  for (const SplineInput& input : splines_) {
    const std::array<Bounds, 3> bounds = input.spline->bounds(t);
    for (std::size_t i = 0; i < 3; ++i) u[input.input[i]] = bounds[i];
  }
}

std::vector<Kink> Dynamics::find_kinks(double from, double to) const {
  const double first = std::min(from, to), last = std::max(from, to);
  std::vector<Kink> kinks;
  for (const TableInput& table : tables_) {
    const std::vector<double>&x = table.time, &y = table.value;
    const auto [least, most] = std::minmax_element(y.begin(), y.end());
    // Properties of the piece before sample k. The input is constant outside the table, so the first piece has slope 0.
    double width = std::numeric_limits<double>::infinity(), slope = 0, roundoff = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      double width_after = std::numeric_limits<double>::infinity(), slope_after = 0, roundoff_after = 0;
      if (k + 1 < x.size()) {
        width_after = x[k + 1] - x[k];
        slope_after = (y[k + 1] - y[k]) / width_after;
        // Error of the slope that comes from round-off in the samples and in their times.
        roundoff_after =
            std::numeric_limits<double>::epsilon() *
            (std::abs(y[k]) + std::abs(y[k + 1]) + std::abs(slope_after) * (std::abs(x[k]) + std::abs(x[k + 1]))) /
            width_after;
      }
      const double change = std::abs(slope_after - slope);
      if (x[k] > first && x[k] < last && change > 2 * (roundoff + roundoff_after))
        kinks.push_back({x[k], change / (1 / width + 1 / width_after) / (*most - *least)});
      width = width_after;
      slope = slope_after;
      roundoff = roundoff_after;
    }
  }
  for (const SplineInput& input : splines_) {
    // Without the corner the second derivative would change by jump·w/2 within the width w of the shorter adjacent
    // piece on both sides. Integrated over w, that bounds the changes of the rate and of the value.
    const double range = input.spline->span(input.highest);
    for (const CubicSpline::Corner& corner : input.spline->corners()) {
      if (corner.time <= first || corner.time >= last) continue;
      const double w = corner.width, second = std::abs(corner.jump) * w / 2;
      const double change = input.highest == 2 ? second : input.highest == 1 ? second * w / 2 : second * w * w / 12;
      kinks.push_back({corner.time, kOfSplines * (range > 0 ? change / range : 1)});
    }
  }

  // Sort the kinks in the order of travel, and keep only the largest of those at the same time.
  std::sort(kinks.begin(), kinks.end(),
            [](const Kink& a, const Kink& b) { return a.time != b.time ? a.time < b.time : a.size > b.size; });
  kinks.erase(std::unique(kinks.begin(), kinks.end(), [](const Kink& a, const Kink& b) { return a.time == b.time; }),
              kinks.end());
  if (to < from) std::reverse(kinks.begin(), kinks.end());
  return kinks;
}

std::size_t output_size(const Layout& layout, KernelFunction function) {
  switch (function) {
    case KernelFunction::kPosition:
      return PositionPlaces(layout).end;
    case KernelFunction::kVelocity:
      return VelocityPlaces(layout).end;
    case KernelFunction::kKinematics:
      return KinematicsPlaces(layout).end;
    case KernelFunction::kMass:
      return static_cast<std::size_t>(layout.M.nonzeros());
    case KernelFunction::kTerms:
      return TermsPlaces(layout).end;
    case KernelFunction::kRates:
      return RatesPlaces(layout).end;
    case KernelFunction::kEnergy:
      return EnergyPlaces(layout).end;
    case KernelFunction::kInputs:
      return static_cast<std::size_t>(layout.inputs);
    case KernelFunction::kOutputs:
      return static_cast<std::size_t>(layout.outputs);
    case KernelFunction::kPower:
      return 1;
    case KernelFunction::kFriction:
      return layout.load_dependent() ? FrictionPlaces(layout).end : 0;
    case KernelFunction::kIntegrands:
      return static_cast<std::size_t>(layout.integrals);
    case KernelFunction::kAccelerations:
      return AccelerationsPlaces(layout).end;
    case KernelFunction::kPositionStep:
      return StepPlaces(layout, layout.holonomic.size()).end;
    case KernelFunction::kVelocityStep:
      return VelocityStepPlaces(layout).end;
  }
  return 0;
}

}  // namespace dalembert
