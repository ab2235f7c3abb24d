// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/large_entry.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "dalembert/analyze/audit/motion_at.h"
#include "dalembert/derive/kinematic.h"
#include "dalembert/derive/velocity_rows.h"
#include "dalembert/expr/differentiate.h"

namespace dalembert {
namespace {

LargeEntry rate_of_quasi_velocity(const Equations& eq, const EntryName& entry, Claim& claim) {
  // Quasi-velocities and their rates by the velocities and accelerations of the equations.
  const std::unordered_map<SymbolId, Expr> motion = motion_of_coordinates(eq);
  std::unordered_map<SymbolId, Expr> values;
  Expr value;
  for (const QuasiVelocity& stated : eq.model->quasi_velocities) {
    const Expr definition = eq.graph->adopt(stated.definition), rate = time_derivative(definition);
    values.emplace(eq.graph->adopt(stated.v).symbol(), substitute(definition, motion));
    values.emplace(eq.graph->adopt(stated.vdot).symbol(), substitute(rate, motion));
    if (&stated == &eq.model->quasi_velocities[static_cast<std::size_t>(entry.row)]) value = substitute(rate, motion);
  }
  const auto rewrite = [&](Expr& e) {
    if (e) e = substitute(substitute(e, values), motion);
  };
  for (Expr* e : {&claim.value, &claim.parts}) rewrite(*e);
  for (ClaimCondition& condition : claim.given)
    for (Expr* e : {&condition.left, &condition.right, &condition.parts}) rewrite(*e);
  LargeEntry large{eq, {}, value};
  for (int j = 0; j < eq.m(); ++j) large.zeros.push_back(velocity_of_row(eq, j));
  return large;
}

// Unknowns of a linear system, which are new symbols.
std::vector<Expr> new_unknowns(const Equations& eq, std::size_t count) {
  std::vector<Expr> x;
  for (std::size_t k = 0; k < count; ++k)
    x.push_back(eq.graph->add_symbol({"x" + std::to_string(k + 1), SymbolKind::kQuasiAcceleration, 0, {}}));
  return x;
}

// M x + right = 0, still without entries of M, as equations of motion whose accelerations are x.
Equations linear_system(const Equations& eq, std::vector<Expr> x, std::vector<Expr> right) {
  Equations system;
  system.model = eq.model;
  system.graph = eq.graph;
  system.t = eq.t;
  system.v = x;
  system.vdot = std::move(x);
  system.B = std::move(right);
  system.G.assign(system.B.size(), eq.graph->constant(0));
  system.F = system.G;
  system.actuated = 1;  // no coordinate is prescribed in addition to these rows
  system.M.rows = system.M.cols = static_cast<int>(system.B.size());
  return system;
}

// W_p x + right = 0.
Equations passive_system(const Equations& eq, const std::vector<int>& passive, std::vector<Expr> x,
                         std::vector<Expr> right) {
  Equations system = linear_system(eq, std::move(x), std::move(right));
  for (std::size_t k = 0; k < eq.W.value.size(); ++k) {
    const auto place = std::ranges::find(passive, eq.W.col[k]);
    if (place != passive.end())
      add_entry(system.M, eq.W.row[k], static_cast<int>(place - passive.begin()), eq.W.value[k]);
  }
  return system;
}

LargeEntry entry_of_connection(const Equations& eq, const EntryName& entry) {
  const std::vector<int> passive = partition(eq, eq.model->actuated()).passive;
  const auto row = static_cast<std::size_t>(std::ranges::find(passive, entry.row) - passive.begin());
  const Expr zero = eq.graph->constant(0);
  std::vector<Expr> x = new_unknowns(eq, passive.size()), right;
  if (entry.part == "A") {
    for (int j = 0; j < eq.m(); ++j) {
      const Expr w = eq.W.find(j, entry.column);
      right.push_back(w ? -w : zero);
    }
    const Expr value = x[row];
    return {passive_system(eq, passive, std::move(x), std::move(right)), {}, value};
  }
  // The rates of other passive coordinates stay free in the claim: they are not in the equation.
  x[row] = eq.qd[static_cast<std::size_t>(entry.row)];
  std::unordered_map<SymbolId, Expr> at_rest;
  for (const int i : passive) at_rest.emplace(eq.qd[static_cast<std::size_t>(i)].symbol(), zero);
  for (int j = 0; j < eq.m(); ++j) right.push_back(substitute(velocity_of_row(eq, j), at_rest));
  return {passive_system(eq, passive, std::move(x), std::move(right)), {}, zero};
}

}  // namespace

std::shared_ptr<const LargeEntry> large_entry(const Equations& eq, const EntryName& entry, Claim& claim) {
  if (entry.part == "vdot") return std::make_shared<LargeEntry>(rate_of_quasi_velocity(eq, entry, claim));
  if (entry.of_connection()) return std::make_shared<LargeEntry>(entry_of_connection(eq, entry));
  return nullptr;
}

std::shared_ptr<const LargeEntry> large_jacobian(const Equations& eq, const Reduced& reduced, const EntryName& entry) {
  const Expr w = reduced.velocities[static_cast<std::size_t>(entry.column)].v;
  std::vector<Expr> x = new_unknowns(eq, reduced.b.size()), right;
  for (const Expr& b : reduced.b) right.push_back(gradient(b, std::array{w}).front());
  const Expr value = x[static_cast<std::size_t>(entry.row)];
  Equations system = linear_system(eq, std::move(x), std::move(right));
  system.M = reduced.M;
  return std::make_shared<LargeEntry>(LargeEntry{std::move(system), {}, value});
}

std::string add_states(const LargeEntry& large, Conditions& conditions) {
  const Equations& eq = large.system;
  std::vector<SymbolId> last{eq.t.symbol()};
  for (const Expr& q : eq.q) last.push_back(q.symbol());
  for (const Parameter& p : eq.model->parameters) last.push_back(p.symbol.symbol());
  for (const Input& input : eq.model->inputs) last.push_back(input.symbol.symbol());
  conditions.solve_last(std::move(last));
  const Expr zero = eq.graph->constant(0);
  for (std::size_t j = 0; j < large.zeros.size(); ++j) {
    const Conditions::Outcome outcome = conditions.add(large.zeros[j], zero);
    if (outcome != Conditions::Outcome::kAdded && outcome != Conditions::Outcome::kRedundant)
      return fmt::format("its formula is too large to write, and the constraint {} cannot be solved for a velocity",
                         eq.rows[j]);
  }
  for (const SymbolId unknown : unknowns_of_motion(eq))
    if (conditions.replacements().contains(unknown))
      return "its formula is too large to write, and a condition is one on what the equations determine";
  return {};
}

}  // namespace dalembert
