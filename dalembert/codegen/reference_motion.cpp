// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/reference_motion.h"

#include <algorithm>
#include <cmath>

#include "dalembert/dynamics/contact_problem.h"
#include "dalembert/dynamics/contacts.h"
#include "dalembert/dynamics/events.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/dynamics/residual.h"

namespace dalembert::reference {
namespace {

int status_of(KktStatus status, const FrictionAnswer& friction = {}) {
  switch (status) {
    case KktStatus::kOk:
      return 0;
    case KktStatus::kSingular:
      return 1;
    case KktStatus::kInconsistent:
      return 2;
    case KktStatus::kNotFinite:
      return 3;
    case KktStatus::kParadox:
      return friction.solutions.empty() ? 6 : 7;
    default:
      return 4;
  }
}

}  // namespace

Numbers own_inputs(const Dynamics& dynamics, double t) {
  Numbers work(dynamics.layout().work), u(as_size(dynamics.layout().inputs));
  if (!u.empty()) dynamics.inputs(t, work.data(), u.data());
  return u;
}

Answer solve(const Dynamics& dynamics, double t, const Numbers& q, const Numbers& v, Workspace& workspace) {
  Numbers vdot(as_size(dynamics.nv())), lambda(as_size(dynamics.layout().multipliers()));
  const KktStatus status = solve_kkt(dynamics, t, q.data(), v.data(), workspace, vdot.data(), lambda.data());
  const auto rows = lambda.begin() + dynamics.m();
  return {status_of(status, workspace.friction ? workspace.friction->decided : FrictionAnswer()),
          {vdot, Numbers(lambda.begin(), rows), Numbers(rows, lambda.end())}};
}

Numbers joined(const Answer& motion) {
  Numbers all = motion.arrays[1];
  all.insert(all.end(), motion.arrays[2].begin(), motion.arrays[2].end());
  return all;
}

Workspace holding(const Dynamics& dynamics, const FrictionMode& mode) {
  Workspace workspace(dynamics);
  if (mode.empty()) return workspace;
  workspace.friction->mode = mode;
  workspace.friction->held = true;
  return workspace;
}

EventValues events_at(const Dynamics& dynamics, const State& state, const Numbers& vdot, const Numbers& multipliers) {
  const Events* events = dynamics.events();
  if (events == nullptr) return {};
  const std::size_t count = events->events.size();
  EventValues found{Numbers(count), Numbers(count), Numbers(count)};
  const Numbers u = own_inputs(dynamics, state.t);
  Numbers work(events->work_size());
  const KernelArguments in{.t = state.t,
                           .q = state.q.data(),
                           .v = state.v.data(),
                           .qdd = vdot.data(),
                           .lambda = multipliers.data(),
                           .u = u.data(),
                           .p = dynamics.parameters().data(),
                           .work = work.data()};
  events->watch(in, found.value.data(), found.rate.data());
  for (std::size_t k = 0; k < count; ++k) found.holds[k] = events->holds(k, in) ? 1 : 0;
  return found;
}

Numbers coordinate_rates(const Dynamics& dynamics, double t, const Numbers& q, const Numbers& v) {
  Workspace workspace(dynamics);
  Numbers qdot(q.size());
  find_qdot(dynamics, t, q.data(), v.data(), workspace, qdot.data());
  return qdot;
}

Numbers of_motion(const Dynamics& dynamics, KernelFunction function, const State& state, const Answer& motion) {
  Numbers out(output_size(dynamics.layout(), function)), work(dynamics.layout().work);
  const Numbers u = own_inputs(dynamics, state.t), multipliers = joined(motion);
  dynamics.kernel().call(function,
                         {.t = state.t,
                          .q = state.q.data(),
                          .v = state.v.data(),
                          .qdd = motion.arrays[0].data(),
                          .lambda = multipliers.data(),
                          .u = u.data(),
                          .p = dynamics.parameters().data(),
                          .prepared = dynamics.prepared(),
                          .work = work.data()},
                         out.data());
  return out;
}

std::span<const double> integrals_of(const Dynamics& dynamics) {
  const Layout& layout = dynamics.layout();
  return dynamics.parameters().subspan(as_size(layout.first_integral), as_size(layout.integrals));
}

Numbers with_integrals(Numbers q, std::span<const double> integrals) {
  q.insert(q.end(), integrals.begin(), integrals.end());
  return q;
}

namespace {

// Whether friction j slides in a direction other than that of its mode. In a plane this means a turn by more than kTurn rad, since exported steps follow
// larger turns in parts.
bool turns_round(const FrictionSystem& friction, int j) {
  constexpr double kTurn = 0.09;
  if (!friction.is_plane(j)) return friction.mode[as_size(j)].direction * friction.speed(j) < 0;
  const double along = friction.speed_along(j), speed = friction.sliding_speed(j);
  return along < 0 || speed * speed - along * along > kTurn * kTurn * speed * speed;
}

// Whether the state contradicts the mode that its frictions keep, by more than round-off.
bool has_left(const Dynamics& dynamics, const State& state, Workspace& workspace) {
  if (!workspace.friction || workspace.friction->count() == 0) return false;
  const Answer motion = solve(dynamics, state.t, state.q, state.v, workspace);
  const FrictionSystem& friction = *workspace.friction;
  for (int j = 0; j < friction.count(); ++j) {
    if (friction.is_idle(j) || friction.is_second(j)) continue;
    const FrictionState& does = friction.mode[as_size(j)];
    const double noise = 1e-9 * friction.load_size(j), N = friction.normal(j);
    if (does.direction == 0
            ? friction.size_of(motion.arrays[2].data(), j) > friction.static_coefficient(j) * (std::abs(N) + noise)
            : turns_round(friction, j) || (friction.has_load(j) && does.load * N < -noise))
      return true;
  }
  return false;
}

// Whether a contact of the system leaves at the state what it does there, or is about to.
bool contacts_leave(const Dynamics& dynamics, const State& state) {
  if (dynamics.contacts() == nullptr) return false;
  Workspace workspace(dynamics);
  const Answer motion = solve(dynamics, state.t, state.q, state.v, workspace);
  const Numbers gaps = gaps_of(dynamics, state);
  for (std::size_t k = 0; k < gaps.size(); ++k)
    if (dynamics.is_closed(k) ? !(motion.arrays[1][as_size(dynamics.contacts()->contacts[k].row)] > 1e-9)
                              : !(gaps[k] > 1e-9))
      return true;
  return false;
}

// Whether an event may happen between two states.
bool may_happen(const EventValues& before, const EventValues& after) {
  for (std::size_t k = 0; k < before.value.size(); ++k)
    if (!(std::abs(before.value[k]) > 1e-9 && before.value[k] * after.value[k] > 0)) return true;
  return false;
}

}  // namespace

Answer runge_kutta(const Dynamics& dynamics, double t, double h, const Numbers& q, const Numbers& v,
                   const FrictionMode& mode) {
  Workspace workspace = holding(dynamics, mode);
  Numbers q_sum = q, v_sum = v, q_at = q, v_at = v, z(integrals_of(dynamics).begin(), integrals_of(dynamics).end());
  EventValues events;
  constexpr double kAhead[] = {0, 0.5, 0.5, 1}, kWeight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  for (std::size_t stage = 0; stage < 4; ++stage) {
    const double at = t + kAhead[stage] * h;
    const Numbers qdot = coordinate_rates(dynamics, at, q_at, v_at);
    const Answer motion = solve(dynamics, at, q_at, v_at, workspace);
    if (motion.status != 0) return {motion.status, {}};
    if (stage == 0) events = events_at(dynamics, {at, q_at, v_at}, motion.arrays[0], joined(motion));
    const Numbers dz = of_motion(dynamics, KernelFunction::kIntegrands, {at, q_at, v_at}, motion);
    for (std::size_t i = 0; i < z.size(); ++i) z[i] += kWeight[stage] * h * dz[i];
    const double next = stage < 3 ? kAhead[stage + 1] * h : 0;
    for (std::size_t i = 0; i < q.size(); ++i) {
      q_sum[i] += kWeight[stage] * h * qdot[i];
      q_at[i] = q[i] + next * qdot[i];
    }
    for (std::size_t i = 0; i < v.size(); ++i) {
      v_sum[i] += kWeight[stage] * h * motion.arrays[0][i];
      v_at[i] = v[i] + next * motion.arrays[0][i];
    }
  }
  State state{t + h, q_sum, v_sum};
  const Projection projection = project(dynamics, state.t, state.q.data(), state.v.data(), workspace);
  if (has_left(dynamics, state, workspace) || contacts_leave(dynamics, state)) return {-1, {}};
  if (dynamics.events() != nullptr) {
    const Answer end = solve(dynamics, state.t, state.q, state.v, workspace);
    Dynamics later = dynamics;
    later.set_parameters(as_size(dynamics.layout().first_integral), z);
    if (end.status != 0 || may_happen(events, events_at(later, state, end.arrays[0], joined(end)))) return {-1, {}};
  }
  return {projection.ok ? 0 : 5, {with_integrals(state.q, z), state.v}};
}

}  // namespace dalembert::reference
