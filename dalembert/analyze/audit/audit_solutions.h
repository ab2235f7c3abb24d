// SPDX-License-Identifier: Apache-2.0
// Closed forms that claims are compared with, each found when it is first needed.
#pragma once

#include <optional>
#include <unordered_map>

#include "dalembert/derive/local_connection.h"
#include "dalembert/derive/reduce.h"

namespace dalembert {

class AuditSolutions {
 public:
  /// The equations must outlive this.
  explicit AuditSolutions(const Equations& equations) : eq_(equations) {}

  /// The closed form of the motion; null where there is none.
  const ClosedForm* closed_form();
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
  std::unordered_map<SymbolId, Expr> values(const ClosedForm& solved) const;

 private:
  const Equations& eq_;
  std::optional<ClosedForm> solved_, free_;
  std::optional<Equations> free_equations_;
  std::optional<LocalConnection> local_;
  std::optional<bool> connection_too_large_;
  bool tried_ = false, free_tried_ = false, local_tried_ = false;
};

}  // namespace dalembert
