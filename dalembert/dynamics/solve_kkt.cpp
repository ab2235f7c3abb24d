// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "dalembert/base/numeric.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/numbers.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/solve_in_kernel.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {
KktReport::KktReport(int m) : m_(m), rank_(m), independent_(index(m)), unique_(index(m), 1) {}

void KktReport::set(const KktSolver& solver) {
  rank_ = solver.rank();
  loss_ = 1 / (solver.independence() * solver.independence());
  residual_ = solver.residual();
  fast_ = solver.fast();
  if (rank_ == m_) return;
  for (int k = 0; k < rank_; ++k) independent_[index(k)] = solver.independent_row(k);
  for (int r = 0; r < m_; ++r) unique_[index(r)] = solver.lambda_unique(r) ? 1 : 0;
}

void KktReport::set(const KktSolver& solver, const std::vector<int>& rows) {
  set(solver);
  const int idle = m_ - static_cast<int>(rows.size());
  if (solver.rank() == solver.m()) {
    rank_ = m_;
    return;
  }
  std::fill(unique_.begin(), unique_.end(), 1);
  for (std::size_t k = 0; k < rows.size(); ++k)
    unique_[index(rows[k])] = solver.lambda_unique(static_cast<int>(k)) ? 1 : 0;
  for (int k = 0; k < solver.rank(); ++k) independent_[index(k)] = rows[index(solver.independent_row(k))];
  rank_ = solver.rank() + idle;
  int place = solver.rank();
  for (int r = 0; r < m_; ++r)
    if (!std::ranges::binary_search(rows, r)) independent_[index(place++)] = r;
}

KktStatus solve_kkt(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace,
                    double* qdd, double* lambda) {
  return solve_kkt_in_line(dynamics, t, q, v, workspace, qdd, lambda);
}

namespace {

// Solves systems with forces that depend on multipliers. The run sets the mode of the frictions;
// without a run the state decides.
KktStatus solve_with_friction(const Dynamics& dynamics, double t, const double* q, const double* v,
                              Workspace& workspace, double* qdd, double* lambda) {
  // Without a run, a friction is at rest if its sliding speed is below this, in its own unit.
  constexpr double kAtRest = 1e-12;
  FrictionSystem& friction = *workspace.friction;
  friction.evaluate(dynamics, t, q, v, workspace);
  if (!friction.held && friction.has_negative_inertia()) friction.decided = {};
  if (!friction.held && friction.count() > 0 && !friction.has_negative_inertia()) {
    std::vector<char> at_rest;
    friction.find_at_rest(kAtRest, at_rest);
    friction.decided = friction.decide(workspace.basis, at_rest);
    if (friction.decided.solutions.size() != 1) {
      std::fill_n(qdd, index(dynamics.nv()), 0.0);
      std::fill_n(lambda, index(dynamics.layout().multipliers()), 0.0);
      return all_finite(workspace.f) ? KktStatus::kParadox : KktStatus::kNotFinite;
    }
    friction.mode = friction.decided.solutions.front().mode;
  }
  const KktStatus status = friction.solve(workspace.basis, qdd, lambda);
  workspace.loss = 1 / (friction.independence() * friction.independence());
  if (!workspace.basis.all) return status;
  if (friction.rank() == friction.active()) {
    const double trust[2] = {1, workspace.loss};
    workspace.kkt.set_solved_by_kernel(trust);
  } else if (DenseWorkspace* dense = workspace.dense(dynamics)) {
    // Find the independent rows of W alone, without those of sticking frictions and of open contacts.
    dense->spread_M(workspace.M);
    dense->spread_W(workspace.W);
    BasisSolver& solver = dense->basis();
    workspace.find_acting_rows(dynamics);
    solver.gather(workspace.acting, dense->W.data(), workspace.gamma.data(), index(dynamics.nv()));
    if (solver.kkt.factor(dense->M.data(), solver.W.data()) == KktStatus::kSingular)
      solver.kkt.factor(dense->identity(), solver.W.data());
    workspace.kkt.set(solver.kkt, workspace.acting.rows);
  } else {
    // Redundant among themselves are the frictions that stick; rows of W that are, the kernel's steps do not trust.
    if (!dynamics.kernel().projects()) return KktStatus::kTooLarge;
    call_kernel(dynamics, KernelFunction::kVelocityStep, t, q, v, workspace, workspace.out.data());
    const double* trust = workspace.out.data() + StepPlaces(dynamics.layout(), index(dynamics.m())).trust;
    if (!trusted(trust)) return KktStatus::kTooLarge;
    workspace.kkt.set_solved_by_kernel(trust);
  }
  return status;
}

}  // namespace

KktStatus solve_kkt_densely(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace,
                            double* qdd, double* lambda) {
  if (workspace.friction) return solve_with_friction(dynamics, t, q, v, workspace, qdd, lambda);
  const RowBasis& basis = workspace.basis;
  const std::size_t n = index(dynamics.nv()), m = index(dynamics.m());
  evaluate_rates(dynamics, t, q, v, workspace);
  DenseWorkspace* dense = workspace.dense(dynamics);
  if (dense == nullptr) {
    std::fill(qdd, qdd + n, 0.0);
    std::fill(lambda, lambda + m, 0.0);
    const bool finite =
        all_finite(workspace.M) && all_finite(workspace.f) && all_finite(workspace.W) && all_finite(workspace.gamma);
    return finite ? KktStatus::kTooLarge : KktStatus::kNotFinite;
  }
  dense->spread_M(workspace.M);
  dense->spread_W(workspace.W);
  const int idle = dynamics.idle_rows();
  if (basis.all && idle == 0) {
    dense->kkt.factor(dense->M.data(), dense->W.data());
    const KktStatus status = dense->kkt.solve(workspace.f.data(), workspace.gamma.data(), qdd, lambda);
    workspace.kkt.set(dense->kkt);
    workspace.loss = workspace.kkt.loss();
    return status;
  }
  if (basis.all) workspace.find_acting_rows(dynamics);
  const RowBasis& used = basis.all ? workspace.acting : basis;
  BasisSolver& solver = dense->basis();
  solver.gather(used, dense->W.data(), workspace.gamma.data(), n);
  solver.kkt.factor(dense->M.data(), solver.W.data());
  const KktStatus status = solver.kkt.solve(workspace.f.data(), solver.values.data(), qdd, solver.lambda.data());
  workspace.loss = 1 / (solver.kkt.independence() * solver.kkt.independence());
  if (basis.all) workspace.kkt.set(solver.kkt, used.rows);
  std::fill(lambda, lambda + m, 0.0);
  for (std::size_t k = 0; k < used.rows.size(); ++k) lambda[used.rows[k]] = solver.lambda[k];
  return status;
}

namespace {

// Componentwise backward error (Oettli & Prager): the smallest relative change of the entries of M, W, f and γ, as the
// workspace holds them, for which q̈ and λ would be exact.
double backward_error(const Dynamics& dynamics, Workspace& workspace, const double* qdd, const double* lambda) {
  const Pattern& M = dynamics.layout().M;
  const std::size_t n = index(dynamics.nv()), m = index(dynamics.m());
  std::vector<double> left(workspace.f), size(n);
  for (std::size_t i = 0; i < n; ++i) size[i] = std::abs(left[i]);
  const auto take = [&](int i, double term) {
    left[index(i)] -= term;
    size[index(i)] += std::abs(term);
  };
  for (std::size_t k = 0; k < workspace.M.size(); ++k) take(M.row[k], workspace.M[k] * qdd[M.col[k]]);
  double worst = 0;
  const auto judge = [&](double rest, double terms) {
    if (rest != 0) worst = std::max(worst, std::abs(rest) / terms);
  };
  for (std::size_t r = 0; r < m; ++r) {
    double rest = workspace.gamma[r], terms = std::abs(rest);
    workspace.W_rows.for_each(static_cast<int>(r), workspace.W, [&](int j, double w) {
      take(j, -w * lambda[r]);
      rest += w * qdd[j];
      terms += std::abs(w * qdd[j]);
    });
    judge(rest, terms);
  }
  for (std::size_t i = 0; i < n; ++i) judge(left[i], size[i]);
  return worst;
}

}  // namespace

bool refine_kkt(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace, double* qdd,
                double* lambda) {
  // Backward error of rounding alone, with a few terms in each row.
  constexpr double kRounding = 32 * kEps;
  const int n = dynamics.nv(), m = dynamics.m();
  if (m == 0 || !workspace.basis.all || workspace.friction || n + m > kSmallSystem) return false;
  evaluate_rates(dynamics, t, q, v, workspace);
  const double error = backward_error(dynamics, workspace, qdd, lambda);
  if (!(error > kRounding)) return false;
  DenseWorkspace* dense = workspace.dense(dynamics);
  if (dense == nullptr) return false;
  dense->spread_M(workspace.M);
  dense->spread_W(workspace.W);
  KktSolver solver(n, m, {.rank_revealing_only = true});
  std::vector<double> other(index(n + m));
  if (solver.factor(dense->M.data(), dense->W.data()) != KktStatus::kOk || solver.rank() < m ||
      solver.solve(workspace.f.data(), workspace.gamma.data(), other.data(), other.data() + n) != KktStatus::kOk ||
      !(backward_error(dynamics, workspace, other.data(), other.data() + n) < error))
    return false;
  std::copy_n(other.data(), n, qdd);
  std::copy_n(other.data() + n, m, lambda);
  return true;
}

KktSolution solve_kkt(const Dynamics& dynamics, const State& state, Workspace& workspace) {
  KktSolution solution;
  solution.qdd.resize(index(dynamics.nv()));
  solution.lambda.resize(index(dynamics.layout().multipliers()));
  const std::int64_t fallbacks = workspace.fallbacks;
  solution.status = solve_kkt(dynamics, state.t, state.q.data(), state.v.data(), workspace, solution.qdd.data(),
                              solution.lambda.data());
  if (solution.status == KktStatus::kOk && workspace.kkt.rank() == dynamics.m())
    refine_kkt(dynamics, state.t, state.q.data(), state.v.data(), workspace, solution.qdd.data(),
               solution.lambda.data());
  solution.rank = solution.status == KktStatus::kTooLarge ? -1 : workspace.kkt.rank() - dynamics.idle_rows();
  solution.residual = workspace.kkt.residual();
  if (workspace.basis.all && dynamics.kernel().solves_kkt() && workspace.fallbacks == fallbacks) {
    evaluate_rates(dynamics, state.t, state.q.data(), state.v.data(), workspace);
    double sum = 0;
    for (int r = 0; r < dynamics.m(); ++r)
      sum += std::pow(workspace.W_rows.dot(r, workspace.W, solution.qdd.data()) + workspace.gamma[index(r)], 2);
    solution.residual = std::sqrt(sum);
  }
  if (workspace.friction) {
    solution.friction.assign(solution.lambda.begin() + dynamics.m(), solution.lambda.end());
    solution.lambda.resize(index(dynamics.m()));
    solution.friction_answer = workspace.friction->decided;
  }
  solution.lambda_unique.resize(index(dynamics.m()));
  for (int r = 0; r < dynamics.m(); ++r) solution.lambda_unique[index(r)] = workspace.kkt.lambda_unique(r);
  return solution;
}

KktSolution solve_kkt(const Dynamics& dynamics, const State& state) {
  Workspace workspace(dynamics);
  return solve_kkt(dynamics, state, workspace);
}

}  // namespace dalembert
