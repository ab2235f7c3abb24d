// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/stability/rank_loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dalembert/analyze/constraints.h"
#include "dalembert/analyze/stability/slopes.h"
#include "dalembert/dynamics/motion_branches.h"
#include "dalembert/dynamics/singular_position.h"

namespace dalembert {
namespace {

// Rows of W whose pivots are all larger than this are clearly independent, and are not examined further.
constexpr double kClearlyIndependent = 1e-4;
// Rows of W that differ by less than this differ by round-off only.
constexpr double kRowRoundoff = 1e-13;
// Forces count as balanced by multipliers if what remains of them is below this fraction of the largest force.
constexpr double kBalanced = 1e-8;

// W in units of the inertia, with rows of norm 1; a row that nearly vanishes has its norm beside that of the largest.
Matrix scaled_rows(const SteadySystem& system, const Slopes& slopes) {
  Matrix W = block(slopes.all, system.derivatives->rows().w, system.derivatives->columns().v, system.m(), system.nv());
  double largest_norm = 0;
  std::vector<double> norms;
  for (std::size_t j = 0; j < W.rows; ++j) {
    double norm = 0;
    for (std::size_t i = 0; i < W.cols; ++i) {
      W(j, i) *= slopes.v_size[i];
      norm = std::hypot(norm, W(j, i));
    }
    norms.push_back(norm);
    largest_norm = std::max(largest_norm, norm);
  }
  for (std::size_t j = 0; j < W.rows; ++j)
    for (std::size_t i = 0; i < W.cols && largest_norm > 0; ++i)
      W(j, i) /= norms[j] > kClearlyIndependent * largest_norm ? norms[j] : largest_norm;
  return W;
}

double norm_of_row(const Matrix& rows, std::size_t j) {
  double norm = 0;
  for (std::size_t i = 0; i < rows.cols; ++i) norm = std::hypot(norm, rows(j, i));
  return norm;
}

bool balances(const SteadySystem& system, const State& at) {
  MotionPoint point = point_at(*system.dynamics, at);
  std::ranges::fill(point.v, 0.0);
  std::ranges::fill(point.vdot, 0.0);
  std::ranges::fill(point.lambda, 0.0);
  const Slopes slopes(*system.derivatives, *system.dynamics, point);
  const std::vector<double> values = system.derivatives->values(*system.dynamics, point);
  const Matrix by_lambda =
      block(slopes.all, system.derivatives->rows().r, system.derivatives->columns().lambda, system.nv(), system.m());
  Matrix A = by_lambda, b(system.nv(), 1);
  double size = 0;
  for (std::size_t i = 0; i < A.rows; ++i) {
    b(i, 0) = -values[system.derivatives->rows().r + i] * slopes.v_size[i];
    size = std::max(size, std::abs(b(i, 0)));
    for (std::size_t j = 0; j < A.cols; ++j) A(i, j) *= slopes.v_size[i] * slopes.row_size[j];
  }
  const Matrix left = A * solve_least(A, b, kBalanced);
  for (std::size_t i = 0; i < A.rows; ++i)
    if (!(std::abs(left(i, 0) - b(i, 0)) <= kBalanced * size)) return false;
  return true;
}

}  // namespace

RankLoss find_rank_loss(const SteadySystem& system, const State& state) {
  RankLoss loss{.at = state};
  if (system.m() == 0) return loss;
  const Slopes slopes(*system.derivatives, *system.dynamics, point_at(*system.dynamics, state));
  if (!std::isfinite(largest(slopes.all))) return loss;
  const Matrix W = scaled_rows(system, slopes);
  const Matrix by_row = transposed(W);
  if (largest(W) > 0 && pivot_columns(by_row, kClearlyIndependent).size() == W.rows) return loss;
  const std::vector<std::size_t> independent = pivot_columns(by_row, kRowRoundoff);
  loss.nearly_dependent = pivot_columns(by_row, kNearlyDependent).size() != independent.size();
  reach_singular_position(*system.dynamics, state.t, loss.at.q);
  const MotionBranches branches = find_motion_branches(*system.dynamics, loss.at);
  loss.lost = !branches.regular();
  loss.rank = branches.rank;
  loss.rank_nearby = branches.rank_nearby;
  if (loss.lost) loss.balanced = balances(system, loss.at);
  if (!loss.lost && as_size(loss.rank) == independent.size())
    for (std::size_t j = 0; j < W.rows; ++j)
      if (std::ranges::find(independent, j) == independent.end() && norm_of_row(W, j) <= kClearlyIndependent)
        loss.vanishing.push_back(j);
  return loss;
}

std::string describe(const RankLoss& loss) {
  if (loss.rank_nearby == 0)
    return fmt::format(
        "the constraints have rank {} here, and no position was found nearby: a linearisation is not valid", loss.rank);
  return fmt::format(
      "the constraints have rank {} here and {} nearby: motions branch, and a linearisation is not valid", loss.rank,
      loss.rank_nearby);
}

}  // namespace dalembert
