// SPDX-License-Identifier: Apache-2.0
// Finds an entry of the equations by its name.
#pragma once

#include <string>

#include "dalembert/base/diagnostic.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

struct LocalConnection;
struct Reduced;

/// The names by which entries of M, B, F … are indexed: those of the coordinates. Where v is not q̇, each velocity has
/// the name of the coordinate whose rate it is, or else a name of its own ("top.omega.x").
std::vector<std::string> motion_names(const Equations& equations);

/// The entry to which a name refers.
struct EntryName {
  std::string part;         ///< which quantity: "M", "gamma", "eom"
  int row = 0, column = 0;  ///< counted from 0, where the part has indices
  std::string text;         ///< the whole name, with every index by name: "M[theta,phi]"

  /// Whether the entry has to be solved for (λ, q̈). Entries of the equations without multipliers are reduced()
  /// (reduce.h); all others are in Equations.
  bool solved() const { return part == "lambda" || part == "qdd"; }
  bool reduced() const;
  /// Whether the entry is a whole equation, so that a claim may state both its sides.
  bool equation() const { return part == "eom" || part == "reduced" || part == "kinematic"; }
  /// Whether the entry is one of the connection, which has other formulas in body axes (body_axes_entry).
  bool of_connection() const { return part == "A" || part == "kinematic"; }
};

/// Reads the name of an entry: `T`, `V`, `L`, `E`; `B[theta]`, `G[theta]`, `F[theta]`, `p[theta]`; `M[theta,phi]`;
/// `W[pin[1],theta]`, `Wdot[pin[1],theta]`; `a[pin[1]]`, `gamma[pin[1]]`, `h[pin[1]]`; `eom[theta]`, which is row theta
/// of M q̈ + B + G − F − Wᵀλ; `lambda[pin[1]]`, `qdd[theta]`; `Pc[pin[1]]`, the power λ_j (W q̇)_j of a multiplier.
/// Coordinates and rows may be given by numbers from 1: `M[1,2]`. Errors: E0230 no such entry, with the nearest name.
/// Kinematic systems have `A[x,alpha]` and `kinematic[x]`, row x of q̇_p + A q̇_a + W_p⁻¹ a, in ground axes; mixed systems
/// have `A[x,alpha]` in body axes. Errors: E0231 there is no connection.
/// Models with quasi-velocities have `S[x,u]`, `Sdot[x,u]`, `s0[x]`; `Mr[u,u]`, `br[u]`, `reduced[u]` (row u of M_r v̇ + b),
/// `vdot[u]`; and, where the reduced equations contain no coordinate, `J[u,omega]`, which is ∂v̇_u/∂ω.
Result<EntryName> read_entry(const Equations& equations, const MappedText& name);

/// The entry's expression; null for λ, q̈ and entries of the equations without multipliers.
Expr entry_value(const Equations& equations, const EntryName& entry);

/// `A[x,alpha]` in body axes or, in a kinematic system, row x of ξ + A q̇_a, taken from `local`; null where `local` has no such entry.
Expr body_axes_entry(const Equations& equations, const LocalConnection& local, const EntryName& entry);

/// An entry of the equations without multipliers, in q, v and t, built in their graph. Errors: E0231 v̇ has no closed
/// form, or J is asked for where the reduced equations contain coordinates.
Result<Expr> reduced_entry(const Reduced& reduced, const EntryName& entry, const Span& place);

/// The expression of any entry; λ and q̈ are solved for as in solve_closed_form(). Expressions that the equations do
/// not hold already are built in their graph. Errors: E0230; E0231 no closed form; those of build_reduced().
Result<Expr> find_entry(const Equations& equations, const MappedText& name);

}  // namespace dalembert
