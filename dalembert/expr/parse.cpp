// SPDX-License-Identifier: Apache-2.0
#include "dalembert/expr/print.h"

#include <fmt/format.h>

#include "dalembert/expr/lower.h"

namespace dalembert {
namespace {

std::string wanted_unit(const DimensionTerm& wanted, Measure measure) {
  if (!wanted.unknown.empty() || !wanted.known.dimensionless()) return "in " + describe(wanted, measure);
  return measure == Measure::kAngle ? "dimensionless (rad)" : "a pure number";
}

}  // namespace

Result<Expr> parse(const MappedText& text, Scope& scope) {
  const auto ast = parse_ast(text);
  if (!ast) return ast.diagnostics();
  Diagnostics problems;
  const Lowered lowered = lower(*ast, scope, {}, problems);
  if (!lowered.value) return problems;
  return lowered.value;
}

Result<Expr> parse(const std::string& text, Graph& graph) {
  SymbolScope scope(graph);
  return parse(MappedText::of(text), scope);
}

void expect_dimension(const Lowered& lowered, const DimensionTerm& wanted, std::string_view what, const Span& span,
                      Scope& scope, Diagnostics& diagnostics, Measure measure) {
  DimensionSolver& solver = scope.dimensions();
  if (!lowered.value || solver.equate(lowered.dimension, wanted)) return;
  const DimensionTerm found = solver.resolve(lowered.dimension);
  const bool pure = found.unknown.empty() && found.known.dimensionless();
  const std::string mine = describe(found, measure == Measure::kForce ? measure : Measure::kAny);
  diagnostics.push_back(error("E0203",
                              fmt::format("{} must be {}, not {}{}", what, wanted_unit(solver.resolve(wanted), measure),
                                          pure ? "" : "in ", mine),
                              span, fmt::format("this is {}{}", pure ? "" : "in ", mine)));
  if (!lowered.advice.empty()) diagnostics.back().help.push_back(lowered.advice);
}

}  // namespace dalembert
