// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/integrals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/dynamics/project.h"

namespace dalembert::integration {
namespace {

// Errors that add up to more than this many tolerances are warned of: those of all steps may be two of them.
constexpr double kNotSmall = 4;
// The round-off of a state, in units of its last digit.
constexpr double kRoundoffOfState = 4;
// Accelerations differ from those of the continuous extension by this part of themselves only at singular positions.
constexpr double kOffExtension = 1;

}  // namespace

Integrals::Integrals(StepMaker& maker, Trajectory& path)
    : Observer(maker, path),
      own_(maker.dynamics, maker.with_power),
      quadrature_(index(maker.dynamics.layout().integrals)),
      from_(maker.step.t),
      length_of_run_(std::abs(maker.options.until - maker.step.t)),
      slope_(index(own_.size())),
      point_(index(own_.size())),
      qdd_(index(nv_)),
      multipliers_(step_.lambda.size()) {
  const std::size_t count = index(dynamics_.layout().integrals);
  for (std::vector<double>* x : {&value_, &size_, &error_, &noise_, &last_noise_, &least_, &beside_, &slopes_})
    x->resize(count);
  lost_.resize(count);
}

std::string Integrals::name(std::size_t i) const {
  constexpr std::size_t kLongest = 80;
  const std::string& whole = dynamics_.names().parameters[index(dynamics_.layout().first_integral) + i];
  return whole.size() <= kLongest ? whole : whole.substr(0, kLongest) + "…";
}

// The integral is NaN from here on.
void Integrals::lose(std::size_t i, const char* why) {
  if (lost_[i] != 0) return;
  lost_[i] = 1;
  path_.verdict.warnings.push_back(
      fmt::format("`{}` is unknown from t = {} s on: {}", name(i), to_text(step_.t, 6), why));
}

// Computes the integrands at a point of the present step.
bool Integrals::find_integrands(double t, const double* y, double* values, Forces forces) {
  Workspace& workspace = own_.workspace;
  if (dynamics_.layout().integrals_read_forces) {
    const double* at = y;
    if (forces == Forces::kSmooth || step_.near_singular) {
      // Off the manifold, forces near a singular position would be off by far more than the point.
      projected_.assign(y, y + own_.size());
      if (!project(dynamics_, t, projected_.data(), projected_.data() + nq_, workspace).ok) return false;
      at = projected_.data();
    }
    // All rows share the forces, as in the rows of the output.
    workspace.basis.set_all();
    if (!own_.find_forces(t, at, qdd_.data(), multipliers_.data())) return false;
    if (forces == Forces::kCompared && differ_from_extension()) return false;
    if (forces == Forces::kSmooth) std::copy_n(slope_.begin() + nq_, nv_, qdd_.begin());
  }
  evaluate_inputs(dynamics_, t, workspace);
  KernelArguments in = kernel_arguments(dynamics_, t, y, y + nq_, workspace);
  in.qdd = qdd_.data();
  in.lambda = multipliers_.data();
  dynamics_.kernel().call(KernelFunction::kIntegrands, in, values);
  return true;
}

// Whether the accelerations qdd_ are not those of the continuous extension at all: they are round-off at a singular position within the step.
bool Integrals::differ_from_extension() const {
  const double *extension = slope_.data() + nq_, *first = qdd(), *last = qdd1();
  double difference = 0, size = 0, speed = 0;
  for (std::size_t i = 0; i < index(nv_); ++i) {
    difference = std::max(difference, std::abs(qdd_[i] - extension[i]));
    size = std::max({size, std::abs(first[i]), std::abs(last[i]), std::abs(extension[i])});
    speed = std::max({speed, std::abs(step_.y[index(nq_) + i]), std::abs(step_.y1[index(nq_) + i])});
  }
  const int degree = method().facts().dense_order;
  size += (options_.atol + options_.rtol * speed) * degree * degree / std::abs(step_.length);
  return difference > kOffExtension * size;
}

// Evaluates the continuous extension, and if forces are to be compared with it or taken from it, its slope; then the integrands there.
bool Integrals::find_within(double t, double* values, Forces forces) {
  const bool slopes = forces != Forces::kSolved;
  method().interpolate((t - step_.t) / step_.length, step_.y.data(), point_.data(), slopes ? slope_.data() : nullptr);
  if (slopes)
    for (double& rate : slope_) rate /= step_.length;
  return find_integrands(t, point_.data(), values, forces);
}

// Measures the round-off of the integrands: their change where the state in the middle of the step changes by its round-off. Forces that cancel, as those
// on a coordinate that moves uniformly, are nothing but round-off, which no quadrature resolves.
void Integrals::find_noise() {
  const double middle = step_.t + step_.length / 2;
  known_slopes_ = false;
  bool found = find_within(middle, slopes_.data(), Forces::kSolved);
  for (int i = 0; i < ny_; ++i) point_[index(i)] *= 1 + (i % 2 == 0 ? kRoundoffOfState : -kRoundoffOfState) * kEps;
  found = found && find_integrands(middle, point_.data(), beside_.data(), Forces::kSolved);
  for (std::size_t i = 0; i < count(); ++i) {
    const double change = found ? std::abs(beside_[i] - slopes_[i]) : 0, now = std::isfinite(change) ? change : 0;
    noise_[i] = std::max(now, std::exchange(last_noise_[i], now));
  }
}

// Integrates over the step that was tried last, unless that is done.
bool Integrals::integrate_step() {
  if (integrated_ == step_.tries) return true;
  own_.follow(motion_);
  evaluate_constant_inputs(dynamics_, own_.workspace);
  method().set_aside();
  const double h = step_.length;
  const bool dense = method().make_dense(own_, step_.t, step_.y.data(), step_.y1.data(), h);
  const double share = length_of_run_ > 0 ? std::abs(h) / length_of_run_ : 1;
  for (std::size_t i = 0; i < count(); ++i) least_[i] = share * (options_.atol + options_.rtol * size_[i]);
  // At a singular position within the step the accelerations of the extension are smooth, and those that are solved for are round-off, as multipliers
  // are. An explicit step may leap over such a position, or pass it unnoticed.
  const auto integrate = [&](Forces forces, std::size_t panels) {
    const auto integrands = [&](double t, double* values) { return find_within(t, values, forces); };
    return quadrature_.integrate(step_.t, step_.t1, integrands, {options_.rtol, least_.data(), noise_.data(), panels});
  };
  const bool may_pass = dynamics_.layout().integrals_read_forces && m_ > 0 && &method() == &maker_.explicit_pair();
  if (dense) find_noise();
  bool found = dense && !(may_pass && step_.leaps) &&
               integrate(may_pass ? Forces::kCompared : Forces::kSolved, Quadrature::kMostPanels);
  if (dense && !found && may_pass) found = integrate(Forces::kSmooth, 1);
  method().put_back();
  integrated_ = found ? step_.tries : -1;
  return found;
}

double Integrals::value_at(std::size_t i, double t) {
  if (lost_[i] != 0) return std::numeric_limits<double>::quiet_NaN();
  if (t == from_) return value_[i];
  if (step_.tries != left_)
    return integrate_step() ? value_[i] + quadrature_.at(i, t) : std::numeric_limits<double>::quiet_NaN();
  // No step has been tried yet from here.
  if (!known_slopes_) {
    own_.follow(motion_);
    evaluate_constant_inputs(dynamics_, own_.workspace);
    std::copy_n(step_.y.begin(), point_.size(), point_.begin());
    if (!find_integrands(from_, point_.data(), slopes_.data(), Forces::kSolved))
      std::ranges::fill(slopes_, std::numeric_limits<double>::quiet_NaN());
    known_slopes_ = true;
  }
  return value_[i] + (t - from_) * slopes_[i];
}

const double* Integrals::parameters_at(double t) {
  const auto now = dynamics_.parameters();
  parameters_.assign(now.begin(), now.end());
  for (std::size_t i = 0; i < count(); ++i) parameters_[index(dynamics_.layout().first_integral) + i] = value_at(i, t);
  return parameters_.data();
}

bool Integrals::look_within() {
  if (integrate_step()) {
    for (std::size_t i = 0; i < count(); ++i)
      if (std::isnan(quadrature_.total(i))) lose(i, "its integrand is not finite there");
  } else {
    for (std::size_t i = 0; i < count(); ++i) lose(i, "the equations cannot be evaluated within a step");
  }
  return true;
}

bool Integrals::move_on() {
  for (std::size_t i = 0; i < count(); ++i) {
    if (lost_[i] != 0) continue;
    value_[i] += quadrature_.total(i);
    size_[i] += quadrature_.size(i);
    error_[i] += quadrature_.error(i);
  }
  from_ = step_.t;
  left_ = step_.tries;
  known_slopes_ = false;
  return true;
}

void Integrals::finish() {
  for (std::size_t i = 0; i < count(); ++i) {
    const double value = lost_[i] != 0 ? std::numeric_limits<double>::quiet_NaN() : value_[i];
    path_.verdict.integrals.push_back({name(i), value, size_[i], error_[i]});
    if (lost_[i] != 0 || error_[i] <= kNotSmall * (options_.rtol * size_[i] + options_.atol)) continue;
    path_.verdict.warnings.push_back(fmt::format(
        "`{}` is uncertain by about {}: its integrand changes too fast, or is too rough, for its quadrature", name(i),
        to_text(error_[i], 2)));
  }
}

}  // namespace dalembert::integration
