// SPDX-License-Identifier: Apache-2.0
#include "dalembert/expr/visit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace dalembert {

namespace {

// Visited set: bitmap when the graph is small, hash set (open addressing) when it is large and few nodes are visited.
class Seen {
 public:
  explicit Seen(NodeId last) : dense_(last < kSmallGraph) {
    if (dense_)
      bits_.resize(last + std::size_t{1});
    else
      table_.assign(64, kFree);
  }
  /// Inserts `id`; returns whether it is new.
  bool insert(NodeId id) {
    if (dense_) {
      if (bits_[id]) return false;
      bits_[id] = true;
      return true;
    }
    if (2 * (count_ + 1) > table_.size()) grow();
    NodeId& slot = find(id);
    if (slot == id) return false;
    slot = id;
    ++count_;
    return true;
  }

 private:
  static constexpr NodeId kSmallGraph = 4096, kFree = ~NodeId{0};
  NodeId& find(NodeId id) {
    // Multiplicative hash: consecutive ids, which neighbours in the graph often have, get different slots.
    std::size_t slot = id * 0x9E3779B1u & (table_.size() - 1);
    while (table_[slot] != kFree && table_[slot] != id) slot = (slot + 1) & (table_.size() - 1);
    return table_[slot];
  }
  void grow() {
    std::vector<NodeId> old(4 * table_.size(), kFree);
    old.swap(table_);
    for (const NodeId id : old)
      if (id != kFree) find(id) = id;
  }

  const bool dense_;
  std::vector<bool> bits_;
  std::vector<NodeId> table_;
  std::size_t count_ = 0;
};

}  // namespace

std::vector<NodeId> reachable(std::span<const Expr> roots) {
  std::vector<NodeId> found, open;
  if (roots.empty()) return found;
  const Graph& graph = common_graph(roots);
  NodeId last = 0;
  for (const Expr& root : roots) last = std::max(last, root.id());
  Seen seen(last);
  for (const Expr& root : roots)
    if (root && seen.insert(root.id())) open.push_back(root.id());
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    found.push_back(id);
    for (const Graph::Item& item : graph.items(id))
      if (seen.insert(item.node)) open.push_back(item.node);
  }
  std::ranges::sort(found);
  return found;
}

std::vector<SymbolId> symbols_in(std::span<const Expr> roots) {
  std::vector<SymbolId> symbols;
  if (roots.empty()) return symbols;
  const Graph& graph = common_graph(roots);
  for (const NodeId id : reachable(roots))
    if (graph.op(id) == Op::kSymbol) symbols.push_back(graph.symbol_of(id));
  std::ranges::sort(symbols);
  return symbols;
}

bool depends_on(const Expr& expression, std::span<const Expr> symbols) {
  const auto contained = symbols_in(std::array{expression});
  return std::ranges::any_of(symbols, [&](const Expr& s) { return std::ranges::binary_search(contained, s.symbol()); });
}

bool depends_on_kind(const Expr& expression, SymbolKind kind) {
  return std::ranges::any_of(symbols_in(std::array{expression}),
                             [&](SymbolId s) { return expression.graph().symbol_info(s).kind == kind; });
}

std::vector<Expr> rebuild(std::span<const Expr> expressions,
                          const std::function<Expr(NodeId, std::span<const Expr>)>& change) {
  std::vector<Expr> results;
  if (expressions.empty()) return results;
  Graph& graph = common_graph(expressions);
  std::unordered_map<NodeId, Expr> made;
  const auto now = [&](NodeId id) { return made.at(id); };
  for (const NodeId id : reachable(expressions)) {
    const auto items = graph.items(id);
    const Op op = graph.op(id);
    Expr value(&graph, id);
    const bool same =
        std::ranges::none_of(items, [&](const Graph::Item& item) { return now(item.node).id() != item.node; });
    std::vector<Expr> arguments;
    for (const auto& item : items) arguments.push_back(now(item.node));
    if (const Expr changed = change(id, arguments)) {
      value = changed;
    } else if (op == Op::kSum && !same) {
      std::vector<Graph::Term> terms{{graph.constant(graph.number(id)), 1}};
      for (std::size_t i = 0; i < items.size(); ++i) terms.push_back({arguments[i], graph.number(items[i])});
      value = graph.sum(terms);
    } else if (op == Op::kProduct && !same) {
      std::vector<Expr> factors{graph.constant(graph.number(id))};
      for (std::size_t i = 0; i < items.size(); ++i)
        factors.push_back(graph.power(arguments[i], Rational(graph.number(items[i]))));
      value = graph.product(factors);
    } else if (!same) {
      value = op == Op::kPower ? graph.power(arguments[0], arguments[1]) : graph.function(op, arguments);
    }
    made.emplace(id, value);
  }
  for (const Expr& expression : expressions) results.push_back(expression ? now(expression.id()) : expression);
  return results;
}

std::vector<Expr> substitute(std::span<const Expr> expressions,
                             const std::unordered_map<SymbolId, Expr>& replacements) {
  if (expressions.empty()) return {};
  const Graph& graph = common_graph(expressions);
  return rebuild(expressions, [&](NodeId id, std::span<const Expr>) {
    if (graph.op(id) != Op::kSymbol) return Expr();
    const auto found = replacements.find(graph.symbol_of(id));
    return found == replacements.end() ? Expr() : found->second;
  });
}

Expr substitute(const Expr& expression, const std::unordered_map<SymbolId, Expr>& replacements) {
  if (!expression) return expression;
  return substitute(std::span(&expression, 1), replacements).front();
}

double evaluate_power(double base, double exponent) {
  if (exponent == 1) return base;
  if (exponent == 2) return base * base;
  if (exponent == -1) return 1 / base;
  if (exponent == 0.5) return std::sqrt(base);
  if (exponent == -0.5) return 1 / std::sqrt(base);
  if (exponent == std::floor(exponent) && std::abs(exponent) <= 64) {
    double result = 1, square = base;
    for (int e = std::abs(static_cast<int>(exponent)); e > 0; e >>= 1) {
      if (e & 1) result *= square;
      square *= square;
    }
    return exponent < 0 ? 1 / result : result;
  }
  return std::pow(base, exponent);
}

std::vector<double> evaluate(std::span<const Expr> expressions, const std::function<double(SymbolId)>& value_of) {
  std::vector<double> results;
  if (expressions.empty()) return results;
  const Graph& graph = common_graph(expressions);
  std::unordered_map<NodeId, double> value;
  for (const NodeId id : reachable(expressions)) {
    const auto items = graph.items(id);
    double x = 0;
    switch (graph.op(id)) {
      case Op::kConstant:
        x = graph.number(id).to_double();
        break;
      case Op::kSymbol:
        x = value_of(graph.symbol_of(id));
        break;
      case Op::kSum:
        x = graph.number(id).to_double();
        for (const auto& item : items) x += graph.number(item).to_double() * value.at(item.node);
        break;
      case Op::kProduct:
        x = graph.number(id).to_double();
        for (const auto& item : items) x *= evaluate_power(value.at(item.node), graph.number(item).to_double());
        break;
      default: {
        std::array<double, 3> arguments{};
        for (std::size_t i = 0; i < items.size(); ++i) arguments[i] = value.at(items[i].node);
        x = evaluate_function(graph.op(id), arguments.data());
      }
    }
    value.emplace(id, x);
  }
  for (const Expr& expression : expressions) results.push_back(expression ? value.at(expression.id()) : std::nan(""));
  return results;
}

double evaluate(const Expr& expression, const std::function<double(SymbolId)>& value_of) {
  if (!expression) return std::nan("");
  return evaluate(std::span(&expression, 1), value_of).front();
}

std::size_t count_operations(std::span<const Expr> expressions) {
  std::size_t count = 0;
  if (expressions.empty()) return count;
  const Graph& graph = common_graph(expressions);
  const auto power_cost = [](const Rational& exponent) -> std::size_t {
    const auto integer = exponent.as_int();
    if (!integer) return 1;
    const auto size = static_cast<unsigned>(std::abs(*integer));
    std::size_t multiplications = 0;
    for (unsigned e = size; e > 1; e >>= 1) multiplications += 1 + (e & 1);
    return multiplications + (*integer < 0 ? 1 : 0);
  };
  for (const NodeId id : reachable(expressions)) {
    const auto items = graph.items(id);
    switch (graph.op(id)) {
      case Op::kConstant:
      case Op::kPi:
      case Op::kSymbol:
        break;
      case Op::kSum:
        count += items.size() - (graph.number(id).is_zero() ? 1 : 0);
        for (const auto& item : items) count += !graph.number(item).is_one() && !graph.number(item).is_minus_one();
        break;
      case Op::kProduct:
        count += items.size() - 1 + !graph.number(id).is_one();
        for (const auto& item : items) count += power_cost(graph.number(item));
        break;
      default:
        ++count;
    }
  }
  return count;
}

static_assert(static_cast<unsigned>(SymbolKind::kShorthand) < 8 * sizeof(KindMasks::Mask), "one bit for each kind");

KindMasks::Mask KindMasks::of(const Expr& expression) {
  const Graph& graph = expression.graph();
  for (auto id = static_cast<NodeId>(masks_.size()); id <= expression.id(); ++id) {
    Mask mask = graph.op(id) == Op::kSymbol ? bit(graph.symbol_info(graph.symbol_of(id)).kind) : Mask{0};
    for (const Graph::Item& item : graph.items(id)) mask |= masks_[item.node];
    masks_.push_back(mask);
  }
  return masks_[expression.id()];
}

}  // namespace dalembert
