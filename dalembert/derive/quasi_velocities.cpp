// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/quasi_velocities.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dalembert/algebra/canonical.h"
#include "dalembert/base/text.h"
#include "dalembert/derive/affine.h"
#include "dalembert/derive/kinematic.h"
#include "dalembert/derive/state_relations.h"
#include "dalembert/derive/velocity_rows.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

using Row = std::vector<Expr>;

// The definition in the velocities of the equations. Where it does not look affine in them, terms that cancel are removed.
Expr stated(const Equations& eq, const QuasiVelocity& velocity, const Variables& rates) {
  const Expr definition = substitute(eq.graph->adopt(velocity.definition), motion_of_coordinates(eq));
  if (!not_affine_in(definition, rates)) return definition;
  Canonicalizer canonicalizer(*eq.graph, Canonicalizer::kMaxTerms, state_relations(eq));
  const auto form = canonicalizer.canonical(definition);
  return form ? canonicalizer.expression(*form) : definition;
}

class Check {
 public:
  explicit Check(const Equations& eq) : eq_(eq), all_(eq.model->quasi_velocities) {}

  Diagnostics run() {
    require_affine();
    if (!problems_.empty()) return problems_;
    const std::vector<int> rows = independent_rows(eq_);
    wanted_ = static_cast<std::size_t>(eq_.nv()) - rows.size();
    constraints_ = rows.size();
    const RandomRows numbers(eq_, rows_of(eq_.W, rows));
    const std::vector<Row> Y = quasi_velocity_rows(eq_).Y;
    const std::vector<bool> follows = numbers.dependent(Y);
    for (std::size_t k = 0; k < Y.size(); ++k)
      if (follows[k]) dependent(numbers, Y, k);
    if (all_.size() != wanted_ && problems_.empty()) wrong_count();
    if (!problems_.empty()) say_what_completes(numbers, Y, follows);
    return problems_;
  }

 private:
  void require_affine() {
    const Variables rates(eq_.velocities());
    for (const QuasiVelocity& velocity : all_) {
      const Expr other = not_affine_in(stated(eq_, velocity, rates), rates);
      if (!other) continue;
      Diagnostic d =
          error("E0260", fmt::format("the quasi-velocity `{}` is not affine in the velocities", velocity.name),
                velocity.span, fmt::format("`{}` occurs nonlinearly", to_text(other)));
      d.help.push_back("a quasi-velocity has the form y1(q,t)*q1' + y2(q,t)*q2' + ... + y0(q,t)");
      problems_.push_back(std::move(d));
    }
  }

  std::string balance() const {
    return fmt::format("{} velocities less {} independent constraint row{} leave {}", eq_.nv(), constraints_,
                       constraints_ == 1 ? "" : "s", wanted_);
  }

  void wrong_count() {
    const bool few = all_.size() < wanted_;
    Diagnostic d = error("E0261", fmt::format("{} quasi-velocit{} where {} {} needed", all_.size(),
                                              all_.size() == 1 ? "y" : "ies", wanted_, wanted_ == 1 ? "is" : "are"));
    d.primary.span = few ? all_.back().span : all_[wanted_].span;
    d.notes.push_back(balance());
    problems_.push_back(std::move(d));
  }

  // Reports quasi-velocity k, which the constraints and earlier quasi-velocities determine, and names the ones needed for it.
  void dependent(const RandomRows& numbers, const std::vector<Row>& Y, std::size_t k) {
    if (std::ranges::none_of(Y[k], [](const Expr& e) { return e && !e.is_zero(); })) {
      Diagnostic d =
          error("E0260", fmt::format("the quasi-velocity `{}` contains no velocity", all_[k].name), all_[k].span);
      d.help.push_back("a quasi-velocity has the form y1(q,t)*q1' + y2(q,t)*q2' + ... + y0(q,t)");
      problems_.push_back(std::move(d));
      return;
    }
    std::vector<std::size_t> needed;
    for (std::size_t i = 0; i < k; ++i) needed.push_back(i);
    const auto determines = [&](const std::vector<std::size_t>& with) -> bool {
      std::vector<Row> rows;
      for (const std::size_t i : with) rows.push_back(Y[i]);
      rows.push_back(Y[k]);
      return numbers.dependent(rows).back();
    };
    for (std::size_t i = 0; i < k; ++i) {
      std::vector<std::size_t> fewer = needed;
      std::erase(fewer, i);
      if (determines(fewer)) needed = std::move(fewer);
    }
    std::vector<std::string> names;
    for (const std::size_t i : needed) names.push_back(all_[i].name);
    // More quasi-velocities than needed cannot all be independent; then their number is reported as the mistake.
    const bool many = all_.size() > wanted_ && k >= wanted_;
    Diagnostic d = many ? error("E0261",
                                fmt::format("{} quasi-velocit{} where {} {} needed", all_.size(),
                                            all_.size() == 1 ? "y" : "ies", wanted_, wanted_ == 1 ? "is" : "are"),
                                all_[k].span, fmt::format("`{}` is one too many", all_[k].name))
                        : error("E0262",
                                fmt::format("the quasi-velocity `{}` follows from {}", all_[k].name,
                                            names.empty() ? "the constraints" : "others"),
                                all_[k].span);
    if (names.empty())
      d.notes.push_back(fmt::format("the constraints alone determine `{}`", all_[k].name));
    else
      d.notes.push_back(
          fmt::format("the constraints determine `{}` together with {}", all_[k].name, join_words(names)));
    if (many) d.notes.push_back(balance());
    problems_.push_back(std::move(d));
  }

  void say_what_completes(const RandomRows& numbers, const std::vector<Row>& Y, const std::vector<bool>& follows) {
    std::vector<Row> rows;
    std::vector<std::string> drop;
    for (std::size_t k = 0; k < Y.size(); ++k) {
      if (follows[k])
        drop.push_back(all_[k].name);
      else
        rows.push_back(Y[k]);
    }
    const std::size_t kept = rows.size();
    // Rates of prescribed coordinates come first, because they are known.
    std::vector<int> order = actuated_velocities(eq_);
    for (int i = 0; i < eq_.nv(); ++i)
      if (std::ranges::find(order, i) == order.end()) order.push_back(i);
    for (const int i : order) {
      Row rate(static_cast<std::size_t>(eq_.nv()));
      rate[static_cast<std::size_t>(i)] = eq_.graph->constant(1);
      rows.push_back(std::move(rate));
    }
    const std::vector<bool> found = numbers.dependent(rows);
    std::vector<std::string> add;
    for (std::size_t k = 0; k < order.size(); ++k)
      if (!found[kept + k]) add.push_back(to_text(eq_.velocities()[static_cast<std::size_t>(order[k])]));
    Diagnostic& last = problems_.back();
    if (!drop.empty()) last.help.push_back(fmt::format("leave out {}", join_words(drop)));
    if (!add.empty()) last.help.push_back(fmt::format("{} would complete them", join_words(add)));
  }

  const Equations& eq_;
  const std::vector<QuasiVelocity>& all_;
  std::size_t wanted_ = 0, constraints_ = 0;
  Diagnostics problems_;
};

}  // namespace

Diagnostics check_quasi_velocities(const Equations& equations) {
  return equations.model->quasi_velocities.empty() ? Diagnostics{} : Check(equations).run();
}

QuasiVelocityRows quasi_velocity_rows(const Equations& eq) {
  const Variables rates(eq.velocities());
  std::unordered_map<SymbolId, Expr> at_rest;
  for (const Expr& v : eq.velocities()) at_rest.emplace(v.symbol(), eq.graph->constant(0));
  QuasiVelocityRows rows;
  for (const QuasiVelocity& velocity : eq.model->quasi_velocities) {
    const Expr definition = stated(eq, velocity, rates);
    Row row(static_cast<std::size_t>(eq.nv()));
    for (const auto& [i, slope] : sparse_gradient(definition, rates)) row[static_cast<std::size_t>(i)] = slope;
    rows.Y.push_back(std::move(row));
    rows.y0.push_back(substitute(definition, at_rest));
  }
  return rows;
}

Equations quasi_velocity_equations(const Equations& given) {
  Equations eq = on_overlay(given);
  const QuasiVelocityRows rows = quasi_velocity_rows(eq);
  std::unordered_map<SymbolId, Expr> along = rates_of_state(eq);
  for (const Expr& v : eq.velocities()) along.erase(v.symbol());
  for (const auto& [symbol, rate] : eq.model->time_rates()) along.emplace(symbol, eq.graph->adopt(rate));
  const Expr zero = eq.graph->constant(0);
  const int count = static_cast<int>(rows.Y.size());
  eq.M = {eq.nv(), eq.nv(), {}, {}, {}};
  eq.W = eq.Wdot = {count, eq.nv(), {}, {}, {}};
  for (std::vector<Expr>* list : {&eq.B, &eq.G, &eq.F}) std::ranges::fill(*list, zero);
  eq.rows.clear();
  eq.holonomic.clear();
  eq.momenta.clear();
  for (std::vector<Expr>* list : {&eq.h, &eq.lambda, &eq.a, &eq.gamma}) list->clear();
  eq.T = eq.V = eq.L = eq.E = eq.dLdt = eq.power = zero;
  for (int k = 0; k < count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const QuasiVelocity& velocity = eq.model->quasi_velocities[at];
    std::vector<Graph::Term> terms{{rows.y0[at], 1}};
    for (int i = 0; i < eq.nv(); ++i) {
      const Expr& y = rows.Y[at][static_cast<std::size_t>(i)];
      if (!y) continue;
      add_entry(eq.W, k, i, y);
      terms.push_back({y * eq.velocities()[static_cast<std::size_t>(i)], 1});
    }
    const Expr whole = eq.graph->sum(terms);
    eq.rows.push_back(velocity.name);
    eq.h.push_back(whole);
    eq.lambda.push_back(eq.graph->adopt(velocity.v));
    eq.a.push_back(rows.y0[at]);
    eq.gamma.push_back(directional_derivative(std::array{whole}, along).front());
  }
  return eq;
}

Equations with_initial_quasi_velocities(const Equations& given) {
  Equations eq = on_overlay(given);
  const QuasiVelocityRows rows = quasi_velocity_rows(eq);
  for (const InitialValue& held : eq.model->initial.quasi_velocity) {
    const auto at = static_cast<std::size_t>(held.coordinate);
    const int row = eq.m();
    eq.a.push_back(rows.y0[at] - held.value);
    std::vector<Graph::Term> terms{{eq.a.back(), 1}};
    for (int i = 0; i < eq.nv(); ++i) {
      const Expr& y = rows.Y[at][static_cast<std::size_t>(i)];
      if (!y) continue;
      add_entry(eq.W, row, i, y);
      terms.push_back({y * eq.velocities()[static_cast<std::size_t>(i)], 1});
    }
    eq.rows.push_back(eq.model->quasi_velocities[at].name);
    eq.h.push_back(eq.graph->sum(terms));
    eq.lambda.push_back(eq.graph->constant(0));
    eq.gamma.push_back(eq.graph->constant(0));
  }
  eq.W.rows = eq.Wdot.rows = eq.m();
  return eq;
}

}  // namespace dalembert
