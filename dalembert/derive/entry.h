// SPDX-License-Identifier: Apache-2.0
// One entry of the equations by its name.
#pragma once

#include <string>

#include "dalembert/base/diagnostic.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

/// Which entry a name means.
struct EntryName {
  std::string part;         ///< "M", "gamma", "eom"
  int row = 0, column = 0;  ///< from 0, where the part has them
  std::string text;         ///< with every index by name: "M[theta,phi]"

  /// λ and q̈ are solved for; everything else is in Equations.
  bool solved() const { return part == "lambda" || part == "qdd"; }
};

/// `T`, `V`, `L`, `E`; `B[theta]`, `G[theta]`, `F[theta]`, `p[theta]`; `M[theta,phi]`; `W[pin[1],theta]`,
/// `Wdot[pin[1],theta]`; `a[pin[1]]`, `gamma[pin[1]]`, `h[pin[1]]`; `eom[theta]`, which is row theta of M q̈ + B + G − F
/// − Wᵀλ; `lambda[pin[1]]`, `qdd[theta]`. Numbers from 1 may name coordinates and rows: `M[1,2]`. Errors: E0230 no
/// such entry, with the nearest name.
Result<EntryName> read_entry(const Equations& equations, const MappedText& name);

/// The entry's expression; null for λ and q̈.
Expr entry_value(const Equations& equations, const EntryName& entry);

/// Both, with λ and q̈ as solve_closed_form finds them. What the equations do not hold already is built in their graph,
/// as operators do. Errors: E0230; E0231 no closed form.
Result<Expr> find_entry(const Equations& equations, const MappedText& name);

/// Row i of M q̈ + B + G − F − Wᵀλ, built in the graph of the equations.
Expr equation_of_motion(const Equations& equations, int i);

}  // namespace dalembert
