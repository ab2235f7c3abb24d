// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/audit_solutions.h"

#include <algorithm>
#include <array>
#include <utility>

#include "dalembert/derive/equation_of_motion.h"
#include "dalembert/derive/equations.h"
#include "dalembert/derive/kinematic.h"
#include "dalembert/expr/visit.h"

namespace dalembert {

const ClosedForm* AuditSolutions::closed_form() {
  if (!tried_) {
    tried_ = true;
    solved_ = solve_closed_form(motion());
  }
  return solved_ ? &*solved_ : nullptr;
}

const GivenForces* AuditSolutions::given_forces() {
  if (!given_ && !eq_.frictions.empty()) given_ = with_given_forces(eq_, false);
  return given_ ? &*given_ : nullptr;
}

bool AuditSolutions::contains_given_forces(const Expr& e) {
  if (given_forces() == nullptr) return false;
  const std::vector<SymbolId> symbols = symbols_in(std::array{e});
  const auto is_in = [&](const Expr& force) { return force && std::ranges::binary_search(symbols, force.symbol()); };
  return std::ranges::any_of(given_->frictions, is_in, &FrictionLaw::force) ||
         std::ranges::any_of(given_->loads, is_in);
}

const WithoutDependentRows* AuditSolutions::dependent() {
  if (!dependent_tried_) dependent_ = without_dependent_rows(with_forces(), canonicalizer_, signs_);
  dependent_tried_ = true;
  return dependent_ ? &*dependent_ : nullptr;
}

const ClosedForm* AuditSolutions::free_motion() {
  if (!free_tried_) {
    Equations free = eq_;
    for (int i = 0; i < eq_.nv(); ++i) free.F[static_cast<std::size_t>(i)] = eq_.whole_force(i);
    free.Phi = free.C = free.load = {};
    free.frictions.clear();
    for (std::size_t k = 0; k < eq_.W.value.size(); ++k) {
      Expr& force = free.F[static_cast<std::size_t>(eq_.W.col[k])];
      force = force + eq_.W.value[k] * eq_.lambda[static_cast<std::size_t>(eq_.W.row[k])];
    }
    free.rows.clear();
    free.holonomic.clear();
    free.h.clear();
    free.lambda.clear();
    free.a.clear();
    free.gamma.clear();
    free.W = free.Wdot = SparseMatrix{0, eq_.nv(), {}, {}, {}};
    free_ = solve_closed_form(free);
    free_equations_ = std::move(free);
  }
  free_tried_ = true;
  return free_ ? &*free_ : nullptr;
}

const LocalConnection* AuditSolutions::local_connection() {
  if (!local_tried_) local_ = build_local_connection(eq_, eq_.model->actuated(), kAskedCost);
  local_tried_ = true;
  return local_ ? &*local_ : nullptr;
}

bool AuditSolutions::too_large(const EntryName& entry) {
  if (!connection_too_large_) {
    NotKinematic why{};
    const bool found = build_kinematic(eq_, eq_.model->actuated(), kAskedCost, &why).has_value();
    connection_too_large_ = !found && why == NotKinematic::kTooLarge;
  }
  if (!*connection_too_large_) return false;
  const LocalConnection* local = local_connection();
  return local == nullptr || !body_axes_entry(eq_, *local, entry);
}

std::unordered_map<SymbolId, Expr> AuditSolutions::values(const ClosedForm& solved) {
  std::unordered_map<SymbolId, Expr> values;
  for (std::size_t i = 0; i < solved.qdd.size(); ++i) values.emplace(eq_.accelerations()[i].symbol(), solved.qdd[i]);
  // The solution of free_motion() has no λ: multipliers remain symbols.
  const std::vector<Expr>& lambda = motion().lambda;
  for (std::size_t j = 0; j < solved.lambda.size(); ++j) values.emplace(lambda[j].symbol(), solved.lambda[j]);
  if (dependent() != nullptr && !solved.lambda.empty()) {
    const auto of_rows = values;
    for (const auto& [symbol, sum] : dependent()->multipliers) values[symbol] = substitute(sum, of_rows);
  }
  if (solved.actuation.empty()) return values;
  const std::vector<int> actuated = partition(eq_, actuated_velocities(eq_)).actuated;
  for (std::size_t k = 0; k < solved.actuation.size(); ++k)
    values.emplace(actuation_of(eq_, actuated[k]).symbol(), solved.actuation[k]);
  return values;
}

}  // namespace dalembert
