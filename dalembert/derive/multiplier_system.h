// SPDX-License-Identifier: Apache-2.0
// The linear system of the multipliers. With q̈ = M⁻¹ (F − B − G + Wᵀ λ) put into W q̈ + γ = 0 there remains
//   D λ + d = 0,   D = W M⁻¹ Wᵀ,   d = γ + W M⁻¹ (F − B − G),   m equations.
// λ written in q and q̇ alone is far longer than D and d. Where these are too long too, they are in terms of names for
// the entries of P = M⁻¹ and Q = F − B − G.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "dalembert/derive/reduce.h"

namespace dalembert {

struct MultiplierSystem {
  struct Named {
    Expr name;   ///< a symbol: P[theta,phi] or Q[theta]
    Expr value;  ///< in q, q̇ and t
  };
  std::shared_ptr<Graph> graph;  ///< graph of the formulas: an overlay of that of the equations (expr.h)
  SparseMatrix D;                ///< m×m, symmetric; entries that vanish identically are left out
  std::vector<Expr> d;           ///< m entries
  std::vector<Named> names;      ///< what D and d are written by; empty where they are in q, q̇ and t
};

/// A system of more velocities and rows together is not read, and M⁻¹ takes time that grows with their third power (500: 4 s).
inline constexpr int kMostRead = 100;

/// D and d as formulas of cost `max_cost` at most (algebra/gather.h). No value for systems of more than kMostRead, where M has no inverse as formulas,
/// where a coordinate is prescribed, or where forces depend on multipliers; the reason is then written to `why`, if given.
std::optional<MultiplierSystem> build_multiplier_system(const Equations& equations, int max_cost = kAskedCost,
                                                        NoClosedForm* why = nullptr);
/// Why there is none, as text to follow "none: ".
std::string_view no_multiplier_system(const Equations& equations, NoClosedForm why);

}  // namespace dalembert
