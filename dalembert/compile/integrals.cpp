// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/integrals.h"

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dalembert/derive/contact_mode.h"
#include "dalembert/expr/visit.h"

namespace dalembert {

Equations with_integral_symbols(Equations eq, const AddIntegral& add) {
  if (eq.model->integrals.empty()) return eq;
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
  int number = 0;
  for (Integral& one : model->integrals) {
    const SymbolId stated = one.symbol.symbol();
    const std::string name = one.symbol.graph().symbol_info(stated).name;
    one.symbol = add(*model, name, number++);
    values.emplace(stated, one.symbol);
  }
  substitute_results(*model, *eq.graph, values);
  eq.model = std::move(model);
  return eq;
}

Equations with_integral_parameters(Equations eq) {
  Graph& graph = *eq.graph;
  const auto add = [&graph](Model& model, const std::string& name, int number) {
    Parameter made;
    made.name = name;
    const int place = static_cast<int>(model.parameters.size());
    model.integrals[static_cast<std::size_t>(number)].parameter = place;
    made.symbol = graph.add_symbol({name, SymbolKind::kParameter, place, {}});
    model.parameters.push_back(made);
    return made.symbol;
  };
  return with_integral_symbols(std::move(eq), add);
}

bool is_in_kernel(const Integral& integral) {
  return integral.symbol.graph().symbol_info(integral.symbol.symbol()).kind != SymbolKind::kMultiplier;
}

}  // namespace dalembert
