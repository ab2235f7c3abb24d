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

constexpr int kSmall = 12;         // sets of candidates are tried in systems of at most this many velocities
constexpr int kMostChoices = 400;  // largest number of sets of candidates that are tried
constexpr int kRounds = 6;         // largest number of denominators that a row is cleared of
constexpr int kDivision = 20;      // cost (algebra/gather.h) of a division by a function of the state
constexpr int kDivided = 4;        // factor by which a velocity costs more if its definition is divided by functions
constexpr int kFinalists = 100;    // the kFinalists/n² best choices are kept (2 at least), n: number of velocities

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
    // A denominator that all entries of a row share does not change the constraint, so it is cleared.
    for (Row& w : W_) {
      Row whole = w;
      if (clear(forms, whole, nullptr)) w = std::move(whole);
      forms.begin_again();
    }
    for (std::size_t r = 0; r < W_.size(); ++r) {
      // Holonomic rows, as of linkages, suit rates of coordinates. Only Pfaffian rows suggest a direction of motion.
      if (std::ranges::find(eq_.holonomic, rows_[r]) != eq_.holonomic.end()) continue;
      const Row& w = W_[r];
      for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t j = i + 1; j < n_; ++j) {
          if (!w[i] || !w[j] || (!forms.has_variables(w[i]) && !forms.has_variables(w[j]))) continue;
          Row row(n_);
          row[i] = forms.shorten(w[j]);
          row[j] = forms.shorten(-w[i]);
          // The row is multiplied by -1 if it then prints with fewer minus signs.
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

  // Tries sets of `nv` candidates up to the limits of work, first those of rates of coordinates alone.
  void try_sets(std::size_t nv) {
    try_sets_of(nv, n_, false);
    try_sets_of(nv, candidates_.size(), true);
  }

  // Tries sets of the first `among` candidates, in lexicographic order; `mixed`: except those of rates alone.
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

  // Chooses rates of coordinates that are independent of W and of each other; earlier coordinates are preferred.
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

  // The cost of one quasi-velocity: its column of S (q̇ = S v) and its row `y` of Y (v = Y q̇). Where that costs less,
  // the column is cleared of denominators and `y` is divided by the same functions.
  int with_scale(ShortForms& forms, const Row& column, Row& y) const {
    const auto written = [&](const Row& s, const Row& form) {
      int sum = 0;
      for (const Expr& e : s) sum += forms.cost(e) + (divisor(forms, e) ? kDivision : 0);
      for (const Expr& e : form) sum += forms.cost(e);
      return sum;
    };
    const int least = written(column, y);
    // Denominators are cleared only where S has a single column. With several, a column multiplied by a function would
    // vanish where the function does, and S would lose rank.
    if (W_.size() + 1 < n_) return least;
    Row whole = column, form = y;
    if (!clear(forms, whole, &form)) return least;
    int cost = written(whole, form);
    for (const Expr& e : form) cost += kDivided * forms.cost(e);
    if (cost >= least) return least;
    y = std::move(form);
    return cost;
  }

  // Multiplies `row` by the functions of the state in its denominators and divides `other` by them. False where there
  // are none, or where formulas become too large.
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

  // A power of a function of the state in a denominator of `e`; null where there is none.
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
  std::vector<Row> candidates_;  // candidates for rows of Y in v = Y q̇; the rates of the coordinates come first
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
