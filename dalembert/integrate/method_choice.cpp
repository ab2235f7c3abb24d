// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "dalembert/integrate/difference_newton.h"
#include "dalembert/integrate/kkt_newton.h"
#include "dalembert/integrate/run.h"

namespace dalembert::integration {
namespace {

// Hairer & Wanner II, IV.2: so many hits, not interrupted by so many misses.
constexpr int kHits = 15, kMisses = 6;
// Where no other method is at hand, one step in so many is looked at until it is a hit.
constexpr int kStepsBetweenLooks = 1000;
// An explicit method makes a step as cheaply up to this h·|eigenvalue|.
constexpr double kGentle = 2;
constexpr int kLongestWait = 10'000;

}  // namespace

std::unique_ptr<ShiftedSolver> make_newton(const Dynamics& dynamics, Motion& motion) {
  const Layout& layout = dynamics.layout();
  if (layout.v_is_qdot && !layout.load_dependent() && dynamics.kernel().linearization() != nullptr)
    return std::make_unique<KktNewton>(dynamics, motion);
  return std::make_unique<DifferenceNewton>(motion, layout.state_size());
}

// Singular positions and slides are for explicit methods: their stages can be put onto the manifold one by one.
void Run::choose_method() {
  const bool implicit = options_.method == Method::kRadau || stiffness_.found;
  if (!motion_.sliding() && !implicit && options_.formulation == Formulation::kReduced) {
    if (reduced_ == nullptr)
      reduced_ = std::make_unique<ReducedMethod>(explicit_tableau(options_.method), dynamics_,
                                                 options_.quasi_velocities.get(), motion_);
    return use(*reduced_);
  }
  if (motion_.sliding() || !implicit) return use(explicit_);
  if (implicit_ == nullptr) implicit_ = std::make_unique<Implicit>(dynamics_, motion_, size_, options_);
  use(implicit_->method);
}

void Run::use(OneStepMethod& method) {
  if (method_ == &method) return;
  // Errors are carried on by the method that made the steps.
  if (growth_.pending()) growth_.advance(t_, y_.data(), method_->first_slope() + nq_);
  std::copy_n(method_->first_slope(), size_, method.first_slope());
  method.restart();
  control_.restart();
  method_ = &method;
}

// After a step: is it short because the explicit method would be unstable?
void Run::watch_stiffness(double h) {
  const bool may_change = options_.method == Method::kAuto;
  if (is_implicit()) {
    if (may_change && leaves_stiffness(h)) {
      stiffness_.found = false;
      stiffness_.hits = stiffness_.misses = 0;
    }
    return;
  }
  if (method_ != &explicit_) return;
  if (stiffness_.warned || (!may_change && path_.steps % kStepsBetweenLooks != 0 && stiffness_.hits == 0)) return;
  if (explicit_.stiffness(y1_.data(), h) > explicit_.facts().stability) {
    stiffness_.misses = 0;
    if (++stiffness_.hits < kHits) return;
    if (may_change) {
      stiffness_.found = true;
      stiffness_.gentle = 0;
      return;
    }
    stiffness_.warned = true;
    path_.verdict.warnings.push_back(
        fmt::format("the equations look stiff {}: stability, not accuracy, sets the step; the method radau, or auto, "
                    "takes longer ones",
                    when(t_)));
  } else if (++stiffness_.misses == kMisses) {
    stiffness_.hits = stiffness_.misses = 0;
  }
}

// Power iteration on the Jacobian, one difference a step.
bool Run::leaves_stiffness(double h) {
  Stiffness& s = stiffness_;
  const std::size_t count = index(ny_);
  if (s.direction.size() != count) {
    s.direction.resize(count);
    for (std::size_t i = 0; i < count; ++i) s.direction[i] = y1_[i] - y_[i];
    s.shifted.resize(index(size_));
    s.slope.resize(index(motion_.room()));
  }
  double length = 0, size = 0;
  for (std::size_t i = 0; i < count; ++i) {
    length += s.direction[i] * s.direction[i];
    size += y1_[i] * y1_[i];
  }
  if (!(length > 0)) return false;
  const double epsilon = std::sqrt(kEps) * std::max(1e-3, std::sqrt(size)) / std::sqrt(length);
  std::copy_n(y1_.begin(), size_, s.shifted.begin());
  for (std::size_t i = 0; i < count; ++i) s.shifted[i] += epsilon * s.direction[i];
  if (!motion_.evaluate(t_ + h * direction_, s.shifted.data(), s.slope.data())) return false;
  const double* here = method_->last_slope();
  double product = 0;
  for (std::size_t i = 0; i < count; ++i) {
    s.direction[i] = (s.slope[i] - here[i]) / (epsilon * std::sqrt(length));
    product += s.direction[i] * s.direction[i];
  }
  const double eigenvalue = std::sqrt(product);
  s.gentle = h * eigenvalue < kGentle ? s.gentle + 1 : 0;
  if (s.gentle < s.wait) return false;
  s.wait = std::min(2 * s.wait, kLongestWait);
  s.direction.clear();
  return true;
}

}  // namespace dalembert::integration
