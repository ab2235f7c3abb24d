// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/motion_branches.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "dalembert/base/numeric.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/dense.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {
namespace {

using Vector = std::vector<double>;

// Rows that depend on each other up to this, in the metric of masses and relative to their size beside the position.
constexpr double kDependentColumn = 1e-7;
// Positions beside it: so many, that far away relative to the size of the coordinates.
constexpr int kNearby = 4;
constexpr double kBeside = 0.02;
// (1) counts as satisfied up to this part of the size of its terms.
constexpr double kSatisfied = 1e-6;
// Entries of null vectors below this tie no row.
constexpr double kTied = 1e-6;

// Positions on the manifold beside the state.
std::vector<Vector> find_nearby(const Dynamics& dynamics, const State& state, Workspace& workspace) {
  std::vector<Vector> found;
  for (int k = 1; k <= kNearby; ++k) {
    State guess = state;
    Vector step(index(dynamics.nv()));
    double golden = 0.2 * k;
    for (std::size_t i = 0; i < step.size(); ++i) {
      golden = std::fmod(golden + 0.6180339887498949 * k, 1.0);
      step[i] = (2 * golden - 1) * kBeside * (dynamics.layout().v_is_qdot ? std::max(1.0, std::abs(state.q[i])) : 1.0);
    }
    displace(dynamics, state.t, guess.q.data(), step.data(), workspace);
    const Assembly assembly = assemble(dynamics, guess, {.restarts = 0});
    if (assembly.status != AssemblyStatus::kNoPosition && assembly.status != AssemblyStatus::kNotFinite)
      found.push_back(assembly.state.q);
  }
  return found;
}

class Finder {
 public:
  Finder(const Dynamics& dynamics, const State& state)
      : dynamics_(dynamics),
        state_(state),
        n_(dynamics.nv()),
        m_(dynamics.m()),
        workspace_(dynamics),
        column_scale_(index(n_), 1.0),
        row_scale_(index(m_), 0.0) {}

  MotionBranches run() {
    evaluate_mass(dynamics_, state_.t, state_.q.data(), state_.v.data(), workspace_);
    const Pattern& M = dynamics_.layout().M;
    for (std::size_t k = 0; k < workspace_.M.size(); ++k)
      if (M.row[k] == M.col[k] && workspace_.M[k] > 0) column_scale_[index(M.row[k])] = 1 / std::sqrt(workspace_.M[k]);

    const std::vector<Vector> nearby = find_nearby(dynamics_, state_, workspace_);
    for (const Vector& q : nearby) note_rows(q);
    note_rows(state_.q);
    for (const Vector& q : nearby) result_.rank_nearby = std::max(result_.rank_nearby, factor(q));
    result_.rank = factor(state_.q);
    if (!result_.singular()) return result_;
    find_null_vectors();
    if (!depends_on_time()) count_motions();
    return result_;
  }

 private:
  void note_rows(const Vector& q) {
    evaluate_velocity(dynamics_, state_.t, q.data(), workspace_);
    for (int r = 0; r < m_; ++r) {
      double sum = 0;
      workspace_.W_rows.for_each(r, workspace_.W,
                                 [&](int j, double w) { sum += std::pow(w * column_scale_[index(j)], 2); });
      row_scale_[index(r)] = std::max(row_scale_[index(r)], std::sqrt(sum));
    }
  }

  // Ŵᵀ P = Q R; the rank.
  int factor(const Vector& q) {
    evaluate_velocity(dynamics_, state_.t, q.data(), workspace_);
    qr_.resize(n_, m_);
    for (int r = 0; r < m_; ++r) {
      std::fill(qr_.column(r), qr_.column(r) + n_, 0.0);
      const double scale = row_scale_[index(r)] > 0 ? 1 / row_scale_[index(r)] : 1;
      workspace_.W_rows.for_each(r, workspace_.W,
                                 [&](int j, double w) { qr_.column(r)[j] = w * column_scale_[index(j)] * scale; });
    }
    // Rows are at most 1 long: one that vanishes alone counts as well.
    const int factored = qr_.factor_pivoted(0, m_);
    int rank = 0;
    while (rank < factored && std::abs(qr_.R(rank, rank)) > kDependentColumn) ++rank;
    return rank;
  }

  // uᵀW = 0 and W v = 0, from the factors at the state.
  void find_null_vectors() {
    const int rank = result_.rank;
    for (int j = rank; j < m_; ++j) {
      Vector u(index(m_), 0.0), b(index(rank));
      u[index(qr_.pivot(j))] = 1;
      for (int i = rank - 1; i >= 0; --i) {
        double s = qr_.R(i, j);
        for (int k = i + 1; k < rank; ++k) s -= qr_.R(i, k) * b[index(k)];
        b[index(i)] = s / qr_.R(i, i);
        u[index(qr_.pivot(i))] = -b[index(i)];
      }
      for (int r = 0; r < m_; ++r)
        if (row_scale_[index(r)] > 0) u[index(r)] /= row_scale_[index(r)];
      left_.push_back(std::move(u));
    }
    for (int k = rank; k < n_; ++k) {
      Vector v(index(n_), 0.0);
      v[index(k)] = 1;
      qr_.apply_Q(v.data());
      for (int i = 0; i < n_; ++i) v[index(i)] *= column_scale_[index(i)];
      right_.push_back(std::move(v));
    }
    std::vector<char> tied(index(m_), 0);
    for (const Vector& u : left_)
      for (int r = 0; r < m_; ++r)
        if (std::abs(u[index(r)]) * row_scale_[index(r)] > kTied) tied[index(r)] = 1;
    for (int r = 0; r < m_; ++r)
      if (tied[index(r)] != 0) result_.rows.push_back(r);
  }

  // γ is more than quadratic terms in v then.
  bool depends_on_time() {
    const Vector rest(index(n_), 0.0);
    evaluate_rates(dynamics_, state_.t, state_.q.data(), rest.data(), workspace_);
    const bool moving = std::any_of(workspace_.gamma.begin(), workspace_.gamma.end(), [](double g) { return g != 0; });
    evaluate_velocity(dynamics_, state_.t, state_.q.data(), workspace_);
    return moving || std::any_of(workspace_.a.begin(), workspace_.a.end(), [](double a) { return a != 0; });
  }

  // uᵀγ(v), and the size of its terms.
  double form(const Vector& u, const Vector& v, double* size = nullptr) {
    evaluate_rates(dynamics_, state_.t, state_.q.data(), v.data(), workspace_);
    double sum = 0, terms = 0;
    for (int r = 0; r < m_; ++r) {
      const double term = u[index(r)] * workspace_.gamma[index(r)];
      sum += term;
      terms += std::abs(term);
    }
    if (size != nullptr) *size = terms;
    return sum;
  }

  static Vector combine(double a, const Vector& x, double b, const Vector& y) {
    Vector sum(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) sum[i] = a * x[i] + b * y[i];
    return sum;
  }

  void judge_velocity() {
    const Vector& v = state_.v;
    if (std::all_of(v.begin(), v.end(), [](double x) { return x == 0; })) {
      result_.given = MotionBranches::Given::kRest;
      return;
    }
    result_.given = MotionBranches::Given::kOne;
    for (const Vector& u : left_) {
      double size = 0, square = 0;
      const double value = form(u, v, &size);
      // Against what a velocity as large as this could give.
      for (std::size_t i = 0; i < v.size(); ++i) square += std::pow(v[i] / column_scale_[i], 2);
      double largest = 0;
      for (const Vector& w : right_) largest = std::max(largest, std::abs(form(u, w)) * square);
      if (std::abs(value) > kSatisfied * std::max(size, largest)) result_.given = MotionBranches::Given::kNone;
    }
  }

  void count_motions() {
    judge_velocity();
    if (right_.size() != 2) return;
    // The form with the largest coefficients; those of rows that are always redundant vanish.
    double A = 0, B = 0, C = 0, most = 0;
    for (const Vector& u : left_) {
      const double a = form(u, right_[0]), c = form(u, right_[1]),
                   b = form(u, combine(1, right_[0], 1, right_[1])) - a - c;
      const double size = std::abs(a) + std::abs(b) + std::abs(c);
      if (!(size > most)) continue;
      A = a, B = b, C = c, most = size;
    }
    result_.counted = most > 0;
    const double discriminant = B * B - 4 * A * C;
    if (!result_.counted || discriminant < -kSatisfied * most * most) return;
    // α : β, by the root that does not cancel.
    const double root = std::sqrt(std::max(discriminant, 0.0)), q = -(B + std::copysign(root, B)) / 2;
    std::vector<std::pair<double, double>> ratios{{q, A}};
    if (discriminant > kSatisfied * most * most) ratios.emplace_back(C, q);
    for (const auto& [alpha, beta] : ratios) {
      Vector v = combine(alpha, right_[0], beta, right_[1]);
      double largest = 0;
      for (const double x : v)
        if (std::abs(x) > std::abs(largest) * (1 + 1e-9)) largest = x;
      if (largest == 0) continue;
      for (double& x : v) {
        x /= largest;
        if (std::abs(x) < 1e-12) x = 0;
      }
      result_.directions.push_back(std::move(v));
    }
  }

  const Dynamics& dynamics_;
  const State& state_;
  const int n_, m_;
  Workspace workspace_;
  Vector column_scale_, row_scale_;
  HouseholderQr qr_;
  std::vector<Vector> left_, right_;
  MotionBranches result_;
};

}  // namespace

MotionBranches find_motion_branches(const Dynamics& dynamics, const State& state) {
  if (dynamics.m() == 0 || dynamics.nv() + dynamics.m() > kSmallSystem) return {};
  return Finder(dynamics, state).run();
}

}  // namespace dalembert
