// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/jumps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <unordered_map>
#include <unordered_set>

#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr int kLooks = 40;
// A difference smaller than this fraction of the energy's magnitude is round-off, not a jump.
constexpr double kJump = 1e-9;
// Length (s) of the interval that is searched where no end is stated, and the number of steps in which an interval is searched.
constexpr double kLongEnough = 100;
constexpr int kTimes = 4000;

// Whether the operation jumps where its guard crosses a limit: comparisons, sign, floor.
bool jumps_at_guard(Op op) {
  const FunctionInfo& info = function_info(op);
  return info.jumps && info.guard != Guard::kNone;
}

class JumpSearch {
 public:
  JumpSearch(const Expr& energy, const Model& model) : graph_(energy.graph()) {
    for (const Parameter& parameter : model.parameters) parameters_[parameter.symbol.symbol()] = parameter.value;
    std::unordered_map<SymbolId, Expr> inputs;
    for (const Input& input : model.inputs)
      if (input.value) inputs.emplace(input.symbol.symbol(), input.value);
    energy_ = inputs.empty() ? energy : substitute(energy, inputs);
  }

  std::vector<Expr> run() {
    std::vector<Expr> guards;
    std::unordered_set<NodeId> seen;
    for (const NodeId id : reachable(std::array{energy_})) {
      const Op op = graph_.op(id);
      if (!jumps_at_guard(op)) continue;
      const Expr guard = guard_of(id);
      if (guard.is_constant() || !seen.insert(guard.id()).second) continue;
      if (jumps_at(guard, op == Op::kFloor)) guards.push_back(guard);
    }
    return guards;
  }

  // The first jump of a function of t between two times.
  std::optional<TimeJump> first_in_time(const Expr& t, double from, double to) {
    const double end = std::isfinite(to) ? to : from + kLongEnough;
    std::optional<TimeJump> first;
    std::unordered_set<NodeId> seen;
    for (const NodeId id : reachable(std::array{energy_})) {
      const Op op = graph_.op(id);
      if (!jumps_at_guard(op)) continue;
      const Expr guard = guard_of(id);
      if (guard.is_constant() || !seen.insert(guard.id()).second) continue;
      const bool floor = op == Op::kFloor;
      const Expr level = floor_level();
      const Expr above = side(guard, floor, 1, level), below = side(guard, floor, -1, level);
      double now = from, limit = 0;
      const auto value_of = [&](SymbolId symbol) {
        if (const auto found = parameters_.find(symbol); found != parameters_.end()) return found->second;
        return symbol == t.symbol() ? now : limit;
      };
      const auto guard_at = [&](double time) {
        now = time;
        return evaluate(guard, value_of);
      };
      double t0 = from, g0 = guard_at(from);
      for (int k = 1; k <= kTimes && !(first && t0 >= first->t); ++k) {
        const double t1 = from + (end - from) * k / kTimes, g1 = guard_at(t1);
        limit = floor ? std::floor(std::max(g0, g1)) : 0;
        const bool crosses = std::isfinite(g0 - g1) && (g0 < limit) != (g1 < limit);
        if (crosses) {
          const bool rises = g0 < limit;
          double a = t0, b = t1;
          for (double middle = 0; middle = (a + b) / 2, a < middle && middle < b;)
            ((guard_at(middle) < limit) == rises ? a : b) = middle;
          now = b;
          const std::vector<double> sides =
              evaluate(std::array{rises ? below : above, rises ? above : below}, value_of);
          const double jump = std::abs(sides[1] - sides[0]);
          if (b > from && jump > 1e-6 * size_in_time(t, from, end) && (!first || b < first->t))
            first = TimeJump{b, false, sides[0], sides[1]};
        }
        t0 = t1;
        g0 = g1;
      }
    }
    return first;
  }

 private:
  // The largest magnitude of the function at several times: the scale for its jumps.
  double size_in_time(const Expr& t, double from, double to) {
    if (size_) return *size_;
    size_ = 0;
    for (int k = 0; k <= kLooks; ++k) {
      const double value = evaluate(energy_, [&](SymbolId symbol) {
        if (const auto found = parameters_.find(symbol); found != parameters_.end()) return found->second;
        return symbol == t.symbol() ? from + (to - from) * k / kLooks : 0.0;
      });
      if (std::isfinite(value)) size_ = std::max(*size_, std::abs(value));
    }
    return *size_;
  }

  Expr guard_of(NodeId id) {
    const auto items = graph_.items(id);
    const Expr first(&graph_, items[0].node);
    return function_info(graph_.op(id)).guard == Guard::kDifference ? first - Expr(&graph_, items[1].node) : first;
  }

  // The energy in which everything that the guard decides is as it is above (sign = 1) or below (sign = −1) the guard's limit.
  Expr side(const Expr& guard, bool floor, int sign, const Expr& level) {
    const Expr negative = -guard;
    return rebuild(std::array{energy_},
                   [&](NodeId id, std::span<const Expr> x) {
                     const Op op = graph_.op(id);
                     if (function_info(op).guard == Guard::kNone || (op == Op::kFloor) != floor) return Expr();
                     const Expr own = guard_of(id);
                     const int s = own.same(guard) ? sign : own.same(negative) ? -sign : 0;
                     if (s == 0) return Expr();
                     switch (op) {
                       case Op::kFloor:
                         return s > 0 ? level : level - 1;
                       case Op::kSign:
                         return graph_.constant(s);
                       case Op::kAbs:
                         return x[0] * s;
                       case Op::kMin:
                         return s < 0 ? x[0] : x[1];
                       case Op::kMax:
                         return s < 0 ? x[1] : x[0];
                       default:
                         return graph_.constant(s < 0 ? 1 : 0);
                     }
                   })
        .front();
  }

  bool jumps_at(const Expr& guard, bool floor) {
    const Expr level = floor_level();
    const Expr above = side(guard, floor, 1, level), below = side(guard, floor, -1, level);
    std::vector<Expr> moving;
    for (const SymbolId symbol : symbols_in(std::array{guard}))
      if (!parameters_.contains(symbol)) moving.push_back(graph_.symbol(symbol));
    if (moving.empty()) return false;
    const std::vector<Expr> slopes = gradient(guard, moving);
    double scale = 0, difference = 0;
    for (int k = 0; k < kLooks; ++k) {
      std::unordered_map<SymbolId, double> point;
      const auto value_of = [&](SymbolId symbol) {
        if (const auto found = parameters_.find(symbol); found != parameters_.end()) return found->second;
        const auto [place, fresh] = point.try_emplace(symbol, 0);
        if (fresh) place->second = std::uniform_real_distribution<double>(-3, 3)(random_);
        return place->second;
      };
      // Newton's method along one variable moves the point to the limit of the guard.
      const std::size_t along = static_cast<std::size_t>(k) % moving.size();
      const std::array<Expr, 2> pair{guard, slopes[along]};
      const SymbolId variable = moving[along].symbol();
      double limit = 0;
      bool there = false;
      for (int step = 0; step < 50 && !there; ++step) {
        const std::vector<double> now = evaluate(pair, value_of);
        if (step == 0 && floor) limit = std::round(now[0]);
        const double off = now[0] - limit;
        if (!std::isfinite(off) || !(now[1] != 0)) break;
        const double better = value_of(variable) - off / now[1];
        there = std::abs(better - value_of(variable)) <= 1e-15 * std::abs(better) || off == 0;
        point[variable] = better;
      }
      if (!there) continue;
      point[level.symbol()] = limit;
      const std::vector<double> sides = evaluate(std::array{above, below, energy_}, value_of);
      if (!std::isfinite(sides[0]) || !std::isfinite(sides[1])) continue;
      difference = std::max(difference, std::abs(sides[0] - sides[1]));
      // The scale of the energy: its values on both sides of the limit and at a point off the limit.
      point[variable] += 1;
      const double beside = evaluate(energy_, value_of);
      for (const double value : {sides[0], sides[1], beside})
        if (std::isfinite(value)) scale = std::max(scale, std::abs(value));
    }
    return difference > kJump * scale;
  }

  Expr floor_level() {
    if (!level_) level_ = graph_.add_symbol({"level", SymbolKind::kShorthand, 0, {}});
    return level_;
  }

  Graph& graph_;
  Expr energy_, level_;
  std::unordered_map<SymbolId, double> parameters_;
  std::mt19937_64 random_{20240607};
  std::optional<double> size_;
};

}  // namespace

std::vector<Expr> find_jumps(const Expr& energy, const Model& model) {
  std::vector<Expr> parts{energy};
  for (const Input& input : model.inputs)
    if (input.value) parts.push_back(input.value);
  const Graph& graph = energy.graph();
  // Without conditions, as in most energies, there is no jump, and the search is saved.
  const bool any = std::ranges::any_of(reachable(parts), [&](NodeId id) { return jumps_at_guard(graph.op(id)); });
  return any ? JumpSearch(energy, model).run() : std::vector<Expr>();
}

std::optional<TimeJump> find_time_jump(const Expr& value, const Model& model, double from, double to) {
  Graph& graph = value.graph();
  // Without conditions, as in most functions, there is no jump, and the search is saved.
  if (std::ranges::none_of(reachable(std::array{value}),
                           [&](NodeId id) { return function_info(graph.op(id)).guard != Guard::kNone; }))
    return std::nullopt;
  const Expr t = graph.adopt(model.t);
  std::optional<TimeJump> jump = JumpSearch(value, model).first_in_time(t, from, to);
  std::unordered_map<SymbolId, Expr> in_time;
  for (const auto& [symbol, rate] : model.time_rates()) in_time.emplace(symbol, graph.adopt(rate));
  const Expr slope = directional_derivative(std::array{value}, in_time).front();
  std::optional<TimeJump> of_rate = JumpSearch(slope, model).first_in_time(t, from, jump ? jump->t : to);
  if (!of_rate) return jump;
  of_rate->of_rate = true;
  return of_rate->t < (jump ? jump->t * (1 - 1e-12) : to) ? of_rate : jump;
}

}  // namespace dalembert
