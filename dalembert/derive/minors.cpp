// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/minors.h"

#include <algorithm>
#include <bit>

namespace dalembert {
namespace {

constexpr std::size_t kMostMinors = 20000;  // largest number of minors of one matrix; with more, forms_ gives up

}  // namespace

Minors::Minors(ShortForms& forms, std::vector<std::vector<Expr>> rows) : forms_(forms), rows_(std::move(rows)) {}

Expr Minors::determinant(const std::vector<int>& columns) {
  std::uint64_t mask = 0;
  for (const int column : columns) mask |= std::uint64_t{1} << column;
  if (rows_.empty()) return forms_.graph().constant(1);
  return below(0, mask);
}

// Determinant of the rows from `row` on and the given columns, expanded along `row`.
Expr Minors::below(std::size_t row, std::uint64_t columns) {
  if (row == rows_.size()) return forms_.graph().constant(1);
  if (const auto found = known_.find(columns); found != known_.end()) return found->second;
  if (known_.size() >= kMostMinors) forms_.give_up();
  if (!forms_.possible()) return {};
  std::vector<Graph::Term> terms;
  int sign = 1;
  for (std::uint64_t left = columns; left != 0; left &= left - 1, sign = -sign) {
    const auto column = static_cast<std::size_t>(std::countr_zero(left));
    const Expr& entry = rows_[row][column];
    if (!entry || entry.is_zero()) continue;
    if (const Expr rest = below(row + 1, columns & ~(std::uint64_t{1} << column)))
      terms.push_back({entry * rest, sign});
  }
  const Expr value = forms_.shorten(forms_.graph().sum(terms));
  known_.emplace(columns, value);
  return value;
}

CramerSolution solve_by_minors(ShortForms& forms, const std::vector<std::vector<Expr>>& W,
                               const std::vector<std::vector<Expr>>& right) {
  const std::size_t n = W.size(), all = n + right.size();
  CramerSolution solution;
  solution.x.assign(right.size(), std::vector<Expr>(n));
  if (all > 60) {
    forms.give_up();
    return solution;
  }
  std::vector<std::vector<Expr>> rows = W;
  for (std::size_t j = 0; j < n; ++j)
    for (const std::vector<Expr>& r : right) rows[j].push_back(r[j]);
  Minors minors(forms, rows);
  std::vector<int> columns;
  for (std::size_t i = 0; i < n; ++i) columns.push_back(static_cast<int>(i));
  solution.determinant = minors.determinant(columns);
  if (!solution.determinant) return solution;
  for (std::size_t k = 0; k < right.size(); ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<int> chosen = columns;
      chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(i));
      chosen.push_back(static_cast<int>(n + k));
      const Expr minor = minors.determinant(chosen);
      if (!minor) continue;
      // Column n + k, the right-hand side k, was put last instead of in place i, which may change the sign.
      const bool odd = (n - 1 - i) % 2 != 0;
      solution.x[k][i] = forms.shorten((odd ? -minor : minor) / solution.determinant);
    }
  }
  return solution;
}

}  // namespace dalembert
