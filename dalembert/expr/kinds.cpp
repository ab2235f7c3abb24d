// SPDX-License-Identifier: Apache-2.0
#include "dalembert/expr/kinds.h"

namespace dalembert {

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
