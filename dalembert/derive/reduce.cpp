// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/reduce.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/numeric.h"
#include "dalembert/derive/equation_of_motion.h"
#include "dalembert/derive/quasi_velocities.h"
#include "dalembert/derive/quasi_velocity_choice.h"
#include "dalembert/derive/short_forms.h"
#include "dalembert/derive/state_relations.h"
#include "dalembert/derive/velocity_rows.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr int kMostVelocities = 100;  // formulas of systems with more velocities would be too long to read

using Row = std::vector<Expr>;
using Replacements = std::unordered_map<SymbolId, Expr>;

class Reduction {
 public:
  Reduction(const Equations& eq, const ReduceOptions& options)
      : eq_(eq),
        graph_(*eq.graph),
        options_(options),
        n_(index(eq.nv())),
        forms_(graph_, options.max_cost, index(4 * options.max_cost), state_relations(eq)) {
    reduced_.graph = eq.graph;
    forms_.share(shortened_);
  }

  Result<Reduced> run() {
    if (eq_.nv() > kMostVelocities) return too_large();
    reduced_.rows = independent_rows(eq_);
    m_ = reduced_.rows.size();
    nv_ = n_ - m_;
    if (nv_ == 0) return no_motion();
    const Reduced before = reduced_;
    take_velocities();
    if (!derive_equations()) {
      if (!options_.equations || !options_.or_velocities) return too_large();
      const Diagnostic why = too_large();
      options_.equations = false;
      forms_.begin_again();
      reduced_ = before;
      take_velocities();
      if (!derive_equations()) return too_large();
      reduced_.no_equations = why;
    }
    if (!options_.equations) return std::move(reduced_);
    decide_closed();
    if (options_.motion) solve_motion();
    return std::move(reduced_);
  }

 private:
  Expr zero() { return graph_.constant(0); }
  Expr or_zero(const Expr& e) { return e ? e : zero(); }

  Diagnostic too_large() const {
    Diagnostic d = error(
        "E0263", fmt::format("the equations of `{}` without multipliers are too large to be written", eq_.model->name));
    d.help.push_back(
        "numbers need no formulas: `simulate --formulation reduced` eliminates the multipliers at each state");
    if (reduced_.chosen)
      d.help.push_back("quasi-velocities of your own choice, in [quasi_velocities], may give shorter ones");
    return d;
  }
  Diagnostic no_motion() const {
    Diagnostic d =
        error("E0263", fmt::format("`{}` has no equations without multipliers: nothing can move", eq_.model->name));
    d.notes.push_back(fmt::format("{} independent constraint rows on as many velocities", m_));
    return d;
  }

  // --- the quasi-velocities v = Y q̇ + y₀

  void take_velocities() {
    Y_.clear();
    y_.clear();
    if (eq_.model->quasi_velocities.empty())
      choose();
    else
      take_stated();
  }

  void take_stated() {
    const QuasiVelocityRows rows = quasi_velocity_rows(eq_);
    for (std::size_t k = 0; k < rows.Y.size(); ++k) {
      Row row(n_);
      for (std::size_t i = 0; i < n_; ++i) row[i] = forms_.shorten(rows.Y[k][i]);
      Y_.push_back(std::move(row));
      y_.push_back(forms_.shorten(rows.y0[k]));
      const QuasiVelocity& stated = eq_.model->quasi_velocities[k];
      reduced_.velocities.push_back(
          {stated.name, graph_.adopt(stated.v), graph_.adopt(stated.vdot), graph_.adopt(stated.definition)});
    }
  }

  // Derives the equations with each of the best choices, and takes the choice whose equations print shortest.
  void choose() {
    reduced_.chosen = true;
    if (choices_.empty())
      choices_ = choose_quasi_velocities(eq_, reduced_.rows, options_.max_cost, options_.most_tried, shortened_);
    prefer_driven();
    const Reduced before = reduced_;
    std::size_t best = 0;
    int least = std::numeric_limits<int>::max();
    for (std::size_t c = 0; choices_.size() > 1 && c < choices_.size(); ++c) {
      take(choices_[c]);
      if (derive_equations() && written() + choices_[c].cost < least) {
        least = written() + choices_[c].cost;
        best = c;
      }
      forms_.begin_again();
      reduced_ = before;
    }
    take(choices_[best]);
  }

  // Leaves out choices without the rates of prescribed coordinates, unless all lack one: what is prescribed should not be solved for.
  void prefer_driven() {
    const auto has_all = [&](const VelocityChoice& choice) { return driven_rows(choice.Y).size() == prescribed(); };
    if (prescribed() > 0 && std::ranges::any_of(choices_, has_all)) std::erase_if(choices_, std::not_fn(has_all));
  }

  std::size_t prescribed() const { return eq_.v_is_qdot() ? eq_.model->prescribed.size() : 0; }

  // The rows of Y that are rates of prescribed coordinates, in the order of these; fewer where there is none for one of them.
  std::vector<std::size_t> driven_rows(const std::vector<Row>& Y) const {
    std::vector<std::size_t> rows;
    for (std::size_t p = 0; p < prescribed(); ++p) {
      const auto c = index(eq_.model->prescribed[p].coordinate);
      const auto alone = std::ranges::find_if(Y, [&](const Row& row) {
        return row[c] && row[c].is_constant() && row[c].constant().is_one() &&
               std::ranges::count_if(row, [](const Expr& e) { return bool(e); }) == 1;
      });
      if (alone != Y.end()) rows.push_back(static_cast<std::size_t>(alone - Y.begin()));
    }
    return rows;
  }

  int written() const {
    int sum = 0;
    for (const std::vector<Expr>* list : {&reduced_.M.value, &reduced_.Sdot.value, &reduced_.b})
      for (const Expr& e : *list) sum += forms_.cost(e);
    return sum;
  }

  void take(const VelocityChoice& choice) {
    Y_ = choice.Y;
    y_.assign(nv_, Expr());
    std::size_t number = 0;
    for (const Row& row : Y_) {
      std::vector<Graph::Term> sum;
      for (std::size_t i = 0; i < n_; ++i)
        if (row[i]) sum.push_back({row[i] * eq_.velocities()[i], 1});
      const Expr definition = graph_.sum(sum);
      const auto rate = std::ranges::find_if(eq_.velocities(), [&](const Expr& v) { return v.same(definition); });
      if (rate != eq_.velocities().end()) {
        const Expr& acceleration = eq_.accelerations()[static_cast<std::size_t>(rate - eq_.velocities().begin())];
        reduced_.velocities.push_back({to_text(*rate), *rate, acceleration, definition});
        continue;
      }
      if (number == own_.size()) add_own();
      reduced_.velocities.push_back(own_[number++]);
      reduced_.velocities.back().definition = definition;
    }
  }

  // Adds a symbol, with a name that is not taken, for a quasi-velocity that the program chooses.
  void add_own() {
    const int place = static_cast<int>(own_.size()), index = eq_.nv() + place;
    std::string name;
    const auto taken = [&] {
      for (SymbolId s = 0; s < graph_.symbol_count(); ++s)
        if (graph_.symbol_info(s).name == name) return true;
      return false;
    };
    int number = place;
    do name = fmt::format("v{}", ++number);
    while (taken());
    const Expr v = graph_.add_symbol({name, SymbolKind::kQuasiVelocity, index, {}});
    own_.push_back({name, v, graph_.add_symbol({name, SymbolKind::kQuasiAcceleration, index, {}}), {}});
  }

  bool derive_equations() {
    inverse_.clear();
    qdot_.clear();
    drift_.clear();
    rest_.clear();
    b_.clear();
    if (!forms_.possible() || !invert() || !substitute_velocities()) return false;
    if (options_.equations) equations_of_motion();
    return forms_.possible();
  }

  // --- the inverse [R S] and s₀

  bool invert() {
    FormulaSystem system(n_, n_ + 1);
    const std::vector<Row> W = rows_of(eq_.W, reduced_.rows);
    for (std::size_t j = 0; j < m_; ++j) {
      for (std::size_t i = 0; i < n_; ++i) system.A[j][i] = forms_.shorten(W[j][i]);
      system.c[j][n_] = forms_.shorten(-eq_.a[index(reduced_.rows[j])]);
    }
    for (std::size_t k = 0; k < nv_; ++k) {
      system.A[m_ + k] = Y_[k];
      if (y_[k]) system.c[m_ + k][n_] = -y_[k];
    }
    for (std::size_t i = 0; i < n_; ++i) system.c[i][i] = graph_.constant(1);
    FormulaSolution solution = solve_formulas(forms_, std::move(system));
    if (solution.x.empty()) return false;
    inverse_ = std::move(solution.x);
    reduced_.divisors = std::move(solution.divisors);
    reduced_.Y.rows = static_cast<int>(nv_);
    reduced_.Y.cols = eq_.nv();
    for (std::size_t k = 0; k < nv_; ++k)
      for (std::size_t i = 0; i < n_; ++i) add(reduced_.Y, k, i, Y_[k][i]);
    return true;
  }

  static void add(SparseMatrix& matrix, std::size_t row, std::size_t col, const Expr& value) {
    if (value) add_entry(matrix, static_cast<int>(row), static_cast<int>(col), value);
  }

  const Expr& S(std::size_t i, std::size_t k) const { return inverse_[i][m_ + k]; }

  // Builds q̇ = S v + s₀ and its rate at v̇ = 0.
  bool substitute_velocities() {
    for (std::size_t i = 0; i < n_; ++i) {
      std::vector<Graph::Term> sum;
      if (inverse_[i][n_]) sum.push_back({inverse_[i][n_], 1});
      for (std::size_t k = 0; k < nv_; ++k)
        if (S(i, k)) sum.push_back({S(i, k) * velocity(k), 1});
      reduced_.qdot.push_back(graph_.sum(sum));
      qdot_.emplace(eq_.velocities()[i].symbol(), reduced_.qdot[i]);
    }
    Replacements along;  // for derivatives along the motion: q → q̇ in terms of v, t → 1
    const Replacements rates = rates_of_state(eq_);
    for (const Expr& q : eq_.q) along.emplace(q.symbol(), substitute(rates.at(q.symbol()), qdot_));
    for (const auto& [symbol, rate] : eq_.model->time_rates()) along.emplace(symbol, graph_.adopt(rate));
    const auto rate = [&](const Expr& e) {
      return e ? forms_.shorten(directional_derivative(std::array{e}, along).front()) : Expr();
    };
    for (SparseMatrix* matrix : {&reduced_.S, &reduced_.Sdot}) {
      matrix->rows = eq_.nv();
      matrix->cols = static_cast<int>(nv_);
    }
    for (std::size_t i = 0; i < n_; ++i) {
      std::vector<Graph::Term> sum;
      for (std::size_t k = 0; k < nv_; ++k) {
        add(reduced_.S, i, k, S(i, k));
        const Expr slope = rate(S(i, k));
        add(reduced_.Sdot, i, k, slope);
        if (slope) sum.push_back({slope * velocity(k), 1});
      }
      const Expr slope = rate(inverse_[i][n_]);
      if (slope) sum.push_back({slope, 1});
      reduced_.s0.push_back(or_zero(inverse_[i][n_]));
      reduced_.s0dot.push_back(or_zero(slope));
      drift_.push_back(graph_.sum(sum));
    }
    return forms_.possible();
  }

  const Expr& velocity(std::size_t k) const { return reduced_.velocities[k].v; }

  // --- the reduced equations M_r v̇ + b = 0

  void equations_of_motion() {
    std::vector<Row> M(n_, Row(n_));
    for (std::size_t k = 0; k < eq_.M.value.size(); ++k)
      M[index(eq_.M.row[k])][index(eq_.M.col[k])] = substitute(eq_.M.value[k], qdot_);
    const auto product = [&](std::size_t i, const auto& x) {
      std::vector<Graph::Term> sum;
      for (std::size_t j = 0; j < n_; ++j)
        if (const Expr factor = x(j); M[i][j] && factor) sum.push_back({M[i][j] * factor, 1});
      return graph_.sum(sum);
    };
    // Computes rest_, the generalized forces at v̇ = 0, and the product M S.
    std::vector<Row> MS(n_, Row(nv_));
    for (std::size_t i = 0; i < n_ && forms_.possible(); ++i) {
      for (std::size_t k = 0; k < nv_; ++k)
        MS[i][k] = forms_.shorten(product(i, [&](std::size_t j) { return S(j, k); }));
      const Expr inertia = product(i, [&](std::size_t j) { return drift_[j]; });
      const Expr driven = actuation_of(eq_, static_cast<int>(i)), applied = eq_.whole_force(static_cast<int>(i)),
                 force = driven ? applied + driven : applied;
      rest_.push_back(inertia + substitute(eq_.B[i] + eq_.G[i] - force, qdot_));
    }
    if (!forms_.possible()) return;
    reduced_.M.rows = reduced_.M.cols = static_cast<int>(nv_);
    Mr_.assign(nv_, Row(nv_));
    for (std::size_t k = 0; k < nv_; ++k) {
      for (std::size_t l = 0; l < nv_; ++l) {
        Mr_[k][l] = l < k ? Mr_[l][k] : along(k, [&](std::size_t i) { return MS[i][l]; });
        add(reduced_.M, k, l, Mr_[k][l]);
      }
      b_.push_back(along(k, [&](std::size_t i) { return rest_[i]; }));
      reduced_.b.push_back(or_zero(b_.back()));
    }
    MS_ = std::move(MS);
  }

  // Entry k of Sᵀx: Σ_i S_ik x_i
  template <class Entry>
  Expr along(std::size_t k, const Entry& x) {
    std::vector<Graph::Term> sum;
    for (std::size_t i = 0; i < n_; ++i)
      if (const Expr entry = x(i); S(i, k) && entry) sum.push_back({S(i, k) * entry, 1});
    return sum.empty() ? Expr() : forms_.shorten(graph_.sum(sum));
  }

  void decide_closed() {
    std::vector<Expr> all = reduced_.M.value;
    all.insert(all.end(), reduced_.b.begin(), reduced_.b.end());
    reduced_.closed = std::ranges::none_of(all, [&](const Expr& e) {
      return depends_on_kind(e, SymbolKind::kMultiplier) || (depends_on_kind(e, SymbolKind::kCoordinate) && varies(e));
    });
  }

  // Whether the value of `e` changes with the coordinates. A coordinate in the shortest form may still make no difference.
  bool varies(const Expr& e) {
    for (const Expr& slope : gradient(e, eq_.q))
      if (decide_zero(forms_.canonicalizer(), slope) != ZeroTest::kZero) return true;
    // Step functions have derivative 0 and depend on the coordinates nevertheless.
    return std::ranges::any_of(reachable(std::array{e}), [&](NodeId id) {
      const Op op = graph_.op(id);
      return op == Op::kSign || op == Op::kFloor || op == Op::kSelect || op == Op::kAbs || op == Op::kMin ||
             op == Op::kMax;
    });
  }

  // --- closed forms of v̇ and λ

  void solve_motion() {
    if (!eq_.Phi.value.empty()) return solve_together();
    // Rates of prescribed coordinates are known: their v̇ stands on the right.
    std::vector<std::size_t> driven = driven_rows(Y_), free;
    if (driven.size() < prescribed()) driven.clear();
    for (std::size_t k = 0; k < nv_; ++k)
      if (std::ranges::find(driven, k) == driven.end()) free.push_back(k);
    ShortForms forms(graph_, options_.max_cost, index(3 * options_.max_cost / 2), state_relations(eq_));
    forms.share(shortened_);
    FormulaSystem system(free.size(), 1);
    for (std::size_t k = 0; k < free.size(); ++k) {
      std::vector<Graph::Term> right{{or_zero(b_[free[k]]), -1}};
      for (const std::size_t d : driven)
        if (const Expr& inertia = Mr_[free[k]][d]) right.push_back({inertia * reduced_.velocities[d].vdot, -1});
      for (std::size_t l = 0; l < free.size(); ++l) system.A[k][l] = Mr_[free[k]][free[l]];
      if (right.size() > 1 || b_[free[k]]) system.c[k][0] = forms.shorten(graph_.sum(right));
    }
    std::vector<Row> x;
    if (!free.empty()) {
      FormulaSolution solution = solve_formulas(forms, std::move(system));
      x = std::move(solution.x);
    }
    if (x.size() != free.size()) {
      reduced_.why = reduced_.why_no_lambda = forms.possible() ? NoClosedForm::kSingular : NoClosedForm::kTooLarge;
      return;
    }
    for (const ReducedVelocity& velocity : reduced_.velocities) reduced_.vdot.push_back(velocity.vdot);
    for (std::size_t k = 0; k < free.size(); ++k) reduced_.vdot[free[k]] = or_zero(x[k][0]);
    if (!solve_actuations(forms, driven)) return;
    solve_multipliers(forms);
  }

  // F_d = Σ_l M_dl v̇_l + b_d without F, for each prescribed coordinate, whose symbols λ then no longer contains.
  bool solve_actuations(ShortForms& forms, const std::vector<std::size_t>& driven) {
    Replacements none, values;
    for (const Prescribed& one : eq_.model->prescribed)
      none.emplace(graph_.adopt(one.actuation).symbol(), graph_.constant(0));
    for (std::size_t p = 0; p < driven.size() && forms.possible(); ++p) {
      std::vector<Graph::Term> sum{{substitute(or_zero(b_[driven[p]]), none), 1}};
      for (std::size_t l = 0; l < nv_; ++l)
        if (const Expr& inertia = Mr_[driven[p]][l]) sum.push_back({inertia * reduced_.vdot[l], 1});
      reduced_.actuation.push_back(or_zero(forms.shorten(graph_.sum(sum))));
      values.emplace(graph_.adopt(eq_.model->prescribed[p].actuation).symbol(), reduced_.actuation.back());
    }
    if (forms.possible()) {
      for (Expr& e : rest_) e = substitute(e, values);
      return true;
    }
    reduced_.actuation.clear();
    reduced_.why_no_lambda = NoClosedForm::kTooLarge;
    return false;
  }

  // Where forces depend on multipliers, v̇ and λ are solved for together. b of M_r v̇ + b = 0 and rest, the generalized
  // forces at v̇ = 0, are linear in λ, and [R S] is the inverse of [W; Y]:
  //   M_r v̇ + (∂b/∂λ) λ = −b,   λ − Rᵀ(M S v̇ + (∂rest/∂λ) λ) = Rᵀrest,    with b and rest on the right at λ = 0
  void solve_together() {
    if (m_ < index(eq_.m())) {
      reduced_.why = reduced_.why_no_lambda = NoClosedForm::kSingular;
      return;
    }
    std::vector<Expr> multipliers;
    Replacements none;
    for (const Expr& lambda : eq_.lambda) {
      multipliers.push_back(graph_.adopt(lambda));
      none.emplace(multipliers.back().symbol(), graph_.constant(0));
    }
    const auto slope = [&](const Expr& e, std::size_t j) { return gradient(e, std::array{multipliers[j]}).front(); };
    FormulaSystem system(nv_ + m_, 1);
    ShortForms forms(graph_, options_.max_cost, index(3 * options_.max_cost / 2), state_relations(eq_));
    forms.share(shortened_);
    for (std::size_t k = 0; k < nv_; ++k) {
      std::ranges::copy(Mr_[k], system.A[k].begin());
      if (!b_[k]) continue;
      for (std::size_t j = 0; j < m_; ++j) system.A[k][nv_ + j] = forms.shorten(slope(b_[k], j));
      system.c[k][0] = forms.shorten(-substitute(b_[k], none));
    }
    // Entry j of Rᵀx: Σ_i R_ij x_i
    const auto through = [&](std::size_t j, const auto& x) {
      std::vector<Graph::Term> sum;
      for (std::size_t i = 0; i < n_; ++i)
        if (const Expr entry = x(i); inverse_[i][j] && entry) sum.push_back({inverse_[i][j] * entry, 1});
      return graph_.sum(sum);
    };
    for (std::size_t j = 0; j < m_; ++j) {
      Row& row = system.A[nv_ + j];
      for (std::size_t k = 0; k < nv_; ++k)
        row[k] = forms.shorten(-through(j, [&](std::size_t i) { return MS_[i][k]; }));
      for (std::size_t l = 0; l < m_; ++l)
        row[nv_ + l] = forms.shorten(graph_.constant(l == j ? 1 : 0) -
                                     through(j, [&](std::size_t i) { return slope(rest_[i], l); }));
      system.c[nv_ + j][0] = forms.shorten(through(j, [&](std::size_t i) { return substitute(rest_[i], none); }));
    }
    const FormulaSolution solution = solve_formulas(forms, std::move(system));
    if (solution.x.empty()) {
      reduced_.why = reduced_.why_no_lambda = forms.possible() ? NoClosedForm::kSingular : NoClosedForm::kTooLarge;
      return;
    }
    for (std::size_t k = 0; k < nv_ + m_; ++k)
      (k < nv_ ? reduced_.vdot : reduced_.lambda).push_back(or_zero(solution.x[k][0]));
  }

  // Computes λ = Rᵀ(M q̈ + B + G − F) at q̈ = S v̇ + Ṡ v + ṡ₀; [R S] is the inverse of [W; Y].
  void solve_multipliers(ShortForms& forms) {
    if (m_ < index(eq_.m())) {
      reduced_.why_no_lambda = NoClosedForm::kSingular;
      return;
    }
    std::vector<Expr> lambda;
    for (std::size_t j = 0; j < m_ && forms.possible(); ++j) {
      std::vector<Graph::Term> sum;
      for (std::size_t i = 0; i < n_; ++i) {
        if (!inverse_[i][j]) continue;
        std::vector<Graph::Term> force{{rest_[i], 1}};
        for (std::size_t k = 0; k < nv_; ++k)
          if (MS_[i][k]) force.push_back({MS_[i][k] * reduced_.vdot[k], 1});
        sum.push_back({inverse_[i][j] * graph_.sum(force), 1});
      }
      lambda.push_back(or_zero(forms.shorten(graph_.sum(sum))));
    }
    if (forms.possible()) reduced_.lambda = std::move(lambda);
  }

  const Equations& eq_;
  Graph& graph_;
  ReduceOptions options_;
  std::size_t n_, m_ = 0, nv_ = 0;
  std::shared_ptr<Shortened> shortened_ = std::make_shared<Shortened>();
  ShortForms forms_;
  Reduced reduced_;
  std::vector<VelocityChoice> choices_;
  std::vector<Row> Y_;
  std::vector<Expr> y_;
  std::vector<Row> inverse_;  // matrix [R S s₀], N×(N+1)
  Replacements qdot_;         // replaces q̇ by S v + s₀
  std::vector<Expr> drift_;   // q̈ at v̇ = 0: Ṡ v + ṡ₀
  std::vector<Expr> rest_;    // forces at v̇ = 0: M (Ṡ v + ṡ₀) + B + G − F
  std::vector<Row> MS_, Mr_;
  std::vector<Expr> b_;
  std::vector<ReducedVelocity> own_;  // symbols v1, v2, … for chosen quasi-velocities
};

}  // namespace

Result<Reduced> reduce(const Equations& equations, const ReduceOptions& options) {
  return build_reduced(on_overlay(equations), options);
}

Result<Reduced> build_reduced(const Equations& equations, const ReduceOptions& options) {
  return Reduction(equations, options).run();
}

Expr reduced_equation(const Reduced& reduced, int k) {
  std::vector<Graph::Term> terms{{reduced.b[index(k)], 1}};
  for (std::size_t e = 0; e < reduced.M.value.size(); ++e)
    if (reduced.M.row[e] == k)
      terms.push_back({reduced.M.value[e] * reduced.velocities[index(reduced.M.col[e])].vdot, 1});
  return reduced.graph->sum(terms);
}

Expr in_quasi_velocities(const Equations& equations, const Reduced& reduced, const Expr& expression) {
  Graph& graph = *reduced.graph;
  std::vector<std::vector<Graph::Term>> sums(reduced.qdot.size());
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i].push_back({graph.adopt(reduced.s0dot[i]), 1});
  for (const auto& [matrix, second] : {std::pair(&reduced.Sdot, false), std::pair(&reduced.S, true)})
    for (std::size_t e = 0; e < matrix->value.size(); ++e) {
      const ReducedVelocity& of = reduced.velocities[index(matrix->col[e])];
      sums[index(matrix->row[e])].push_back({matrix->value[e] * (second ? of.vdot : of.v), 1});
    }
  Replacements values;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    values.emplace(equations.velocities()[i].symbol(), reduced.qdot[i]);
    values.emplace(equations.accelerations()[i].symbol(), graph.sum(sums[i]));
  }
  return substitute(substitute(graph.adopt(expression), motion_of_coordinates(equations)), values);
}

std::vector<HamelCoefficient> hamel_coefficients(const Equations& equations, const Reduced& reduced) {
  Graph& graph = *reduced.graph;
  ShortForms forms(graph, kAskedCost, 10 * kAskedCost, state_relations(equations));
  const std::size_t n = index(equations.nv()), nv = index(reduced.nv());
  const auto entry = [&](std::size_t i, std::size_t k) {
    return reduced.S.find(static_cast<int>(i), static_cast<int>(k));
  };
  // The derivative of S_il along column k of S.
  const auto derivative = [&](std::size_t i, std::size_t l, std::size_t k) -> Expr {
    const Expr of = entry(i, l);
    if (!of) return {};
    Replacements seeds;
    for (std::size_t j = 0; j < n; ++j)
      if (const Expr s = entry(j, k)) seeds.emplace(equations.q[j].symbol(), s);
    return directional_derivative(std::array{of}, seeds).front();
  };
  std::vector<HamelCoefficient> all;
  for (std::size_t k = 0; k < nv; ++k) {
    for (std::size_t l = k + 1; l < nv; ++l) {
      std::vector<std::vector<Graph::Term>> sums(n);
      for (std::size_t i = 0; i < n; ++i) {
        const Expr plus = derivative(i, l, k), minus = derivative(i, k, l);
        if (!plus && !minus) continue;
        for (std::size_t s = 0; s < n; ++s) {
          const Expr y = s < nv ? reduced.Y.find(static_cast<int>(s), static_cast<int>(i))
                                : equations.W.find(reduced.rows[s - nv], static_cast<int>(i));
          if (y && plus) sums[s].push_back({y * plus, 1});
          if (y && minus) sums[s].push_back({y * minus, -1});
        }
      }
      for (std::size_t s = 0; s < n; ++s)
        if (const Expr value = sums[s].empty() ? Expr() : forms.shorten(graph.sum(sums[s])))
          all.push_back({static_cast<int>(s), static_cast<int>(k), static_cast<int>(l), value});
    }
  }
  return all;
}

}  // namespace dalembert
