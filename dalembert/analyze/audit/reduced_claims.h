// SPDX-License-Identifier: Apache-2.0
// Claims about the equations without multipliers: gives the entries that they are compared with, and rewrites them in quasi-velocities.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "dalembert/analyze/audit/large_entry.h"
#include "dalembert/derive/equations.h"
#include "dalembert/derive/reduce.h"

namespace dalembert {

class ReducedClaims {
 public:
  /// Works in the graph of the equations, which must outlive this. The reduction is made when it is first needed.
  explicit ReducedClaims(const Equations& equations) : eq_(equations) {}

  /// Returns the entry in q, v and t. Rewrites the claim and its conditions in these symbols, as they hold on the constraints.
  Result<Expr> take(const EntryName& entry, Claim& claim);
  /// What determines an entry that take() has refused because its formula is too large to be written, and rewrites the claim; null where
  /// nothing does.
  std::shared_ptr<const LargeEntry> take_large(const EntryName& entry, Claim& claim);
  /// The entry of the quantity `part` ("S", "Mr") at the row and column of `entry`, after a claim was taken; null where
  /// there is none.
  Expr beside(const EntryName& entry, const std::string& part) const;
  /// Adds v̇ → 0 for the rate of each quasi-velocity, if a claim has been taken.
  void add_rest(std::unordered_map<SymbolId, Expr>& at_rest) const;

 private:
  void rewrite(Claim& claim) const;

  const Equations& eq_;
  std::optional<Result<Reduced>> reduced_;
};

}  // namespace dalembert
