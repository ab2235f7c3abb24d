// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/stability/lost_inertia.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "dalembert/analyze/stability/matrix.h"
#include "dalembert/base/numeric.h"
#include "dalembert/base/text.h"
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

// A position beside that of the state, in no special direction.
std::vector<double> displaced_beside(const Dynamics& dynamics, const State& state, Workspace& workspace) {
  std::vector<double> q = state.q, step(index(dynamics.nv()));
  for (std::size_t i = 0; i < step.size(); ++i) step[i] = kBeside * (1 + 0.37 / static_cast<double>(i + 1));
  displace(dynamics, state.t, q.data(), step.data(), workspace);
  return q;
}

}  // namespace

std::optional<int> find_lost_inertia(const SteadySystem& system, const State& state) {
  const Dynamics& dynamics = *system.dynamics;
  Workspace workspace(dynamics);
  const std::vector<double> q = displaced_beside(dynamics, state, workspace);
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

namespace {

// The motion v that the constraints allow and that has no inertia, M v = 0 and W v = 0, as "psi' = 1 with ph' = -1 has no inertia at this position …".
// Empty where there is none, where it is that of one velocity alone, or where the system is too large for a dense solve.
std::string describe_motion_without_inertia(const Dynamics& dynamics, const State& state) {
  Workspace workspace(dynamics);
  DenseWorkspace* dense = workspace.dense(dynamics);
  if (dense == nullptr) return "";
  evaluate_mass(dynamics, state.t, state.q.data(), state.v.data(), workspace);
  evaluate_velocity(dynamics, state.t, state.q.data(), workspace);
  dense->spread_M(workspace.M);
  dense->spread_W(workspace.W);
  const std::size_t n = index(dynamics.nv()), m = index(dynamics.m());
  std::vector<double> size(n, 1.0);
  for (std::size_t i = 0; i < n; ++i)
    if (dense->M[i * n + i] > 0) size[i] = 1 / std::sqrt(dense->M[i * n + i]);
  Matrix rows(n + m, n);
  for (std::size_t i = 0; i < n + m; ++i) {
    double norm = 0;
    for (std::size_t j = 0; j < n; ++j) {
      rows(i, j) = (i < n ? dense->M[i * n + j] * size[i] : dense->W[(i - n) * n + j]) * size[j];
      norm = std::hypot(norm, rows(i, j));
    }
    for (std::size_t j = 0; i >= n && norm > 0 && j < n; ++j) rows(i, j) /= norm;
  }
  if (!std::isfinite(largest(rows))) return "";
  const Matrix still = null_space(rows, kMatrixRank);
  if (still.cols == 0) return "";
  std::vector<double> v(n);
  double most = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (v[i] = still(i, 0) * size[i]; std::abs(v[i]) > std::abs(most)) most = v[i];
  std::vector<std::string> named;
  for (std::size_t i = 0; i < n; ++i)
    if (v[i] /= most; std::abs(v[i]) > 1e-6)
      named.push_back(fmt::format("{} = {}", dynamics.names().velocity(i), to_text(v[i], 6)));
  if (named.size() < 2) return "";
  const std::vector<double> beside = displaced_beside(dynamics, state, workspace);
  evaluate_mass(dynamics, state.t, beside.data(), state.v.data(), workspace);
  dense->spread_M(workspace.M);
  double inertia = 0, terms = 0;
  for (std::size_t i = 0; i < n; ++i) {
    terms += std::abs(dense->M[i * n + i]) * v[i] * v[i];
    for (std::size_t j = 0; j < n; ++j) inertia += v[i] * dense->M[i * n + j] * v[j];
  }
  return fmt::format("the motion {} has no inertia at this position{}", join_words(named),
                     inertia > 1e-12 * terms
                         ? ", and has some beside it: these coordinates do not describe the motions from here"
                         : "");
}

}  // namespace

std::string describe_lost_inertia(const std::string& velocity) {
  return fmt::format(
      "`{}` has no inertia at this position, and has some beside it: these coordinates do not describe the motions "
      "from here",
      velocity);
}

Diagnostic nothing_to_linearise(const Dynamics& dynamics, const State& state, KktStatus status) {
  Diagnostic problem = error("E0307", fmt::format("there is nothing to linearise at this state: {}", to_text(status)));
  if (status == KktStatus::kSingular) {
    const std::string motion = describe_motion_without_inertia(dynamics, state);
    problem.notes.push_back(motion.empty() ? explain_no_inertia(dynamics, evaluate_terms(dynamics, state)) : motion);
  }
  return problem;
}

}  // namespace dalembert
