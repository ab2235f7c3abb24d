// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/turning.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "dalembert/analyze/stability/matrix.h"
#include "dalembert/analyze/stability/slopes.h"
#include "dalembert/analyze/stability/symmetries.h"
#include "dalembert/base/wording.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/study/linearization.h"

namespace dalembert {
namespace {

// The step of surely_unsteady() as a part of the time in which the motion changes by itself; a change counts that is kError times the error of the step
// and kChanges of the value, which is round-off.
constexpr double kStep = 0.03, kError = 30, kChanges = 1e-12;
constexpr double kNoRate = 1e-12;  // a rate of turning below this part of the largest is 0

// ½ vᵀM v and ½ v̇ᵀM v̇. The first is the same at all states that turns of the system lead to, the second where they turn velocities by constant matrices, as those
// of attitudes by quaternions do.
struct Invariants {
  double energy = 0, acceleration = 0;
};

Invariants invariants_at(const SteadySystem& system, const MotionPoint& at) {
  const Slopes slopes(*system.derivatives, *system.dynamics, at);
  Invariants found;
  for (std::size_t i = 0; i < at.v.size(); ++i)
    for (std::size_t j = 0; j < at.v.size(); ++j) {
      const double M = slopes.all(system.derivatives->rows().r + i, system.derivatives->columns().vdot + j);
      found.energy += at.v[i] * M * at.v[j] / 2;
      found.acceleration += at.vdot[i] * M * at.vdot[j] / 2;
    }
  return found;
}

// The state after a time, by one step of the classical method of Runge and Kutta. Constraints are kept to the order of the step.
State moved_by(const Dynamics& dynamics, const State& from, double time) {
  Workspace workspace(dynamics);
  const std::size_t nq = from.q.size(), nv = from.v.size();
  const auto rates = [&](const State& at) {
    std::vector<double> all(nq);
    find_qdot(dynamics, at.t, at.q.data(), at.v.data(), workspace, all.data());
    const MotionPoint point = point_at(dynamics, at);
    all.insert(all.end(), point.vdot.begin(), point.vdot.end());
    return all;
  };
  const auto plus = [&](const std::vector<double>& rate, double by) {
    State to = from;
    for (std::size_t i = 0; i < nq; ++i) to.q[i] += by * rate[i];
    for (std::size_t i = 0; i < nv; ++i) to.v[i] += by * rate[nq + i];
    return to;
  };
  const std::vector<double> a = rates(from), b = rates(plus(a, time / 2)), c = rates(plus(b, time / 2)),
                            d = rates(plus(c, time));
  std::vector<double> mean(nq + nv);
  for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = (a[i] + 2 * b[i] + 2 * c[i] + d[i]) / 6;
  return plus(mean, time);
}

double largest_of(const std::vector<double>& list) {
  double most = 0;
  for (const double x : list) most = std::max(most, std::abs(x));
  return most;
}

// What a symmetry does: the pairs of coordinates that it turns, the frames whose quaternions it turns, and the coordinates that it shifts.
struct Turned {
  std::vector<std::pair<std::string, std::string>> planes;
  std::vector<std::string> attitudes;
  std::vector<std::pair<std::string, double>> shifts;
};

Turned describe(const SystemAt& given, const Symmetry& symmetry) {
  const std::vector<std::string>& names = given.system.dynamics.names().coordinates;
  std::vector<bool> of_attitude(names.size());
  Turned turned;
  for (const FrameQuaternion& quaternion : given.system.model->quaternions) {
    const auto first = static_cast<std::size_t>(quaternion.first);
    std::fill_n(of_attitude.begin() + quaternion.first, 4, true);
    if (largest(block(symmetry.L, first, first, 4, 4)) > 0) turned.attitudes.push_back(quaternion.frame);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = i + 1; j < names.size(); ++j)
      if (!of_attitude[i] && !of_attitude[j] && symmetry.L(i, j) != 0) turned.planes.emplace_back(names[i], names[j]);
    if (symmetry.b[i] != 0) turned.shifts.emplace_back(names[i], symmetry.b[i]);
  }
  return turned;
}

std::vector<std::pair<Turned, double>> turns_of(const SystemAt& given, const LinearMotion& motion) {
  std::vector<std::pair<Turned, double>> turns;
  for (std::size_t k = 0; k < motion.turning.size(); ++k)
    if (std::abs(motion.turning[k]) > kNoRate * largest_of(motion.turning))
      turns.emplace_back(describe(given, (*given.symmetries)[k]), motion.turning[k]);
  return turns;
}

}  // namespace

bool may_be_along_turns(const SystemAt& given, const SteadySystem& system) {
  if (!system.is_autonomous() || !system.left_out.empty() || !system.follows.empty()) return false;
  // Forces of frictions and contacts that are held may change along the motion, up to a limit.
  return !given.system.model->quaternions.empty() || (!given.unheld && !given.contacts);
}

TurnsFound find_turns(const SystemAt& given, const SteadySystem& system) {
  if (!may_be_along_turns(given, system)) return {};
  if (!may_turn_as_a_whole(system, given.system.equations, given.state)) return {};
  std::optional<std::vector<Symmetry>> symmetries = find_symmetries(system, given.system.equations, given.state);
  if (!symmetries)
    return {nullptr, "the motion may be steady but for a turn of the whole system: whether it is was not decided"};
  if (symmetries->empty()) return {};
  return {std::make_shared<const std::vector<Symmetry>>(std::move(*symmetries)), ""};
}

bool surely_unsteady(const SystemAt& given, const SteadySystem& system, const State& state) {
  const MotionPoint at = point_at(*system.dynamics, state);
  const double speed = largest_of(at.v);
  if (speed == 0) return true;
  const double rate = std::max(largest_of(at.vdot) / speed, speed / std::max(1.0, largest_of(at.q)));
  if (!std::isfinite(rate)) return false;
  const bool linear = !given.system.model->quaternions.empty() || !given.left_out.empty();
  const Invariants now = invariants_at(system, at);
  for (const double part : {kStep, -kStep}) {
    const Dynamics& dynamics = *system.dynamics;
    const double time = part / rate;
    const Invariants once = invariants_at(system, point_at(dynamics, moved_by(dynamics, state, time))),
                     twice = invariants_at(
                         system, point_at(dynamics, moved_by(dynamics, moved_by(dynamics, state, time / 2), time / 2)));
    // What two half steps change beside one is the error of the step.
    const auto changes = [](double before, double after, double other) {
      return std::abs(after - before) > kError * std::abs(after - other) + kChanges * std::abs(before);
    };
    if (changes(now.energy, twice.energy, once.energy)) return true;
    if (linear && changes(now.acceleration, twice.acceleration, once.acceleration)) return true;
  }
  return false;
}

std::string kinds_looked_for(const SystemAt& given) {
  if (!given.left_out.empty() || !given.follows.empty() || given.unheld || given.contacts)
    return "only those in which only coordinates change that nothing depends on, or that are left out, were looked for";
  return fmt::format("those in which only coordinates change that nothing depends on, or {}, were looked for",
                     given.system.model->quaternions.empty()
                         ? "in which coordinates of one unit turn in planes or shift together"
                         : "in which attitudes and positions turn as a whole");
}

std::vector<std::string> turning_texts(const SystemAt& given, const LinearMotion& motion) {
  std::vector<std::string> texts;
  for (const auto& [turned, rate] : turns_of(given, motion)) {
    std::vector<std::string> parts;
    for (const auto& [a, b] : turned.planes) parts.push_back(fmt::format("{}-{}", a, b));
    parts.insert(parts.end(), turned.attitudes.begin(), turned.attitudes.end());
    for (const auto& [name, by] : turned.shifts) parts.push_back(name);
    const bool turns = !turned.planes.empty() || !turned.attitudes.empty();
    texts.push_back(
        fmt::format("{} at {}{}", fmt::join(parts, " with "), shown_number(rate, 6), turns ? " rad/s" : " per s"));
  }
  return texts;
}

Json turning_json(const SystemAt& given, const LinearMotion& motion) {
  Json all = Json::array();
  for (const auto& [turned, rate] : turns_of(given, motion)) {
    Json planes = Json::array(), attitudes = Json::array(), shifts = Json::object();
    for (const auto& [a, b] : turned.planes) planes.push_back(std::vector<std::string>{a, b});
    for (const std::string& frame : turned.attitudes) attitudes.push_back(frame);
    for (const auto& [name, by] : turned.shifts) shifts.append(name, by);
    all.push_back({{"planes", std::move(planes)},
                   {"attitudes", std::move(attitudes)},
                   {"shifts", std::move(shifts)},
                   {"rate", rate}});
  }
  return all;
}

}  // namespace dalembert
