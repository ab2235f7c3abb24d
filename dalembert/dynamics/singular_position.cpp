// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/singular_position.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "dalembert/base/numeric.h"
#include "dalembert/dynamics/dense.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {
namespace {

using Vector = std::vector<double>;

// Rank tolerances for rows scaled to norm 1. A rank that drops at kNearlySingular hints at a singular position nearby.
// At the singular position itself the rank must drop already at kSingularRows.
constexpr double kNearlySingular = 1e-4, kSingularRows = 1e-9;
// Step of the finite differences of W, and the largest allowed distance to the singular
// position, in units of √residual.
constexpr double kDifference = 1e-5, kFar = 30;
constexpr int kMostIterations = 12;
// Largest number of unknowns of the equations (1) of singular_position.h; the dense solve is cheap up to here.
constexpr std::size_t kMostUnknowns = 500;

class Deflation {
 public:
  Deflation(const Dynamics& dynamics, double t, const std::vector<bool>& hold, Workspace& workspace)
      : dynamics_(dynamics), t_(t), workspace_(workspace), rows_(dynamics.layout().holonomic) {
    const Layout& layout = dynamics.layout();
    std::vector<bool> held(index(layout.nv));
    if (!hold.empty() && layout.v_is_qdot) held = hold;
    if (!hold.empty() && !layout.v_is_qdot)
      for (std::size_t k = 0; k < layout.N.row.size(); ++k)
        if (hold[index(layout.N.row[k])]) held[index(layout.N.col[k])] = true;
    for (int i = 0; i < layout.nv; ++i)
      if (!held[index(i)]) free_.push_back(i);
  }

  bool run(Vector& q) {
    if (rows_.empty() || free_.empty() || !evaluate(q)) return false;
    const int regular = rank(kSingularRows), clear = rank(kNearlySingular);
    if (clear == regular) return false;
    if (free_.size() * (1 + free_.size() - index(clear)) > kMostUnknowns) return false;
    residual_ = 0;
    for (std::size_t k = 0; k < rows_.size(); ++k)
      residual_ = std::max(residual_, std::max(std::abs(workspace_.h[k]), noise(k, q)) * scale_[k]);
    start_motions(clear);
    Vector to = q;
    for (int iteration = 0; iteration < kMostIterations; ++iteration) {
      const double moved = step(to);
      if (!std::isfinite(moved) || !(distance(q, to) <= kFar * std::sqrt(residual_))) return false;
      if (moved <= 1e-15) break;
    }
    if (!evaluate(to) || rank(kSingularRows) != clear) return false;
    for (std::size_t k = 0; k < rows_.size(); ++k)
      if (!(std::abs(workspace_.h[k]) <= noise(k, to))) return false;
    q = std::move(to);
    return true;
  }

 private:
  // Evaluates h, and W on the free velocities with rows scaled to norm 1.
  bool evaluate(const Vector& q) {
    evaluate_position(dynamics_, t_, q.data(), workspace_);
    evaluate_velocity(dynamics_, t_, q.data(), workspace_);
    if (!all_finite(workspace_.h) || !all_finite(workspace_.W)) return false;
    const std::size_t f = free_.size();
    Vector row(index(dynamics_.nv()));
    const bool first = scale_.empty();
    if (first) scale_.assign(rows_.size(), 1);
    W_.assign(rows_.size() * f, 0);
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      std::fill(row.begin(), row.end(), 0.0);
      double norm = 0;
      workspace_.W_rows.for_each(rows_[k], workspace_.W, [&](int i, double w) { row[index(i)] = w; });
      for (std::size_t j = 0; j < f; ++j) norm = std::hypot(norm, row[index(free_[j])]);
      // A row that nearly vanishes here stays unscaled: it may be zero in the singular position.
      if (first) scale_[k] = norm > kNearlySingular ? 1 / norm : 1;
      for (std::size_t j = 0; j < f; ++j) W_[k * f + j] = row[index(free_[j])] * scale_[k];
    }
    return true;
  }

  double noise(std::size_t k, const Vector& q) const {
    return std::max(64 * kEps * position_magnitude(dynamics_, workspace_, k, q.data()), 1e-15 / scale_[k]);
  }

  // Rank of W as last evaluated; qr_ keeps its factors.
  int rank(double tolerance) {
    const auto f = static_cast<int>(free_.size()), m = static_cast<int>(rows_.size());
    qr_.resize(f, m);
    for (int k = 0; k < m; ++k) std::copy_n(W_.data() + index(k) * index(f), f, qr_.column(k));
    const int factored = qr_.factor_pivoted(0, std::min(m, f));
    int found = 0;
    while (found < factored && std::abs(qr_.R(found, found)) > tolerance) ++found;
    return found;
  }

  void start_motions(int rank) {
    for (int k = rank; k < static_cast<int>(free_.size()); ++k) {
      Vector v(free_.size());
      v[index(k)] = 1;
      qr_.apply_Q(v.data());
      V_.push_back(std::move(v));
    }
    B_ = V_;
  }

  Vector displaced(const Vector& q, const Vector& step, double by) {
    Vector to = q, whole(index(dynamics_.nv()));
    for (std::size_t j = 0; j < free_.size(); ++j) whole[index(free_[j])] = by * step[j];
    displace(dynamics_, t_, to.data(), whole.data(), workspace_);
    return to;
  }

  // Takes one Gauss–Newton step for the equations (1). Returns the largest component of the displacement.
  double step(Vector& q) {
    if (!evaluate(q)) return std::nan("");
    const std::size_t f = free_.size(), m = rows_.size(), d = V_.size();
    const std::size_t equations = m * (1 + d) + d * d, unknowns = f * (1 + d);
    HouseholderQr system;
    system.resize(static_cast<int>(equations), static_cast<int>(unknowns));
    for (std::size_t j = 0; j < unknowns; ++j) std::fill_n(system.column(static_cast<int>(j)), equations, 0.0);
    Vector right(equations);
    const Vector W = W_;
    for (std::size_t k = 0; k < m; ++k) {
      right[k] = -workspace_.h[k] * scale_[k];
      for (std::size_t e = 0; e < d; ++e)
        for (std::size_t j = 0; j < f; ++j) right[m * (1 + e) + k] -= W[k * f + j] * V_[e][j];
    }
    for (std::size_t e = 0; e < d; ++e)
      for (std::size_t b = 0; b < d; ++b) {
        double product = 0;
        for (std::size_t j = 0; j < f; ++j) product += B_[b][j] * V_[e][j];
        right[m * (1 + d) + e * d + b] = (e == b ? 1 : 0) - product;
      }
    for (std::size_t j = 0; j < f; ++j) {
      Vector one(f);
      one[j] = 1;
      double* column = system.column(static_cast<int>(j));
      for (std::size_t k = 0; k < m; ++k) column[k] = W[k * f + j];
      const double by = kDifference * std::max(1.0, dynamics_.layout().v_is_qdot ? std::abs(q[index(free_[j])]) : 1.0);
      for (const double side : {1.0, -1.0}) {
        if (!evaluate(displaced(q, one, side * by))) return std::nan("");
        for (std::size_t k = 0; k < m; ++k)
          for (std::size_t e = 0; e < d; ++e)
            for (std::size_t i = 0; i < f; ++i) column[m * (1 + e) + k] += side * W_[k * f + i] * V_[e][i] / (2 * by);
      }
      for (std::size_t e = 0; e < d; ++e) {
        double* of_motion = system.column(static_cast<int>(f * (1 + e) + j));
        for (std::size_t k = 0; k < m; ++k) of_motion[m * (1 + e) + k] = W[k * f + j];
        for (std::size_t b = 0; b < d; ++b) of_motion[m * (1 + d) + e * d + b] = B_[b][j];
      }
    }
    const int rank = system.factor_pivoted(1e-9, static_cast<int>(std::min(equations, unknowns)));
    system.apply_Qt(right.data());
    Vector solved(unknowns), by(static_cast<std::size_t>(rank));
    for (int i = rank - 1; i >= 0; --i) {
      double s = right[index(i)];
      for (int k = i + 1; k < rank; ++k) s -= system.R(i, k) * by[index(k)];
      by[index(i)] = s / system.R(i, i);
      solved[index(system.pivot(i))] = by[index(i)];
    }
    double moved = 0;
    for (std::size_t j = 0; j < f; ++j) moved = std::max(moved, std::abs(solved[j]));
    q = displaced(q, solved, 1);
    for (std::size_t e = 0; e < d; ++e)
      for (std::size_t j = 0; j < f; ++j) V_[e][j] += solved[f * (1 + e) + j];
    return moved;
  }

  static double distance(const Vector& a, const Vector& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      most = std::max(most, std::abs(b[i] - a[i]) / std::max(1.0, std::abs(a[i])));
    return most;
  }

  const Dynamics& dynamics_;
  const double t_;
  Workspace& workspace_;
  const std::vector<int>& rows_;
  std::vector<int> free_;
  Vector scale_, W_;  // scale of each row; W_: rows × free velocities
  HouseholderQr qr_;
  std::vector<Vector> V_, B_;
  double residual_ = 0;
};

}  // namespace

bool reach_singular_position(const Dynamics& dynamics, double t, std::vector<double>& q,
                             const std::vector<bool>& hold_position) {
  if (dynamics.nv() + dynamics.m() > kSmallSystem) return false;
  Workspace workspace(dynamics);
  return reach_singular_position(dynamics, t, q, workspace, hold_position);
}

bool reach_singular_position(const Dynamics& dynamics, double t, std::vector<double>& q, Workspace& workspace,
                             const std::vector<bool>& hold_position) {
  if (dynamics.nv() + dynamics.m() > kSmallSystem) return false;
  return Deflation(dynamics, t, hold_position, workspace).run(q);
}

}  // namespace dalembert
