// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/constraints.h"

#include <algorithm>
#include <cmath>

#include "dalembert/analyze/integrability/rows_that_follow.h"
#include "dalembert/analyze/stability/matrix.h"
#include "dalembert/base/numeric.h"
#include "dalembert/derive/null_space.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/terms.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {
namespace {

// A row that is shorter than this, relative to the longest one, consists of round-off (dynamics/kkt.h).
constexpr double kRoundoffRow = 1e-14;
// A holonomic row that is shorter than this, relative to the longest of them, nearly vanishes.
constexpr double kShortRow = 1e-6;
// A row follows from the rows before it if its distance from their span is below (kRoundoffDistance + kOfPosition ·
// e)/d. Here e is the relative change of W that the error of the position may cause, and d is the smallest distance of
// an independent row from the span of the rows before it.
constexpr double kRoundoffDistance = 1e-13, kOfPosition = 10;

double length_of(const std::vector<double>& x) {
  double sum = 0;
  for (const double entry : x) sum = std::hypot(sum, entry);
  return sum;
}

// For each row of W the relative change that the error of the position may cause. Residuals and round-off of h show how
// large this error may be; those of a row that nearly vanishes, as the square of another, say little of others.
std::vector<double> position_noise(const Dynamics& dynamics, const State& state,
                                   const std::vector<std::vector<double>>& W) {
  const std::vector<int>& holonomic = dynamics.layout().holonomic;
  std::vector<double> noise(W.size());
  if (holonomic.empty()) return noise;
  Workspace workspace(dynamics);
  evaluate_position(dynamics, state.t, state.q.data(), workspace);
  evaluate_velocity(dynamics, state.t, state.q.data(), workspace);
  double longest = 0;
  for (const int row : holonomic) longest = std::max(longest, length_of(W[index(row)]));
  double error = 0, error_of_all = 0;
  for (std::size_t k = 0; k < holonomic.size(); ++k) {
    const double length = length_of(W[index(holonomic[k])]);
    const double size = 4 * kEps * position_magnitude(dynamics, workspace, k, state.q.data());
    const double here = length > 0 ? std::max(std::abs(workspace.h[k]), size) / length : 0;
    error_of_all = std::max(error_of_all, here);
    if (length > kShortRow * longest) error = std::max(error, here);
  }
  // The change of W is measured over a small step, and scaled to the size of the error.
  constexpr double kBesideBy = 1e-6;
  std::vector<double> beside = state.q;
  double golden = 0.3;
  for (double& q : beside) {
    golden = std::fmod(golden + 0.6180339887498949, 1.0);
    q += (golden < 0.5 ? -1 : 1) * std::max(kBesideBy, 64 * kEps * std::abs(q));
  }
  evaluate_velocity(dynamics, state.t, beside.data(), workspace);
  for (std::size_t j = 0; j < W.size(); ++j) {
    std::vector<double> change = W[j];
    workspace.W_rows.for_each(static_cast<int>(j), workspace.W, [&](int i, double w) { change[index(i)] -= w; });
    const double length = length_of(W[j]);
    if (length > 0)
      noise[j] = length_of(change) / length * (length > kShortRow * longest ? error : error_of_all) / kBesideBy;
  }
  return noise;
}

// Writes row j of W as a combination of the independent rows, and checks whether the entries of a and γ (in
// W v + a = 0 and W v̇ + γ = 0) satisfy the same combination.
RedundantRow as_combination(std::size_t j, const std::vector<std::size_t>& basis,
                            const std::vector<std::vector<double>>& W, const Terms& terms) {
  const std::size_t n = W[j].size();
  Matrix rows(n, basis.size()), right(n, 1);
  double size = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < basis.size(); ++k) rows(i, k) = W[basis[k]][i];
    right(i, 0) = W[j][i];
    size = std::max(size, std::abs(W[j][i]));
  }
  const Matrix solved = solve_least(rows, right, kEps);
  RedundantRow redundant;
  redundant.row = static_cast<int>(j);
  double of_a = terms.a[j], of_gamma = terms.gamma[j], a_size = std::abs(of_a), gamma_size = std::abs(of_gamma);
  for (std::size_t k = 0; k < basis.size(); ++k) {
    double coefficient = solved(k, 0);
    if (std::abs(coefficient) < 1e-12) continue;
    // A coefficient that is an integer, or half of one, up to round-off is rounded.
    if (std::abs(2 * coefficient - std::round(2 * coefficient)) < 1e-12) coefficient = std::round(2 * coefficient) / 2;
    redundant.combination.emplace_back(static_cast<int>(basis[k]), coefficient);
    of_a -= coefficient * terms.a[basis[k]];
    of_gamma -= coefficient * terms.gamma[basis[k]];
    a_size += std::abs(coefficient * terms.a[basis[k]]);
    gamma_size += std::abs(coefficient * terms.gamma[basis[k]]);
  }
  redundant.consistent =
      std::abs(of_a) <= 1e-9 * std::max(size, a_size) && std::abs(of_gamma) <= 1e-9 * std::max(size, gamma_size);
  return redundant;
}

class RowsAtState {
 public:
  RowsAtState(const Dynamics& dynamics, const State& state)
      : n_(index(dynamics.nv())),
        terms_(evaluate_terms(dynamics, state)),
        W_(index(dynamics.m()), std::vector<double>(n_)) {
    const Pattern& places = dynamics.layout().W;
    for (std::size_t k = 0; k < terms_.W.size(); ++k) W_[index(places.row[k])][index(places.col[k])] = terms_.W[k];
    for (const std::vector<double>& row : W_) longest_ = std::max(longest_, length_of(row));
    bent_ = position_noise(dynamics, state, W_);
  }

  // Gram–Schmidt orthogonalisation in the order of the model, twice for each row. Rows marked in `follow` are
  // dependent, whatever the numbers say.
  ConstraintRank rank(const std::vector<bool>& follow) const {
    ConstraintRank found;
    std::vector<std::vector<double>> orthonormal;
    std::vector<std::size_t> basis;
    double most_bent = 0;
    for (std::size_t j = 0; j < W_.size(); ++j) {
      std::vector<double> rest = beside(orthonormal, W_[j]);
      const double distance = length_of(rest);
      const double bent = std::max(most_bent, bent_[j]);
      // The threshold kRoundoffDistance + kOfPosition · e, divided by the smallest distance among the independent rows
      // found so far.
      const double noise = (kRoundoffDistance + kOfPosition * bent) / found.least_independent;
      const bool redundant = follow[j] || !(distance > noise);
      if (redundant || distance < kNearlyDependent) {
        RedundantRow row = as_combination(j, basis, W_, terms_);
        row.distance = distance;
        row.exact = follow[j];
        (redundant ? found.redundant : found.nearly).push_back(std::move(row));
      }
      if (redundant) continue;
      most_bent = bent;
      found.least_independent = std::min(found.least_independent, distance);
      for (double& x : rest) x /= distance;
      orthonormal.push_back(std::move(rest));
      basis.push_back(j);
    }
    found.rank = static_cast<int>(basis.size());
    NullSpace null(n_);
    for (const std::vector<double>& row : orthonormal) null.add(row);
    found.free_motions = null.basis();
    reduce(found.free_motions);
    return found;
  }

 private:
  // The row scaled to norm 1, less its part in the span of the orthonormal rows; 0 for a row of round-off.
  std::vector<double> beside(const std::vector<std::vector<double>>& orthonormal, std::vector<double> row) const {
    const double length = length_of(row);
    if (!(length > kRoundoffRow * longest_)) return std::vector<double>(n_);
    for (double& x : row) x /= length;
    for (int pass = 0; pass < 2; ++pass)
      for (const std::vector<double>& with : orthonormal) {
        double along = 0;
        for (std::size_t i = 0; i < n_; ++i) along += row[i] * with[i];
        for (std::size_t i = 0; i < n_; ++i) row[i] -= along * with[i];
      }
    return row;
  }

  std::size_t n_;
  Terms terms_;
  std::vector<std::vector<double>> W_;
  double longest_ = 0;
  std::vector<double> bent_;
};

// Decides for the redundant rows whether they agree with the others nearby.
void look_nearby(const Equations& equations, const Dynamics& dynamics, const State& state, const RowsThatFollow& follow,
                 ConstraintRank& found) {
  std::vector<int> independent;
  for (int j = 0; j < dynamics.m(); ++j)
    if (std::ranges::find(found.redundant, j, &RedundantRow::row) == found.redundant.end()) independent.push_back(j);
  for (RedundantRow& row : found.redundant) {
    if (row.exact) row.consistent_nearby = follow.with_a[index(row.row)];
    if (!row.consistent_nearby) row.consistent_nearby = agrees_beside(equations, dynamics, state, independent, row.row);
  }
}

}  // namespace

ConstraintRank find_rank(const Dynamics& dynamics, const State& state, const Equations* equations) {
  const RowsAtState rows(dynamics, state);
  const std::size_t m = index(dynamics.m());
  ConstraintRank found = rows.rank(std::vector<bool>(m));
  if (equations == nullptr || (found.redundant.empty() && found.nearly.empty())) return found;
  const RowsThatFollow follow = rows_that_follow(*equations, dynamics, state);
  const auto others = std::ranges::count(follow.in_W, false);
  if (follow.in_W.size() == m && index(others) < m) {
    // The rank of W is nowhere higher than the number of rows that do not follow by formulas. Where these are
    // independent, the other rows follow exactly; at a singular position numbers decide.
    ConstraintRank exact = rows.rank(follow.in_W);
    if (exact.rank == others) found = std::move(exact);
  }
  look_nearby(*equations, dynamics, state, follow, found);
  return found;
}

}  // namespace dalembert
