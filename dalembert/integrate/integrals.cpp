// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/integrals.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/dynamics/project.h"

namespace dalembert::integration {
namespace {

// Errors that add up to more than this many tolerances are warned of: those of all steps may be two of them.
constexpr double kNotSmall = 4;

}  // namespace

Integrals::Integrals(StepMaker& maker, Trajectory& path)
    : Observer(maker, path),
      own_(maker.dynamics, maker.with_power),
      quadrature_(index(maker.dynamics.layout().integrals)),
      from_(maker.step.t),
      length_of_run_(std::abs(maker.options.until - maker.step.t)),
      point_(index(own_.size())),
      qdd_(index(nv_)),
      multipliers_(step_.lambda.size()) {
  const std::size_t count = index(dynamics_.layout().integrals);
  for (std::vector<double>* x : {&value_, &size_, &error_, &least_, &slopes_}) x->resize(count);
  lost_.resize(count);
}

const std::string& Integrals::name(std::size_t i) const {
  return dynamics_.names().parameters[index(dynamics_.layout().first_integral) + i];
}

// The integral is NaN from here on.
void Integrals::lose(std::size_t i, const char* why) {
  if (lost_[i] != 0) return;
  lost_[i] = 1;
  path_.verdict.warnings.push_back(
      fmt::format("`{}` is unknown from t = {} s on: {}", name(i), to_text(step_.t, 6), why));
}

// Computes the integrands at a point of the present step. Forces near a singular position are those at the point's projection, to which y is moved.
bool Integrals::find_integrands(double t, double* y, double* values) {
  Workspace& workspace = own_.workspace;
  double *q = y, *v = y + nq_;
  if (dynamics_.layout().integrals_read_forces) {
    if ((step_.leaps || step_.near_singular) && !project(dynamics_, t, q, v, workspace).ok) return false;
    // All rows share the forces, as in the rows of the output.
    workspace.basis.set_all();
    if (!own_.find_forces(t, y, qdd_.data(), multipliers_.data())) return false;
  }
  evaluate_inputs(dynamics_, t, workspace);
  KernelArguments in = kernel_arguments(dynamics_, t, q, v, workspace);
  in.qdd = qdd_.data();
  in.lambda = multipliers_.data();
  dynamics_.kernel().call(KernelFunction::kIntegrands, in, values);
  return true;
}

// Integrates over the step that was tried last, unless that is done.
bool Integrals::integrate_step() {
  if (integrated_ == step_.tries) return true;
  const double t = step_.t, h = step_.length;
  OneStepMethod& by = method();
  own_.follow(motion_);
  by.set_aside();
  bool found = by.make_dense(own_, t, step_.y.data(), step_.y1.data(), h);
  const auto integrands = [&](double when, double* values) {
    by.interpolate((when - t) / h, step_.y.data(), point_.data());
    return find_integrands(when, point_.data(), values);
  };
  const double share = length_of_run_ > 0 ? std::abs(h) / length_of_run_ : 1;
  for (std::size_t i = 0; i < count(); ++i) least_[i] = share * (options_.atol + options_.rtol * size_[i]);
  found = found && quadrature_.integrate(t, step_.t1, integrands, options_.rtol, least_.data());
  by.put_back();
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
    std::copy_n(step_.y.begin(), point_.size(), point_.begin());
    if (!find_integrands(from_, point_.data(), slopes_.data()))
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
    if (lost_[i] != 0 || error_[i] <= kNotSmall * (options_.rtol * size_[i] + options_.atol)) continue;
    path_.verdict.warnings.push_back(fmt::format(
        "`{}` is uncertain by about {}: its integrand changes too fast, or is too rough, for its quadrature", name(i),
        to_text(error_[i], 2)));
  }
}

}  // namespace dalembert::integration
