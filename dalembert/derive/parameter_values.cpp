// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/parameter_values.h"

#include <algorithm>
#include <unordered_map>

#include "dalembert/expr/rational.h"
#include "dalembert/expr/visit.h"
#include "dalembert/model/model.h"

namespace dalembert {

std::vector<Expr> with_values_of_parameters(const Equations& equations, std::span<const Expr> expressions) {
  std::unordered_map<SymbolId, Expr> values;
  for (const Parameter& parameter : equations.model->parameters)
    values.emplace(parameter.symbol.symbol(), equations.graph->constant(Rational::from_double(parameter.value)));
  return substitute(expressions, values);
}

bool contains_time(const Equations& equations, std::span<const Expr> expressions) {
  const std::vector<SymbolId> symbols = symbols_in(expressions);
  return std::ranges::find(symbols, equations.t.symbol()) != symbols.end();
}

}  // namespace dalembert
