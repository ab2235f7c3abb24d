// SPDX-License-Identifier: Apache-2.0
#include "dalembert/expr/differentiate.h"

#include <algorithm>
#include <array>

#include "dalembert/expr/functions.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

Expr at(Graph& graph, NodeId id) { return {&graph, id}; }

// ∂(node id)/∂(its child number `which`); null where it is zero.
Expr partial(Graph& graph, NodeId id, std::size_t which) {
  const auto child = [&](std::size_t i) { return at(graph, graph.items(id)[i].node); };
  switch (graph.op(id)) {
    case Op::kSum:
      return graph.constant(graph.number(graph.items(id)[which]));
    case Op::kProduct: {
      // e · b^(e−1) · rest, factor by factor: 1/b must not stay where b may be 0.
      const std::vector<Graph::Item> items(graph.items(id).begin(), graph.items(id).end());
      const Rational exponent = graph.number(items[which]);
      std::vector<Expr> factors{graph.constant(exponent), graph.constant(graph.number(id))};
      for (std::size_t i = 0; i < items.size(); ++i) {
        const Rational own = graph.number(items[i]);
        factors.push_back(graph.power(at(graph, items[i].node), i == which ? own - 1 : own));
      }
      return graph.product(factors);
    }
    default: {
      const FunctionInfo& info = function_info(graph.op(id));
      if (!info.derivative) return {};
      FunctionCall call{at(graph, id), child(0), {}, {}};
      if (info.arguments > 1) call.y = child(1);
      if (info.arguments > 2) call.z = child(2);
      return info.derivative(call, which);
    }
  }
}

// The reverse sweep: adjoints of the symbols in `wrt`, null where f does not contain them.
std::vector<Expr> reverse_sweep(const Expr& f, std::span<const Expr> wrt) {
  Graph& graph = f.graph();
  const std::vector<NodeId> nodes = reachable(std::array{f});
  std::vector<NodeId> sources;
  for (const Expr& s : wrt) sources.push_back(s.id());
  std::ranges::sort(sources);
  std::vector<char> active(nodes.size());
  std::unordered_map<NodeId, std::size_t> index;
  index.reserve(nodes.size() * 2);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    index.emplace(nodes[i], i);
    if (graph.op(nodes[i]) == Op::kSymbol) active[i] = std::ranges::binary_search(sources, nodes[i]);
    for (const auto& item : graph.items(nodes[i])) active[i] = active[i] || active[index.at(item.node)];
  }
  // Contributions are collected first and added once: one sum a node, not a chain of partial sums.
  std::vector<std::vector<Graph::Term>> contributions(nodes.size());
  std::vector<Expr> adjoint(nodes.size());
  contributions.back().push_back({graph.constant(1), 1});
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (!active[i] || contributions[i].empty()) continue;
    adjoint[i] = graph.sum(contributions[i]);
    contributions[i] = {};
    if (adjoint[i].is_zero()) continue;
    const std::size_t count = graph.items(nodes[i]).size();
    for (std::size_t k = 0; k < count; ++k) {
      const Graph::Item item = graph.items(nodes[i])[k];
      const std::size_t child = index.at(item.node);
      if (!active[child]) continue;
      if (graph.op(nodes[i]) == Op::kSum) {
        contributions[child].push_back({adjoint[i], graph.number(item)});
      } else if (const Expr d = partial(graph, nodes[i], k); d && !d.is_zero()) {
        contributions[child].push_back({adjoint[i] * d, 1});
      }
    }
  }
  std::vector<Expr> result;
  for (const Expr& s : wrt) {
    const auto found = index.find(s.id());
    const Expr value = found == index.end() ? Expr() : adjoint[found->second];
    result.push_back(value && !value.is_zero() ? value : Expr());
  }
  return result;
}

}  // namespace

std::vector<Expr> gradient(const Expr& f, std::span<const Expr> wrt) {
  if (!f) return std::vector<Expr>(wrt.size(), f);
  std::vector<Expr> result = reverse_sweep(f, wrt);
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
  std::unordered_map<NodeId, Expr> derivative;  // only nonzero ones
  for (const NodeId id : reachable(functions)) {
    if (graph.op(id) == Op::kSymbol) {
      if (const auto seed = seeds.find(graph.symbol_of(id)); seed != seeds.end() && !seed->second.is_zero())
        derivative.emplace(id, seed->second);
      continue;
    }
    std::vector<Graph::Term> terms;
    const std::size_t count = graph.items(id).size();
    for (std::size_t k = 0; k < count; ++k) {
      const Graph::Item item = graph.items(id)[k];
      const auto inner = derivative.find(item.node);
      if (inner == derivative.end()) continue;
      if (graph.op(id) == Op::kSum) {
        terms.push_back({inner->second, graph.number(item)});
      } else if (const Expr d = partial(graph, id, k); d && !d.is_zero()) {
        terms.push_back({d * inner->second, 1});
      }
    }
    if (terms.empty()) continue;
    if (const Expr value = graph.sum(terms); !value.is_zero()) derivative.emplace(id, value);
  }
  for (const Expr& f : functions) {
    const auto found = derivative.find(f.id());
    result.push_back(found == derivative.end() ? graph.constant(0) : found->second);
  }
  return result;
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
  std::vector<int> present = wrt.in(f);
  while (last >= 0 && !present.empty() && present.back() > last) present.pop_back();
  std::vector<std::pair<int, Expr>> entries;
  if (present.empty()) return entries;
  std::vector<Expr> sources;
  for (const int j : present) sources.push_back(wrt.symbol(j));
  const std::vector<Expr> row = reverse_sweep(f, sources);
  for (std::size_t k = 0; k < row.size(); ++k)
    if (row[k]) entries.emplace_back(present[k], row[k]);
  return entries;
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
  SparseMatrix matrix{variables.size(), variables.size(), {}, {}, {}};
  // A row's columns come in their order: up to the diagonal at once, the mirrored ones with the rows below.
  std::vector<std::vector<std::pair<int, Expr>>> rows(wrt.size());
  for (int i = 0; i < variables.size(); ++i) {
    for (const auto& [j, value] : sparse_gradient(slope[static_cast<std::size_t>(i)], variables, i)) {
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
