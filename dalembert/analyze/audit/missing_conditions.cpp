// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/missing_conditions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dalembert/analyze/audit/compare.h"
#include "dalembert/derive/velocity_rows.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr std::size_t kMostHintValues = 4;
constexpr int kMaxHintRows = 6;

// Symbols that constraints do not move: parameters, inputs, time, and prescribed coordinates with their rates.
std::vector<SymbolId> not_moved(const Equations& eq) {
  std::vector<SymbolId> symbols;
  for (const Parameter& p : eq.model->parameters) symbols.push_back(p.symbol.symbol());
  for (const Input& u : eq.model->inputs) symbols.push_back(u.symbol.symbol());
  symbols.push_back(eq.t.symbol());
  for (const int i : eq.model->actuated())
    for (const auto* list : {&eq.q, &eq.qd, &eq.qdd}) symbols.push_back((*list)[static_cast<std::size_t>(i)].symbol());
  return symbols;
}

// The conditions without those that `holds` does not need; one is left at least.
template <class T, class Holds>
std::vector<T> without_superfluous(std::vector<T> needed, const Holds& holds) {
  for (std::size_t k = 0; k < needed.size();) {
    std::vector<T> fewer = needed;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
    if (!fewer.empty() && holds(fewer))
      needed = std::move(fewer);
    else
      ++k;
  }
  return needed;
}

}  // namespace

std::string missing_conditions(const Equations& eq, const Conditions& conditions, const std::vector<SymbolId>& present,
                               Canonicalizer& canonicalizer, Notation notation,
                               const std::function<bool(const Conditions&)>& proved) {
  Graph& graph = *eq.graph;
  Conditions more = conditions;
  if (eq.m() > kMaxHintRows) return {};
  // A hint is about what the constraints move, so parameters and prescribed coordinates are solved for last.
  more.solve_last(not_moved(eq));
  std::vector<Expr> said;  // the equation from which each solved symbol was found
  const auto add = [&](const Expr& zero) {
    more.add(zero, graph.constant(0));
    said.resize(more.solved().size() - conditions.solved().size(), zero);
  };
  for (const int j : eq.holonomic) add(eq.h[static_cast<std::size_t>(j)]);
  for (int j = 0; j < eq.m(); ++j) add(velocity_of_row(eq, j));
  struct Needed : Conditions::Solved {
    Expr zero;
  };
  std::vector<Needed> needed;
  for (std::size_t k = conditions.solved().size(); k < more.solved().size(); ++k)
    if (std::ranges::binary_search(present, more.solved()[k].symbol))
      needed.push_back({more.solved()[k], said[k - conditions.solved().size()]});
  // A constraint that was solved for a parameter is stated as it is: nobody takes a parameter for determined by it.
  const auto is_parameter = [&](const Needed& one) {
    return graph.symbol_info(one.symbol).kind == SymbolKind::kParameter;
  };
  const auto holds = [&](const std::vector<Needed>& with) {
    Conditions stated = conditions;
    for (const Needed& one : with) {
      const auto outcome =
          is_parameter(one) ? stated.add(one.zero, graph.constant(0)) : stated.add(graph.symbol(one.symbol), one.value);
      if (outcome != Conditions::Outcome::kAdded) return false;
    }
    return proved(stated);
  };
  if (needed.empty() || !holds(needed)) return {};
  needed = without_superfluous(std::move(needed), holds);
  std::vector<std::string> equations;
  for (const Needed& one : needed)
    equations.push_back(is_parameter(one) ? fmt::format("\"{} = 0\"", print_shortest(canonicalizer, one.zero, notation))
                                          : fmt::format("\"{} = {}\"", print(graph.symbol(one.symbol), notation),
                                                        print_shortest(canonicalizer, one.value, notation)));
  return fmt::format("it holds on the constraints only: state given = [{}]", fmt::join(equations, ", "));
}

std::string missing_values(const Model& model, const Conditions& conditions, const Expr& correct, const Expr& claimed,
                           Notation notation, const std::function<bool(const Conditions&)>& proved) {
  Graph& graph = correct.graph();
  const std::vector<SymbolId> there = symbols_in(std::array{correct}), also = symbols_in(std::array{claimed});
  std::vector<Conditions::Solved> values;
  for (const Parameter& p : model.parameters) {
    const SymbolId s = p.symbol.symbol();
    if (!std::ranges::binary_search(there, s) || std::ranges::binary_search(also, s)) continue;
    // A quantity in degrees is a multiple of π.
    const double degrees = std::round(p.value * 180 / std::numbers::pi);
    const bool angle = degrees != 0 && std::abs(degrees) <= 720 &&
                       std::abs(p.value - degrees * std::numbers::pi / 180) <= 1e-15 * std::abs(p.value);
    values.push_back({s, angle ? graph.constant(Rational(static_cast<std::int64_t>(degrees), 180)) * graph.pi()
                               : graph.constant(Rational::from_double(p.value))});
  }
  const auto holds = [&](const std::vector<Conditions::Solved>& with) {
    Conditions stated = conditions;
    for (const Conditions::Solved& one : with)
      if (stated.add(graph.symbol(one.symbol), one.value) != Conditions::Outcome::kAdded) return false;
    return proved(stated);
  };
  if (values.empty() || values.size() > kMostHintValues || !holds(values)) return {};
  values = without_superfluous(std::move(values), holds);
  std::vector<std::string> equations;
  for (const Conditions::Solved& one : values)
    equations.push_back(
        fmt::format("\"{} = {}\"", print(graph.symbol(one.symbol), notation), print(one.value, notation)));
  return fmt::format("it holds for values of this model: state given = [{}]", fmt::join(equations, ", "));
}

}  // namespace dalembert
