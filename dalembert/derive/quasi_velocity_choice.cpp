// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/quasi_velocity_choice.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "dalembert/derive/null_space.h"
#include "dalembert/derive/short_forms.h"
#include "dalembert/derive/state_relations.h"
#include "dalembert/derive/velocity_rows.h"

namespace dalembert {
namespace {

constexpr int kSmall = 12;         // velocities of a system in which sets of candidates are tried
constexpr int kMostChoices = 400;  // that are tried
constexpr int kRounds = 6;         // of clearing a row of denominators
constexpr int kDivision = 20;      // what dividing by a function of the state costs, as if it were printed
constexpr int kDivided = 4;        // so many times more counts a velocity that is divided by functions
constexpr int kFinalists = 100;    // of them, divided likewise

using Row = std::vector<Expr>;

class Chooser {
 public:
  Chooser(const Equations& eq, const std::vector<int>& rows, int max_cost, std::size_t most_tried,
          const std::shared_ptr<Shortened>& shortened)
      : eq_(eq),
        n_(static_cast<std::size_t>(eq.nv())),
        rows_(rows),
        W_(rows_of(eq.W, rows)),
        max_cost_(max_cost),
        most_tried_(most_tried),
        shortened_(shortened),
        numbers_(eq, W_) {}

  std::vector<VelocityChoice> choose() {
    const std::size_t nv = n_ - W_.size();
    if (nv == 0) return {};
    collect();
    if (eq_.nv() <= kSmall) try_sets(nv);
    if (best_.empty()) fall_back();
    std::ranges::stable_sort(best_, {}, &VelocityChoice::cost);
    const auto most = static_cast<std::size_t>(std::max(2, kFinalists / (eq_.nv() * eq_.nv())));
    if (best_.size() > most) best_.resize(most);
    return std::move(best_);
  }

 private:
  Expr one() const { return eq_.graph->constant(1); }

  void collect() {
    for (std::size_t i = 0; i < n_; ++i) {
      Row row(n_);
      row[i] = one();
      candidates_.push_back(std::move(row));
    }
    if (eq_.nv() > kSmall) return;
    ShortForms forms(*eq_.graph, max_cost_, kMaxWork, state_relations(eq_));
    forms.share(shortened_);
    // What all entries of a row are divided by says nothing.
    for (Row& w : W_) {
      Row whole = w;
      if (clear(forms, whole, nullptr)) w = std::move(whole);
      forms.begin_again();
    }
    for (std::size_t r = 0; r < W_.size(); ++r) {
      // A linkage is known by its angles; what skids along a direction has none.
      if (std::ranges::find(eq_.holonomic, rows_[r]) != eq_.holonomic.end()) continue;
      const Row& w = W_[r];
      for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t j = i + 1; j < n_; ++j) {
          if (!w[i] || !w[j] || (!forms.has_variables(w[i]) && !forms.has_variables(w[j]))) continue;
          Row row(n_);
          row[i] = forms.shorten(w[j]);
          row[j] = forms.shorten(-w[i]);
          // What prints with less minus signs.
          if (starts_with_minus(row[i])) {
            row[i] = forms.shorten(-row[i]);
            row[j] = forms.shorten(-row[j]);
          }
          if (forms.possible()) candidates_.push_back(std::move(row));
        }
      }
    }
  }

  static bool starts_with_minus(const Expr& e) {
    return e && e.op() == Op::kProduct && e.graph().number(e.id()).sign() < 0;
  }

  // As many sets of `nv` candidates as there is time for, first those of rates alone.
  void try_sets(std::size_t nv) {
    try_sets_of(nv, n_, false);
    try_sets_of(nv, candidates_.size(), true);
  }

  // Of the first `among` candidates, in lexicographic order; `mixed`: without those of rates alone.
  void try_sets_of(std::size_t nv, std::size_t among, bool mixed) {
    std::vector<std::size_t> set(nv);
    for (std::size_t k = 0; k < nv; ++k) set[k] = k;
    if (among < nv) return;
    while (tries_ < kMostChoices && spent_ < most_tried_) {
      if ((!mixed || set.back() >= n_) && independent(set)) {
        ++tries_;
        consider(set);
      }
      std::size_t k = nv;
      while (k > 0 && set[k - 1] == among - nv + k - 1) --k;
      if (k == 0) return;
      ++set[k - 1];
      for (std::size_t l = k; l < nv; ++l) set[l] = set[l - 1] + 1;
    }
  }

  bool independent(const std::vector<std::size_t>& set) const {
    std::vector<Row> rows;
    for (const std::size_t k : set) rows.push_back(candidates_[k]);
    return numbers_.complete(rows);
  }

  // Rates of coordinates that are independent beside W, the last ones dependent.
  void fall_back() {
    std::vector<Row> rates;
    for (std::size_t i = 0; i < n_; ++i) rates.push_back(candidates_[i]);
    const std::vector<bool> follows = numbers_.dependent(rates);
    VelocityChoice choice;
    for (std::size_t i = 0; i < n_; ++i)
      if (!follows[i]) choice.Y.push_back(std::move(rates[i]));
    best_.push_back(std::move(choice));
  }

  void consider(const std::vector<std::size_t>& set) {
    const std::size_t m = W_.size(), nv = set.size();
    FormulaSystem system(n_, nv);
    for (std::size_t j = 0; j < m; ++j) system.A[j] = W_[j];
    std::vector<Row> Y;
    for (std::size_t k = 0; k < nv; ++k) {
      Y.push_back(candidates_[set[k]]);
      system.A[m + k] = Y.back();
      system.c[m + k][k] = one();
    }
    ShortForms forms(*eq_.graph, max_cost_, kMaxWork, state_relations(eq_));
    forms.share(shortened_);
    const FormulaSolution solution = solve_formulas(forms, std::move(system));
    spent_ += forms.work();
    if (solution.x.empty()) return;
    int cost = 0;
    for (std::size_t k = 0; k < nv; ++k) {
      Row column(n_);
      for (std::size_t i = 0; i < n_; ++i) column[i] = solution.x[i][k];
      cost += with_scale(forms, column, Y[k]);
      if (!forms.possible()) return;
    }
    best_.push_back({std::move(Y), cost});
  }

  // The cost of a column of S and its row of Y, which is divided by whatever the column is cleared of where that is
  // shorter.
  int with_scale(ShortForms& forms, const Row& column, Row& y) const {
    const auto written = [&](const Row& s, const Row& form) {
      int sum = 0;
      for (const Expr& e : s) sum += forms.cost(e) + (divisor(forms, e) ? kDivision : 0);
      for (const Expr& e : form) sum += forms.cost(e);
      return sum;
    };
    const int least = written(column, y);
    // Of several columns one that is multiplied by a function would vanish with it, and S lose its rank.
    if (W_.size() + 1 < n_) return least;
    Row whole = column, form = y;
    if (!clear(forms, whole, &form)) return least;
    int cost = written(whole, form);
    for (const Expr& e : form) cost += kDivided * forms.cost(e);
    if (cost >= least) return least;
    y = std::move(form);
    return cost;
  }

  // Times whatever function of the state is below a bar in it; `other` is divided by that. False where nothing is.
  static bool clear(ShortForms& forms, Row& row, Row* other) {
    bool changed = false;
    for (int round = 0; round < kRounds; ++round) {
      Expr by;
      for (const Expr& e : row)
        if (e && !by) by = divisor(forms, e);
      if (!by) break;
      for (Expr& e : row)
        if (e) e = forms.shorten(e * by);
      for (std::size_t i = 0; other != nullptr && i < other->size(); ++i)
        if (Expr& e = (*other)[i]) e = forms.shorten(e / by);
      changed = true;
    }
    return changed && forms.possible();
  }

  // A power of a function of the state that is below a bar; null: there is none.
  static Expr divisor(ShortForms& forms, const Expr& e) {
    if (!e) return {};
    Canonicalizer& c = forms.canonicalizer();
    const auto form = c.canonical(e);
    if (!form) return {};
    for (const PolynomialTerm& term : *form)
      for (const GeneratorPower& power : c.monomial(term.key.monomial)) {
        if (power.twelfths >= 0) continue;
        const Expr function = c.expression(GeneratorPower{power.generator, -power.twelfths});
        if (forms.has_variables(function)) return function;
      }
    return {};
  }

  static constexpr std::size_t kMaxWork = 1000;

  const Equations& eq_;
  std::size_t n_;
  std::vector<int> rows_;
  std::vector<Row> W_;
  int max_cost_;
  std::size_t most_tried_;
  const std::shared_ptr<Shortened>& shortened_;
  RandomRows numbers_;
  std::vector<Row> candidates_;  // first the rates of the coordinates
  std::vector<VelocityChoice> best_;
  int tries_ = 0;
  std::size_t spent_ = 0;
};

}  // namespace

std::vector<VelocityChoice> choose_quasi_velocities(const Equations& equations, const std::vector<int>& rows,
                                                    int max_cost, std::size_t most_tried,
                                                    const std::shared_ptr<Shortened>& shortened) {
  return Chooser(equations, rows, max_cost, most_tried, shortened).choose();
}

}  // namespace dalembert
