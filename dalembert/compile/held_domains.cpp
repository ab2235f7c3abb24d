// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/held_domains.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "dalembert/expr/functions.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

class DomainContinuation {
 public:
  DomainContinuation(std::span<const Expr> held, std::span<const HeldGuard> guards)
      : held_(held.begin(), held.end()), graph_(held.front().graph()), guards_(guards) {
    for (std::size_t k = 0; k < guards.size(); ++k) of_level_.emplace(guards[k].level.id(), k);
  }

  std::vector<Expr> run() {
    find_unbranched();
    const std::vector<NodeId> all = reachable(held_);
    for (const NodeId id : all) {
      Facts& facts = facts_[id];
      facts = {of_level_.contains(id), has_domain(id)};
      for (const Graph::Item& item : graph_.items(id)) {
        facts.reads_levels = facts.reads_levels || facts_.at(item.node).reads_levels;
        facts.has_domains = facts.has_domains || facts_.at(item.node).has_domains;
      }
    }
    for (const NodeId id : all) find_continued(id);
    if (continued_.empty() || read_.empty()) return held_;
    compare_levels();
    return rebuild(held_, [&](NodeId id, std::span<const Expr> x) {
      return continued_.contains(id) ? continue_node(id, x) : Expr();
    });
  }

 private:
  // Whether the function, or the power in a product, has no value for some values of the argument.
  bool restricts(NodeId id, const Graph::Item& item) const {
    const Op op = graph_.op(id);
    if (op == Op::kProduct) return !graph_.number(item).as_int();
    return op == Op::kPower ? item.node == graph_.items(id)[0].node : function_info(op).domain != Domain::kAll;
  }
  bool has_domain(NodeId id) const {
    const auto items = graph_.items(id);
    return std::ranges::any_of(items, [&](const Graph::Item& item) { return restricts(id, item); });
  }

  // Nodes that are evaluated whatever the branches: not only as the value of a branch.
  void find_unbranched() {
    std::vector<NodeId> open;
    for (const Expr& e : held_)
      if (e) open.push_back(e.id());
    while (!open.empty()) {
      const NodeId id = open.back();
      open.pop_back();
      if (!unbranched_.insert(id).second) continue;
      const auto items = graph_.items(id);
      for (std::size_t i = 0; i < (graph_.op(id) == Op::kSelect ? 1 : items.size()); ++i) open.push_back(items[i].node);
    }
  }

  void find_continued(NodeId id) {
    const auto items = graph_.items(id);
    if (graph_.op(id) == Op::kSelect && (facts_.at(items[1].node).has_domains || facts_.at(items[2].node).has_domains))
      read_levels(items[0].node);
    for (const Graph::Item& item : items) {
      if (!restricts(id, item)) continue;
      read_levels(item.node);
      if (!unbranched_.contains(id) || facts_.at(item.node).reads_levels) continued_.insert(id);
    }
  }

  // Notes the guards whose levels the expression reads.
  void read_levels(NodeId id) {
    if (!facts_.at(id).reads_levels) return;
    for (const NodeId each : reachable(std::array{Expr(&graph_, id)}))
      if (const auto found = of_level_.find(each); found != of_level_.end()) read_.insert(found->second);
  }

  void compare_levels() {
    const Expr zero = graph_.constant(0);
    for (const std::size_t k : read_) {
      const HeldGuard& guard = guards_[k];
      const auto kept = [&](const Expr& e) { return graph_.function(Op::kLessEqual, std::array{zero, e}); };
      Expr keeps = kept(guard.floor ? guard.value - guard.level : guard.level * guard.value);
      if (guard.floor)
        keeps = graph_.function(Op::kAnd, std::array{keeps, kept(guard.level + graph_.constant(1) - guard.value)});
      all_keep_ = all_keep_ ? graph_.function(Op::kAnd, std::array{all_keep_, keeps}) : keeps;
    }
  }

  Expr continue_node(NodeId id, std::span<const Expr> x) {
    const std::vector<Graph::Item> items(graph_.items(id).begin(), graph_.items(id).end());
    std::vector<Expr> made(x.begin(), x.end());
    const Op op = graph_.op(id);
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!restricts(id, items[i])) continue;
      const Expr one = graph_.constant(1);
      const Expr nearest =
          function_info(op).domain == Domain::kUnit
              ? graph_.function(Op::kMin, std::array{graph_.function(Op::kMax, std::array{x[i], -one}), one})
              : abs(x[i]);
      made[i] = graph_.function(Op::kSelect, std::array{all_keep_, x[i], nearest});
    }
    if (op == Op::kPower) return graph_.power(made[0], made[1]);
    if (op != Op::kProduct) return graph_.function(op, made);
    std::vector<Expr> factors{graph_.constant(graph_.number(id))};
    for (std::size_t i = 0; i < items.size(); ++i)
      factors.push_back(graph_.power(made[i], Rational(graph_.number(items[i]))));
    return graph_.product(factors);
  }

  const std::vector<Expr> held_;
  Graph& graph_;
  const std::span<const HeldGuard> guards_;
  std::unordered_map<NodeId, std::size_t> of_level_;
  std::unordered_set<NodeId> unbranched_, continued_;
  struct Facts {
    bool reads_levels = false, has_domains = false;
  };
  std::unordered_map<NodeId, Facts> facts_;
  std::set<std::size_t> read_;  // numbers of the guards beyond which something may have no value
  Expr all_keep_;               // 1 where all of these keep their levels; 0 where one has left it or is not a number
};

}  // namespace

std::vector<Expr> continue_domains(std::span<const Expr> held, std::span<const HeldGuard> guards) {
  if (held.empty() || guards.empty()) return {held.begin(), held.end()};
  return DomainContinuation(held, guards).run();
}

}  // namespace dalembert
