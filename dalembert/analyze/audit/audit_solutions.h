// SPDX-License-Identifier: Apache-2.0
// Closed forms that claims are compared with, each found when it is first needed.
#pragma once

#include <optional>
#include <unordered_map>

#include "dalembert/analyze/audit/dependent_rows.h"
#include "dalembert/analyze/audit/given_forces.h"
#include "dalembert/derive/local_connection.h"
#include "dalembert/derive/reduce.h"

namespace dalembert {

class AuditSolutions {
 public:
  /// All must outlive this.
  AuditSolutions(const Equations& equations, Canonicalizer& canonicalizer, const KnownSigns& signs)
      : eq_(equations), canonicalizer_(canonicalizer), signs_(signs) {}

  /// The closed form of the motion; null where there is none. Of rows that follow from others, see dependent().
  const ClosedForm* closed_form();
  /// The rows that follow from others, where they are why the equations have no closed form; else null.
  const WithoutDependentRows* dependent();
  /// The equations with given friction forces, of a model with friction; else null.
  const GivenForces* given_forces();
  /// The equations that determine the motion: with given_forces(), without dependent() rows.
  const Equations& motion() { return dependent() != nullptr ? dependent()->equations : with_forces(); }
  /// Whether an expression contains forces that are taken for given.
  bool contains_given_forces(const Expr& e);
  /// The closed form of M q̈ = F − B − G + Wᵀλ with λ as symbols: the system without its constraints, with Wᵀλ as one
  /// more force. Null where there is none.
  const ClosedForm* free_motion();
  /// The equations that free_motion() solved.
  const Equations* free_equations() const { return &*free_equations_; }
  /// The local connection; null where the model has no symmetry of the plane.
  const LocalConnection* local_connection();
  /// Whether an entry of the connection is too large to be written in ground coordinates, and has no formula in body axes.
  bool too_large(const EntryName& entry);
  /// The formulas of q̈, λ and the actuations of prescribed coordinates, each by its symbol in the equations.
  /// Multipliers that are not determined remain symbols.
  std::unordered_map<SymbolId, Expr> values(const ClosedForm& solved);

 private:
  const Equations& with_forces() { return given_forces() != nullptr ? given_forces()->equations : eq_; }

  const Equations& eq_;
  Canonicalizer& canonicalizer_;
  const KnownSigns& signs_;
  std::optional<GivenForces> given_;
  std::optional<WithoutDependentRows> dependent_;
  std::optional<ClosedForm> solved_, free_;
  std::optional<Equations> free_equations_;
  std::optional<LocalConnection> local_;
  std::optional<bool> connection_too_large_;
  bool tried_ = false, dependent_tried_ = false, free_tried_ = false, local_tried_ = false;
};

}  // namespace dalembert
