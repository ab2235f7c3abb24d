// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/velocity_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <unordered_map>

#include "dalembert/derive/null_space.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

// Number of random points that are tried. A point at which a formula has no value is skipped.
constexpr unsigned kPoints = 8;

// A random value between −2 and 2 or, if `positive` (a parameter without a value), between 1/2 and 2; the same on every machine.
double random_value(SymbolId symbol, unsigned point, bool positive) {
  std::uint64_t x = (static_cast<std::uint64_t>(symbol) + 1) * 0x9E3779B97F4A7C15u + point * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  const double part = static_cast<double>((x ^ (x >> 31)) >> 11) / 9007199254740992.0;
  return positive ? 0.5 + 1.5 * part : 4 * part - 2;
}

}  // namespace

void add_entry(SparseMatrix& matrix, int row, int col, const Expr& value) {
  matrix.row.push_back(row);
  matrix.col.push_back(col);
  matrix.value.push_back(value);
}

Expr row_times(const SparseMatrix& A, int r, std::span<const Expr> x) {
  if (x.empty()) return {};
  std::vector<Graph::Term> terms;
  for (std::size_t k = 0; k < A.value.size(); ++k)
    if (A.row[k] == r) terms.push_back({A.value[k] * x[static_cast<std::size_t>(A.col[k])], 1});
  return x.front().graph().sum(terms);
}

Expr column_times(const SparseMatrix& A, int c, std::span<const Expr> x) {
  if (x.empty()) return {};
  std::vector<Graph::Term> terms;
  for (std::size_t k = 0; k < A.value.size(); ++k)
    if (A.col[k] == c) terms.push_back({A.value[k] * x[static_cast<std::size_t>(A.row[k])], 1});
  return x.front().graph().sum(terms);
}

Expr velocity_of_row(const Equations& eq, int j) {
  return row_times(eq.W, j, eq.velocities()) + eq.a[static_cast<std::size_t>(j)];
}

std::vector<std::vector<Expr>> rows_of(const SparseMatrix& matrix, const std::vector<int>& wanted) {
  std::vector<std::vector<Expr>> rows(wanted.size(), std::vector<Expr>(static_cast<std::size_t>(matrix.cols)));
  for (std::size_t k = 0; k < matrix.value.size(); ++k) {
    const auto at = std::ranges::find(wanted, matrix.row[k]);
    if (at == wanted.end() || matrix.value[k].is_zero()) continue;
    rows[static_cast<std::size_t>(at - wanted.begin())][static_cast<std::size_t>(matrix.col[k])] = matrix.value[k];
  }
  return rows;
}

RandomRows::RandomRows(const Equations& equations, std::vector<Row> first) : eq_(equations), first_(std::move(first)) {}

std::vector<std::vector<double>> RandomRows::values(const std::vector<Row>& rows, unsigned point) const {
  std::unordered_map<SymbolId, double> parameters;
  for (const Parameter& parameter : eq_.model->parameters)
    parameters.emplace(parameter.symbol.symbol(), parameter.value);
  const auto value_of = [&](SymbolId s) {
    if (const auto known = parameters.find(s); known != parameters.end()) return known->second;
    return random_value(s, point, eq_.graph->symbol_info(s).kind == SymbolKind::kParameter);
  };
  std::vector<Expr> all;
  for (const Row& row : rows)
    for (const Expr& e : row)
      if (e) all.push_back(e);
  const std::vector<double> found = evaluate(all, value_of);
  std::vector<std::vector<double>> numbers;
  std::size_t next = 0;
  for (const Row& row : rows) {
    numbers.emplace_back();
    for (const Expr& e : row) numbers.back().push_back(e ? found[next++] : 0.0);
  }
  return numbers;
}

// Rows that are independent at one point are independent. Rows that are dependent at every point tried count as dependent.
std::vector<bool> RandomRows::dependent(const std::vector<Row>& rows) const {
  std::vector<Row> all = first_;
  all.insert(all.end(), rows.begin(), rows.end());
  std::vector<bool> best(rows.size(), true);
  auto fewest = static_cast<std::ptrdiff_t>(rows.size()) + 1;
  for (unsigned point = 0; point < kPoints; ++point) {
    std::vector<std::vector<double>> numbers = values(all, point);
    const bool finite = std::ranges::all_of(numbers, [](const std::vector<double>& row) {
      return std::ranges::all_of(row, [](double x) { return std::isfinite(x); });
    });
    if (!finite) continue;
    NullSpace space(static_cast<std::size_t>(eq_.nv()));
    std::vector<bool> found;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const bool is_new = space.add(std::move(numbers[k]));
      if (k >= first_.size()) found.push_back(!is_new);
    }
    const auto count = std::ranges::count(found, true);
    if (count < fewest) {
      fewest = count;
      best = std::move(found);
    }
    if (fewest == 0) break;
  }
  return best;
}

bool RandomRows::independent(const std::vector<Row>& rows) const {
  return std::ranges::none_of(dependent(rows), [](bool d) { return d; });
}

bool RandomRows::complete(const std::vector<Row>& rows) const {
  return first_.size() + rows.size() == static_cast<std::size_t>(eq_.nv()) && independent(rows);
}

std::vector<int> independent_rows(const Equations& equations) {
  std::vector<int> all(static_cast<std::size_t>(equations.m()));
  std::iota(all.begin(), all.end(), 0);
  const std::vector<bool> follows = RandomRows(equations, {}).dependent(rows_of(equations.W, all));
  std::vector<int> independent;
  for (std::size_t j = 0; j < all.size(); ++j)
    if (!follows[j]) independent.push_back(all[j]);
  return independent;
}

}  // namespace dalembert
