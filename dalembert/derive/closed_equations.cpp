// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/closed_equations.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>

#include "dalembert/derive/reduce.h"
#include "dalembert/derive/reduced_motion.h"
#include "dalembert/derive/short_forms.h"
#include "dalembert/derive/state_relations.h"
#include "dalembert/expr/visit.h"

namespace dalembert {

namespace {

constexpr int kLargest = 12;              // relative_equations() takes systems of at most this many velocities
constexpr int kMaxCost = 1000;            // largest cost of one formula (algebra/gather.h)
constexpr std::size_t kMostTried = 1500;  // largest number of terms that are built to choose quasi-velocities: some 2 s

bool contain(const std::vector<Expr>& all, const Expr& symbol) {
  return std::ranges::any_of(all, [&](const Expr& e) { return e && depends_on(e, std::array{symbol}); });
}

std::vector<Expr> forces_of(const Equations& eq) {
  std::vector<Expr> all = eq.M.value;
  for (const std::vector<Expr>* list : {&eq.B, &eq.G, &eq.F}) all.insert(all.end(), list->begin(), list->end());
  return all;
}

std::optional<ClosedEquations> with_left_out(const Equations& eq, const Reduced& reduced, std::vector<bool> left_out) {
  Result<Equations> motion = reduced_motion(eq, reduced);
  if (!motion) return std::nullopt;
  return ClosedEquations{std::move(*motion), std::move(left_out)};
}

bool stands_alone(const Graph& graph, const Expr& e, const std::vector<bool>& left_out) {
  return std::ranges::all_of(symbols_in(std::array{e}), [&](SymbolId s) {
    const Symbol& symbol = graph.symbol_info(s);
    switch (symbol.kind) {
      case SymbolKind::kCoordinate:
        return !left_out[static_cast<std::size_t>(symbol.index)];
      case SymbolKind::kTime:
      case SymbolKind::kParameter:
      case SymbolKind::kInput:
      case SymbolKind::kQuasiVelocity:
      case SymbolKind::kQuasiAcceleration:
        return true;
      default:
        return false;
    }
  });
}

// Rewrites the outputs of the model in v, v̇ and t, and lists those that need a coordinate that is left out.
void carry_outputs(const Equations& eq, const Reduced& reduced, ClosedEquations& closed) {
  Graph& graph = *closed.equations.graph;
  std::unordered_map<SymbolId, Expr> own, multipliers;
  for (std::size_t k = 0; k < reduced.velocities.size(); ++k) {
    own.emplace(reduced.velocities[k].v.symbol(), closed.equations.v[k]);
    own.emplace(reduced.velocities[k].vdot.symbol(), closed.equations.vdot[k]);
  }
  for (std::size_t j = 0; j < reduced.lambda.size(); ++j)
    multipliers.emplace(graph.adopt(eq.lambda[j]).symbol(), reduced.lambda[j]);
  auto model = std::make_shared<Model>(*closed.equations.model);
  for (const Output& output : eq.model->outputs) {
    const Expr in_v = substitute(substitute(in_quasi_velocities(eq, reduced, output.expression), multipliers), own);
    ShortForms forms(graph, kMaxCost, state_relations(eq));
    Expr e = forms.shorten(in_v);
    if (!e) e = forms.possible() ? graph.constant(0) : in_v;
    if (stands_alone(graph, e, closed.left_out))
      model->outputs.push_back({output.name, e, output.dimension, output.span});
    else
      closed.lost_outputs.push_back(output.name);
  }
  closed.equations.model = std::move(model);
}

}  // namespace

std::optional<ClosedEquations> closed_equations(const Equations& given) {
  if (given.model->quasi_velocities.empty() || !given.v_is_qdot()) return std::nullopt;
  const Equations eq = on_overlay(given);
  const bool with_multipliers = std::ranges::any_of(eq.model->outputs, [](const Output& output) {
    return depends_on_kind(output.expression, SymbolKind::kMultiplier);
  });
  const Result<Reduced> reduced = build_reduced(eq, {.motion = with_multipliers});
  if (!reduced || !reduced->closed) return std::nullopt;
  std::optional<ClosedEquations> closed = with_left_out(eq, *reduced, std::vector<bool>(eq.q.size(), true));
  if (closed) carry_outputs(eq, *reduced, *closed);
  return closed;
}

std::optional<ClosedEquations> relative_equations(const Equations& given) {
  if (!given.v_is_qdot() || given.m() == 0 || given.nv() > kLargest || !given.model->prescribed.empty() ||
      given.load_dependent())
    return std::nullopt;
  // A coordinate that only the constraints contain may drop out together with them.
  const std::vector<Expr> forces = forces_of(given);
  std::vector<Expr> rows = given.W.value;
  for (const std::vector<Expr>* list : {&given.a, &given.gamma, &given.h})
    rows.insert(rows.end(), list->begin(), list->end());
  // The number of independent coordinates on which the equations with constraints depend.
  auto counting = static_cast<std::ptrdiff_t>(given.q.size() - given.holonomic.size());
  bool may_drop = false;
  for (const Expr& q : given.q) {
    const bool in_forces = contain(forces, q), in_rows = contain(rows, q);
    if (!in_forces && !in_rows) --counting;
    may_drop = may_drop || (!in_forces && in_rows);
  }
  // One remaining coordinate is too few where all rows are holonomic: a mechanism with one degree of freedom turns or rests.
  const bool only_holonomic = given.holonomic.size() == given.rows.size();
  if (!may_drop || counting <= (only_holonomic ? 1 : 0)) return std::nullopt;
  const Equations eq = on_overlay(given);
  const Result<Reduced> reduced = build_reduced(eq, {.max_cost = kMaxCost, .motion = false, .most_tried = kMostTried});
  if (!reduced) return std::nullopt;
  std::vector<Expr> rates = reduced->M.value;
  rates.insert(rates.end(), reduced->b.begin(), reduced->b.end());
  std::vector<bool> left_out(eq.q.size(), true);
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < eq.q.size(); ++i) {
      if (!left_out[i] || !contain(rates, eq.q[i])) continue;
      left_out[i] = false;
      rates.push_back(reduced->qdot[i]);
      more = true;
    }
  }
  if (std::ranges::count(left_out, false) >= counting) return std::nullopt;
  return with_left_out(eq, *reduced, std::move(left_out));
}

}  // namespace dalembert
