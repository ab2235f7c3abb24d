// SPDX-License-Identifier: Apache-2.0
// One entry of the equations by its name.
#pragma once

#include <string>

#include "dalembert/base/diagnostic.h"
#include "dalembert/derive/equations.h"
#include "dalembert/derive/local_connection.h"
#include "dalembert/derive/reduce.h"

namespace dalembert {

/// What entries of M, B, F … are named by: coordinates; where v is not q̇ coordinates whose rate is a velocity, and other
/// velocities by their own names ("top.omega.x").
std::vector<std::string> motion_names(const Equations& equations);

/// Which entry a name means.
struct EntryName {
  std::string part;         ///< "M", "gamma", "eom"
  int row = 0, column = 0;  ///< from 0, where the part has them
  std::string text;         ///< with every index by name: "M[theta,phi]"

  /// λ and q̈ are solved for; the reduced ones are of the equations without multipliers (reduce.h); everything else is in
  /// Equations.
  bool solved() const { return part == "lambda" || part == "qdd"; }
  bool reduced() const;
  /// A whole equation, of which a claim may have both sides.
  bool equation() const { return part == "eom" || part == "reduced" || part == "kinematic"; }
  /// Of the connection, which has other formulas in the axes of the body (body_axes_entry).
  bool of_connection() const { return part == "A" || part == "kinematic"; }
};

/// `T`, `V`, `L`, `E`; `B[theta]`, `G[theta]`, `F[theta]`, `p[theta]`; `M[theta,phi]`; `W[pin[1],theta]`,
/// `Wdot[pin[1],theta]`; `a[pin[1]]`, `gamma[pin[1]]`, `h[pin[1]]`; `eom[theta]`, which is row theta of M q̈ + B + G − F
/// − Wᵀλ; `lambda[pin[1]]`, `qdd[theta]`. Numbers from 1 may name coordinates and rows: `M[1,2]`. Errors: E0230 no such
/// entry, with the nearest name.
/// Of a kinematic system `A[x,alpha]` and `kinematic[x]`, row x of q̇_p + A q̇_a + W_p⁻¹ a, in the coordinates of the ground;
/// of a mixed one `A[x,alpha]` in the axes of the body. Errors: E0231 there is no connection.
/// Of a model with quasi-velocities also `S[x,u]`, `Sdot[x,u]`, `s0[x]`; `Mr[u,u]`, `br[u]`, `reduced[u]` (row u of M_r v̇ +
/// b), `vdot[u]`; `J[u,omega]`, ∂v̇_u/∂ω of equations that stand alone. `Pc[pin[1]]` is a multiplier's power λ_j (W q̇)_j.
Result<EntryName> read_entry(const Equations& equations, const MappedText& name);

/// The entry's expression; null for λ, q̈ and the reduced ones.
Expr entry_value(const Equations& equations, const EntryName& entry);

/// `A[x,alpha]`, and row x of ξ + A q̇_a of a kinematic system, as `local` has them; null where it does not.
Expr body_axes_entry(const Equations& equations, const LocalConnection& local, const EntryName& entry);

/// An entry of the equations without multipliers, in q, v and t, built in their graph. Errors: E0231 no closed form of v̇, or
/// no equations that stand alone, of which J is.
Result<Expr> reduced_entry(const Reduced& reduced, const EntryName& entry, const Span& place);

/// All, with λ and q̈ as solve_closed_form finds them. What the equations do not hold already is built in their graph,
/// as operators do. Errors: E0230; E0231 no closed form.
Result<Expr> find_entry(const Equations& equations, const MappedText& name);

}  // namespace dalembert
