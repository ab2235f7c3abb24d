// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/equation_printer.h"
#include "dalembert/report/equations_text.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include <fmt/format.h>

#include "dalembert/derive/reduce.h"
#include "dalembert/derive/state_relations.h"
#include "dalembert/expr/visit.h"
#include "dalembert/report/equation_layout.h"
#include "dalembert/report/unicode_layout.h"

namespace dalembert {
namespace {

class Trail {
 public:
  Trail(const Equations& equations, Form form, Notation notation)
      : eq_(on_overlay(equations)),
        graph_(*eq_.graph),
        notation_(notation),
        latex_(notation == Notation::kLatex),
        printer_(graph_, form, notation, nullptr, state_relations(eq_)) {
    total_ = rates_of_state(eq_);
    for (const auto& [symbol, rate] : eq_.model->time_rates()) total_.emplace(symbol, graph_.adopt(rate));
  }

  std::string print(bool standalone, int columns) {
    energies();
    momenta();
    lagrange();
    if (eq_.m() > 0) constraints();
    if (eq_.m() > 0) elimination();
    if (!eq_.model->quasi_velocities.empty()) quasi_velocities();
    sheet_.notation = notation_;
    if (standalone) sheet_.name = eq_.model->name;
    if (latex_) {
      LatexLayout layout;
      layout.standalone = standalone;
      return lay_out_latex(sheet_, graph_, layout);
    }
    return notation_ == Notation::kUnicode ? lay_out_unicode(sheet_, graph_, columns) : lay_out_text(sheet_, graph_);
  }

 private:
  std::string name(std::size_t i) const { return printer_.symbol(eq_.q[i]); }
  std::string rate_name(std::size_t i) const { return printer_.symbol(eq_.velocities()[i]); }
  std::string partial(const std::string& of, const std::string& by) const {
    return latex_                            ? fmt::format("\\frac{{\\partial {}}}{{\\partial {}}}", of, by)
           : notation_ == Notation::kUnicode ? fmt::format("∂{}/∂{}", of, by)
                                             : fmt::format("d{}/d({})", of, by);
  }
  std::string in_time(const std::string& of) const {
    return latex_ ? fmt::format("\\frac{{d}}{{dt}} {}", of) : fmt::format("d/dt {}", of);
  }
  Expr rate(const Expr& e) const { return directional_derivative(std::array{e}, total_).front(); }

  void begin(const std::string& title) {
    ++step_;
    sheet_.blocks.emplace_back();
    sheet_.blocks.back().title =
        fmt::format("{}. {}", step_, notation_ == Notation::kUnicode ? unicode_prose(title) : title);
  }
  void line(Formula left, Formula right) { sheet_.blocks.back().lines.push_back({std::move(left), std::move(right)}); }
  void line(const std::string& left, Formula right) {
    line(latex_ ? spell_latex(left) : FormulaWriter().add(left).take(), std::move(right));
  }
  // The line "left = 0", labelled with the name of the constraint row.
  void vanishes(const std::string& label, Formula left) {
    sheet_.blocks.back().lines.push_back({std::move(left), number_formula(0, notation_), label});
  }
  void remark(std::string sentence) { sheet_.blocks.back().remark = std::move(sentence); }

  void energies() {
    begin(latex_ ? "Energies and the Lagrangian $L = T - V$" : "Energies and the Lagrangian L = T - V");
    line("T", printer_.entry(eq_.T));
    line("V", printer_.entry(eq_.V));
    line("L", printer_.entry(eq_.L));
  }

  void momenta() {
    begin(latex_ ? "Momenta, their rates, and the partial derivatives of $L$"
                 : "Momenta, their rates, and the partial derivatives of L");
    const std::vector<Expr> slopes = gradient(eq_.L, eq_.q);
    const bool paired = eq_.v_is_qdot();
    for (std::size_t i = 0; i < eq_.p.size(); ++i) {
      line(partial("L", rate_name(i)), printer_.entry(eq_.p[i]));
      line(in_time(partial("L", rate_name(i))), printer_.entry(rate(eq_.p[i])));
      if (paired) line(partial("L", name(i)), printer_.entry(slopes[i]));
    }
    for (std::size_t i = 0; !paired && i < eq_.q.size(); ++i) line(partial("L", name(i)), printer_.entry(slopes[i]));
  }

  void lagrange() {
    if (eq_.v_is_qdot())
      begin(latex_ ? "Lagrange's equations with generalized forces $\\mathbf{F}$ and constraint forces $\\mathbf{W}^T "
                     "\\boldsymbol{\\lambda}$"
                   : "Lagrange's equations d/dt dL/d(q') - dL/dq = F + W^T lambda");
    else
      begin(latex_ ? "Lagrange's equations in the velocities $\\mathbf{v}$, $\\dot{\\mathbf{q}} = \\mathbf{N} "
                     "\\mathbf{v}$: $\\frac{d}{dt} \\frac{\\partial "
                     "L}{\\partial v} - N^T "
                     "\\frac{\\partial L}{\\partial q} + \\omega \\times \\frac{\\partial L}{\\partial \\omega} = F + "
                     "W^T\\lambda$"
                   : "Lagrange's equations in the velocities v, q' = N v: d/dt dL/dv - N^T dL/dq + omega x dL/d(omega) "
                     "= F + "
                     "W^T lambda");
    for (int i = 0; i < eq_.nv(); ++i) {
      const auto [left, right] = printer_.equation_of_motion(eq_, i);
      line(left, right);
    }
  }

  // Lists 0 = h, 0 = dh/dt = W q̇ + a and 0 = d²h/dt² = W q̈ + γ. A Pfaffian row starts at the second equation.
  void constraints() {
    begin("Constraints, differentiated until the accelerations appear");
    for (std::size_t j = 0; j < eq_.rows.size(); ++j) {
      const bool holonomic = std::ranges::find(eq_.holonomic, static_cast<int>(j)) != eq_.holonomic.end();
      const std::string row = constraint_label(eq_, j, notation_);
      vanishes(row, printer_.constraint(eq_, static_cast<int>(j)));
      if (holonomic) vanishes(row, printer_.entry(rate(eq_.h[j])));
      std::vector<std::pair<Expr, Expr>> accelerations;
      for (std::size_t k = 0; k < eq_.W.value.size(); ++k)
        if (eq_.W.row[k] == static_cast<int>(j))
          accelerations.emplace_back(eq_.W.value[k], eq_.accelerations()[static_cast<std::size_t>(eq_.W.col[k])]);
      vanishes(row, printer_.linear(accelerations, {eq_.gamma[j]}));
    }
  }

  void elimination() {
    begin(latex_
              ? "Elimination of the accelerations: $\\mathbf{W} \\mathbf{M}^{-1} \\mathbf{W}^T \\boldsymbol{\\lambda} "
                "= \\mathbf{W} \\mathbf{M}^{-1} (\\mathbf{B} + \\mathbf{G} - \\mathbf{F}) - \\boldsymbol{\\gamma}$"
              : "Elimination of the accelerations: W M^-1 W^T lambda = W M^-1 (B + G - F) - gamma");
    NoClosedForm why{};
    const auto form = solve_closed_form(eq_, kAskedCost, &why);
    if (!form) {
      remark(fmt::format("(solved numerically: {})", to_text(why)));
    } else {
      for (std::size_t j = 0; j < form->lambda.size(); ++j)
        line(printer_.symbol(eq_.lambda[j]), printer_.entry(form->lambda[j]));
      for (std::size_t i = 0; i < form->qdd.size(); ++i)
        if (!form->qdd[i].same(eq_.accelerations()[i]))  // skip prescribed accelerations
          line(printer_.symbol(eq_.accelerations()[i]), printer_.entry(form->qdd[i]));
      for (std::size_t k = 0; k < form->actuation.size(); ++k)
        line(printer_.symbol(graph_.adopt(eq_.model->prescribed[k].actuation)), printer_.entry(form->actuation[k]));
    }
  }

  // --- quasi-velocities (theory §4), line by line

  void quasi_velocities() {
    const auto found = build_reduced(eq_);
    if (!found) {
      begin("Quasi-velocities");
      remark(fmt::format("({})", found.diagnostics().front().message));
      return;
    }
    const Reduced& r = *found;
    begin("Quasi-velocities as they are stated");
    for (const ReducedVelocity& v : r.velocities) line(printer_.symbol(v.v), printer_.entry(v.definition));
    begin(latex_ ? "Solved, together with the constraints, for the velocities: $\\dot{\\mathbf{q}} = \\mathbf{S} "
                   "\\mathbf{v} + \\mathbf{s}_0$, $\\mathbf{W} \\mathbf{S} = \\mathbf{0}$"
                 : "Solved, together with the constraints, for the velocities: q' = S v + s0, W S = 0");
    for (std::size_t i = 0; i < eq_.q.size(); ++i) line(rate_name(i), in_velocities(r, r.S, r.s0[i], i, false));
    begin(latex_ ? "Differentiated: $\\ddot{\\mathbf{q}} = \\mathbf{S} \\dot{\\mathbf{v}} + \\dot{\\mathbf{S}} "
                   "\\mathbf{v} + \\dot{\\mathbf{s}}_0$"
                 : "Differentiated: q'' = S v' + Sdot v + s0dot");
    for (std::size_t i = 0; i < eq_.q.size(); ++i) {
      const Expr rest = in_quasi_velocities(eq_, r, eq_.qdd[i]);
      std::unordered_map<SymbolId, Expr> at_rest;
      for (const ReducedVelocity& v : r.velocities) at_rest.emplace(v.vdot.symbol(), graph_.constant(0));
      line(printer_.symbol(eq_.qdd[i]), in_velocities(r, r.S, substitute(rest, at_rest), i, true));
    }
    combinations(r);
    begin(latex_ ? "With $\\dot{\\mathbf{q}}$ and $\\ddot{\\mathbf{q}}$ put in: $\\mathbf{S}^T \\mathbf{M} \\mathbf{S} "
                   "\\dot{\\mathbf{v}} + \\mathbf{S}^T \\mathbf{M} (\\dot{\\mathbf{S}} \\mathbf{v} + "
                   "\\dot{\\mathbf{s}}_0) + \\mathbf{S}^T (\\mathbf{B} + \\mathbf{G} - \\mathbf{F}) = \\mathbf{0}$"
                 : "With q' and q'' put in: S^T M S v' + S^T M (Sdot v + s0dot) + S^T (B + G - F) = 0");
    for (int k = 0; k < r.nv(); ++k) {
      const auto [left, right] = printer_.reduced_equation(r, k);
      line(left, right);
    }
    solved(r);
  }

  Formula in_velocities(const Reduced& r, const SparseMatrix& S, const Expr& rest, std::size_t i, bool rates) {
    std::vector<std::pair<Expr, Expr>> terms;
    for (std::size_t e = 0; e < S.value.size(); ++e) {
      const ReducedVelocity& v = r.velocities[static_cast<std::size_t>(S.col[e])];
      if (S.row[e] == static_cast<int>(i)) terms.emplace_back(S.value[e], rates ? v.vdot : v.v);
    }
    return printer_.linear(terms, {rest});
  }

  // Lists the combinations Σ_i S_ik (row i of the equations of motion).
  void combinations(const Reduced& r) {
    begin(latex_ ? "The equations of motion times the columns of $\\mathbf{S}$, added up: $\\mathbf{S}^T \\mathbf{W}^T "
                   "\\boldsymbol{\\lambda} = \\mathbf{0}$"
                 : "The equations of motion times the columns of S, added up: S^T W^T lambda = 0");
    for (int k = 0; k < r.nv(); ++k) {
      FormulaWriter sum;
      for (std::size_t i = 0; i < eq_.q.size(); ++i) {
        const Expr factor = r.S.find(static_cast<int>(i), k);
        if (!factor) continue;
        std::vector<std::pair<Expr, Expr>> inertia;
        for (std::size_t e = 0; e < eq_.M.value.size(); ++e)
          if (eq_.M.row[e] == static_cast<int>(i))
            inertia.emplace_back(eq_.M.value[e], eq_.qdd[static_cast<std::size_t>(eq_.M.col[e])]);
        Formula term = printer_.linear(inertia, {eq_.B[i], eq_.G[i], -eq_.F[i]}), by = printer_.entry(factor);
        const bool negative = !term.empty() && term.front().kind == FormulaToken::Kind::kSign;
        const bool one = text_of(by) == "1";
        add_sign(sum, false, notation_);
        if (!one) sum.add(parenthesized(std::move(by), notation_));
        if (!one) sum.add(notation_ == Notation::kText ? "*" : " ", FormulaToken::Kind::kTimes);
        sum.add(one && !negative ? std::move(term) : parenthesized(std::move(term), notation_));
      }
      Formula whole = sum.take();
      match_brackets(whole);
      const std::string& velocity = r.velocities[static_cast<std::size_t>(k)].name;
      vanishes(latex_ ? "$" + printer_.symbol(r.velocities[static_cast<std::size_t>(k)].v) + "$" : velocity,
               std::move(whole));
    }
  }

  void solved(const Reduced& r) {
    if (r.vdot.empty()) return;
    begin("Solved for the rates of the quasi-velocities, and for the multipliers");
    for (std::size_t k = 0; k < r.vdot.size(); ++k)
      if (!r.vdot[k].same(r.velocities[k].vdot)) line(printer_.symbol(r.velocities[k].vdot), printer_.entry(r.vdot[k]));
    for (std::size_t j = 0; j < r.lambda.size(); ++j) line(printer_.symbol(eq_.lambda[j]), printer_.entry(r.lambda[j]));
    if (r.closed) remark("(The v-equations do not contain q: they stand alone.)");
  }

  const Equations eq_;
  Graph& graph_;
  Notation notation_;
  bool latex_;
  EquationPrinter printer_;
  std::unordered_map<SymbolId, Expr> total_;
  EquationSheet sheet_;
  int step_ = 0;
};

}  // namespace

std::string print_derivation(const Equations& equations, Form form, Notation notation, bool standalone, int columns) {
  return Trail(equations, form, notation).print(standalone && notation == Notation::kLatex, columns);
}

}  // namespace dalembert
