// SPDX-License-Identifier: Apache-2.0
// Frictions along a run (dynamics/friction.h): each keeps its state, sliding in one direction or sticking, until one of its
// guards (branches.h) is 0. There a step ends, and the states that the motion goes on with are decided afresh. A motion that
// has no consistent state, or more than one, ends.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/integrate/run.h"

namespace dalembert::integration {
namespace {

// Sliding speeds below this part of atol are none.
constexpr double kAtRest = 1e-3;
// The time at which a motion stops being the only one is found to this part of a step.
constexpr double kAmbiguous = 1e-12;

}  // namespace

void Run::begin_frictions() {
  if (dynamics_.layout().frictions == 0) return;
  frictions_.y.resize(index(ny_));
  frictions_.ahead.resize(index(ny_));
  frictions_.qdd.resize(index(nv_));
  frictions_.multipliers.resize(lambda_.size());
  for (std::vector<double>* x : {&frictions_.guards, &frictions_.sizes}) x->resize(2 * index(friction().count()));
}

// Of the forces in frictions_, at the point that was evaluated last.
void Run::find_friction_guards() {
  FrictionSolver& f = friction();
  f.measure(frictions_.qdd.data(), frictions_.multipliers.data());
  for (int j = 0; j < f.count(); ++j) {
    const FrictionState& state = f.mode[index(j)];
    double *guard = frictions_.guards.data() + 2 * j, *size = frictions_.sizes.data() + 2 * j;
    if (state.direction != 0) {
      guard[0] = state.direction * f.speed(j);
      guard[1] = f.has_load(j) ? state.load * f.normal(j) : 1;
      size[0] = f.speed_size(j);
      size[1] = f.load_size(j);
    } else {
      const double force = frictions_.multipliers[index(m_ + j)],
                   most = f.static_coefficient(j) * state.load * f.normal(j);
      guard[0] = most - force;
      guard[1] = most + force;
      size[0] = size[1] = f.static_coefficient(j) * f.load_size(j) + std::abs(force);
    }
  }
}

void Run::set_friction_guards() {
  for (std::size_t k = 0; k < frictions_.guards.size(); ++k)
    branches_->set_friction_guard(branches_->first_of_friction() + k, frictions_.guards[k], frictions_.sizes[k]);
}

void Run::watch_frictions(double t, const double* y, bool with_rates) {
  const std::size_t first = branches_->first_of_friction(), count = frictions_.guards.size();
  if (!motion_.find_forces(t, y, frictions_.qdd.data(), frictions_.multipliers.data())) {
    for (std::size_t k = 0; k < count; ++k)
      branches_->set_friction_guard(first + k, std::numeric_limits<double>::quiet_NaN(), 0);
    return;
  }
  find_friction_guards();
  set_friction_guards();
  const double ahead = frictions_.look_ahead;
  if (!with_rates || ahead == 0) return;
  // Rates of the guards along the motion.
  find_qdot(dynamics_, t, y, y + nq_, motion_.workspace, frictions_.ahead.data());
  std::copy(frictions_.qdd.begin(), frictions_.qdd.end(), frictions_.ahead.begin() + nq_);
  for (std::size_t i = 0; i < index(ny_); ++i) frictions_.ahead[i] = y[i] + ahead * frictions_.ahead[i];
  if (motion_.find_forces(t + ahead, frictions_.ahead.data(), frictions_.qdd.data(), frictions_.multipliers.data())) {
    find_friction_guards();
    for (std::size_t k = 0; k < count; ++k)
      branches_->set_friction_rate(first + k, (frictions_.guards[k] - branches_->value(first + k)) / ahead);
  }
  evaluate_inputs(dynamics_, t, motion_.workspace);
}

bool Run::frictions_have_left() const {
  for (std::size_t k = branches_->first_of_friction(); k < branches_->count(); ++k)
    if (branches_->below(k) < -branches_->noise(k)) return true;
  return false;
}

FrictionExit Run::exit_through(std::size_t k) {
  const std::size_t at = k - branches_->first_of_friction();
  const FrictionState& state = friction().mode[at / 2];
  const FrictionExit::What what = state.direction == 0 ? FrictionExit::kStick
                                  : at % 2 == 0        ? FrictionExit::kDirection
                                                       : FrictionExit::kLoad;
  return {static_cast<int>(at / 2), what, state, at % 2 == 0 ? 1 : -1};
}

// The states that frictions go on with from a point on the manifold; what comes to rest is brought to rest. False, with
// frictions_.problem, where there are none or several.
bool Run::decide_modes(double t, double* y, const FrictionExit& exit) {
  FrictionSolver& f = friction();
  Workspace& workspace = motion_.workspace;
  const RowBasis all;
  f.evaluate(dynamics_, t, y, y + nq_, workspace);
  f.find_at_rest(kAtRest * options_.atol, frictions_.at_rest);
  for (std::size_t j = 0; j < f.mode.size(); ++j)
    if (frictions_.started && f.mode[j].direction == 0) frictions_.at_rest[j] = 1;
  if (exit.friction >= 0 && exit.what != FrictionExit::kLoad) frictions_.at_rest[index(exit.friction)] = 1;
  FrictionAnswer answer = f.decide(all, frictions_.at_rest, exit);
  if (answer.solutions.size() != 1) {
    frictions_.problem = fmt::format("{}: {}", when(t), describe(answer, dynamics_.names(), m_));
    return false;
  }
  const FrictionMode before = f.mode;
  f.mode = answer.solutions.front().mode;
  for (std::size_t j = 0; frictions_.started && j < f.mode.size(); ++j) {
    const int was = before[j].direction, is = f.mode[j].direction;
    if (was != is)
      path_.events.push_back(
          {fmt::format("{} {}", name_of(dynamics_.names().frictions, static_cast<int>(j), "friction"),
                       is == 0    ? "sticks"
                       : was == 0 ? "slides"
                                  : "turns"),
           t});
  }
  frictions_.started = f.held = true;
  project_state(t, y);
  // Guards that the new states begin with are 0 but for round-off.
  if (motion_.find_forces(t, y, frictions_.qdd.data(), frictions_.multipliers.data())) {
    find_friction_guards();
    set_friction_guards();
    branches_->begin_friction();
  }
  return true;
}

// After a step within which no guard left its level: where another sign of a normal force has become consistent as well,
// the motion is not the only one, and the step is made again so that it ends there.
Run::Guarded Run::end_where_ambiguous(double& t1, double& step, double& error) {
  if (dynamics_.layout().frictions == 0) return Guarded::kClear;
  FrictionSolver& f = friction();
  const RowBasis all;
  FrictionAnswer answer;
  const auto is_ambiguous = [&](double t, const double* y) {
    f.evaluate(dynamics_, t, y, y + nq_, motion_.workspace);
    FrictionAnswer found = f.find_loads(all);
    if (found.solutions.size() < 2) return false;
    answer = std::move(found);
    return true;
  };
  if (!f.slides_with_load()) return Guarded::kClear;
  if (!is_ambiguous(t1, y1_.data())) {
    watch(t1, y1_.data(), method_->last_slope() + nq_);
    return Guarded::kClear;
  }
  if (!method_->make_dense(motion_, t_, y_.data(), y1_.data(), step)) return Guarded::kFailed;
  double a = 0, b = 1;
  while (b - a > kAmbiguous) {
    const double middle = a + (b - a) / 2;
    method_->interpolate(middle, y_.data(), out_.data());
    (is_ambiguous(t_ + middle * step, out_.data()) ? b : a) = middle;
  }
  const double end = t_ + b * step;
  frictions_.problem = fmt::format("{}: {}", when(end), describe(answer, dynamics_.names(), m_));
  if (b <= 2 * kAmbiguous) return Guarded::kStuck;
  measured_ = false;
  if (!try_step(end, end - t_, error)) return Guarded::kFailed;
  watch(end, y1_.data(), method_->last_slope() + nq_);
  frictions_.ambiguous = true;
  step = end - t_;
  t1 = end;
  crossing_ = {branches_->first_of_friction(), false};
  return Guarded::kCrossed;
}

}  // namespace dalembert::integration
