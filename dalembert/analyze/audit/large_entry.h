// SPDX-License-Identifier: Apache-2.0
// Claims about entries whose formulas are too large to be written: v̇, its derivatives by v, and the connection of a kinematic system. Inside
// analyze only.
//
// The entry is a function of the solution of linear equations, which is enclosed at random states (motion_at.h):
//
//   vdot[u]           d/dt (Y q̇ + y₀) of the row u, with q̈ by the KKT system, on states with W q̇ + a = 0
//   J[u,w]            ∂v̇/∂w, the row u of the solution of M_r x = −∂b/∂w: M_r does not contain velocities
//   A[x,alpha]        the row x of the solution of W_p A_α = W_α
//   kinematic[x]      0, and the claimed equation with the rate of x by W_p q̇_p = −W_a q̇_a − a
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dalembert/analyze/audit/conditions.h"
#include "dalembert/derive/equations.h"
#include "dalembert/derive/reduce.h"

namespace dalembert {

struct LargeEntry {
  Equations system;              ///< M x + B = 0 or the equations of motion: what determines the entry at a state
  std::vector<Expr> zeros = {};  ///< expressions in velocities that are 0 at the states of comparison
  Expr value;                    ///< the entry by the symbols that `system` determines; 0 of an equation
};

/// What determines v̇ or an entry of the connection. Null for other entries. Built in the graph of the equations. For v̇ the claim
/// and its conditions are rewritten in velocities and accelerations of the equations. An entry of the connection must be one of a system
/// with as many rows as passive coordinates.
std::shared_ptr<const LargeEntry> large_entry(const Equations& equations, const EntryName& entry, Claim& claim);

/// What determines an entry of J of closed equations without multipliers, in the graph of the equations, in which `reduced` is built.
std::shared_ptr<const LargeEntry> large_jacobian(const Equations& equations, const Reduced& reduced,
                                                 const EntryName& entry);

/// Adds the zeros of the entry to the conditions of a claim, as conditions on velocities. Returns why the entry cannot be compared at
/// states where all of them hold, else "".
std::string add_states(const LargeEntry& large, Conditions& conditions);

}  // namespace dalembert
