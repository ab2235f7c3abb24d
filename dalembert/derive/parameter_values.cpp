// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/parameter_values.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "dalembert/expr/rational.h"
#include "dalembert/expr/visit.h"
#include "dalembert/model/model.h"

namespace dalembert {

bool contains_time(const Equations& equations, std::span<const Expr> expressions) {
  const std::vector<SymbolId> symbols = symbols_in(expressions);
  return std::ranges::find(symbols, equations.t.symbol()) != symbols.end();
}

bool depends_on_time(const Equations& equations, std::span<const Expr> expressions) {
  if (!contains_time(equations, expressions)) return false;
  std::unordered_map<SymbolId, Expr> values;
  for (const Parameter& parameter : equations.model->parameters)
    values.emplace(parameter.symbol.symbol(), equations.graph->constant(Rational::from_double(parameter.value)));
  return contains_time(equations, substitute(expressions, values));
}

}  // namespace dalembert
