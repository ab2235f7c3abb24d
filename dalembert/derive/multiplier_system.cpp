// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/multiplier_system.h"

#include <algorithm>
#include <string>

#include "dalembert/algebra/root_powers.h"
#include "dalembert/derive/short_forms.h"
#include "dalembert/derive/state_relations.h"
#include "dalembert/derive/velocity_rows.h"
#include "dalembert/expr/print.h"

namespace dalembert {
namespace {

// The largest cost (algebra/gather.h) of an entry of D and d without names: a line or two.
constexpr int kReadable = 60;

// Builds D and d from M⁻¹ and F − B − G, with names for their entries or without.
class MultiplierSystemBuilder {
 public:
  MultiplierSystemBuilder(const Equations& eq, int max_cost)
      : eq_(eq),
        n_(static_cast<std::size_t>(eq.nv())),
        m_(static_cast<std::size_t>(eq.m())),
        max_cost_(max_cost),
        P_(n_ * n_),
        Q_(n_) {}

  std::optional<NoClosedForm> invert() {
    NoClosedForm reason = NoClosedForm::kTooLarge;
    for (std::size_t j = 0; j < n_; ++j) {
      const auto column = build_closed_form(pushed_along(j), max_cost_, &reason);
      if (!column) return reason;
      for (std::size_t i = 0; i < n_; ++i)
        if (!column->qdd[i].is_zero()) P_[i * n_ + j] = column->qdd[i];
      Q_[j] = eq_.F[j] - eq_.B[j] - eq_.G[j];
    }
    return std::nullopt;
  }

  std::optional<MultiplierSystem> build(int max_cost) {
    const auto work = static_cast<std::size_t>(20 * max_cost_);
    ShortForms forms(*eq_.graph, max_cost, work, state_relations(eq_));
    MultiplierSystem system{eq_.graph, {eq_.m(), eq_.m(), {}, {}, {}}, {}, names_};
    for (std::size_t i = 0; i < m_; ++i) {
      // Row i of W M⁻¹.
      std::vector<std::vector<Graph::Term>> sums(n_);
      for (std::size_t k = 0; k < n_; ++k)
        for (std::size_t l = 0; W(i, k) && l < n_; ++l)
          if (const Expr& p = P_[k * n_ + l]) sums[l].push_back({W(i, k) * p, 1});
      std::vector<Graph::Term> d{{eq_.gamma[i], 1}};
      for (std::size_t l = 0; l < n_; ++l) d.push_back({eq_.graph->sum(sums[l]) * Q_[l], 1});
      for (std::size_t j = 0; j < m_; ++j) {
        std::vector<Graph::Term> entry;
        for (std::size_t l = 0; l < n_; ++l)
          if (W(j, l)) entry.push_back({eq_.graph->sum(sums[l]) * W(j, l), 1});
        if (const Expr value = forms.shorten(eq_.graph->sum(entry)))
          add_entry(system.D, static_cast<int>(i), static_cast<int>(j), value);
      }
      const Expr value = forms.shorten(eq_.graph->sum(d));
      system.d.push_back(value ? with_roots_apart(forms, eq_.graph->sum(d), value) : eq_.graph->constant(0));
      if (!forms.possible()) return std::nullopt;
    }
    return system;
  }

  // What is long over one bar by powers of its roots, where that is clearly shorter.
  static Expr with_roots_apart(ShortForms& forms, const Expr& e, const Expr& shortened) {
    const auto form = forms.canonicalizer().canonical(e);
    const auto terms = form ? by_powers_of_roots(forms.canonicalizer(), *form, shortened) : std::nullopt;
    return terms ? expression(forms.canonicalizer(), *terms) : shortened;
  }

  // Puts names for the entries of P and Q that contain anything but parameters. P is symmetric.
  void name_entries() {
    ShortForms forms(*eq_.graph, max_cost_);
    const std::vector<std::string> of = motion_names(eq_);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = i; j < n_; ++j)
        if (Expr& p = P_[i * n_ + j]; p && forms.has_variables(p)) {
          p = named("P[" + of[i] + "," + of[j] + "]", "P_{" + latex_index(i) + "," + latex_index(j) + "}", p);
          P_[j * n_ + i] = p;
        }
    for (std::size_t i = 0; i < n_; ++i)
      if (Q_[i].op() != Op::kSymbol && forms.has_variables(Q_[i]))
        Q_[i] = named("Q[" + of[i] + "]", "Q_{" + latex_index(i) + "}", Q_[i]);
  }

 private:
  Expr W(std::size_t i, std::size_t k) const { return eq_.W.find(static_cast<int>(i), static_cast<int>(k)); }

  // The index of a velocity in LaTeX.
  std::string latex_index(std::size_t i) const { return to_latex(eq_.v_is_qdot() ? eq_.q[i] : eq_.v[i]); }

  Expr named(const std::string& name, const std::string& latex, const Expr& value) {
    const Expr symbol = eq_.graph->add_symbol({name, SymbolKind::kShorthand, 0, latex});
    names_.push_back({symbol, value});
    return symbol;
  }

  // The equations M q̈ = e_j without constraints.
  Equations pushed_along(std::size_t j) const {
    Equations free = eq_;
    free.B = free.G = free.F = std::vector<Expr>(n_, eq_.graph->constant(0));
    free.F[j] = eq_.graph->constant(1);
    free.W = {};
    free.rows.clear();
    free.gamma.clear();
    free.lambda.clear();
    return free;
  }

  const Equations& eq_;
  std::size_t n_, m_;
  int max_cost_;
  std::vector<Expr> P_, Q_;
  std::vector<MultiplierSystem::Named> names_;
};

}  // namespace

std::optional<MultiplierSystem> build_multiplier_system(const Equations& equations, int max_cost, NoClosedForm* why) {
  const Equations eq = on_overlay(equations);
  NoClosedForm reason = eq.load_dependent() ? NoClosedForm::kFriction : NoClosedForm::kTooLarge;
  const auto none = [&]() -> std::optional<MultiplierSystem> {
    if (why != nullptr) *why = reason;
    return std::nullopt;
  };
  if (eq.load_dependent() || !eq.model->prescribed.empty() || eq.n() + eq.m() > kMostRead) return none();

  MultiplierSystemBuilder builder(eq, max_cost);
  if (const auto fails = builder.invert()) {
    reason = *fails;
    return none();
  }
  std::optional<MultiplierSystem> system = builder.build(std::min(max_cost, kReadable));
  if (!system) {
    builder.name_entries();
    system = builder.build(max_cost);
  }
  return system ? system : none();
}

std::string_view no_multiplier_system(const Equations& equations, NoClosedForm why) {
  if (!equations.model->prescribed.empty()) return "a coordinate is prescribed, and its acceleration is no unknown";
  if (why == NoClosedForm::kFriction) return "forces depend on the multipliers";
  if (why == NoClosedForm::kTooLarge) return to_text(why);
  return "the mass matrix has no inverse as formulas: a motion without inertia";
}

}  // namespace dalembert
