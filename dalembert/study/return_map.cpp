// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/return_map.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "dalembert/dynamics/friction_system.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {
namespace {

constexpr double kDisplacement = 1e-6;  // of the differences of sliding speeds, relative to the motion

// A coordinate or velocity that moves less than this fraction of the largest motion in its group counts as moving by this fraction.
constexpr double kMinor = 1e-3;
// Rows of the largest Jordan block that is expected: a position that drifts at a rate which drifts as well.
constexpr std::size_t kMostInBlock = 3;

}  // namespace

std::vector<std::complex<double>> multipliers_of(const Matrix& map) {
  std::vector<std::complex<double>> values = eigenpairs(map).value;
  std::ranges::sort(values, [](const auto& a, const auto& b) {
    return std::abs(a) != std::abs(b) ? std::abs(a) > std::abs(b) : a.imag() > b.imag();
  });
  return values;
}

double largest_change(const std::vector<std::complex<double>>& values, std::vector<std::complex<double>> others) {
  double largest = 0;
  for (const std::complex<double>& value : values) {
    const auto nearest = std::ranges::min_element(others, {}, [&](const auto& z) { return std::abs(z - value); });
    largest = std::max(largest, std::abs(*nearest - value));
    others.erase(nearest);
  }
  return largest;
}

double uncertainty_of_clusters(const std::vector<std::complex<double>>& values, double error, double alone) {
  double uncertainty = 0;
  for (std::size_t rows = 2; rows <= kMostInBlock; ++rows) {
    const double reach = std::pow(error, 1.0 / static_cast<double>(rows));
    for (const std::complex<double>& value : values) {
      if (std::abs(std::abs(value) - 1) > reach) continue;
      std::size_t count = 0;
      double scatter = 0;
      for (const std::complex<double>& other : values) {
        const double distance = std::abs(other - value);
        if (distance > 2 * reach) continue;
        ++count;
        scatter = std::max(scatter, distance);
      }
      if (count >= rows && scatter > alone) uncertainty = std::max(uncertainty, reach);
    }
  }
  return uncertainty;
}

double largest_of(const std::vector<double>& values) {
  double most = 0;
  for (const double x : values) most = std::max(most, std::abs(x));
  return most;
}

double sum_of_magnitudes(const Matrix& map) {
  double sum = 0;
  for (std::size_t i = 0; i < map.rows; ++i)
    for (std::size_t j = 0; j < map.cols; ++j) sum += std::abs(map(i, j));
  return sum;
}

double sum_of_differences(Matrix map, const Matrix& other) {
  for (std::size_t i = 0; i < map.rows; ++i)
    for (std::size_t j = 0; j < map.cols; ++j) map(i, j) -= other(i, j);
  return sum_of_magnitudes(map);
}

std::vector<double> weights_of_motion(const Trajectory& run, const std::vector<bool>& ignored) {
  const std::size_t nq = run.q.size();
  std::vector<double> range(nq + run.v.size());
  double most[2] = {0, 0};
  for (std::size_t i = 0; i < range.size(); ++i) {
    const auto [low, high] = std::ranges::minmax_element(i < nq ? run.q[i] : run.v[i - nq]);
    range[i] = i < nq ? *high - *low : std::max(*high, -*low);
    most[i < nq ? 0 : 1] = std::max(most[i < nq ? 0 : 1], range[i]);
  }
  std::vector<double> weight(range.size());
  for (std::size_t i = 0; i < range.size(); ++i) {
    const double largest = most[i < nq ? 0 : 1];
    // Where nothing moves, neighbours may do so.
    const double size = largest > 0 ? std::max(range[i], kMinor * largest) : 1;
    weight[i] = (i < nq && ignored[i]) || !(size > 0) ? 0 : 1 / size;
  }
  return weight;
}

bool take_last_derivatives(const Trajectory& run, std::vector<std::vector<double>>& columns) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Sensitivity& by = run.sensitivities[k];
    const std::size_t nq = by.q.size();
    for (std::size_t i = 0; i < columns[k].size(); ++i) columns[k][i] = (i < nq ? by.q[i] : by.v[i - nq]).back();
    if (!std::ranges::all_of(columns[k], [](double x) { return std::isfinite(x); })) return false;
  }
  return true;
}

void add_orthonormal(std::vector<std::vector<double>>& columns, std::vector<double> column,
                     const std::vector<double>& weight) {
  for (int pass = 0; pass < 2; ++pass)
    for (const std::vector<double>& other : columns) {
      double product = 0;
      for (std::size_t i = 0; i < column.size(); ++i) product += column[i] * other[i] * weight[i] * weight[i];
      for (std::size_t i = 0; i < column.size(); ++i) column[i] -= product * other[i];
    }
  double size = 0;
  for (std::size_t i = 0; i < column.size(); ++i) size += std::pow(column[i] * weight[i], 2);
  for (double& x : column) x /= std::sqrt(size);
  columns.push_back(std::move(column));
}

std::size_t leave_out_sticking(const Dynamics& held, const State& at, std::vector<std::vector<double>>& columns) {
  using Vector = std::vector<double>;
  Workspace workspace(held);
  if (workspace.friction == nullptr || workspace.friction->count() == 0 || columns.empty()) return 0;
  FrictionSystem& friction = *workspace.friction;
  const auto evaluate = [&](const Vector& moved) {
    friction.evaluate(held, at.t, moved.data(), moved.data() + at.q.size(), workspace);
  };
  Vector y = at.q;
  y.insert(y.end(), at.v.begin(), at.v.end());
  evaluate(y);
  const KktSolution solution = solve_kkt(held, at);
  if (solution.friction_answer.solutions.size() != 1) return 0;
  std::vector<int> stuck;
  for (int j = 0; j < friction.count(); ++j)
    if (solution.friction_answer.solutions.front().mode[static_cast<std::size_t>(j)].direction == 0 &&
        !friction.is_idle(j))
      stuck.push_back(j);
  if (stuck.empty()) return 0;
  Matrix speeds(stuck.size(), columns.size());
  Vector before;
  for (const int j : stuck) before.push_back(friction.speed(j));
  for (std::size_t k = 0; k < columns.size(); ++k) {
    Vector moved = y;
    for (std::size_t i = 0; i < y.size(); ++i) moved[i] += kDisplacement * columns[k][i];
    evaluate(moved);
    for (std::size_t s = 0; s < stuck.size(); ++s)
      speeds(s, k) = (friction.speed(stuck[s]) - before[s]) / kDisplacement;
  }
  const Matrix kept = null_space(speeds, kDependentColumn);
  std::vector<Vector> combined(kept.cols, Vector(y.size()));
  for (std::size_t c = 0; c < kept.cols; ++c)
    for (std::size_t k = 0; k < columns.size(); ++k)
      for (std::size_t i = 0; i < y.size(); ++i) combined[c][i] += kept(k, c) * columns[k][i];
  columns = std::move(combined);
  return pivot_columns(speeds, kDependentColumn).size();
}

}  // namespace dalembert
