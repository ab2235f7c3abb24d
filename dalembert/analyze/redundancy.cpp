// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/redundancy.h"

#include <algorithm>
#include <cmath>

#include "dalembert/analyze/matrix.h"
#include "dalembert/derive/null_space.h"
#include "dalembert/dynamics/terms.h"

namespace dalembert {

ConstraintRank find_rank(const Dynamics& dynamics, const State& state) {
  ConstraintRank found;
  const Terms terms = evaluate_terms(dynamics, state);
  const Layout& layout = dynamics.layout();
  const auto n = static_cast<std::size_t>(layout.nv), m = static_cast<std::size_t>(layout.m);
  std::vector<std::vector<double>> W(m, std::vector<double>(n));
  for (std::size_t k = 0; k < terms.W.size(); ++k)
    W[static_cast<std::size_t>(layout.W.row[k])][static_cast<std::size_t>(layout.W.col[k])] = terms.W[k];

  NullSpace null(n);
  for (const std::vector<double>& row : W) null.add(row);
  found.free_motions = null.basis();
  reduce(found.free_motions);
  found.rank = static_cast<int>(n - null.dimension());

  const std::vector<int> dependent = dependent_rows(dynamics, state);
  std::vector<std::size_t> basis;
  for (std::size_t j = 0; j < m; ++j) {
    if (!std::ranges::binary_search(dependent, static_cast<int>(j))) {
      basis.push_back(j);
      continue;
    }
    Matrix rows(n, basis.size()), right(n, 1);
    double size = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < basis.size(); ++k) rows(i, k) = W[basis[k]][i];
      right(i, 0) = W[j][i];
      size = std::max(size, std::abs(W[j][i]));
    }
    const Matrix solved = solve_least(rows, right);
    RedundantRow redundant{static_cast<int>(j), {}, true};
    double of_a = terms.a[j], of_gamma = terms.gamma[j], a_size = std::abs(of_a), gamma_size = std::abs(of_gamma);
    for (std::size_t k = 0; k < basis.size(); ++k) {
      double coefficient = solved(k, 0);
      if (std::abs(coefficient) < 1e-12) continue;
      // Round-off of a whole number, or of a half.
      if (std::abs(2 * coefficient - std::round(2 * coefficient)) < 1e-12)
        coefficient = std::round(2 * coefficient) / 2;
      redundant.combination.emplace_back(static_cast<int>(basis[k]), coefficient);
      of_a -= coefficient * terms.a[basis[k]];
      of_gamma -= coefficient * terms.gamma[basis[k]];
      a_size += std::abs(coefficient * terms.a[basis[k]]);
      gamma_size += std::abs(coefficient * terms.gamma[basis[k]]);
    }
    redundant.consistent =
        std::abs(of_a) <= 1e-9 * std::max(size, a_size) && std::abs(of_gamma) <= 1e-9 * std::max(size, gamma_size);
    found.redundant.push_back(std::move(redundant));
  }
  return found;
}

}  // namespace dalembert
