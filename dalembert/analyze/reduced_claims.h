// SPDX-License-Identifier: Apache-2.0
// Claims about the equations without multipliers: what they are compared with, and in which symbols.
#pragma once

#include <optional>

#include "dalembert/derive/entry.h"
#include "dalembert/derive/reduce.h"

namespace dalembert {

class ReducedClaims {
 public:
  /// Built in the graph of the equations, which must outlive this; the reduction when it is first needed.
  explicit ReducedClaims(const Equations& equations) : eq_(equations) {}

  /// The entry in q, v and t; the claim and its conditions become what they say on the constraints, in the same symbols.
  Result<Expr> take(const EntryName& entry, Claim& claim);
  /// Another entry at the same place, of the equations that a claim was taken for; null where there is none.
  Expr beside(const EntryName& entry, const std::string& part) const;
  /// v̇ → 0, as far as a claim has been taken.
  void add_rest(std::unordered_map<SymbolId, Expr>& at_rest) const;

 private:
  const Equations& eq_;
  std::optional<Result<Reduced>> reduced_;
};

}  // namespace dalembert
