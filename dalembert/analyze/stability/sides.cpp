// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/stability/sides.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "dalembert/analyze/stability/slopes.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr std::size_t kMostGuards = 4;  // largest number of guards that are decided at once
constexpr int kMostOrders = 8;          // highest order of derivatives of a force that is tried
// A guard counts as 0 below this fraction of its change when the state changes by its own size.
constexpr double kAtLimit = 1e-8;

// All lists of expressions in equations of motion.
template <class Of>
auto parts(Of& eq) {
  return std::array{&eq.M.value, &eq.B,         &eq.G,       &eq.F,          &eq.W.value, &eq.a, &eq.gamma,
                    &eq.h,       &eq.Phi.value, &eq.C.value, &eq.load.value, &eq.N.value, &eq.n0};
}
template <class Of>
std::vector<Expr> all_of(Of& eq) {
  std::vector<Expr> all;
  for (const std::vector<Expr>* list : parts(eq)) all.insert(all.end(), list->begin(), list->end());
  return all;
}
// The number of arguments of a node that its guard consists of.
std::size_t arguments_of_guard(Op op) {
  return op == Op::kEqual || function_info(op).guard == Guard::kDifference ? 2 : 1;
}
bool chooses(Op op) { return function_info(op).guard != Guard::kNone || op == Op::kEqual; }

}  // namespace

bool Sides::has_choices(const Equations& eq) { return has_choices(all_of(eq)); }

bool Sides::has_choices(std::span<const Expr> e) {
  return std::ranges::any_of(reachable(e), [&](NodeId id) { return chooses(common_graph(e).op(id)); });
}

bool Sides::velocity_selects(const Expr& e, const Equations& eq) {
  const auto is_moved = [&](const Graph::Item& item) {
    return depends_on(Expr(eq.graph.get(), item.node), eq.velocities());
  };
  return std::ranges::any_of(reachable(std::span(&e, 1)), [&](NodeId id) {
    const Op op = eq.graph->op(id);
    return chooses(op) && std::ranges::any_of(eq.graph->items(id).first(arguments_of_guard(op)), is_moved);
  });
}

Sides::Sides(const SteadySystem& system, const Equations& equations, const MotionPoint& at)
    : eq_(on_overlay(equations)), at_(at), graph_(*eq_.graph) {
  values_ = values_at(eq_, *system.dynamics, at_);
  state_ = eq_.q;
  state_.insert(state_.end(), eq_.velocities().begin(), eq_.velocities().end());
  expand(eq_, {});
  for (Held& piece : pieces_) piece.side.resize(guards_.size());
}

std::optional<Sides::Leading> Sides::leading_force(const Held& piece) const {
  std::unordered_map<SymbolId, Expr> at_rest;
  for (const Expr& v : eq_.velocities()) at_rest.emplace(v.symbol(), graph_.constant(0));
  const Equations& eq = piece.equations;
  Expr slope = substitute(eq.G[0] + eq.B[0] - eq.F[0], at_rest);
  for (int order = 0; order <= kMostOrders; ++order) {
    if (slope.is_zero()) return Leading{order, 0, true};
    const Expr next = gradient(slope, std::span(&eq_.q[0], 1))[0];
    const double value = number(slope), by_offset = offset_ * std::abs(number(next));
    if (!std::isfinite(value) || !std::isfinite(by_offset)) return std::nullopt;
    if (std::abs(value) > std::max(by_offset, kSamePiece * size_of_terms(slope))) return Leading{order, value, false};
    slope = next;
  }
  return std::nullopt;
}

bool Sides::agree_while(const std::vector<bool>& moving) const {
  std::unordered_map<SymbolId, Expr> still;
  for (const Expr& acceleration : eq_.accelerations()) still.emplace(acceleration.symbol(), graph_.constant(0));
  for (std::size_t i = 0; i < eq_.velocities().size(); ++i)
    if (!moving[i]) still.emplace(eq_.velocities()[i].symbol(), graph_.constant(0));
  std::vector<Expr> first;
  for (const Held& piece : pieces_) {
    const Equations& eq = piece.equations;
    std::vector<Expr> rest;
    for (std::size_t i = 0; i < eq.G.size(); ++i) rest.push_back(eq.G[i] + eq.B[i] - eq.F[i]);
    for (const std::vector<Expr>* list :
         {&eq.W.value, &eq.a, &eq.gamma, &eq.h, &eq.Phi.value, &eq.C.value, &eq.load.value, &eq.N.value, &eq.n0})
      rest.insert(rest.end(), list->begin(), list->end());
    rest = substitute(rest, still);
    if (first.empty()) first = rest;
    for (std::size_t i = 0; i < rest.size(); ++i)
      if (rest[i].id() != first[i].id()) return false;
  }
  return true;
}

std::vector<double> Sides::numbers(std::span<const Expr> e) const { return numbers_of(e, values_); }

double Sides::size_of_terms(const Expr& e) const {
  if (graph_.op(e.id()) != Op::kSum) return std::abs(number(e));
  double size = std::abs(graph_.number(e.id()).to_double());
  for (const Graph::Item& item : graph_.items(e.id()))
    size += std::abs(graph_.number(item).to_double() * number(Expr(&graph_, item.node)));
  return size;
}

void Sides::expand(Equations eq, std::vector<int> side) {
  if (pieces_.size() > kMostPieces || !obstacle_.empty()) return;
  if (guards_.size() > kMostPieces) {
    obstacle_ = "too many branches meet here";
    return;
  }
  const Choices choices = find_choices(eq);
  if (!obstacle_.empty()) return;
  side.resize(guards_.size());
  if (choices.empty()) {
    pieces_.push_back({std::move(eq), std::move(side)});
    return;
  }
  std::vector<std::size_t> open;
  for (const auto& [id, choice] : choices)
    if (side[choice.guard] == 0 && std::ranges::find(open, choice.guard) == open.end()) open.push_back(choice.guard);
  std::ranges::sort(open);
  if (open.size() > kMostGuards) {
    obstacle_ = "too many branches meet here";
    return;
  }
  for (std::size_t mask = 0; mask < (std::size_t{1} << open.size()); ++mask) {
    std::vector<int> chosen = side;
    for (std::size_t k = 0; k < open.size(); ++k) chosen[open[k]] = (mask >> k & 1U) != 0 ? 1 : -1;
    expand(hold(eq, choices, chosen), chosen);
  }
}

Equations Sides::hold(Equations eq, const Choices& choices, const std::vector<int>& side) {
  const std::vector<Expr> rebuilt = rebuild(all_of(eq), [&](NodeId id, std::span<const Expr> x) {
    const auto found = choices.find(id);
    if (found != choices.end()) return choose(id, x, found->second, side);
    const Op op = graph_.op(id);
    if (!chooses(op) || op == Op::kEqual) return Expr();
    const std::optional<Choice> known = known_guard(guard_by(op, x), op);
    return known && side[known->guard] != 0 ? choose(id, x, *known, side) : Expr();
  });
  std::size_t next = 0;
  for (std::vector<Expr>* list : parts(eq))
    for (Expr& e : *list) e = rebuilt[next++];
  return eq;
}

Sides::Choices Sides::find_choices(const Equations& eq) {
  Choices choices;
  const std::vector<NodeId> order = reachable(all_of(eq));
  const std::unordered_map<NodeId, Expr> at_limit = find_at_limit(order);
  std::unordered_set<NodeId> above;  // nodes that choose between branches, or contain one that does
  for (const NodeId id : order) {
    const auto is_above = [&](const Graph::Item& item) { return above.contains(item.node); };
    const std::span<const Graph::Item> items = graph_.items(id);
    if (std::ranges::any_of(items, is_above)) above.insert(id);
    const auto found = at_limit.find(id);
    if (found == at_limit.end()) continue;
    const Op op = graph_.op(id);
    if (std::ranges::any_of(items.first(arguments_of_guard(op)), is_above)) continue;
    if (op == Op::kEqual) {
      obstacle_ = "an equality is a condition here";
      return {};
    }
    const Expr& free = found->second;
    if (depends_on(free, eq_.lambda)) {
      obstacle_ = "a multiplier selects the branch here";
      return {};
    }
    choices.emplace(id, guard_of(free, op));
    above.insert(id);
  }
  return choices;
}

std::unordered_map<NodeId, Expr> Sides::find_at_limit(const std::vector<NodeId>& order) {
  constexpr double kStep = 1e-6;
  std::unordered_set<NodeId> moves;  // nodes that depend on the state or on multipliers
  for (const std::vector<Expr>* symbols : {&state_, &eq_.lambda})
    for (const Expr& symbol : *symbols) moves.insert(symbol.id());
  std::vector<NodeId> nodes;
  std::vector<Expr> free;
  for (const NodeId id : order) {
    const auto moved = [&](const Graph::Item& item) { return moves.contains(item.node); };
    const std::span<const Graph::Item> items = graph_.items(id);
    if (std::ranges::any_of(items, moved)) moves.insert(id);
    const Op op = graph_.op(id);
    if (!chooses(op) || std::ranges::none_of(items.first(arguments_of_guard(op)), moved)) continue;
    nodes.push_back(id);
    free.push_back(chosen_by(id));
  }
  std::unordered_map<NodeId, Expr> found;
  if (nodes.empty()) return found;
  const std::vector<double> values = numbers(free);
  std::vector<double> reach(free.size());
  for (std::size_t i = 0; i < state_.size(); ++i) {
    double& entry = values_[state_[i].symbol()];
    const double before = entry;
    entry += kStep * std::max(1.0, std::abs(value_of_state(i)));
    const std::vector<double> beside = numbers(free);
    entry = before;
    for (std::size_t k = 0; k < free.size(); ++k) reach[k] += std::abs(beside[k] - values[k]) / kStep;
  }
  for (std::size_t k = 0; k < free.size(); ++k) {
    const double away = graph_.op(nodes[k]) == Op::kFloor ? values[k] - std::round(values[k]) : values[k];
    if (std::abs(away) <= std::max(kAtLimit * reach[k], 1e-14)) found.emplace(nodes[k], free[k]);
  }
  return found;
}

Expr Sides::chosen_by(NodeId id) const {
  std::vector<Expr> x;
  for (const Graph::Item& item : graph_.items(id)) x.emplace_back(&graph_, item.node);
  return guard_by(graph_.op(id), x);
}

Expr Sides::guard_by(Op op, std::span<const Expr> x) const {
  const Expr free = arguments_of_guard(op) == 1 ? x[0] : x[0] - x[1];
  const Op kind = graph_.op(free.id());
  if (op == Op::kFloor || (kind != Op::kSum && kind != Op::kProduct)) return free;
  const Rational first = kind == Op::kProduct ? graph_.number(free.id()) : graph_.number(graph_.items(free.id())[0]);
  return free * graph_.constant(first.sign() < 0 ? (-first).inverse() : first.inverse());
}

std::optional<Sides::Choice> Sides::known_guard(const Expr& free, Op op) const {
  const bool floor = op == Op::kFloor;
  const Expr negative = -free;
  for (std::size_t k = 0; k < guards_.size(); ++k) {
    if (guards_[k].floor != floor || (floor && guards_[k].level != std::round(number(free)))) continue;
    if (guards_[k].free.id() == free.id()) return Choice{k, 1};
    if (!floor && guards_[k].free.id() == negative.id()) return Choice{k, -1};
  }
  return std::nullopt;
}

Sides::Choice Sides::guard_of(const Expr& free, Op op) {
  if (const std::optional<Choice> known = known_guard(free, op)) return *known;
  const bool floor = op == Op::kFloor;
  const double level = floor ? std::round(number(free)) : 0;
  ActiveGuard& guard = guards_.emplace_back(ActiveGuard{free, level, floor, {}, {}, true, true});
  guard.of_position = !depends_on(free, eq_.velocities()) && !depends_on(free, eq_.accelerations());
  differentiate(guard);
  return {guards_.size() - 1, 1};
}

void Sides::differentiate(ActiveGuard& guard) {
  const std::size_t nq = at_.q.size();
  const std::vector<Expr> slopes = gradient(guard.free, state_);
  guard.curvature = Matrix(nq, nq);
  std::vector<double> bend(state_.size());  // change of each slope as the state changes by its own size
  double length = 0;
  for (std::size_t i = 0; i < state_.size(); ++i) {
    guard.slope.push_back(number(slopes[i]));
    length = std::hypot(length, guard.slope[i]);
    const std::vector<Expr> second = gradient(slopes[i], state_);
    for (std::size_t j = 0; j < state_.size(); ++j) {
      if (second[j].is_zero()) continue;
      guard.straight = false;
      const double value = number(second[j]);
      bend[i] += std::abs(value) * std::max(1.0, std::abs(value_of_state(j)));
      if (i < nq && j < nq) guard.curvature(i, j) = value;
    }
  }
  // Beside the minimum of (x - 1)^2 the sign of the slope is an accident.
  double off = kSamePiece;
  if (length > 0) off = std::max(off, 10 * std::abs(number(guard.free) - guard.level) / length);
  for (std::size_t i = 0; i < state_.size(); ++i)
    if (std::abs(guard.slope[i]) <= off * bend[i]) guard.slope[i] = 0;
  offset_ = std::max(offset_, off);
}

Expr Sides::choose(NodeId id, std::span<const Expr> x, const Choice& choice, const std::vector<int>& side) const {
  const int s = side[choice.guard] * choice.turned;
  const ActiveGuard& guard = guards_[choice.guard];
  const Op op = graph_.op(id);
  switch (op) {
    case Op::kAbs:
      return s > 0 ? x[0] : -x[0];
    case Op::kSign:
      return graph_.constant(s);
    case Op::kFloor:
      return graph_.constant(Rational::from_double(s > 0 ? guard.level : guard.level - 1));
    case Op::kMin:
      return s < 0 ? x[0] : x[1];
    case Op::kMax:
      return s < 0 ? x[1] : x[0];
    default:
      return graph_.function(op, std::array{graph_.constant(s), graph_.constant(0)});
  }
}

}  // namespace dalembert
