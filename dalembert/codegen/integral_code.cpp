// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/integral_code.h"

#include <fmt/format.h>

#include <utility>

#include "dalembert/codegen/texts.h"
#include "dalembert/compile/integrals.h"

namespace dalembert {

Equations with_integral_states(Equations eq) {
  Graph& graph = *eq.graph;
  const int coordinates = eq.n();
  return with_integral_symbols(std::move(eq), [&](Model&, const std::string& name, int number) {
    return graph.add_symbol({name, SymbolKind::kCoordinate, coordinates + number, {}});
  });
}

std::vector<KernelArgument> code_arguments(const Equations& equations, const std::vector<SymbolKind>& kinds) {
  std::vector<KernelArgument> arguments;
  for (const SymbolKind kind : kinds) {
    for (const KernelArgument& one : arguments_of(equations, {kind})) arguments.push_back(one);
    if (kind != SymbolKind::kCoordinate) continue;
    int place = equations.n();
    for (const Integral& one : equations.model->integrals)
      if (is_in_kernel(one)) arguments.push_back({kind, place++});
  }
  return arguments;
}

std::string integral_text(std::string_view text, const Layout& layout, std::string_view forces) {
  const bool has = layout.integrals > 0;
  return filled_where(text, {Filling::only_if(has, " - nz"),
                             {"call INTEGRATE()", has ? filled(kIntegrate, {{"FORCES", forces}}) : ""}});
}

}  // namespace dalembert
