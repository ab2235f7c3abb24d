// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/reduce.h"

#include <algorithm>

#include "dalembert/derive/kinematic.h"
#include "dalembert/derive/short_forms.h"
#include "dalembert/derive/state_relations.h"
#include "dalembert/derive/velocity_rows.h"

namespace dalembert {
namespace {

// Solves K x = r with K symmetric: x = (q̈, −λ), K = [M Wᵀ; W 0]. Null entries are zero.
class Elimination {
 public:
  Elimination(const Equations& eq, int max_cost)
      : eq_(eq),
        size_(static_cast<std::size_t>(eq.nv() + eq.m())),
        forms_(*eq.graph, max_cost, static_cast<std::size_t>(3 * max_cost / 2), state_relations(eq)),
        K_(size_ * size_),
        r_(size_) {}

  std::optional<ClosedForm> solve() {
    load();
    const std::vector<std::size_t> order = forward();
    if (!forms_.possible()) return std::nullopt;
    std::vector<Expr> x(size_);
    for (std::size_t step = size_; step-- > 0;) {
      const std::size_t k = order[step];
      std::vector<Graph::Term> sum;
      if (r_[k]) sum.push_back({r_[k], 1});
      for (std::size_t later = step + 1; later < size_; ++later)
        if (const std::size_t j = order[later]; at(k, j) && x[j]) sum.push_back({at(k, j) * x[j], -1});
      x[k] = forms_.shorten(graph().sum(sum) / at(k, k));
      if (!forms_.possible()) return std::nullopt;
    }
    ClosedForm form;
    form.graph = eq_.graph;
    const Expr zero = graph().constant(0);
    const auto n = static_cast<std::size_t>(eq_.nv());
    for (std::size_t i = 0; i < n; ++i) form.qdd.push_back(x[i] ? x[i] : zero);
    for (std::size_t j = n; j < size_; ++j) form.lambda.push_back(x[j] ? forms_.shorten(-x[j]) : zero);
    return form;
  }

  NoClosedForm why() const { return why_; }

 private:
  Graph& graph() const { return *eq_.graph; }
  Expr& at(std::size_t i, std::size_t j) { return K_[i * size_ + j]; }

  void load() {
    const auto n = static_cast<std::size_t>(eq_.nv());
    const auto set = [&](std::size_t i, std::size_t j, const Expr& value) {
      at(i, j) = at(j, i) = forms_.shorten(value);
    };
    for (std::size_t k = 0; k < eq_.M.value.size() && forms_.possible(); ++k)
      set(static_cast<std::size_t>(eq_.M.row[k]), static_cast<std::size_t>(eq_.M.col[k]), eq_.M.value[k]);
    for (std::size_t k = 0; k < eq_.W.value.size() && forms_.possible(); ++k)
      set(n + static_cast<std::size_t>(eq_.W.row[k]), static_cast<std::size_t>(eq_.W.col[k]), eq_.W.value[k]);
    for (std::size_t i = 0; i < n && forms_.possible(); ++i) r_[i] = forms_.shorten(eq_.F[i] - eq_.B[i] - eq_.G[i]);
    for (std::size_t j = n; j < size_ && forms_.possible(); ++j) r_[j] = forms_.shorten(-eq_.gamma[j - n]);
  }

  // Eliminates with diagonal pivots, always the one whose row has the fewest nonzero entries. Returns the order of the pivots.
  std::vector<std::size_t> forward() {
    std::vector<std::size_t> order, open(size_);
    for (std::size_t i = 0; i < size_; ++i) open[i] = i;
    while (!open.empty() && forms_.possible()) {
      auto best = open.end();
      std::size_t fewest = size_ + 1;
      for (auto k = open.begin(); k != open.end(); ++k) {
        if (!at(*k, *k)) continue;
        const auto neighbours = static_cast<std::size_t>(
            std::ranges::count_if(open, [&](std::size_t j) { return static_cast<bool>(at(*k, j)); }));
        if (neighbours < fewest) {
          fewest = neighbours;
          best = k;
        }
      }
      if (best == open.end()) {
        const bool empty = std::ranges::none_of(open, [&](std::size_t i) {
          return std::ranges::any_of(open, [&](std::size_t j) { return static_cast<bool>(at(i, j)); });
        });
        why_ = empty ? NoClosedForm::kSingular : NoClosedForm::kNoPivot;
        forms_.give_up();
        break;
      }
      const std::size_t k = *best;
      open.erase(best);
      order.push_back(k);
      for (const std::size_t i : open) {
        if (!at(i, k)) continue;
        const Expr factor = at(i, k) / at(k, k);
        for (const std::size_t j : open)
          if (j >= i && at(k, j)) at(i, j) = at(j, i) = updated(at(i, j), factor * at(k, j));
        if (r_[k]) r_[i] = updated(r_[i], factor * r_[k]);
        if (!forms_.possible()) break;
      }
    }
    return order;
  }

  Expr updated(const Expr& old, const Expr& minus) { return forms_.shorten(old ? old - minus : -minus); }

  const Equations& eq_;
  std::size_t size_;
  ShortForms forms_;
  std::vector<Expr> K_, r_;
  NoClosedForm why_ = NoClosedForm::kTooLarge;  // the reason where the elimination fails
};

// The equations of the passive coordinates alone; the accelerations of the actuated coordinates count as known.
Equations passive_part(const Equations& eq, const Partition& parts) {
  Equations part = eq;
  std::vector<int> place(static_cast<std::size_t>(eq.nv()), -1);
  for (std::size_t k = 0; k < parts.passive.size(); ++k)
    place[static_cast<std::size_t>(parts.passive[k])] = static_cast<int>(k);
  const auto chosen = [&](std::vector<Expr>& list) {
    std::vector<Expr> kept;
    for (const int i : parts.passive) kept.push_back(list[static_cast<std::size_t>(i)]);
    list = std::move(kept);
  };
  std::vector<Expr> F = eq.F;
  for (std::size_t k = 0; k < eq.M.value.size(); ++k)
    if (place[static_cast<std::size_t>(eq.M.col[k])] < 0) {
      Expr& force = F[static_cast<std::size_t>(eq.M.row[k])];
      force = force - eq.M.value[k] * eq.accelerations()[static_cast<std::size_t>(eq.M.col[k])];
    }
  part.F = std::move(F);
  for (std::vector<Expr>* list : {&part.B, &part.G, &part.F}) chosen(*list);
  if (eq.v_is_qdot())
    for (std::vector<Expr>* list : {&part.q, &part.qd, &part.qdd, &part.p}) chosen(*list);
  else
    for (std::vector<Expr>* list : {&part.v, &part.vdot}) chosen(*list);
  const auto restricted = [&](const SparseMatrix& matrix, bool rows) {
    SparseMatrix kept;
    kept.cols = static_cast<int>(parts.passive.size());
    kept.rows = rows ? kept.cols : matrix.rows;
    for (std::size_t k = 0; k < matrix.value.size(); ++k) {
      const int row = rows ? place[static_cast<std::size_t>(matrix.row[k])] : matrix.row[k];
      const int column = place[static_cast<std::size_t>(matrix.col[k])];
      if (row < 0 || column < 0) continue;
      add_entry(kept, row, column, matrix.value[k]);
    }
    return kept;
  };
  part.M = restricted(eq.M, true);
  part.W = restricted(eq.W, false);
  for (std::size_t k = 0; k < eq.W.value.size(); ++k)
    if (place[static_cast<std::size_t>(eq.W.col[k])] < 0) {
      Expr& known = part.gamma[static_cast<std::size_t>(eq.W.row[k])];
      known = known + eq.W.value[k] * eq.accelerations()[static_cast<std::size_t>(eq.W.col[k])];
    }
  return part;
}

// Adds the actuations F_a = M_paᵀ q̈_p + M_aa q̈_a + B_a + G_a − F − W_aᵀλ, with the solution of the passive part put in.
std::optional<ClosedForm> with_actuations(const Equations& eq, const Partition& parts, ClosedForm form, int max_cost) {
  std::vector<Expr> qdd = eq.accelerations();
  for (std::size_t k = 0; k < parts.passive.size(); ++k) qdd[static_cast<std::size_t>(parts.passive[k])] = form.qdd[k];
  form.qdd = std::move(qdd);
  ShortForms forms(*eq.graph, max_cost, state_relations(eq));
  for (const int i : parts.actuated) {
    const auto at = static_cast<std::size_t>(i);
    std::vector<Graph::Term> terms{{eq.B[at], 1}, {eq.G[at], 1}, {eq.F[at], -1}};
    for (std::size_t k = 0; k < eq.M.value.size(); ++k)
      if (eq.M.row[k] == i) terms.push_back({eq.M.value[k] * form.qdd[static_cast<std::size_t>(eq.M.col[k])], 1});
    for (std::size_t k = 0; k < eq.W.value.size(); ++k)
      if (eq.W.col[k] == i) terms.push_back({eq.W.value[k] * form.lambda[static_cast<std::size_t>(eq.W.row[k])], -1});
    const Expr force = forms.shorten(eq.graph->sum(terms));
    if (!forms.possible()) return std::nullopt;
    form.actuation.push_back(force ? force : eq.graph->constant(0));
  }
  return form;
}

}  // namespace

std::string_view to_text(NoClosedForm why) {
  switch (why) {
    case NoClosedForm::kTooLarge:
      return "the formulas are too large to be read";
    case NoClosedForm::kSingular:
      return "the system is singular as formulas: rows that follow from others, or a motion without inertia";
    case NoClosedForm::kFriction:
      return "forces depend on the multipliers, and whether a contact slides or sticks depends on the state";
    case NoClosedForm::kNoPivot:
      return "a coordinate without inertia of its own prevents the elimination";
  }
  return {};
}

std::optional<ClosedForm> solve_closed_form(const Equations& equations, int max_cost, NoClosedForm* why) {
  return build_closed_form(on_overlay(equations), max_cost, why);
}

std::optional<ClosedForm> build_closed_form(const Equations& equations, int max_cost, NoClosedForm* why) {
  if (equations.load_dependent()) {
    if (why != nullptr) *why = NoClosedForm::kFriction;
    return std::nullopt;
  }
  const bool prescribed = !equations.model->prescribed.empty();
  const Partition parts = prescribed ? partition(equations, actuated_velocities(equations)) : Partition{};
  const Equations passive = prescribed ? passive_part(equations, parts) : Equations{};
  Elimination elimination(prescribed ? passive : equations, max_cost);
  std::optional<ClosedForm> form = elimination.solve();
  if (!form && why != nullptr) *why = elimination.why();
  if (form && prescribed) {
    form = with_actuations(equations, parts, *std::move(form), max_cost);
    if (!form && why != nullptr) *why = NoClosedForm::kTooLarge;
  }
  return form;
}

}  // namespace dalembert
