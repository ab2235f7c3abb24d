// SPDX-License-Identifier: Apache-2.0
// Integrals over the time of a run, which outputs and events read.
#include "dalembert/model/integrals.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "dalembert/expr/functions.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/symbol_name.h"
#include "dalembert/expr/visit.h"
#include "dalembert/model/model.h"

namespace dalembert {
namespace {

// An integrand of more symbols, numbers and functions is not written out in the name of its integral, which has a number then.
constexpr double kLongestName = 1000;

// Number of symbols, numbers and functions of the written expression. Shared parts count at each occurrence.
double length_of(const Expr& expression) {
  const Graph& graph = expression.graph();
  std::unordered_map<NodeId, double> lengths;
  for (const NodeId id : reachable(std::array{expression})) {
    double length = 1;
    for (const Graph::Item& item : graph.items(id)) length += lengths[item.node];
    lengths[id] = length;
  }
  return lengths[expression.id()];
}

}  // namespace

bool reads_integral(const Expr& expression) {
  return std::ranges::any_of(symbols_in(std::array{expression}), [&](SymbolId id) {
    const Symbol& symbol = expression.graph().symbol_info(id);
    return symbol.kind == SymbolKind::kMultiplier && names_integral(symbol.name);
  });
}

Expr Model::integral(const Expr& integrand) {
  if (!is_sound("an integral", integrand)) return {};
  const auto known =
      std::ranges::find_if(integrals, [&](const Integral& one) { return one.integrand.same(integrand); });
  if (known != integrals.end()) return known->symbol;
  const auto refuse = [&](const char* why, const char* help) {
    problem("E0288", why, help);
    return Expr();
  };
  if (function_info(integrand.op()).truth)
    return refuse("a condition has no integral", "write the number that is to be integrated: `if(x > 0, 1, 0)`");
  if (reads_integral(integrand))
    return refuse("an integral cannot contain an integral", "integrate one expression of the motion");
  const bool is_short = length_of(integrand) <= kLongestName;
  const std::size_t number = integrals.size() + 1;
  const std::string name = is_short ? "integral(" + to_text(integrand) + ")" : fmt::format("integral(#{})", number);
  std::string written = is_short ? to_latex(integrand) : fmt::format("e_{{{}}}", number);
  if (is_short && integrand.op() == Op::kSum) written = "\\left(" + written + "\\right)";
  const std::string latex = "\\left(\\int " + written + " \\,\\mathrm{d}t\\right)";
  Integral made{integrand,
                graph->add_symbol({name, SymbolKind::kMultiplier, static_cast<int>(multipliers_.size()), latex})};
  multipliers_.emplace(name, made.symbol);
  if (!here)
    if (const auto dimension = dimension_of(integrand)) made.dimension = *dimension * Dimension::time();
  integrals.push_back(made);
  return made.symbol;
}

}  // namespace dalembert
