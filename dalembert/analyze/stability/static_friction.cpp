// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/stability/static_friction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "dalembert/base/numeric.h"
#include "dalembert/base/text.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {
namespace {

// A force exceeds a limit, and stays below one, only by more than this fraction of it.
constexpr double kMargin = 1e-9;
// The sliding speed of the push, in the friction's own unit: above what counts as rest (solve_kkt.cpp), and small beside any other speed.
constexpr double kPush = 1e-9;

class Grips {
 public:
  Grips(const Dynamics& dynamics, const FrictionMode& mode, const MotionPoint& at,
        const std::vector<std::size_t>& pressing)
      : dynamics_(dynamics), mode_(mode), state_(state_of(at)), pressing_(pressing), workspace_(dynamics) {
    qdd_.resize(as_size(dynamics.nv()));
    multipliers_.resize(as_size(dynamics.layout().multipliers()));
  }

  void judge(Stability& stability) {
    if (!workspace_.friction || !solve_in(mode_)) return;
    struct Held {
      double force, normal, kinetic, fixed;
    };
    std::vector<Held> held;
    FrictionSystem& friction = *workspace_.friction;
    for (int j = 0; j < friction.count(); ++j) {
      const double N = std::abs(friction.normal(j));
      held.push_back({friction.size_of(multipliers_.data() + dynamics_.m(), j), N, friction.coefficient(j) * N,
                      friction.static_coefficient(j) * N});
      loads_.push_back(friction.normal(j) < 0 ? -1 : 1);
      forces_.push_back(multipliers_[as_size(dynamics_.m() + j)]);
    }
    std::string doubt;
    for (int j = 0; j < friction.count(); ++j) {
      const auto& [force, normal, kinetic, fixed] = held[as_size(j)];
      if (friction.is_second(j) || mode_[as_size(j)].direction != 0) continue;
      const std::optional<Release> released = friction.is_plane(j) ? std::nullopt : release(j);
      // What resists is known by the coefficient at a sliding speed, which may jump where it begins to slide.
      const double resists = released ? std::min(kinetic, released->coefficient * normal) : kinetic;
      if (!(force > resists + kMargin * std::max(fixed, resists))) continue;
      if (released && released->gains_speed) {
        stability.verdict = StabilityVerdict::kUnstable;
        stability.undecided.clear();
        stability.because.insert(
            stability.because.begin(),
            fmt::format("{} holds {} by static friction alone: a push makes it slide, for then only {} resists",
                        name(j), amount(j, force), amount(j, released->force)));
        return;
      }
      if (doubt.empty())
        doubt = fmt::format(
            "{} holds {}, and would resist with {} where it slides: whether a push makes it slide away was not decided",
            name(j), amount(j, force), amount(j, resists));
    }
    if (doubt.empty() || stability.verdict == StabilityVerdict::kUnstable) return;
    stability.verdict = StabilityVerdict::kMarginal;
    stability.undecided = std::move(doubt);
  }

 private:
  struct Release {
    bool gains_speed;
    double coefficient, force;
  };

  bool solve_in(const FrictionMode& mode) {
    FrictionSystem& friction = *workspace_.friction;
    friction.held = true;
    friction.mode = mode;
    return solve(state_);
  }
  bool solve(const State& state) {
    if (solve_kkt(dynamics_, state.t, state.q.data(), state.v.data(), workspace_, qdd_.data(), multipliers_.data()) !=
        KktStatus::kOk)
      return false;
    workspace_.friction->measure(qdd_.data(), multipliers_.data());
    return true;
  }

  // What happens where friction j slides along its force, at first with a vanishing speed. Nothing where no motion is known in which it slides
  // and all others keep their modes.
  std::optional<Release> release(int j) {
    const double force = forces_[as_size(j)];
    if (force == 0) return std::nullopt;
    FrictionMode slides = mode_;
    slides[as_size(j)] = {force > 0 ? 1 : -1, loads_[as_size(j)]};
    if (!solve_in(slides)) return std::nullopt;
    FrictionSystem& friction = *workspace_.friction;
    const int direction = slides[as_size(j)].direction;
    // Accelerations from rest satisfy all rows on velocities but that of this friction.
    const double rate = friction.rate(j);
    State pushed = state_;
    const double along = rate == 0 ? 0 : direction * kPush / rate;
    if (!std::isfinite(along) || along == 0) return std::nullopt;
    for (std::size_t i = 0; i < pushed.v.size(); ++i) pushed.v[i] += along * qdd_[i];
    friction.held = false;
    if (!solve(pushed)) return std::nullopt;
    if (friction.mode[as_size(j)].direction != direction) return std::nullopt;
    return Release{keeps_others(j) && friction.rate(j) * direction > 0, friction.coefficient(j),
                   std::abs(multipliers_[as_size(dynamics_.m() + j)])};
  }

  // Whether all but friction j do, with a margin, what they do at rest.
  bool keeps_others(int j) const {
    const FrictionSystem& friction = *workspace_.friction;
    for (int k = 0; k < friction.count(); ++k) {
      const double N = friction.normal(k);
      if (friction.has_load(k) && !(N * loads_[as_size(k)] > kMargin * friction.load_size(k))) return false;
      if (k == j || friction.is_second(k)) continue;
      if (friction.mode[as_size(k)].direction != mode_[as_size(k)].direction) return false;
      if (mode_[as_size(k)].direction == 0 && !(friction.size_of(multipliers_.data() + dynamics_.m(), k) <
                                                (1 - kMargin) * friction.static_coefficient(k) * std::abs(N)))
        return false;
    }
    double most = 0;
    for (const std::size_t row : pressing_) most = std::max(most, std::abs(multipliers_[row]));
    return std::ranges::all_of(pressing_, [&](std::size_t row) { return multipliers_[row] > kMargin * most; });
  }

  const std::string& name(int j) const { return dynamics_.names().frictions[as_size(j)]; }
  std::string amount(int j, double force) const {
    const std::vector<std::string>& units = dynamics_.names().friction_units;
    const std::string unit = as_size(j) < units.size() && !units[as_size(j)].empty() ? " " + units[as_size(j)] : "";
    return to_text(force, 4) + unit;
  }

  const Dynamics& dynamics_;
  const FrictionMode& mode_;
  const State state_;
  const std::vector<std::size_t>& pressing_;
  Workspace workspace_;
  std::vector<double> qdd_, multipliers_;
  std::vector<int> loads_;      // signs of the normal forces at rest
  std::vector<double> forces_;  // of the frictions at rest
};

}  // namespace

void judge_static_friction(const Dynamics& dynamics, const FrictionMode& mode, const MotionPoint& at,
                           const std::vector<std::size_t>& pressing, Stability& stability) {
  if (stability.verdict == StabilityVerdict::kNone) return;
  if (std::ranges::none_of(mode, [](const FrictionState& state) { return state.direction == 0; })) return;
  Grips(dynamics, mode, at, pressing).judge(stability);
}

}  // namespace dalembert
