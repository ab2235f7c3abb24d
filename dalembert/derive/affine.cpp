// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/affine.h"

#include <array>
#include <unordered_map>

#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

// How a node depends on the symbols, as far as its structure shows: not at all, affinely, or in another way.
enum class Degree { kFree, kAffine, kOther };

Degree degree_of(const Graph& graph, NodeId id, const std::unordered_map<NodeId, Degree>& known) {
  const auto child = [&](std::size_t k) { return known.at(graph.items(id)[k].node); };
  const std::size_t count = graph.items(id).size();
  std::size_t affine = 0;
  bool times_one = true;
  for (std::size_t k = 0; k < count; ++k) {
    if (child(k) == Degree::kOther) return Degree::kOther;
    if (child(k) == Degree::kFree) continue;
    ++affine;
    times_one = times_one && (graph.op(id) != Op::kProduct || graph.number(graph.items(id)[k]).is_one());
  }
  if (affine == 0) return Degree::kFree;
  switch (graph.op(id)) {
    case Op::kSum:
      return Degree::kAffine;
    case Op::kProduct:
      return affine == 1 && times_one ? Degree::kAffine : Degree::kOther;
    case Op::kSelect:
      return child(0) == Degree::kFree ? Degree::kAffine : Degree::kOther;
    default:
      return Degree::kOther;
  }
}

}  // namespace

Expr not_affine_in(const Expr& e, const Variables& wrt) {
  Graph& graph = e.graph();
  std::unordered_map<NodeId, Degree> degree;
  for (const NodeId id : reachable(std::array{e})) {
    const bool variable = graph.op(id) == Op::kSymbol && wrt.find(graph.symbol_of(id)) >= 0;
    const Degree found = variable ? Degree::kAffine : degree_of(graph, id, degree);
    if (found == Degree::kOther) return wrt.symbol(wrt.in({&graph, id}).front());
    degree.emplace(id, found);
  }
  return {};
}

}  // namespace dalembert
