// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/stability/stability_formulas.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <optional>
#include <unordered_map>

#include "dalembert/algebra/canonical.h"
#include "dalembert/derive/reduce.h"
#include "dalembert/derive/state_relations.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

using SquareForm = std::vector<std::vector<Expr>>;

// The determinant by expansion along the first row, for four rows at most.
Expr determinant(const SquareForm& a, std::vector<std::size_t> rows, std::vector<std::size_t> columns, Graph& graph) {
  if (rows.empty()) return graph.constant(1);
  const std::size_t first = rows.front();
  rows.erase(rows.begin());
  std::vector<Expr> terms;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Expr& entry = a[first][columns[k]];
    if (entry.is_zero()) continue;
    std::vector<std::size_t> rest = columns;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
    const Expr term = entry * determinant(a, rows, rest, graph);
    terms.push_back(k % 2 == 0 ? term : -term);
  }
  return graph.sum(terms);
}

std::vector<Expr> characteristic_of(const SquareForm& J, Graph& graph) {
  const std::size_t n = J.size();
  std::vector<std::vector<Expr>> minors(n);
  for (unsigned chosen = 1; chosen < (1U << n); ++chosen) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < n; ++i)
      if ((chosen >> i & 1U) != 0) places.push_back(i);
    minors[places.size() - 1].push_back(determinant(J, places, places, graph));
  }
  std::vector<Expr> a;
  for (std::size_t k = 0; k < n; ++k) {
    const Expr sum = graph.sum(minors[k]);
    a.push_back(k % 2 == 0 ? -sum : sum);
  }
  return a;
}

// The conditions for sⁿ + a₁ sⁿ⁻¹ + … (Liénard and Chipart: besides a₁ and aₙ only some coefficients and every other
// Hurwitz determinant are needed).
std::vector<Expr> conditions_of(const std::vector<Expr>& a) {
  switch (a.size()) {
    case 1:
      return {a[0]};
    case 2:
      return {a[0], a[1]};
    case 3:
      return {a[0], a[2], a[0] * a[1] - a[2]};
    case 4:
      return {a[0], a[1], a[3], a[0] * a[1] * a[2] - a[2] * a[2] - a[0] * a[0] * a[3]};
    default:
      return {};
  }
}

// The exact value of a coordinate that is a multiple of π/2; no value for others.
std::optional<Expr> exact_value(double value, Graph& graph) {
  const double quarters = value / (std::numbers::pi / 2), whole = std::round(quarters);
  if (std::abs(quarters - whole) > 1e-10 || std::abs(whole) > 64) return std::nullopt;
  if (whole == 0) return graph.constant(0);
  return graph.pi() * Rational(static_cast<std::int64_t>(whole), 2);
}

// The states: coordinates that some acceleration contains, then velocities, with their rates.
struct FormulaFlow {
  std::vector<std::string> names;
  std::vector<Expr> states, rates;
};

FormulaFlow flow_of(const Equations& eq, const std::vector<Expr>& rates) {
  const std::vector<Expr>& v = eq.velocities();
  FormulaFlow flow;
  for (std::size_t i = 0; i < eq.q.size(); ++i) {
    if (!std::any_of(rates.begin(), rates.end(), [&](const Expr& e) { return depends_on(e, std::span(&eq.q[i], 1)); }))
      continue;
    flow.names.push_back(eq.model->coordinates[i].name);
    flow.states.push_back(eq.q[i]);
    Expr rate = eq.v_is_qdot() ? v[i] : eq.n0[i];
    for (std::size_t k = 0; k < eq.N.value.size(); ++k)
      if (eq.N.row[k] == static_cast<int>(i)) rate = rate + eq.N.value[k] * v[static_cast<std::size_t>(eq.N.col[k])];
    flow.rates.push_back(rate);
  }
  for (std::size_t i = 0; i < v.size(); ++i) {
    const std::string& name = eq.graph->symbol_info(v[i].symbol()).name;
    flow.names.push_back(eq.v_is_qdot() ? name + "'" : name);
    flow.states.push_back(v[i]);
    flow.rates.push_back(rates[i]);
  }
  return flow;
}

}  // namespace

StabilityFormulas derive_stability(const Equations& given, const LinearMotion& motion) {
  StabilityFormulas result;
  if (given.m() > 0) {
    result.none = "the equations have constraints: state velocities that satisfy them as [quasi_velocities]";
    return result;
  }
  const Equations eq = on_overlay(given);
  result.graph = eq.graph;
  NoClosedForm why = NoClosedForm::kTooLarge;
  const auto solved = build_closed_form(eq, kAskedCost, &why);
  if (!solved) {
    result.none = fmt::format("the accelerations have no closed form: {}", to_text(why));
    return result;
  }
  Graph& graph = *eq.graph;
  const std::vector<Expr>& v = eq.velocities();

  // Constant inputs, and the coordinates and velocities whose values are known exactly.
  std::unordered_map<SymbolId, Expr> inputs, point;
  for (const Input& input : eq.model->inputs)
    if (input.value && input.value.is_constant()) inputs.emplace(input.symbol.symbol(), graph.adopt(input.value));
  for (std::size_t i = 0; i < eq.q.size(); ++i)
    if (const auto value = exact_value(motion.at.q[i], graph)) point.emplace(eq.q[i].symbol(), *value);
  for (std::size_t i = 0; i < v.size(); ++i)
    if (motion.at.v[i] == 0 || motion.kind == MotionKind::kEquilibrium) point.emplace(v[i].symbol(), graph.constant(0));
  std::vector<Expr> rates = substitute(solved->qdd, inputs);

  const FormulaFlow flow = flow_of(eq, rates);
  result.states = flow.names;
  if (flow.states.size() > kMostFormulaStates) {
    result.none =
        fmt::format("there are {} states; formulas are for at most {}", flow.states.size(), kMostFormulaStates);
    return result;
  }
  for (const Expr& rate : flow.rates) result.J.push_back(substitute(gradient(rate, flow.states), point));
  // Entries in canonical form keep the formulas that follow short.
  Canonicalizer canonicalizer(graph, Canonicalizer::kMaxTerms, state_relations(given));
  for (std::vector<Expr>& row : result.J)
    for (Expr& entry : row)
      if (const auto form = canonicalizer.canonical(entry)) entry = canonicalizer.expression(*form);
  result.characteristic = characteristic_of(result.J, graph);
  std::vector<Expr> rest = result.characteristic;
  while (!rest.empty() && decide_zero(canonicalizer, rest.back()) == ZeroTest::kZero) {
    rest.pop_back();
    ++result.zeros;
  }
  for (std::size_t k = rest.size(); k < result.characteristic.size(); ++k) result.characteristic[k] = graph.constant(0);
  result.conditions = conditions_of(rest);
  return result;
}

}  // namespace dalembert
