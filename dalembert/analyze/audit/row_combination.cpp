// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/row_combination.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "dalembert/analyze/audit/compare.h"
#include "dalembert/analyze/audit/motion_at.h"
#include "dalembert/derive/equation_of_motion.h"
#include "dalembert/derive/equations.h"
#include "dalembert/derive/short_forms.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr std::size_t kMostSummands = 5;         // largest number of rows in a combination
constexpr std::size_t kMostUnknownsOfRows = 80;  // largest system that is solved in numbers
constexpr int kTrialPoints = 3, kMostTrialPoints = 12;
constexpr int kMaxFactorCost = 600;  // largest cost of a coefficient (algebra/gather.h)
constexpr double kNothing = 1e-9;

using DenseNumbers = std::vector<std::vector<double>>;

// Solves A x = b by Gaussian elimination with row pivots; no value where a pivot is nearly 0.
std::optional<std::vector<double>> solved_by_pivots(DenseNumbers a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(a[i][k]) > std::abs(a[best][k])) best = i;
    if (!(std::abs(a[best][k]) > 1e-10)) return std::nullopt;
    std::swap(a[k], a[best]);
    std::swap(b[k], b[best]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i][k] / a[k][k];
      if (factor == 0) continue;
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

// Row j of W q̈ + γ.
Expr constraint_on_accelerations(const Equations& eq, int j) {
  std::vector<Expr> terms{eq.gamma[static_cast<std::size_t>(j)]};
  for (std::size_t k = 0; k < eq.W.value.size(); ++k)
    if (eq.W.row[k] == j) terms.push_back(eq.W.value[k] * eq.accelerations()[static_cast<std::size_t>(eq.W.col[k])]);
  return eq.graph->sum(terms);
}

std::string name_of_constraint(const Equations& eq, int j) {
  return fmt::format("the constraint {} on accelerations", eq.rows[static_cast<std::size_t>(j)]);
}

// Collects independent rows of numbers. add() refuses a row that depends on those before it.
class IndependentRows {
 public:
  bool add(std::vector<double> row) {
    for (const auto& [pivot, known] : known_) {
      const double factor = row[pivot] / known[pivot];
      for (std::size_t j = 0; j < row.size(); ++j) row[j] -= factor * known[j];
    }
    const auto largest = std::ranges::max_element(row, {}, [](double x) { return std::abs(x); });
    if (largest == row.end() || !(std::abs(*largest) > 1e-7)) return false;
    const auto pivot = static_cast<std::size_t>(largest - row.begin());
    known_.emplace_back(pivot, std::move(row));
    return true;
  }

 private:
  std::vector<std::pair<std::size_t, std::vector<double>>> known_;
};

class Combiner {
 public:
  Combiner(const Equations& eq, Canonicalizer& canonicalizer, const Conditions& conditions, const Expr& wanted)
      : eq_(eq), canonicalizer_(canonicalizer), conditions_(conditions), wanted_(conditions.apply(wanted)) {}

  std::optional<RowCombination> run() {
    Graph& graph = *eq_.graph;
    std::vector<Expr> unknowns;
    for (const SymbolId s : unknowns_of_motion(eq_)) unknowns.push_back(graph.symbol(s));
    load_rows();
    if (unknowns.size() != rows_.size() || unknowns.size() > kMostUnknownsOfRows) return std::nullopt;
    for (const Expr& row : rows_) K_.push_back(gradient(row, unknowns));
    e_ = gradient(wanted_, unknowns);
    const std::vector<std::size_t> used = rows_in_use();
    if (used.empty() || used.size() > kMostSummands) return std::nullopt;
    return in_formulas(used);
  }

 private:
  void load_rows() {
    for (int i = 0; i < eq_.nv(); ++i) {
      rows_.push_back(conditions_.apply(equation_of_motion(eq_, i)));
      names_.push_back(fmt::format("eom[{}]", motion_names(eq_)[static_cast<std::size_t>(i)]));
    }
    for (int j = 0; j < eq_.m(); ++j) {
      rows_.push_back(conditions_.apply(constraint_on_accelerations(eq_, j)));
      names_.push_back(name_of_constraint(eq_, j));
    }
  }

  // The indices of the rows that the combination needs: their coefficients in c are not 0 at a few points, in numbers.
  std::vector<std::size_t> rows_in_use() {
    std::vector<Expr> all = e_;
    for (const auto& row : K_) all.insert(all.end(), row.begin(), row.end());
    GivenPoints points(*eq_.graph, conditions_, all);
    std::vector<bool> in_use(rows_.size());
    int found = 0;
    for (int attempt = 0; attempt < kMostTrialPoints && found < kTrialPoints; ++attempt) {
      const EnclosedPoint point = points.next();
      bool known = points.on_spheres(point.value);
      const auto value = [&](const Expr& e) {
        const MaybeInterval bounds = known ? enclose(e, point) : std::nullopt;
        known = known && bounds;
        return known ? bounds->middle() : 0;
      };
      const std::size_t n = rows_.size();
      DenseNumbers transposed(n, std::vector<double>(n));
      std::vector<double> e(n);
      for (std::size_t k = 0; k < n; ++k) {
        e[k] = value(e_[k]);
        for (std::size_t j = 0; j < n; ++j) transposed[k][j] = value(K_[j][k]);
      }
      const auto c = known ? solved_by_pivots(transposed, e) : std::nullopt;
      if (!c) continue;
      ++found;
      numbers_ = std::move(transposed);
      double largest = 0;
      for (const double x : *c) largest = std::max(largest, std::abs(x));
      for (std::size_t j = 0; j < n; ++j)
        if (std::abs((*c)[j]) > kNothing * largest) in_use[j] = true;
    }
    std::vector<std::size_t> used;
    for (std::size_t j = 0; found > 0 && j < in_use.size(); ++j)
      if (in_use[j]) used.push_back(j);
    return used;
  }

  // Chooses independent equations of Kᵀ c = ∂(x_k − f)/∂x (the header's (1), for the coefficients c), the shortest
  // first: as many as there are rows in use.
  std::vector<std::size_t> chosen_unknowns(const std::vector<std::size_t>& used) const {
    std::vector<std::pair<std::size_t, std::size_t>> by_length;
    for (std::size_t k = 0; k < e_.size(); ++k) {
      std::vector<Expr> entries{e_[k]};
      for (const std::size_t j : used) entries.push_back(K_[j][k]);
      by_length.emplace_back(count_operations(entries), k);
    }
    std::ranges::sort(by_length);
    IndependentRows rows;
    std::vector<std::size_t> chosen;
    for (const auto& [length, k] : by_length) {
      std::vector<double> row;
      for (const std::size_t j : used) row.push_back(numbers_[k][j]);
      if (chosen.size() < used.size() && rows.add(std::move(row))) chosen.push_back(k);
    }
    return chosen;
  }

  std::optional<RowCombination> in_formulas(const std::vector<std::size_t>& used) {
    const std::vector<std::size_t> unknowns = chosen_unknowns(used);
    if (unknowns.size() != used.size()) return std::nullopt;
    ShortForms forms(*eq_.graph, kMaxFactorCost, conditions_.relations());
    const auto entry = [&](const Expr& e) { return e.is_zero() ? Expr() : forms.shorten(e); };
    FormulaSystem system(used.size(), 1);
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
      for (std::size_t j = 0; j < used.size(); ++j) system.A[i][j] = entry(K_[used[j]][unknowns[i]]);
      system.c[i][0] = entry(e_[unknowns[i]]);
    }
    if (!forms.possible()) return std::nullopt;
    const FormulaSolution solution = solve_formulas(forms, std::move(system));
    if (solution.x.empty()) return std::nullopt;
    RowCombination result;
    std::vector<Expr> sum;
    for (std::size_t j = 0; j < used.size(); ++j) {
      if (!solution.x[j][0]) continue;
      sum.push_back(solution.x[j][0] * rows_[used[j]]);
      result.rows.push_back(names_[used[j]]);
      result.coefficients.emplace_back(used[j], solution.x[j][0]);
    }
    if (sum.empty() || !proves_equal(canonicalizer_, eq_.graph->sum(sum), wanted_)) return std::nullopt;
    result.divisors = solution.divisors;
    return result;
  }

  const Equations& eq_;
  Canonicalizer& canonicalizer_;
  const Conditions& conditions_;
  Expr wanted_;
  std::vector<Expr> rows_, e_;
  std::vector<std::vector<Expr>> K_;
  std::vector<std::string> names_;
  DenseNumbers numbers_;  // transpose of the matrix K of the equations K x = r, at one of the points
};

}  // namespace

std::optional<RowCombination> combine_rows(const Equations& eq, Canonicalizer& canonicalizer,
                                           const Conditions& conditions, const Expr& unknown, const Expr& claimed) {
  if (!eq.frictions.empty()) return std::nullopt;
  return Combiner(eq, canonicalizer, conditions, unknown - claimed).run();
}

std::optional<SayingRow> row_that_says_it(const Equations& eq, Canonicalizer& canonicalizer,
                                          const Conditions& conditions, const EntryName& entry,
                                          const ClaimedUnknown& of) {
  const bool acceleration = entry.part == "qdd";
  const Expr difference = conditions.apply(of.unknown) - of.claimed;
  // A coefficient that is 0 wherever the conditions hold would prove nothing, so a point is needed at which it certainly is not 0.
  const auto says_it = [&](const Expr& coefficient, const Expr& row) {
    if (!proves_equal(canonicalizer, conditions.apply(coefficient) * difference, conditions.apply(row))) return false;
    const std::array formulas{coefficient, row, of.written};
    GivenPoints points(*eq.graph, conditions, formulas);
    points.require_nonzero(coefficient);
    return look_at_points(points, row, of.written, Search::kAnyValue).points > 0;
  };
  for (int i = 0; i < eq.nv(); ++i) {
    const Expr coefficient = acceleration ? eq.M.find(i, entry.row) : eq.W.find(entry.row, i);
    if (coefficient && says_it(acceleration ? coefficient : -coefficient, equation_of_motion(eq, i)))
      return SayingRow{fmt::format("it is the equation eom[{}]", motion_names(eq)[static_cast<std::size_t>(i)]),
                       coefficient};
  }
  for (int j = 0; acceleration && j < eq.m(); ++j) {
    const Expr coefficient = eq.W.find(j, entry.row);
    if (!coefficient) continue;
    if (says_it(coefficient, constraint_on_accelerations(eq, j)))
      return SayingRow{"it is " + name_of_constraint(eq, j), coefficient};
  }
  return std::nullopt;
}

}  // namespace dalembert
