// SPDX-License-Identifier: Apache-2.0
// How tangents pass the steps of a run (tangents.h): several at once, with the states between their ends.
#include <algorithm>
#include <cmath>

#include "dalembert/base/numeric.h"
#include "dalembert/integrate/method.h"
#include "dalembert/integrate/tangents.h"

namespace dalembert::integration {
namespace {

// So many steps of the run are passed at once, at most: the iteration of collocation converges slowly over many.
constexpr std::size_t kMostAtOnce = 6;
// So many steps behind them are waited for, so that points on both sides are known.
constexpr std::size_t kBehind = 3;
static_assert(kMostAtOnce + kBehind + 1 + PassedPoints::kOfPolynomial / 2 <= PassedPoints::kKept);
// The polynomial between points is used where one point fewer changes it by no more than this multiple of the tolerance of a step: its own error is a small part
// of that.
constexpr double kPartOfTolerance = 3;

}  // namespace

// Whether the end of each step is a row that needs derivatives.
bool Tangents::steps_are_rows() const {
  return options_.output_times.empty() && options_.output_step == 0 && !options_.sensitivities_at_end;
}

// How many steps of the run lie between at_ and a point of the waiting ones, of which the present one is the last.
double Tangents::steps_until(double t) const {
  const auto within = [&](double from, double to, double at) {
    return std::clamp((at - from) / (to - from), 0.0, 1.0);
  };
  double steps = 0;
  for (const Waiting& step : waiting_) steps += within(step.t, step.t1, t) - within(step.t, step.t1, at_);
  return steps;
}

// Makes the states within the present step known, at once or when they are needed.
bool Tangents::find_states_within() {
  Waiting& step = waiting_.emplace_back();
  step.t = step_.t;
  step.t1 = step_.t1;
  const bool by_points = options_.gradient_of.empty() && !method().facts().implicit;
  if (by_points)
    add_passed_point();
  else
    ends_stretch_ = true;
  // A friction in a plane that comes to rest may be held in a direction while tangents pass the step.
  const bool smooth = by_points && !at_change_ && own_.layout().planes.empty();
  // A step of collocation, of higher order than the run's, passes several of its steps where no row is between.
  present_waits_ = smooth && !steps_are_rows() && step_.t1 != step_.latest && integrals_ == nullptr &&
                   is_exact_within() && (options_.sensitivities_at_end || recorded_ == path_.rows_of_run());
  if (present_waits_) return true;
  if (smooth && passed_points_do((step_.t + step_.t1) / 2, point_.data())) return true;
  step.states = Waiting::States::kOfMethod;
  return method().make_dense(of_own_, step_.t, step_.y.data(), step_.y1.data(), step_.length);
}

void Tangents::add_passed_point() {
  if (ends_stretch_) {
    passed_.clear();
    passed_.add(step_.t, step_.y.data(), method().first_slope());
    ends_stretch_ = false;
  }
  passed_.add(step_.t1, step_.y1.data(), method().last_slope());
}

// Writes the state at t by the points that the run has passed. False where they do not agree about it.
bool Tangents::passed_points_do(double t, double* y) {
  if (!passed_.interpolate(t, y, difference_of_points_.data())) return false;
  for (std::size_t i = 0; i < n_; ++i)
    if (!(std::abs(difference_of_points_[i]) <= kPartOfTolerance * (options_.atol + options_.rtol * std::abs(y[i]))))
      return false;
  return true;
}

// Makes the step of the run once more, and keeps its continuous extension.
bool Tangents::make_again(Waiting& step) {
  if (again_ == nullptr)
    again_ = std::make_unique<RungeKutta>(explicit_tableau(options_.method), of_own_.size(), of_own_.room());
  const double *y = passed_.state_at(step.t), *y1 = passed_.state_at(step.t1), h = step.t1 - step.t;
  if (y == nullptr || y1 == nullptr) return false;
  std::copy_n(passed_.slope_at(step.t), of_own_.size(), again_->first_slope());
  std::vector<double> end(padded(index(of_own_.size())));
  if (!again_->advance(of_own_, step.t, y, h, end.data())) return false;
  std::copy_n(passed_.slope_at(step.t1), of_own_.size(), again_->last_slope());
  if (!again_->make_dense(of_own_, step.t, y, y1, h)) return false;
  again_->keep_dense(y, step.dense);
  step.states = Waiting::States::kKept;
  return true;
}

// The state of the run at t, within a waiting step. False where it cannot be found.
bool Tangents::find_state(double t, double* y) {
  if (waiting_.empty()) return false;
  const double direction = step_.length;
  auto step = waiting_.begin();
  while (step + 1 != waiting_.end() && (t - step->t1) * direction > 0) ++step;
  const double theta = (t - step->t) / (step->t1 - step->t);
  if (step->states == Waiting::States::kOfMethod) {
    method().interpolate(theta, step_.y.data(), y);
    return true;
  }
  if (step->states == Waiting::States::kOfPoints && passed_points_do(t, y)) return true;
  if (step->states != Waiting::States::kKept && !make_again(*step)) return false;
  again_->interpolate_kept(step->dense, theta, y);
  return true;
}

// Carries the tangents through as many of the waiting steps as one step of collocation passes, as its error allows: the run has chosen its steps such that as many
// of them are about as difficult as the last ones.
bool Tangents::carry_through_waiting() {
  if (waiting_.size() <= kBehind) return true;
  const std::size_t ready = std::min(waiting_.size() - kBehind, kMostAtOnce);
  const double t = waiting_[ready - 1].t1, more = steps_until(waiting_[ready].t1);
  if (ready < kMostAtOnce && more <= last_steps_ + 1 && fine_.may_follow(last_steps_, last_error_, more)) return true;
  return catch_up(t, passed_.state_at(t));
}

// Carries the tangents through the waiting steps to a point of the run, y.
bool Tangents::catch_up(double t, const double* y) {
  const bool carried = carry_to(t, y) && project(t, y);
  forget_passed();
  return carried;
}

// The waiting steps before at_ are passed.
void Tangents::forget_passed() {
  const double direction = step_.length;
  std::erase_if(waiting_, [&](const Waiting& step) { return (at_ - step.t1) * direction >= 0; });
}

}  // namespace dalembert::integration
