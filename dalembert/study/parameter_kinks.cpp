// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/parameter_kinks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "dalembert/algebra/print_form.h"
#include "dalembert/base/text.h"
#include "dalembert/compile/sizes_of_terms.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr double kRounding = std::numeric_limits<double>::epsilon();
// An argument is at its limit within so many units of round-off of its terms.
constexpr double kAtLimit = 8;
// Difference quotients to both sides over these parts of the value, or of kSizeOfNone where that is 0.
constexpr std::array<double, 3> kParts{1.0 / (1 << 12), 1.0 / (1 << 18), 1.0 / (1 << 24)};
constexpr double kSizeOfNone = 1e-3;
// What keeps this part of itself from each of these to the next one does not go to 0, and what grows by kGrows does not converge: |k|^e counts as a kink for
// e below 1.005, and as steep for e below 0.99.
constexpr double kKeeps = 0.98, kGrows = 1.05;
// Differences count that are this many times their round-off, which is kUnitsOfRounding units of the terms.
constexpr double kSeen = 1000, kUnitsOfRounding = 4;

// What the motion of a run depends on: its equations, its start, and the events that set it or end it.
std::vector<Expr> expressions_of_run(const Equations& e) {
  std::vector<Expr> all;
  const auto take = [&](const Expr& expression) {
    if (expression) all.push_back(e.graph->adopt(expression));
  };
  for (const std::vector<Expr>* list :
       {&e.M.value, &e.B, &e.G, &e.F, &e.W.value, &e.a, &e.gamma, &e.h, &e.Phi.value, &e.C.value, &e.load.value, &e.n0})
    std::ranges::for_each(*list, take);
  for (const FrictionLaw& law : e.frictions)
    for (const Expr& one : {law.c0, law.gamma, law.N0, law.mu, law.mu_s, law.viscous}) take(one);
  for (const UnilateralRow& row : e.unilateral) take(row.restitution);
  const Model& model = *e.model;
  for (const Input& input : model.inputs) take(input.value);
  for (const Prescribed& prescribed : model.prescribed) take(prescribed.value);
  for (const Event& event : model.events) {
    if (!event.stop && event.set.empty()) continue;
    take(event.when);
    for (const Event::Setting& setting : event.set) take(setting.value);
  }
  const Initial& initial = model.initial;
  for (const auto* values : {&initial.position, &initial.velocity, &initial.angular, &initial.quasi_velocity})
    for (const InitialValue& value : *values) take(value.formula);
  return all;
}

}  // namespace

ParameterKinks::ParameterKinks(const BuiltModel& system)
    : equations_(on_overlay(system.equations)), graph_(*equations_.graph) {
  const std::vector<Parameter>& parameters = system.model->parameters;
  const auto all = system.dynamics.parameters();
  values_.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(parameters.size()));
  const std::vector<Expr> roots = expressions_of_run(equations_);
  if (roots.empty()) return;
  parameter_of_.assign(graph_.symbol_count(), -1);
  for (std::size_t i = 0; i < parameters.size(); ++i)
    parameter_of_[parameters[i].symbol.symbol()] = static_cast<int>(i);
  const std::vector<NodeId> nodes = reachable(roots);
  // By node, in ascending order: whether it is of parameters and numbers alone, and whether something in it is at its limit.
  std::vector<char> fixed(nodes.back() + 1), bent(fixed.size());
  for (const NodeId id : nodes)
    fixed[id] = graph_.op(id) == Op::kSymbol
                    ? parameter_of_[graph_.symbol_of(id)] >= 0
                    : std::ranges::all_of(graph_.items(id), [&](const auto& item) { return fixed[item.node] != 0; });
  const std::vector<NodeId> limits = at_limits(nodes, fixed);
  if (limits.empty()) return;
  for (const NodeId id : limits) bent[id] = 1;
  for (const NodeId id : nodes)
    if (fixed[id] != 0 && std::ranges::any_of(graph_.items(id), [&](const auto& item) { return bent[item.node] != 0; }))
      bent[id] = 1;
  for (const Expr& root : roots)
    if (bent[root.id()] != 0) add_part(root, bent);
  collect_parts(nodes, fixed, bent);
  sizes_ = sizes_of_terms(graph_, parts_);
}

// The nodes of parameters alone that choose a branch, or are a root, and whose argument is where the branches meet, or 0.
std::vector<NodeId> ParameterKinks::at_limits(const std::vector<NodeId>& nodes, const std::vector<char>& fixed) const {
  std::vector<NodeId> of;
  std::vector<Expr> arguments;
  std::vector<char> floors;
  const auto add = [&](NodeId id, const Expr& argument, bool floor) {
    if (argument.is_constant()) return;
    of.push_back(id);
    arguments.push_back(argument);
    floors.push_back(floor ? 1 : 0);
  };
  for (const NodeId id : nodes) {
    const Op op = graph_.op(id);
    const std::vector<Graph::Item> items(graph_.items(id).begin(), graph_.items(id).end());
    const auto item = [&](std::size_t i) { return Expr(&graph_, items[i].node); };
    if (op == Op::kProduct)
      for (const Graph::Item& factor : items)
        if (fixed[factor.node] != 0 && !graph_.number(factor).is_integer())
          add(factor.node, {&graph_, factor.node}, false);
    if (fixed[id] == 0 || items.empty()) continue;
    const Guard guard = function_info(op).guard;
    if (op == Op::kPower || guard == Guard::kArgument) add(id, item(0), op == Op::kFloor);
    // Not of `==`, which stands for removable singularities: if(p == 0, t, sin(p*t)/p).
    if (guard == Guard::kDifference) add(id, item(0) - item(1), false);
    if (op == Op::kAsin || op == Op::kAcos) add(id, abs(item(0)) - graph_.constant(1), false);
  }
  if (of.empty()) return {};
  const auto value_of = [&](SymbolId id) { return values_[static_cast<std::size_t>(parameter_of_[id])]; };
  const std::vector<double> at = evaluate(arguments, value_of);
  const std::vector<double> sizes = evaluate(sizes_of_terms(graph_, arguments), value_of);
  std::vector<NodeId> found;
  for (std::size_t i = 0; i < of.size(); ++i)
    if (std::abs(at[i] - (floors[i] != 0 ? std::round(at[i]) : 0)) <= kAtLimit * kRounding * sizes[i])
      found.push_back(of[i]);
  return found;
}

// Of a sum each such term is a part: beside larger terms its bend would be round-off.
void ParameterKinks::add_part(const Expr& e, const std::vector<char>& bent) {
  if (e.id() >= bent.size() || e.op() != Op::kSum) {
    parts_.push_back(e);
    return;
  }
  const std::vector<Graph::Item> items(graph_.items(e.id()).begin(), graph_.items(e.id()).end());
  for (const Graph::Item& item : items)
    if (bent[item.node] != 0) add_part({&graph_, item.node}, bent);
}

// Of a product all factors of parameters alone are a part together: p·abs(p) has a derivative where abs(p) has none.
void ParameterKinks::collect_parts(const std::vector<NodeId>& nodes, const std::vector<char>& fixed,
                                   const std::vector<char>& bent) {
  for (const NodeId id : nodes) {
    const std::vector<Graph::Item> items(graph_.items(id).begin(), graph_.items(id).end());
    if (fixed[id] != 0 || std::ranges::none_of(items, [&](const auto& item) { return bent[item.node] != 0; })) continue;
    if (graph_.op(id) != Op::kProduct) {
      for (const Graph::Item& item : items)
        if (bent[item.node] != 0) add_part({&graph_, item.node}, bent);
      continue;
    }
    std::vector<Expr> factors;
    for (const Graph::Item& item : items)
      if (fixed[item.node] != 0) factors.push_back(graph_.power({&graph_, item.node}, graph_.number(item)));
    add_part(graph_.product(factors), bent);
  }
  const auto before = [](const Expr& a, const Expr& b) { return a.id() < b.id(); };
  std::ranges::sort(parts_, before);
  const auto same = std::ranges::unique(parts_, [](const Expr& a, const Expr& b) { return a.same(b); });
  parts_.erase(same.begin(), same.end());
}

double ParameterKinks::value(const Expr& e, const std::vector<double>& parameters) const {
  return evaluate(e, [&](SymbolId id) { return parameters[static_cast<std::size_t>(parameter_of_[id])]; });
}

// How a part bends along a quantity, by difference quotients to both sides; a side where it has no value does not count.
ParameterKinks::Shape ParameterKinks::shape_along(std::size_t part, const Tangent& by) const {
  const double here = value(parts_[part], values_), terms = value(sizes_[part], values_);
  double size = 0;
  for (const auto& [parameter, rate] : by.parameters)
    if (rate != 0) size = std::max(size, std::abs(values_[static_cast<std::size_t>(parameter)] / rate));
  if (size == 0) size = kSizeOfNone;
  // The largest change, the largest quotient, and the difference of the two quotients.
  std::array<double, kParts.size()> step{}, slope{}, bend{};
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    const double h = kParts[i] * size;
    std::array<double, 2> quotients{};
    for (const double side : {-1.0, 1.0}) {
      std::vector<double> displaced = values_;
      for (const auto& [parameter, rate] : by.parameters)
        displaced[static_cast<std::size_t>(parameter)] += side * h * rate;
      double& quotient = quotients[side > 0 ? 1 : 0];
      quotient = (value(parts_[part], displaced) - here) / (side * h);
      if (std::isfinite(quotient)) slope[i] = std::max(slope[i], std::abs(quotient));
    }
    step[i] = h * slope[i];
    bend[i] = std::isfinite(quotients[0]) && std::isfinite(quotients[1]) ? std::abs(quotients[1] - quotients[0]) : 0;
  }
  const double noise = kSeen * kUnitsOfRounding * kRounding * (std::abs(here) + (std::isfinite(terms) ? terms : 0));
  const auto keeps = [&](const auto& x, double factor) { return x[1] > factor * x[0] && x[2] > factor * x[1]; };
  const double least = noise / (kParts.back() * size);
  if (step.back() > noise && keeps(step, kKeeps)) return Shape::kJump;
  if (slope.back() > least && keeps(slope, kGrows)) return Shape::kInfinite;
  return bend.back() > least && keeps(bend, kKeeps) ? Shape::kKink : Shape::kSmooth;
}

std::string ParameterKinks::why_unknown(const Tangent& by) const {
  constexpr double kLongest = 100;
  if (by.parameters.empty()) return {};
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const Shape shape = shape_along(part, by);
    if (shape == Shape::kSmooth) continue;
    const int parameter = by.parameters.front().first;
    return fmt::format("`{}` {} at {} = {}", print_within(parts_[part], kLongest, Notation::kText),
                       shape == Shape::kKink   ? "has a kink"
                       : shape == Shape::kJump ? "jumps"
                                               : "has an infinite slope",
                       equations_.model->parameters[static_cast<std::size_t>(parameter)].name,
                       to_text(values_[static_cast<std::size_t>(parameter)], 6));
  }
  return {};
}

}  // namespace dalembert
