// SPDX-License-Identifier: Apache-2.0
// Expressions: whatever parses is printed, and the print must read back as an equal expression.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "dalembert/algebra/canonical.h"
#include "dalembert/expr/lower.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"
#include "fuzz.h"

using namespace dalembert;

// About the characters of the print: shared nodes are written out wherever they are.
static double printed_size(const Expr& expression) {
  std::unordered_map<NodeId, double> size;
  for (const NodeId id : reachable(std::array{expression})) {
    size[id] = 8;
    for (const auto& item : expression.graph().items(id)) size[id] += size[item.node];
  }
  return size[expression.id()];
}

FUZZ(const std::string& text) {
  Graph graph;
  graph.add_symbol({"t", SymbolKind::kTime, 0, {}});
  for (const auto kind : {SymbolKind::kCoordinate, SymbolKind::kVelocity, SymbolKind::kAcceleration})
    for (const char* name : {"x", "theta"}) graph.add_symbol({name, kind, *name == 't', {}});
  for (const char* name : {"m", "L1"}) graph.add_symbol({name, SymbolKind::kParameter, *name == 'L', {}});
  graph.add_symbol({"pin[1]", SymbolKind::kMultiplier, 0, {}});

  const Result<Expr> read = parse(text, graph);
  if (!read) return use(render(read.diagnostics()));
  if (printed_size(*read) > 20000) return;
  use(to_latex(*read));
  const std::string printed = to_text(*read);
  const Result<Expr> again = parse(printed, graph);
  require(again.ok(), printed + "\n" + render(again.diagnostics()));
  if (again->same(*read)) return;
  Canonicalizer canonicalizer(graph, 500);
  require(decide_zero(canonicalizer, *again - *read) != ZeroTest::kNonzero, printed + "\n" + to_text(*again));
}
