// SPDX-License-Identifier: Apache-2.0
// Frictions along a run (dynamics/friction.h): each keeps its state, sliding in one direction or sticking, until one of its
// guards (branches.h) is 0. There a step ends, and the states for the further motion are decided anew. The run ends if
// no mode is consistent, or more than one is.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/hypotenuse.h"
#include "dalembert/base/text.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/integrate/stick_slip.h"

namespace dalembert::integration {

StickSlip::StickSlip(StepMaker& maker, Trajectory& path, Branches& branches)
    : Observer(maker, path), branches_(branches) {
  ahead_.resize(index(ny_));
  qdd_.resize(index(nv_));
  multipliers_.resize(step_.lambda.size());
  for (std::vector<double>* x : {&guards_, &sizes_}) x->resize(2 * index(friction().count()));
  speeds_.resize(index(friction().count()));
  begins_.resize(index(friction().count()), 0);
}

// Computes the guards from the present forces, at the point that was evaluated last.
void StickSlip::find_guards() {
  FrictionSystem& f = friction();
  f.measure(qdd_.data(), multipliers_.data());
  for (int j = 0; j < f.count(); ++j) {
    const FrictionState& state = f.mode[index(j)];
    double *guard = guards_.data() + 2 * j, *size = sizes_.data() + 2 * j;
    if (f.is_idle(j) || f.is_second(j)) {
      guard[0] = guard[1] = 1;
      size[0] = size[1] = 0;
    } else if (state.direction != 0) {
      guard[0] = f.is_plane(j) ? f.speed_along(j) : state.direction * f.speed(j);
      guard[1] = f.has_load(j) ? state.load * f.normal(j) : 1;
      size[0] = f.size_of_speeds(j);
      size[1] = f.load_size(j);
    } else if (f.is_plane(j)) {
      const double force = f.size_of(multipliers_.data() + m_, j);
      guard[0] = f.static_coefficient(j) * state.load * f.normal(j) - force;
      guard[1] = 1;
      size[0] = f.static_coefficient(j) * f.load_size(j) + force;
      size[1] = 0;
    } else {
      const double force = multipliers_[index(m_ + j)], most = f.static_coefficient(j) * state.load * f.normal(j);
      guard[0] = most - force;
      guard[1] = most + force;
      size[0] = size[1] = f.static_coefficient(j) * f.load_size(j) + std::abs(force);
    }
  }
}

void StickSlip::set_guards() {
  for (std::size_t k = 0; k < guards_.size(); ++k)
    branches_.set_guard(branches_.first_of_friction() + k, guards_[k], sizes_[k]);
}

void StickSlip::watch(double t, const double* y, bool with_rates) {
  const std::size_t first = branches_.first_of_friction(), count = guards_.size();
  if (!motion_.find_forces(t, y, qdd_.data(), multipliers_.data())) {
    for (std::size_t k = 0; k < count; ++k) branches_.set_guard(first + k, std::numeric_limits<double>::quiet_NaN(), 0);
    return;
  }
  find_guards();
  set_guards();
  for (const int first : dynamics_.layout().planes)
    for (const int j : {first, first + 1}) speeds_[index(j)] = friction().speed(j);
  const double ahead = look_ahead_;
  if (!with_rates || ahead == 0) return;
  // Rates of the guards along the motion, by a finite difference.
  find_qdot(dynamics_, t, y, y + nq_, motion_.workspace, ahead_.data());
  std::copy(qdd_.begin(), qdd_.end(), ahead_.begin() + nq_);
  for (std::size_t i = 0; i < index(ny_); ++i) ahead_[i] = y[i] + ahead * ahead_[i];
  if (motion_.find_forces(t + ahead, ahead_.data(), qdd_.data(), multipliers_.data())) {
    find_guards();
    for (std::size_t k = 0; k < count; ++k)
      branches_.set_rate(first + k, (guards_[k] - branches_.value(first + k)) / ahead);
  }
  evaluate_inputs(dynamics_, t, motion_.workspace);
}

// Below this, the speed of a friction in a plane is the error that the tolerance allows.
double StickSlip::error_of_speed(int j) const {
  return 100 * (options_.atol * friction().row_size(j) + options_.rtol * friction().size_of_speeds(j));
}

// A friction that begins to slide in a plane keeps its first direction up to this speed. If static and sliding coefficients are equal it begins without
// acceleration, and the direction of its speed is round-off at first. An error of the direction decays at the rate μ N/(m |v_s|).
double StickSlip::speed_of_begin(int j) const { return std::sqrt(options_.atol) * friction().row_size(j); }

void StickSlip::turn_with_speeds() {
  FrictionSystem& f = friction();
  for (const int j : dynamics_.layout().planes) {
    if (f.mode[index(j)].direction == 0 || f.is_idle(j)) continue;
    const double x = speeds_[index(j)], y = speeds_[index(j) + 1], speed = hypotenuse(x, y), error = error_of_speed(j);
    if (begins_[index(j)] != 0 && speed <= 7 * speed_of_begin(j)) continue;
    begins_[index(j)] = 0;
    f.keep_along(j, std::max(error, kNoDirection * speed));
    if (!(speed > error)) continue;
    f.turn_along(j, x, y);
    branches_.set_guard(branches_.first_of_friction() + 2 * index(j), speed, f.size_of_speeds(j));
  }
}

bool StickSlip::have_left() const {
  for (std::size_t k = branches_.first_of_friction(); k < branches_.first_of_contacts(); ++k)
    if (branches_.below(k) < -branches_.noise(k)) return true;
  return false;
}

void StickSlip::add_speeds(std::size_t k, std::vector<double>& speeds, std::vector<double>& noise) const {
  const int first = static_cast<int>(k - branches_.first_of_friction()) / 2;
  if (!sticks_at(k - branches_.first_of_friction())) return;
  for (int j = first; j <= first + (friction().is_plane(first) ? 1 : 0); ++j) {
    speeds.push_back(friction().speed(j));
    noise.push_back(kAtRest * options_.atol * friction().row_size(j));
  }
}

FrictionExit StickSlip::exit_through(std::size_t k) {
  const std::size_t at = k - branches_.first_of_friction();
  const FrictionState& state = friction().mode[at / 2];
  const FrictionExit::What what = state.direction == 0 ? FrictionExit::kStick
                                  : at % 2 == 0        ? FrictionExit::kDirection
                                                       : FrictionExit::kLoad;
  return {static_cast<int>(at / 2), what, state, at % 2 == 0 ? 1 : -1};
}

const std::vector<char>& StickSlip::find_at_rest(double t, const FrictionExit& exit) {
  FrictionSystem& f = friction();
  f.find_at_rest(kAtRest * options_.atol, at_rest_);
  // In a plane a speed that is error has no direction: the end of a step that ends in rest is one.
  for (const int j : dynamics_.layout().planes) f.keep_along(j, error_of_speed(j));
  // An instant is found to the round-off of t. What passes through rest at the same instant as another friction still has, or has again, the
  // speed that it gains in that time.
  const double instant = kOneInstant * kEps * std::abs(t);
  for (std::size_t j = 0; started_ && !let_go_ && j < f.mode.size(); ++j)
    if (f.mode[j].direction == 0 ||
        f.sliding_speed(static_cast<int>(j)) <= instant * f.sliding_rate(static_cast<int>(j)))
      at_rest_[j] = 1;
  let_go_ = false;
  if (exit.friction < 0 || exit.what == FrictionExit::kLoad) return at_rest_;
  // In a plane the component of the speed along a direction is 0 here. If the whole speed is, up to the error of the run, it is at rest.
  if (f.is_plane(exit.friction) && exit.what == FrictionExit::kDirection &&
      !(f.sliding_speed(exit.friction) <= error_of_speed(exit.friction)))
    return at_rest_;
  at_rest_[index(exit.friction)] = 1;
  if (!f.is_plane(exit.friction)) return at_rest_;
  at_rest_[index(exit.friction) + 1] = 1;
  if (exit.what != FrictionExit::kDirection) return at_rest_;
  // What comes to rest on several feet does so on all of them, each with a speed that is error.
  for (const int j : dynamics_.layout().planes)
    if (f.sliding_speed(j) <= error_of_speed(j)) at_rest_[index(j)] = at_rest_[index(j) + 1] = 1;
  return at_rest_;
}

// The name of friction j, in a plane without the index of its first direction.
std::string StickSlip::name(int j) const {
  const std::string whole = name_of(dynamics_.names().frictions, j, "friction");
  return friction().is_plane(j) ? whole.substr(0, whole.rfind('[')) : whole;
}

void StickSlip::adopt(double t, const FrictionMode& mode) {
  FrictionSystem& f = friction();
  const FrictionMode before = f.mode;
  f.mode = mode;
  const std::vector<char> was_idle = std::exchange(idle_, std::vector<char>(f.mode.size()));
  for (std::size_t j = 0; j < f.mode.size(); ++j) idle_[j] = f.is_idle(static_cast<int>(j)) ? 1 : 0;
  for (std::size_t j = 0; started_ && j < f.mode.size(); ++j) {
    const int was = before[j].direction, is = f.mode[j].direction;
    // Where its contact has closed or opened, that is the event.
    if (was != is && idle_[j] == 0 && was_idle[j] == 0 && !f.is_second(static_cast<int>(j)))
      path_.events.push_back({is == 0 ? RunEventKind::kStick : RunEventKind::kSlip,
                              fmt::format("{} {}", name(static_cast<int>(j)),
                                          is == 0    ? "sticks"
                                          : was == 0 ? "slides"
                                                     : "turns"),
                              t});
  }
  for (const int j : dynamics_.layout().planes) {
    begins_[index(j)] = f.mode[index(j)].direction != 0 && at_rest_[index(j)] != 0 && !f.is_idle(j) ? 1 : 0;
    if (begins_[index(j)] != 0) f.begin_along(j, speed_of_begin(j));
  }
  started_ = f.held = true;
}

// The guards of new states begin at 0, up to round-off.
void StickSlip::begin_guards(double t, const double* y) {
  if (!motion_.find_forces(t, y, qdd_.data(), multipliers_.data())) return;
  find_guards();
  set_guards();
  branches_.begin_friction();
}

bool StickSlip::decide(double t, double* y, const FrictionExit& exit) {
  FrictionSystem& f = friction();
  f.evaluate(dynamics_, t, y, y + nq_, motion_.workspace);
  const FrictionAnswer answer = f.decide(RowBasis(), find_at_rest(t, exit), exit);
  if (answer.solutions.size() != 1) {
    problem_ = fmt::format("{}: {}", when(t), describe(answer, dynamics_.names(), m_));
    return false;
  }
  adopt(t, answer.solutions.front().mode);
  manifold_.project(t, y);
  begin_guards(t, y);
  return true;
}

bool StickSlip::is_ambiguous(double t, const double* y) {
  FrictionSystem& f = friction();
  f.evaluate(dynamics_, t, y, y + nq_, motion_.workspace);
  FrictionAnswer found = f.find_loads(RowBasis());
  if (found.solutions.size() < 2) return false;
  ambiguous_ = std::move(found);
  return true;
}

void StickSlip::end_ambiguously(double t) {
  problem_ = fmt::format("{}: {}", when(t), describe(ambiguous_, dynamics_.names(), m_));
}

}  // namespace dalembert::integration
