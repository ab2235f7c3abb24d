// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/optimize/multipliers.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace dalembert::optimizing {
namespace {

constexpr double kDependent = 1e-10, kGain = 1e-12;  // of unit columns

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// The least-squares solution for some columns, by Gram–Schmidt, twice; columns that depend on those before them get 0.
std::vector<double> least_squares(std::span<const std::vector<double>> columns, const std::vector<std::size_t>& some,
                                  const std::vector<double>& b) {
  const std::size_t count = some.size();
  std::vector<std::vector<double>> basis, r(count, std::vector<double>(count, 0.0));
  std::vector<double> right(count, 0.0), x(count, 0.0);
  for (std::size_t j = 0; j < count; ++j) {
    std::vector<double> q = columns[some[j]];
    const double size = std::sqrt(dot(q, q));
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t i = 0; i < j; ++i) {
        const double share = dot(basis[i], q);
        r[i][j] += share;
        for (std::size_t k = 0; k < q.size(); ++k) q[k] -= share * basis[i][k];
      }
    const double left = std::sqrt(dot(q, q));
    r[j][j] = left > kDependent * size ? left : 0;
    for (double& one : q) one = r[j][j] > 0 ? one / left : 0;
    right[j] = dot(q, b);
    basis.push_back(std::move(q));
  }
  for (std::size_t j = count; j-- > 0;) {
    if (r[j][j] == 0) continue;
    double sum = right[j];
    for (std::size_t k = j + 1; k < count; ++k) sum -= r[j][k] * x[k];
    x[j] = sum / r[j][j];
  }
  return x;
}

}  // namespace

std::vector<double> nonnegative_least_squares(std::span<const std::vector<double>> columns,
                                              const std::vector<double>& b) {
  std::vector<double> x(columns.size(), 0.0), rest = b;
  std::vector<std::size_t> chosen;
  std::vector<char> tried(columns.size(), 0);
  const double size = std::sqrt(dot(b, b));
  for (std::size_t round = 0; round < 3 * columns.size(); ++round) {
    // The column that reduces the residual most.
    std::size_t best = columns.size();
    double most = kGain * size;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const double length = std::sqrt(dot(columns[j], columns[j]));
      if (tried[j] != 0 || length == 0 || std::ranges::find(chosen, j) != chosen.end()) continue;
      if (const double gain = dot(columns[j], rest) / length; gain > most) {
        most = gain;
        best = j;
      }
    }
    if (best == columns.size()) break;
    chosen.push_back(best);
    for (;;) {
      const std::vector<double> solution = least_squares(columns, chosen, b);
      double step = 1;
      for (std::size_t i = 0; i < chosen.size(); ++i)
        if (solution[i] <= 0) step = std::min(step, x[chosen[i]] / (x[chosen[i]] - solution[i]));
      for (std::size_t i = 0; i < chosen.size(); ++i) x[chosen[i]] += step * (solution[i] - x[chosen[i]]);
      if (step == 1 && std::ranges::all_of(solution, [](double one) { return one > 0; })) break;
      std::erase_if(chosen, [&](std::size_t j) {
        if (x[j] > 0) return false;
        if (j == best) tried[j] = 1;  // it reduces nothing by more than round-off
        x[j] = 0;
        return true;
      });
    }
    rest = b;
    for (const std::size_t j : chosen)
      for (std::size_t k = 0; k < rest.size(); ++k) rest[k] -= x[j] * columns[j][k];
  }
  return x;
}

}  // namespace dalembert::optimizing
