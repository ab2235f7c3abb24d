// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/stability/relative.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "dalembert/analyze/stability/linearize.h"
#include "dalembert/analyze/stability/slopes.h"
#include "dalembert/dynamics/assemble.h"

namespace dalembert {
namespace {

constexpr std::size_t kAgreeing = 3;     // number of random states at which the same coordinates must drop out
constexpr int kTries = 30;               // largest number of attempts to find these random states
constexpr std::size_t kMostTried = 600;  // largest number of sets of velocities that are tried
constexpr double kNoSlope = 1e-8;        // a derivative below this fraction of the largest in its row counts as 0
constexpr double kDetermined = 1e-3;     // ratio of singular values down to which velocities count as determined

class RelativeFinder {
 public:
  RelativeFinder(const SteadySystem& system, const State& state) : system_(system), state_(state) {
    for (std::size_t i = 0; i < system.nq(); ++i)
      if (system.is_cyclic(i)) ++cyclic_;
  }

  std::optional<RelativeCoordinates> find() {
    const Dynamics& dynamics = *system_.dynamics;
    if (!dynamics.layout().v_is_qdot || !system_.is_autonomous() || !system_.left_out.empty() ||
        dynamics.layout().holonomic.size() == system_.m() || dynamics.layout().frictions > 0)
      return std::nullopt;
    const Result<LinearMotion> here = linearize(system_, state_);
    if (!here) return std::nullopt;
    std::vector<std::size_t> independent;  // indices of independent coordinates
    std::size_t following = 0;             // number of velocities of these coordinates that follow from others
    for (const MotionState& state : here->states)
      if (!state.velocity) independent.push_back(state.index);
    following = 2 * independent.size() - here->states.size();
    if (following == independent.size()) return std::nullopt;  // the constraints leave no velocity free
    find_states(*here);
    if (states_.size() < kAgreeing) return std::nullopt;
    // Among the velocities that may follow, those of cyclic coordinates come first.
    std::ranges::stable_partition(independent, [&](std::size_t i) { return system_.is_cyclic(i); });
    try_sets(independent, following);
    return std::move(best_);
  }

 private:
  // Finds consistent states around the given one whose linearisations have the same number of states.
  void find_states(const LinearMotion& here) {
    std::minstd_rand random(20'07);
    const auto next = [&] { return 2 * (static_cast<double>(random() - 1) / 2147483646.0) - 1; };
    const Names& names = system_.dynamics->names();
    for (int attempt = 0; attempt < kTries && states_.size() < kAgreeing; ++attempt) {
      State guess = state_;
      const double far = 0.5 / (1 + attempt / 6);
      for (std::size_t i = 0; i < guess.q.size(); ++i) {
        double size = 1;
        if (const std::string& unit = names.coordinate_units[i]; !unit.empty() && unit != "rad") {
          size = 0;
          for (std::size_t j = 0; j < guess.q.size(); ++j)
            if (names.coordinate_units[j] == unit) size = std::max(size, std::abs(state_.q[j]));
        }
        guess.q[i] += far * size * next();
      }
      for (double& v : guess.v) v = 2 * next();
      const Assembly assembly = assemble(*system_.dynamics, guess, {.max_iterations = 40, .restarts = 0});
      if (!assembly.ok()) continue;
      const Result<LinearMotion> there = linearize(system_, assembly.state);
      if (!there || there->states.size() != here.states.size()) continue;
      states_.push_back(assembly.state);
    }
  }

  // Tries all sets of `count` coordinates whose velocities follow, in lexicographic order.
  void try_sets(const std::vector<std::size_t>& among, std::size_t count) {
    std::vector<std::size_t> set(count);
    for (std::size_t k = 0; k < count; ++k) set[k] = k;
    for (std::size_t tries = 0; tries < kMostTried; ++tries) {
      std::vector<bool> follows(system_.nv(), true);
      for (const std::size_t i : among) follows[i] = false;
      for (const std::size_t k : set) follows[among[k]] = true;
      consider(follows);
      std::size_t k = count;
      while (k > 0 && set[k - 1] == among.size() - count + k - 1) --k;
      if (k == 0) return;
      ++set[k - 1];
      for (std::size_t l = k; l < count; ++l) set[l] = set[l - 1] + 1;
    }
  }

  // How well the constraints determine the velocities that follow: the ratio of the smallest to the largest singular
  // value, to a factor of 2; 0 where they are not determined.
  double determined(const State& state, const std::vector<bool>& follows) const {
    const Slopes slopes(*system_.derivatives, *system_.dynamics, point_at(*system_.dynamics, state));
    std::size_t count = 0;
    for (const bool f : follows) count += f ? 1 : 0;
    Matrix W(system_.m(), count);
    for (std::size_t j = 0; j < W.rows; ++j) {
      std::size_t k = 0;
      for (std::size_t i = 0; i < follows.size(); ++i)
        if (follows[i])
          W(j, k++) = slopes.all(system_.derivatives->rows().w + j, system_.derivatives->columns().v + i) *
                      slopes.v_size[i] * slopes.row_size[j];
    }
    if (count == 0) return 1;
    const SingularRange range = singular_range(W);
    double worst = 1;
    while (worst > kDetermined / 2 && !(range.smallest > worst * range.largest)) worst /= 2;
    return worst > kDetermined / 2 ? worst : 0;
  }

  void consider(const std::vector<bool>& follows) {
    const double quality = determined(state_, follows);
    if (quality == 0) return;
    std::vector<bool> left(system_.nq(), true);
    // Derivatives of the rates of all states by all coordinates.
    std::vector<LinearMotion> motions;
    const SteadySystem all{system_.dynamics, system_.derivatives, {}, follows};
    for (const State& state : states_) {
      if (determined(state, follows) == 0) return;
      Result<LinearMotion> motion = linearize(all, state);
      if (!motion) return;
      motions.push_back(std::move(motion).value());
    }
    for (bool more = true; more;) {
      more = false;
      for (const LinearMotion& motion : motions)
        for (std::size_t j = 0; j < motion.states.size(); ++j) {
          const MotionState& by = motion.states[j];
          if (by.velocity || !left[by.index] || !enters(motion, j, left)) continue;
          left[by.index] = false;
          more = true;
        }
    }
    for (const LinearMotion& motion : motions) keep_dependent(motion, left);
    const auto count = static_cast<std::size_t>(std::ranges::count(left, true));
    if (count <= cyclic_ || count < most_ || (count == most_ && quality <= quality_)) return;
    most_ = count;
    quality_ = quality;
    best_ = RelativeCoordinates{left, follows};
  }

  // Whether the rate of a velocity, or of a coordinate not in `left`, depends on state j, which is a coordinate.
  bool enters(const LinearMotion& motion, std::size_t j, const std::vector<bool>& left) const {
    for (std::size_t i = 0; i < motion.states.size(); ++i) {
      const MotionState& state = motion.states[i];
      if (!state.velocity && left[state.index]) continue;
      double size = 0;
      for (std::size_t k = 0; k < motion.states.size(); ++k) size = std::max(size, std::abs(motion.A(i, k)));
      if (!(std::abs(motion.A(i, j)) <= kNoSlope * size)) return true;
    }
    return false;
  }

  // Keeps coordinates that holonomic rows determine, unless a coordinate that is left out moves them.
  void keep_dependent(const LinearMotion& motion, std::vector<bool>& left) const {
    for (std::size_t i = 0; i < system_.nq(); ++i) {
      const bool is_state =
          std::ranges::any_of(motion.states, [&](const MotionState& s) { return !s.velocity && s.index == i; });
      if (is_state) continue;
      bool moved = false;
      for (std::size_t j = 0; j < motion.states.size(); ++j)
        if (!motion.states[j].velocity && left[motion.states[j].index])
          moved = moved || std::abs(motion.tangent(i, j)) > kNoSlope;
      if (!moved) left[i] = false;
    }
  }

  const SteadySystem& system_;
  const State& state_;
  std::vector<State> states_;
  std::optional<RelativeCoordinates> best_;
  std::size_t cyclic_ = 0, most_ = 0;  // numbers of coordinates: cyclic ones, and the most left out so far
  double quality_ = 0;
};

}  // namespace

std::optional<RelativeCoordinates> find_relative_coordinates(const SteadySystem& system, const State& state) {
  return RelativeFinder(system, state).find();
}

}  // namespace dalembert
