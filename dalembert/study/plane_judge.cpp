// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/plane_judge.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "dalembert/analyze/stability/linearize.h"
#include "dalembert/analyze/stability/slopes.h"
#include "dalembert/analyze/stability/stability.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/study/friction_at.h"
#include "dalembert/study/steady_at.h"

namespace dalembert {
namespace {

// Linearises at the equilibrium that is `near` a state.
Result<LinearMotion> linearize_near(const SteadySystem& steady, const State& state, double near) {
  Result<LinearMotion> motion = linearize(steady, state);
  if (!motion || motion->kind != MotionKind::kState) return motion;
  // The point of a drawing may be off by more than round-off.
  SteadyOptions options{.damped = steady.left_out.empty() ? 0 : 40};
  for (const double v : state.v) options.hold_velocity.push_back(v == 0);
  const SteadyState found = solve_steady(steady, point_at(*steady.dynamics, state), options);
  if (!found.found) return motion;
  const auto apart = [](const std::vector<double>& a, const std::vector<double>& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
    return most;
  };
  if (!(std::max(apart(found.at.q, state.q), apart(found.at.v, state.v)) <= near)) return motion;
  return linearize(steady, state_of(found.at));
}

}  // namespace

PlaneJudge::PlaneJudge(const SystemAt& given) : given_(given) {
  if (given.system.equations.frictions.empty()) derivatives_.emplace(given.system.equations);
}

std::optional<PlaneStability> PlaneJudge::judge(const State& state, double near) const {
  SystemAt at = given_;
  at.state = state;
  if (!project(at.system.dynamics, at.state).ok) return PlaneStability::kUndecided;
  if (derivatives_) return judge(at, *derivatives_, near);
  const Result<SystemAt> held = hold_frictions(std::move(at));
  if (!held) return PlaneStability::kUndecided;
  return judge(*held, EquationDerivatives(held->system.equations), near);
}

std::optional<PlaneStability> PlaneJudge::judge(const SystemAt& at, const EquationDerivatives& derivatives,
                                                double near) const {
  const SteadyAt steady(at, at.system.dynamics, derivatives);
  const Result<LinearMotion> motion = linearize_near(*steady, at.state, near);
  if (!motion) return PlaneStability::kUndecided;
  if (motion->kind == MotionKind::kState) return std::nullopt;
  Stability stability = judge_stability(*steady, at.system.equations, *motion);
  judge_static_friction(at, *motion, stability);
  switch (stability.verdict) {
    case StabilityVerdict::kUnstable:
      return PlaneStability::kUnstable;
    case StabilityVerdict::kAsymptoticallyStable:
    case StabilityVerdict::kStable:
      // Of two zeros one is that of a cyclic coordinate, along which it drifts: stable is then the steady motion, not the point of the plane.
      return stability.zeros < 2 ? PlaneStability::kStable : PlaneStability::kUndecided;
    default:
      return PlaneStability::kUndecided;
  }
}

}  // namespace dalembert
