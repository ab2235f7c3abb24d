// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/closed_form.h"

#include <algorithm>

#include "dalembert/algebra/canonical.h"
#include "dalembert/algebra/shortest.h"

namespace dalembert {
namespace {

// K x = r with K symmetric: x = (q̈, −λ), K = [M Wᵀ; W 0]. Null entries are zero.
class Elimination {
 public:
  Elimination(const Equations& eq, int max_cost)
      : eq_(eq),
        size_(static_cast<std::size_t>(eq.n() + eq.m())),
        max_cost_(max_cost),
        canonicalizer_(*eq.graph, 2000),
        K_(size_ * size_),
        r_(size_) {}

  std::optional<ClosedForm> solve() {
    load();
    const std::vector<std::size_t> order = forward();
    if (!possible_) return std::nullopt;
    std::vector<Expr> x(size_);
    for (std::size_t step = size_; step-- > 0;) {
      const std::size_t k = order[step];
      std::vector<Graph::Term> sum;
      if (r_[k]) sum.push_back({r_[k], 1});
      for (std::size_t later = step + 1; later < size_; ++later)
        if (const std::size_t j = order[later]; at(k, j) && x[j]) sum.push_back({at(k, j) * x[j], -1});
      x[k] = lowest(graph().sum(sum) / at(k, k));
      if (!possible_) return std::nullopt;
    }
    ClosedForm form;
    form.graph = eq_.graph;
    const Expr zero = graph().constant(0);
    const auto n = static_cast<std::size_t>(eq_.n());
    for (std::size_t i = 0; i < n; ++i) form.qdd.push_back(x[i] ? x[i] : zero);
    for (std::size_t j = n; j < size_; ++j) form.lambda.push_back(x[j] ? lowest(-x[j]) : zero);
    return form;
  }

  NoClosedForm why() const { return why_; }

 private:
  Graph& graph() const { return *eq_.graph; }
  Expr& at(std::size_t i, std::size_t j) { return K_[i * size_ + j]; }

  void load() {
    const auto n = static_cast<std::size_t>(eq_.n());
    const auto set = [&](std::size_t i, std::size_t j, const Expr& value) { at(i, j) = at(j, i) = lowest(value); };
    for (std::size_t k = 0; k < eq_.M.value.size() && possible_; ++k)
      set(static_cast<std::size_t>(eq_.M.row[k]), static_cast<std::size_t>(eq_.M.col[k]), eq_.M.value[k]);
    for (std::size_t k = 0; k < eq_.W.value.size() && possible_; ++k)
      set(n + static_cast<std::size_t>(eq_.W.row[k]), static_cast<std::size_t>(eq_.W.col[k]), eq_.W.value[k]);
    for (std::size_t i = 0; i < n && possible_; ++i) r_[i] = lowest(eq_.F[i] - eq_.B[i] - eq_.G[i]);
    for (std::size_t j = n; j < size_ && possible_; ++j) r_[j] = lowest(-eq_.gamma[j - n]);
  }

  // Diagonal pivots, the one with the fewest neighbours first; returns the order.
  std::vector<std::size_t> forward() {
    std::vector<std::size_t> order, open(size_);
    for (std::size_t i = 0; i < size_; ++i) open[i] = i;
    while (!open.empty() && possible_) {
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
        possible_ = false;
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
        if (!possible_) break;
      }
    }
    return order;
  }

  Expr updated(const Expr& old, const Expr& minus) { return lowest(old ? old - minus : -minus); }

  // In shortest form; null when it is zero. Gives up on what is too large.
  Expr lowest(const Expr& e) {
    if (!possible_ || !e || e.is_zero()) return {};
    const auto form = canonicalizer_.canonical(e);
    // Terms that cancel later are rare: many terms in one form, or in all, are not going to be short.
    work_ += form ? form->size() : 0;
    if (!form || form->size() > static_cast<std::size_t>(max_cost_ / 4) ||
        work_ > static_cast<std::size_t>(3 * max_cost_ / 2)) {
      possible_ = false;
      return {};
    }
    if (form->empty() || decide_zero(canonicalizer_, e) == ZeroTest::kZero) return {};
    const std::vector<FormTerm> written = shortest(canonicalizer_, *form);
    if (cost(canonicalizer_, written) > max_cost_) possible_ = false;
    return possible_ ? expression(canonicalizer_, written) : Expr();
  }

  const Equations& eq_;
  std::size_t size_;
  int max_cost_;
  Canonicalizer canonicalizer_;
  std::vector<Expr> K_, r_;
  std::size_t work_ = 0;  // terms seen so far
  bool possible_ = true;
  NoClosedForm why_ = NoClosedForm::kTooLarge;  // where it is not possible
};

}  // namespace

std::string_view to_text(NoClosedForm why) {
  switch (why) {
    case NoClosedForm::kTooLarge:
      return "the formulas are too large to be read";
    case NoClosedForm::kSingular:
      return "the system is singular as formulas: rows that follow from others, or a motion without inertia";
    case NoClosedForm::kNoPivot:
      return "a coordinate without inertia of its own prevents the elimination";
  }
  return {};
}

std::optional<ClosedForm> solve_closed_form(const Equations& equations, int max_cost, NoClosedForm* why) {
  return build_closed_form(on_overlay(equations), max_cost, why);
}

std::optional<ClosedForm> build_closed_form(const Equations& equations, int max_cost, NoClosedForm* why) {
  Elimination elimination(equations, max_cost);
  std::optional<ClosedForm> form = elimination.solve();
  if (!form && why != nullptr) *why = elimination.why();
  return form;
}

}  // namespace dalembert
