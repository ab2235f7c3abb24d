// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/reduced_method.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dalembert/dynamics/kinematics.h"
#include "dalembert/integrate/method.h"
#include "dalembert/integrate/runge_kutta.h"

namespace dalembert::integration {
namespace {

// The velocities w are chosen anew if an entry of S (v = S w + s₀) exceeds this, in units of equal energy. Complete
// pivoting leaves entries of about 1, so a choice lasts until the motion has gone far.
constexpr double kGrown = 4;
// Velocities are also chosen anew if VelocityElimination::grip() falls below this.
constexpr double kSlipped = 0.1;
// Stated velocities w have lost the motion if an entry of S (v = S w + s₀) exceeds this: no digit of the other
// velocities is left.
constexpr double kLost = 1e12;
// If a solve fails and an entry of S (v = S w + s₀) exceeds this, the stated velocities are the reason.
constexpr double kNearlyLost = 100;
// Changes of the state are carried over implicit steps by differences over this fraction of the state.
constexpr double kDisplacement = 1e-7;

}  // namespace

ReducedMethod::ReducedMethod(const IntegrateOptions& options, const Dynamics& dynamics, Motion& motion)
    : options_(options),
      dynamics_(dynamics),
      motion_(motion),
      elimination_(dynamics, options.quasi_velocities.get()),
      nq_(index(dynamics.nq())),
      nv_(index(dynamics.nv())),
      size_(index(motion.size())),
      with_power_(size_ > nq_ + nv_),
      load_dependent_(dynamics.layout().load_dependent()),
      first_(index(motion.room()) + size_),
      last_(index(motion.room()) + size_),
      lambda_(index(dynamics.layout().multipliers())),
      vdot_(nv_),
      start_(size_),
      end_(size_),
      whole_(size_),
      between_(size_),
      between_slope_(size_),
      whole_between_(size_),
      wdot_(nv_),
      seen_(size_) {
  make_inner(nq_ + nv_);
}

// Makes the method for reduced states of which the first `coupled` numbers are coupled; the power is behind them.
void ReducedMethod::make_inner(std::size_t coupled) {
  const int size = static_cast<int>(coupled + (with_power_ ? 1 : 0));
  if (is_implicit(options_.method)) {
    RightHandSide& slope = *this;
    newton_ = std::make_unique<DifferenceNewton>(slope, static_cast<int>(coupled), size, size);
    inner_ = make_implicit_method(options_, *newton_, size, size);
  } else {
    inner_ = std::make_unique<RungeKutta>(explicit_tableau(options_.method), size);
  }
}

// Computes v (into `whole`), v̇ and ẇ from q and w, and the multipliers unless `lambda` is null.
bool ReducedMethod::find_rates(double t, const double* q, const double* w, double* whole, double* vdot, double* wdot,
                               double* lambda) const {
  double* v = whole + nq_;
  if (!load_dependent_) return elimination_.solve(t, q, w, v, vdot, wdot, lambda);
  std::copy_n(q, nq_, whole);
  return elimination_.expand(t, q, w, v) && motion_.find_forces(t, whole, vdot, lambda_.data()) &&
         elimination_.reduce_rates(t, q, v, vdot, wdot);
}

// The slope of the reduced state: q' = N v + n₀ with v = S w + s₀, then ẇ, then the power.
bool ReducedMethod::evaluate(double t, const double* y, double* dydt) {
  ++motion_.evaluations;
  double* v = whole_.data() + nq_;
  const bool solved =
      find_rates(t, y, y + nq_, whole_.data(), vdot_.data(), dydt + nq_, with_power_ ? lambda_.data() : nullptr);
  // Towards a state where w does not determine v, S (v = S w + s₀) grows without bound; beyond that state the
  // determinant of [W; Y] (elimination.h) has the opposite sign.
  const bool beyond = begun_ && elimination_.orientation() != orientation_;
  lost_ = lost_ || beyond || !(elimination_.growth() < (solved ? kLost : kNearlyLost));
  motion_.note_grip(elimination_.grip());
  if (!solved || beyond) return false;
  find_qdot(dynamics_, t, y, v, motion_.workspace, dydt);
  if (with_power_) {
    evaluate_inputs(dynamics_, t, motion_.workspace);
    call_kernel(dynamics_, KernelFunction::kPower, t, y, v, motion_.workspace, dydt + nq_ + nw_, lambda_.data());
  }
  return true;
}

bool ReducedMethod::to_reduced(double t, const double* y, double* reduced) {
  std::copy_n(y, nq_, reduced);
  if (with_power_) reduced[nq_ + nw_] = y[nq_ + nv_];
  return elimination_.reduce(t, y, y + nq_, reduced + nq_);
}

// Prepares the start of a step: chooses velocities if necessary, computes the reduced state and its slope.
bool ReducedMethod::begin(double t, const double* y) {
  if (begun_ && t == seen_t_ && std::equal(seen_.begin(), seen_.end(), y)) return true;
  begun_ = false;
  const bool slips = !elimination_.is_stated() && (elimination_.growth() > kGrown || elimination_.grip() < kSlipped);
  if (must_choose_ || slips) {
    if (!elimination_.choose(t, y, y + nq_)) return false;
    must_choose_ = false;
    chosen_t_ = t;
    nw_ = index(elimination_.size());
    make_inner(nq_ + nw_);
  }
  if (!to_reduced(t, y, start_.data()) || !evaluate(t, start_.data(), inner_->first_slope())) return false;
  // A run may start where the stated velocities do not determine all velocities. Then no step is short enough,
  // so the first one fails at once.
  lost_ = elimination_.is_stated() && !(elimination_.growth() < kLost);
  if (lost_) return false;
  orientation_ = elimination_.orientation();
  seen_t_ = t;
  std::copy_n(y, size_, seen_.begin());
  begun_ = true;
  return true;
}

bool ReducedMethod::advance(RightHandSide& /*f*/, double t, const double* y, double h, double* y1) {
  const bool lost_before = lost_ && begun_ && t == seen_t_;  // in a longer step from the same state
  lost_ = false;
  if (make_step(t, y, h, y1)) return true;
  // Velocities that were picked at an earlier state may be unsuitable for this step, so pick anew.
  if (lost_ && !elimination_.is_stated() && !must_choose_ && chosen_t_ != t) {
    begun_ = lost_ = false;
    must_choose_ = true;
    if (make_step(t, y, h, y1)) return true;
  }
  lost_ = lost_ || lost_before;
  return false;
}

bool ReducedMethod::make_step(double t, const double* y, double h, double* y1) {
  ended_ = false;
  end_t_ = t + h;
  if (!begin(t, y) || !inner_->advance(*this, t, start_.data(), h, end_.data())) return false;
  std::copy_n(end_.begin(), nq_, y1);
  if (with_power_) y1[nq_ + nv_] = end_[nq_ + nw_];
  if (elimination_.expand(t + h, y1, end_.data() + nq_, y1 + nq_) && elimination_.orientation() == orientation_)
    return true;
  lost_ = true;
  return false;
}

// Takes over the end of the step as the run has projected it, and evaluates the slope there.
bool ReducedMethod::use_end(double t, const double* y1) {
  if (ended_) return true;
  ended_ = to_reduced(t, y1, end_.data()) && evaluate(t, end_.data(), inner_->last_slope());
  return ended_;
}

double ReducedMethod::error(const double* /*y*/, const double* y1, double h, int /*count*/, double rtol, double atol) {
  t_ = seen_t_ + h;
  if (error_needs_last_slope() && !use_end(t_, y1)) return std::numeric_limits<double>::quiet_NaN();
  return inner_->error(start_.data(), end_.data(), h, static_cast<int>(nq_ + nw_), rtol, atol);
}

// The component of the reduced state for a component of the full state; −1 for a velocity that is not picked.
int ReducedMethod::inner(int component) const {
  const auto i = index(component);
  if (i < nq_) return component;
  if (i >= nq_ + nv_) return static_cast<int>(nq_ + nw_);
  const auto& picked = elimination_.picked();
  const auto at = std::find(picked.begin(), picked.end(), component - static_cast<int>(nq_));
  return at == picked.end() ? -1 : static_cast<int>(nq_) + static_cast<int>(at - picked.begin());
}

int ReducedMethod::worst_component() const {
  const int worst = inner_->worst_component();
  if (index(worst) < nq_ || elimination_.picked().empty()) return std::min(worst, static_cast<int>(nq_ + nv_) - 1);
  return static_cast<int>(nq_) + elimination_.picked()[index(worst) - nq_];
}

double ReducedMethod::component_error(int component, double h) {
  const int own = inner(component);
  return own < 0 ? 0 : inner_->component_error(own, h);
}

double ReducedMethod::largest_slope(int component) const {
  const int own = inner(component);
  return own < 0 ? 0 : inner_->largest_slope(own);
}

void ReducedMethod::add_step_error(const double* y, const double* y1, double h, int /*count*/, double* sum) {
  if (facts().implicit && !use_end(end_t_, y1)) {
    std::fill_n(sum, nq_ + nv_, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  std::fill(between_.begin(), between_.end(), 0.0);
  inner_->add_step_error(y, y1, h, static_cast<int>(nq_ + nw_), between_.data());
  for (std::size_t i = 0; i < nq_; ++i) sum[i] += between_[i];
  elimination_.displace(between_.data() + nq_, vdot_.data());
  for (std::size_t i = 0; i < nv_; ++i) sum[nq_ + i] += vdot_[i];
}

bool ReducedMethod::make_dense(RightHandSide& /*f*/, double t, const double* /*y*/, const double* y1, double h) {
  t_ = t;
  h_ = h;
  return use_end(t + h, y1) && inner_->make_dense(*this, t, start_.data(), end_.data(), h);
}

void ReducedMethod::interpolate(double theta, const double* /*y*/, double* result, double* slope) const {
  inner_->interpolate(theta, start_.data(), between_.data(), slope ? between_slope_.data() : nullptr);
  const double t = t_ + theta * h_;
  std::copy_n(between_.begin(), nq_, result);
  if (with_power_) result[nq_ + nv_] = between_[nq_ + nw_];
  double* v = result + nq_;
  bool known = elimination_.expand(t, result, between_.data() + nq_, v);
  if (slope != nullptr) {
    std::copy_n(between_slope_.begin(), nq_, slope);
    if (with_power_) slope[nq_ + nv_] = between_slope_[nq_ + nw_];
    known = known &&
            find_rates(t, result, between_.data() + nq_, whole_between_.data(), slope + nq_, wdot_.data(), nullptr);
    for (std::size_t i = 0; i < nv_; ++i) slope[nq_ + i] *= h_;
  }
  if (!known) std::fill_n(v, nv_, std::numeric_limits<double>::quiet_NaN());
}

void ReducedMethod::set_aside() {
  aside_ = {elimination_.last_state(), ended_, lost_, motion_.evaluations, motion_.least_grip, motion_.largest_grip};
}

void ReducedMethod::put_back() {
  elimination_.set_last_state(aside_.elimination);
  ended_ = aside_.ended;
  lost_ = aside_.lost;
  motion_.evaluations = aside_.evaluations;
  motion_.least_grip = aside_.least_grip;
  motion_.largest_grip = aside_.largest_grip;
}

// Replaces a change of the state at the start of the step by the change of its end. w is a function of (q, v), and v at the end one of (q, w).
void ReducedMethod::carry(double* change) {
  double share = 0;
  for (std::size_t i = 0; i < nq_ + nv_; ++i)
    share = std::max(share, std::abs(change[i]) / std::max(std::abs(seen_[i]), options_.atol / options_.rtol));
  if (!(share > 0) || !std::isfinite(share)) return;
  const double epsilon = kDisplacement / share;
  const auto displaced = [&](const double* from, const double* by, std::size_t count, std::vector<double>& to) {
    to.assign(from, from + count);
    for (std::size_t i = 0; i < count; ++i) to[i] += epsilon * by[i];
  };
  std::vector<double> beside, delta(nq_ + nw_ + 1), v(nv_), v1(nv_);
  displaced(seen_.data(), change, nq_ + nv_, beside);
  if (!elimination_.reduce(seen_t_, beside.data(), beside.data() + nq_, delta.data() + nq_)) return;
  for (std::size_t i = 0; i < nw_; ++i) delta[nq_ + i] = (delta[nq_ + i] - start_[nq_ + i]) / epsilon;
  std::copy_n(change, nq_, delta.begin());
  inner_->carry(delta.data());
  displaced(end_.data(), delta.data(), nq_ + nw_, beside);
  if (!elimination_.expand(end_t_, end_.data(), end_.data() + nq_, v.data()) ||
      !elimination_.expand(end_t_, beside.data(), beside.data() + nq_, v1.data()))
    return;
  std::copy_n(delta.begin(), nq_, change);
  for (std::size_t i = 0; i < nv_; ++i) change[nq_ + i] = (v1[i] - v[i]) / epsilon;
}

void ReducedMethod::shift() {
  std::copy(last_.begin(), last_.end(), first_.begin());
  // The slope at the start of the next step is evaluated there; what an implicit method knows of the steps before is kept.
  if (facts().implicit) inner_->shift();
  begun_ = false;
}

void ReducedMethod::restart() {
  if (facts().implicit) inner_->restart();
  begun_ = false;
}

}  // namespace dalembert::integration
