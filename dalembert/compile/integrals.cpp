// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/integrals.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dalembert/derive/contact_mode.h"
#include "dalembert/expr/visit.h"

namespace dalembert {

Equations with_integral_parameters(Equations eq) {
  if (eq.model->integrals.empty()) return eq;
  Graph& graph = *eq.graph;
  auto model = std::make_shared<Model>(*eq.model);
  std::vector<Expr> readers;
  for (const Output& output : model->outputs) readers.push_back(output.expression);
  for (const Event& event : model->events) {
    readers.push_back(event.when);
    if (event.where) readers.push_back(event.where);
    for (const Event::Setting& setting : event.set) readers.push_back(setting.value);
  }
  const std::vector<SymbolId> read = symbols_in(readers);
  std::erase_if(model->integrals,
                [&](const Integral& one) { return std::ranges::find(read, one.symbol.symbol()) == read.end(); });
  std::unordered_map<SymbolId, Expr> values;
  for (Integral& one : model->integrals) {
    Parameter made;
    made.name = one.symbol.graph().symbol_info(one.symbol.symbol()).name;
    one.parameter = static_cast<int>(model->parameters.size());
    made.symbol = graph.add_symbol({made.name, SymbolKind::kParameter, one.parameter, {}});
    values.emplace(one.symbol.symbol(), made.symbol);
    model->parameters.push_back(std::move(made));
  }
  substitute_results(*model, graph, values);
  eq.model = std::move(model);
  return eq;
}

}  // namespace dalembert
