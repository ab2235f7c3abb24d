// SPDX-License-Identifier: Apache-2.0
#include "dalembert/expr/differentiate.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "dalembert/expr/functions.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

Expr at(Graph& graph, NodeId id) { return {&graph, id}; }

// Factors in a block of a long product. It is more than the number of factors that a product merges from a nested product (kMostSpread), so
// that a block stays a node of its own.
constexpr std::size_t kFactorsOfBlock = 32;

// Derivatives of a long product, each e · b^(e−1) · (all other factors). The factors are grouped into blocks, and the blocks into larger
// blocks, so that the n derivatives share most of their nodes and take O(n) operations instead of O(n²).
class LongProduct {
 public:
  static bool is(const Graph& graph, NodeId id) { return graph.items(id).size() > 2 * kFactorsOfBlock; }

  LongProduct(Graph& graph, NodeId id) : graph_(graph), number_(graph.number(id)) {
    const std::vector<Graph::Item> items(graph.items(id).begin(), graph.items(id).end());
    std::vector<Expr> factors;
    for (const Graph::Item& item : items) {
      exponents_.push_back(graph.number(item));
      bases_.push_back(at(graph, item.node));
      factors.push_back(graph.power(bases_.back(), exponents_.back()));
    }
    levels_.push_back(std::move(factors));
    while (levels_.back().size() > 2 * kFactorsOfBlock) {
      const std::span<const Expr> whole = levels_.back();
      std::vector<Expr> blocks;
      for (std::size_t begin = 0; begin < whole.size(); begin += kFactorsOfBlock)
        blocks.push_back(graph.product(whole.subspan(begin, std::min(kFactorsOfBlock, whole.size() - begin))));
      levels_.push_back(std::move(blocks));
    }
    for (const std::vector<Expr>& level : levels_) others_.emplace_back(level.size());
  }

  Expr slope(std::size_t which) {
    std::vector<Expr> factors = besides(0, which);
    factors.push_back(graph_.constant(exponents_[which]));
    factors.push_back(graph_.constant(number_));
    factors.push_back(graph_.power(bases_[which], exponents_[which] - 1));
    return graph_.product(factors);
  }

 private:
  // The factors of a level without factor `which`: the others of its block, and one factor for all other blocks.
  std::vector<Expr> besides(std::size_t level, std::size_t which) {
    const std::vector<Expr>& all = levels_[level];
    const bool highest = level + 1 == levels_.size();
    const std::size_t block = which / kFactorsOfBlock, begin = highest ? 0 : block * kFactorsOfBlock,
                      end = highest ? all.size() : std::min(begin + kFactorsOfBlock, all.size());
    std::vector<Expr> factors;
    for (std::size_t i = begin; i < end; ++i)
      if (i != which) factors.push_back(all[i]);
    if (highest) return factors;
    Expr& others = others_[level + 1][block];
    if (!others) others = graph_.product(besides(level + 1, block));
    factors.push_back(others);
    return factors;
  }

  Graph& graph_;
  Rational number_;
  std::vector<Rational> exponents_;
  std::vector<Expr> bases_;
  std::vector<std::vector<Expr>> levels_;  // by level: the factors, blocks of factors, blocks of blocks, …
  std::vector<std::vector<Expr>> others_;  // by level and place: the product of all others; null until it is needed
};

// Partial derivatives of one node with respect to its children.
class Partials {
 public:
  Partials(Graph& graph, NodeId id) : graph_(graph), id_(id) {}

  // The derivative with respect to child number `which`; null if it is zero.
  Expr by(std::size_t which) {
    const auto child = [&](std::size_t i) { return at(graph_, graph_.items(id_)[i].node); };
    switch (graph_.op(id_)) {
      case Op::kSum:
        return graph_.constant(graph_.number(graph_.items(id_)[which]));
      case Op::kProduct: {
        // e · b^(e−1) · (other factors). The form f · e/b would have no value where b is 0.
        if (LongProduct::is(graph_, id_)) {
          if (!product_) product_.emplace(graph_, id_);
          return product_->slope(which);
        }
        const std::vector<Graph::Item> items(graph_.items(id_).begin(), graph_.items(id_).end());
        const Rational exponent = graph_.number(items[which]);
        std::vector<Expr> factors{graph_.constant(exponent), graph_.constant(graph_.number(id_))};
        for (std::size_t i = 0; i < items.size(); ++i) {
          const Rational own = graph_.number(items[i]);
          factors.push_back(graph_.power(at(graph_, items[i].node), i == which ? own - 1 : own));
        }
        return graph_.product(factors);
      }
      default: {
        const FunctionInfo& info = function_info(graph_.op(id_));
        if (!info.derivative) return {};
        FunctionCall call{at(graph_, id_), child(0), {}, {}};
        if (info.arguments > 1) call.y = child(1);
        if (info.arguments > 2) call.z = child(2);
        return info.derivative(call, which);
      }
    }
  }

 private:
  Graph& graph_;
  NodeId id_;
  std::optional<LongProduct> product_;
};

// The index of a node in an ascending list of nodes, by a table over all nodes of the graph, or by bisection where few of them are listed.
class Places {
 public:
  /// `kept`: the object serves many lists, one after the other.
  explicit Places(bool kept = false) : kept_(kept) {}

  /// Sets the list; `nodes` must outlive its use. Entries of earlier lists in the table are never read.
  void list(const std::vector<NodeId>& nodes) {
    constexpr std::size_t kFew = 16;
    nodes_ = &nodes;
    if (nodes.empty()) return;
    const std::size_t last = nodes.back();
    is_table_ = kept_ || kFew * nodes.size() >= last;
    if (!is_table_) return;
    if (table_.size() <= last) table_.resize(kept_ ? last + last / 2 + 1 : last + 1);
    for (std::size_t i = 0; i < nodes.size(); ++i) table_[nodes[i]] = static_cast<std::uint32_t>(i);
  }
  /// Index of a listed node.
  std::size_t of(NodeId id) const {
    if (is_table_) return table_[id];
    return static_cast<std::size_t>(std::ranges::lower_bound(*nodes_, id) - nodes_->begin());
  }
  bool has(NodeId id) const { return std::ranges::binary_search(*nodes_, id); }

 private:
  const bool kept_;
  bool is_table_ = false;
  const std::vector<NodeId>* nodes_ = nullptr;
  std::vector<std::uint32_t> table_;
};

// The reverse sweep over `nodes`, those that f contains: adjoints of the symbols in `wrt`; null for symbols that f does not contain.
std::vector<Expr> reverse_sweep(const Expr& f, const std::vector<NodeId>& nodes, std::span<const Expr> wrt,
                                Places& places) {
  Graph& graph = f.graph();
  std::vector<NodeId> sources;
  for (const Expr& s : wrt) sources.push_back(s.id());
  std::ranges::sort(sources);
  std::vector<char> active(nodes.size());
  places.list(nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (graph.op(nodes[i]) == Op::kSymbol) active[i] = std::ranges::binary_search(sources, nodes[i]);
    for (const auto& item : graph.items(nodes[i])) active[i] = active[i] || active[places.of(item.node)];
  }
  // Contributions are collected first and added once, which gives one sum for each node instead of a chain of partial sums.
  std::vector<std::vector<Graph::Term>> contributions(nodes.size());
  std::vector<Expr> adjoint(nodes.size());
  contributions.back().push_back({graph.constant(1), 1});
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (!active[i] || contributions[i].empty()) continue;
    adjoint[i] = graph.sum(contributions[i]);
    contributions[i] = {};
    if (adjoint[i].is_zero()) continue;
    const std::size_t count = graph.items(nodes[i]).size();
    Partials partials(graph, nodes[i]);
    for (std::size_t k = 0; k < count; ++k) {
      const Graph::Item item = graph.items(nodes[i])[k];
      const std::size_t child = places.of(item.node);
      if (!active[child]) continue;
      if (graph.op(nodes[i]) == Op::kSum) {
        contributions[child].push_back({adjoint[i], graph.number(item)});
      } else if (const Expr d = partials.by(k); d && !d.is_zero()) {
        contributions[child].push_back({adjoint[i] * d, 1});
      }
    }
  }
  std::vector<Expr> result;
  for (const Expr& s : wrt) {
    const Expr value = places.has(s.id()) ? adjoint[places.of(s.id())] : Expr();
    result.push_back(value && !value.is_zero() ? value : Expr());
  }
  return result;
}

// The directional derivative of one node from those of its children (`known`; null means 0). Null if it is 0.
template <class Known>
Expr derivative_along(Graph& graph, NodeId id, const std::unordered_map<SymbolId, Expr>& seeds, const Known& known) {
  if (graph.op(id) == Op::kSymbol) {
    const auto seed = seeds.find(graph.symbol_of(id));
    return seed != seeds.end() && !seed->second.is_zero() ? seed->second : Expr();
  }
  std::vector<Graph::Term> terms;
  const std::size_t count = graph.items(id).size();
  Partials partials(graph, id);
  for (std::size_t k = 0; k < count; ++k) {
    const Graph::Item item = graph.items(id)[k];
    const Expr inner = known(item.node);
    if (!inner) continue;
    if (graph.op(id) == Op::kSum) {
      terms.push_back({inner, graph.number(item)});
    } else if (const Expr d = partials.by(k); d && !d.is_zero()) {
      terms.push_back({d * inner, 1});
    }
  }
  if (terms.empty()) return {};
  const Expr value = graph.sum(terms);
  return value.is_zero() ? Expr() : value;
}

std::vector<std::pair<int, Expr>> sparse_gradient(const Expr& f, const Variables& wrt, int last, Places& places) {
  const std::vector<NodeId> nodes = reachable(std::array{f});
  std::vector<int> present;
  for (const NodeId id : nodes)
    if (f.graph().op(id) == Op::kSymbol)
      if (const int place = wrt.find(f.graph().symbol_of(id)); place >= 0) present.push_back(place);
  std::ranges::sort(present);
  while (last >= 0 && !present.empty() && present.back() > last) present.pop_back();
  std::vector<std::pair<int, Expr>> entries;
  if (present.empty()) return entries;
  std::vector<Expr> sources;
  for (const int j : present) sources.push_back(wrt.symbol(j));
  const std::vector<Expr> row = reverse_sweep(f, nodes, sources, places);
  for (std::size_t k = 0; k < row.size(); ++k)
    if (row[k]) entries.emplace_back(present[k], row[k]);
  return entries;
}

}  // namespace

std::vector<Expr> gradient(const Expr& f, std::span<const Expr> wrt) {
  if (!f) return std::vector<Expr>(wrt.size(), f);
  Places places;
  std::vector<Expr> result = reverse_sweep(f, reachable(std::array{f}), wrt, places);
  const Expr zero = f.graph().constant(0);
  for (Expr& entry : result)
    if (!entry) entry = zero;
  return result;
}

std::vector<Expr> directional_derivative(std::span<const Expr> functions,
                                         const std::unordered_map<SymbolId, Expr>& seeds) {
  std::vector<Expr> result;
  if (functions.empty()) return result;
  Graph& graph = common_graph(functions);
  const std::vector<NodeId> nodes = reachable(functions);
  Places places;
  places.list(nodes);
  std::vector<Expr> derivative(nodes.size());
  const auto known = [&](NodeId id) -> const Expr& { return derivative[places.of(id)]; };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (graph.exhausted()) break;  // the caller checks exhausted() and reads no result
    derivative[i] = derivative_along(graph, nodes[i], seeds, known);
  }
  for (const Expr& f : functions) result.push_back(f && known(f.id()) ? known(f.id()) : graph.constant(0));
  return result;
}

Expr directional_derivative(const Expr& function, const std::unordered_map<SymbolId, Expr>& seeds,
                            KnownDerivatives& known) {
  Graph& graph = function.graph();
  if (known.seeds != seeds.size()) known = {{}, seeds.size()};
  std::vector<NodeId> open{function.id()}, nodes;
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (!known.of.try_emplace(id).second) continue;
    nodes.push_back(id);
    for (const Graph::Item& item : graph.items(id)) open.push_back(item.node);
  }
  std::ranges::sort(nodes);
  const auto found = [&](NodeId id) -> const Expr& { return known.of.at(id); };
  for (const NodeId id : nodes) known.of[id] = derivative_along(graph, id, seeds, found);
  const Expr& value = known.of[function.id()];
  return value ? value : graph.constant(0);
}

Expr SparseMatrix::find(int r, int c) const {
  for (std::size_t k = 0; k < row.size(); ++k)
    if (row[k] == r && col[k] == c) return value[k];
  return {};
}

Variables::Variables(std::span<const Expr> symbols) : symbols_(symbols.begin(), symbols.end()) {
  for (std::size_t j = 0; j < symbols_.size(); ++j) place_.emplace(symbols_[j].symbol(), static_cast<int>(j));
}

int Variables::find(SymbolId symbol) const {
  const auto found = place_.find(symbol);
  return found == place_.end() ? -1 : found->second;
}

std::vector<int> Variables::in(const Expr& f) const {
  std::vector<int> present;
  for (const SymbolId s : symbols_in(std::array{f}))
    if (const int place = find(s); place >= 0) present.push_back(place);
  std::ranges::sort(present);
  return present;
}

std::vector<std::pair<int, Expr>> sparse_gradient(const Expr& f, const Variables& wrt, int last) {
  Places places;
  return sparse_gradient(f, wrt, last, places);
}

SparseMatrix jacobian(std::span<const Expr> functions, const Variables& wrt) {
  SparseMatrix matrix{static_cast<int>(functions.size()), wrt.size(), {}, {}, {}};
  for (std::size_t i = 0; i < functions.size(); ++i) {
    for (const auto& [column, value] : sparse_gradient(functions[i], wrt)) {
      matrix.row.push_back(static_cast<int>(i));
      matrix.col.push_back(column);
      matrix.value.push_back(value);
    }
  }
  return matrix;
}

SparseMatrix jacobian(std::span<const Expr> functions, std::span<const Expr> wrt) {
  return jacobian(functions, Variables(wrt));
}

SparseMatrix hessian(const Expr& f, std::span<const Expr> wrt) {
  const std::vector<Expr> slope = gradient(f, wrt);
  const Variables variables(wrt);
  Places places(true);
  SparseMatrix matrix{variables.size(), variables.size(), {}, {}, {}};
  // Entries of a row come out with ascending columns: those up to the diagonal first, the mirrored ones while later rows are computed.
  std::vector<std::vector<std::pair<int, Expr>>> rows(wrt.size());
  for (int i = 0; i < variables.size(); ++i) {
    if (f.graph().exhausted()) break;  // the caller checks exhausted() and reads no result
    for (const auto& [j, value] : sparse_gradient(slope[static_cast<std::size_t>(i)], variables, i, places)) {
      rows[static_cast<std::size_t>(i)].emplace_back(j, value);
      if (j != i) rows[static_cast<std::size_t>(j)].emplace_back(i, value);
    }
  }
  for (int r = 0; r < variables.size(); ++r) {
    for (const auto& [c, value] : rows[static_cast<std::size_t>(r)]) {
      matrix.row.push_back(r);
      matrix.col.push_back(c);
      matrix.value.push_back(value);
    }
  }
  return matrix;
}

}  // namespace dalembert
