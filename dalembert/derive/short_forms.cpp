// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/short_forms.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "dalembert/algebra/shortest.h"
#include "dalembert/expr/visit.h"

namespace dalembert {

ShortForms::ShortForms(Graph& graph, int max_cost, std::size_t max_work, StateRelations relations)
    : max_cost_(max_cost), max_work_(max_work), canonicalizer_(graph, 2000, std::move(relations)) {}

Expr ShortForms::shorten(const Expr& e) {
  if (!possible_ || !e || e.is_zero()) return {};
  const auto known = known_->forms.find(e.id());
  if (known != known_->forms.end()) {
    work_ += known->second.terms;
    if (known->second.too_long || work_ > max_work_) possible_ = false;
    if (!possible_ || !known->second.written) return {};
    costs_[known->second.written.id()] = known->second.cost;
    return known->second.written;
  }
  const auto form = canonicalizer_.canonical(e);
  // Terms seldom cancel later, so a form with many terms, or many terms in all forms together, will not become short.
  work_ += form ? form->size() : 0;
  if (!form || form->size() > static_cast<std::size_t>(max_cost_ / 4) || work_ > max_work_) {
    possible_ = false;
    return {};
  }
  Shortened::Form& made = known_->forms[e.id()];
  made.terms = form->size();
  if (form->empty() || decide_zero(canonicalizer_, e) == ZeroTest::kZero) return {};
  const std::vector<FormTerm> written = shortest(canonicalizer_, *form);
  made.cost = dalembert::cost(canonicalizer_, written);
  made.too_long = made.cost > max_cost_;
  if (made.too_long) possible_ = false;
  if (!possible_) return {};
  made.written = expression(canonicalizer_, written);
  costs_[made.written.id()] = made.cost;
  return made.written;
}

int ShortForms::cost(const Expr& e) const {
  if (!e) return 0;
  const auto known = costs_.find(e.id());
  return known == costs_.end() ? 1 : known->second;
}

bool ShortForms::has_variables(const Expr& e) {
  if (!e) return false;
  return std::ranges::any_of(symbols_in(std::array{e}),
                             [&](SymbolId s) { return graph().symbol_info(s).kind != SymbolKind::kParameter; });
}

bool ShortForms::vanishes(const Expr& e) { return !e || decide_zero(canonicalizer_, e) == ZeroTest::kZero; }

std::vector<Expr> ShortForms::vanishing_factors(const Expr& e) {
  std::vector<Expr> factors;
  const auto form = canonicalizer_.canonical(e);
  if (!form) return {e};
  const std::vector<FormTerm> written = shortest(canonicalizer_, *form);
  if (written.size() != 1) return {expression(canonicalizer_, written)};
  const auto add = [&](const std::vector<FormTerm>& factor) {
    const Expr made = expression(canonicalizer_, factor);
    if (has_variables(made)) factors.push_back(made);
  };
  for (FormFactor factor : written.front().factors) {
    if (factor.twelfths <= 0) continue;
    factor.twelfths = 12;
    add({FormTerm{1, {factor}, {}}});
  }
  for (const FormTerm::SumPower& power : written.front().sums)
    if (power.exponent > 0) add(power.sum);
  return factors;
}

namespace {

class Solver {
 public:
  Solver(ShortForms& forms, FormulaSystem system)
      : forms_(forms), A_(std::move(system.A)), c_(std::move(system.c)), size_(A_.size()) {
    for (std::size_t i = 0; i < size_; ++i) {
      open_rows_.push_back(i);
      open_columns_.push_back(i);
    }
    pivot_row_.resize(size_);
  }

  FormulaSolution solve() {
    while (!open_rows_.empty() && forms_.possible()) {
      if (eliminate(true)) continue;
      if (open_rows_.size() <= 3) {
        if (!by_cofactors()) return {};
        break;
      }
      if (!eliminate(false)) return {};
    }
    if (!forms_.possible()) return {};
    FormulaSolution solution;
    for (std::size_t column = 0; column < size_; ++column) solution.x.push_back(c_[pivot_row_[column]]);
    solution.divisors = std::move(divisors_);
    return solution;
  }

 private:
  // Eliminates with the pivot that changes the fewest entries, of equal ones the shortest; `constant`: only with a
  // pivot without variables. False where there is none.
  bool eliminate(bool constant) {
    struct Choice {
      std::size_t work = std::numeric_limits<std::size_t>::max();
      int cost = 0;
      std::size_t row = 0, column = 0;
    };
    std::optional<Choice> best;
    for (const std::size_t row : open_rows_) {
      for (const std::size_t column : open_columns_) {
        const Expr& pivot = A_[row][column];
        if (!pivot || (constant && forms_.has_variables(pivot))) continue;
        const auto in_row = std::ranges::count_if(open_columns_, [&](std::size_t j) { return bool(A_[row][j]); });
        const auto in_column = std::ranges::count_if(open_rows_, [&](std::size_t i) { return bool(A_[i][column]); });
        const Choice choice{static_cast<std::size_t>((in_row - 1) * (in_column - 1)), forms_.cost(pivot), row, column};
        if (!best || std::pair(choice.work, choice.cost) < std::pair(best->work, best->cost)) best = choice;
      }
    }
    if (!best) return false;
    const auto [work, cost, row, column] = *best;
    const Expr pivot = A_[row][column];
    if (forms_.has_variables(pivot)) divisors_.push_back(pivot);
    std::erase(open_rows_, row);
    std::erase(open_columns_, column);
    pivot_row_[column] = row;
    scale(row, pivot);
    for (std::size_t i = 0; i < size_ && forms_.possible(); ++i)
      if (const Expr factor = A_[i][column]; i != row && factor) subtract(i, factor, row, column);
    return true;
  }

  void scale(std::size_t row, const Expr& pivot) {
    for (const std::size_t j : open_columns_)
      if (A_[row][j]) A_[row][j] = forms_.shorten(A_[row][j] / pivot);
    for (Expr& side : c_[row])
      if (side) side = forms_.shorten(side / pivot);
  }

  void subtract(std::size_t i, const Expr& factor, std::size_t row, std::size_t column) {
    const auto less = [&](const Expr& old, const Expr& by) {
      return !by ? old : forms_.shorten(old ? old - factor * by : -(factor * by));
    };
    A_[i][column] = {};
    for (const std::size_t j : open_columns_) A_[i][j] = less(A_[i][j], A_[row][j]);
    for (std::size_t k = 0; k < c_[i].size(); ++k) c_[i][k] = less(c_[i][k], c_[row][k]);
  }

  Expr entry(std::size_t i, std::size_t j) const { return A_[open_rows_[i]][open_columns_[j]]; }
  Expr product(const Expr& a, const Expr& b) const { return a && b ? a * b : Expr(); }
  Expr difference(const Expr& a, const Expr& b) const { return !b ? a : a ? a - b : -b; }

  // The cofactor of entry (i, j) of the remaining matrix.
  Expr cofactor(std::size_t i, std::size_t j) const {
    const std::size_t n = open_rows_.size();
    if (n == 1) return forms_.graph().constant(1);
    if (n == 2) {
      const Expr minor = entry(1 - i, 1 - j);
      return minor && (i + j) % 2 == 1 ? -minor : minor;
    }
    const std::size_t r = (i + 1) % 3, s = (i + 2) % 3, k = (j + 1) % 3, l = (j + 2) % 3;
    return difference(product(entry(r, k), entry(s, l)), product(entry(r, l), entry(s, k)));
  }

  bool by_cofactors() {
    const std::size_t n = open_rows_.size();
    std::vector<std::vector<Expr>> cofactors(n, std::vector<Expr>(n));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) cofactors[i][j] = forms_.shorten(cofactor(i, j));
    std::vector<Graph::Term> terms;
    for (std::size_t j = 0; j < n; ++j)
      if (const Expr term = product(entry(0, j), cofactors[0][j])) terms.push_back({term, 1});
    const Expr determinant = terms.empty() ? Expr() : forms_.shorten(forms_.graph().sum(terms));
    if (!determinant) return false;
    if (forms_.has_variables(determinant)) divisors_.push_back(determinant);
    std::vector<std::vector<Expr>> found(n);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < c_[0].size(); ++k) {
        std::vector<Graph::Term> sum;
        for (std::size_t i = 0; i < n; ++i)
          if (const Expr term = product(cofactors[i][j], c_[open_rows_[i]][k])) sum.push_back({term, 1});
        found[j].push_back(sum.empty() ? Expr() : forms_.shorten(forms_.graph().sum(sum) / determinant));
      }
    }
    // Unknown j of the remaining matrix is solved in its row j. Rows eliminated before still contain these unknowns,
    // which are now put in.
    const std::vector<std::size_t> rows = open_rows_, columns = open_columns_;
    open_rows_.clear();
    open_columns_.clear();
    for (std::size_t j = 0; j < n; ++j) {
      pivot_row_[columns[j]] = rows[j];
      c_[rows[j]] = found[j];
    }
    for (std::size_t i = 0; i < size_; ++i) {
      if (std::ranges::find(rows, i) != rows.end()) continue;
      for (std::size_t k = 0; k < c_[i].size(); ++k) {
        std::vector<Graph::Term> sum;
        if (c_[i][k]) sum.push_back({c_[i][k], 1});
        for (std::size_t j = 0; j < n; ++j)
          if (const Expr term = product(A_[i][columns[j]], found[j][k])) sum.push_back({term, -1});
        c_[i][k] = sum.empty() ? Expr() : forms_.shorten(forms_.graph().sum(sum));
      }
    }
    return true;
  }

  ShortForms& forms_;
  std::vector<std::vector<Expr>> A_, c_;
  std::size_t size_;
  std::vector<std::size_t> open_rows_, open_columns_, pivot_row_;
  std::vector<Expr> divisors_;
};

}  // namespace

FormulaSolution solve_formulas(ShortForms& forms, FormulaSystem system) {
  return Solver(forms, std::move(system)).solve();
}

}  // namespace dalembert
