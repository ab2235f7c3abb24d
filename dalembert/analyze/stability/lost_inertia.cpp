// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/stability/lost_inertia.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "dalembert/base/numeric.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/dynamics/kkt_solver.h"
#include "dalembert/dynamics/terms.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {
namespace {

// An inertia that is this part of what it is at kBeside from the state, in rad or the unit of the coordinate, is round-off of 0: an inertia that vanishes with
// the square of the distance leaves 1e-26.
constexpr double kNothing = 1e-20, kBeside = 1e-3;

// The diagonal of M.
std::vector<double> inertias(const Dynamics& dynamics, const Workspace& workspace) {
  std::vector<double> diagonal(index(dynamics.nv()));
  const Pattern& M = dynamics.layout().M;
  for (std::size_t k = 0; k < workspace.M.size(); ++k)
    if (M.row[k] == M.col[k]) diagonal[index(M.row[k])] = workspace.M[k];
  return diagonal;
}

}  // namespace

std::optional<int> find_lost_inertia(const SteadySystem& system, const State& state) {
  const Dynamics& dynamics = *system.dynamics;
  Workspace workspace(dynamics);
  std::vector<double> q = state.q, step(index(dynamics.nv()));
  for (std::size_t i = 0; i < step.size(); ++i) step[i] = kBeside * (1 + 0.37 / static_cast<double>(i + 1));
  displace(dynamics, state.t, q.data(), step.data(), workspace);
  evaluate_mass(dynamics, state.t, q.data(), state.v.data(), workspace);
  const std::vector<double> beside = inertias(dynamics, workspace);
  evaluate_mass(dynamics, state.t, state.q.data(), state.v.data(), workspace);
  const std::vector<double> here = inertias(dynamics, workspace);
  std::optional<int> lost;
  for (std::size_t i = 0; i < here.size(); ++i)
    if (here[i] <= kNothing * beside[i] && beside[i] > 0) lost = lost ? lost : static_cast<int>(i);
  DenseWorkspace* dense = lost ? workspace.dense(dynamics) : nullptr;
  if (dense == nullptr) return std::nullopt;
  // Do the constraints determine what has no inertia?
  evaluate_velocity(dynamics, state.t, state.q.data(), workspace);
  dense->spread_M(workspace.M);
  dense->spread_W(workspace.W);
  const std::size_t n = here.size();
  for (std::size_t i = 0; i < n; ++i)
    if (here[i] <= kNothing * beside[i])
      for (std::size_t j = 0; j < n; ++j) dense->M[i * n + j] = dense->M[j * n + i] = 0;
  return dense->kkt.factor(dense->M.data(), dense->W.data()) == KktStatus::kSingular ? lost : std::nullopt;
}

std::string describe_lost_inertia(const std::string& velocity) {
  return fmt::format(
      "`{}` has no inertia at this position, and has some beside it: these coordinates do not describe the motions "
      "from here",
      velocity);
}

Diagnostic nothing_to_linearise(const Dynamics& dynamics, const State& state, KktStatus status) {
  Diagnostic problem = error("E0307", fmt::format("there is nothing to linearise at this state: {}", to_text(status)));
  if (status == KktStatus::kSingular)
    problem.notes.push_back(explain_no_inertia(dynamics, evaluate_terms(dynamics, state)));
  return problem;
}

}  // namespace dalembert
