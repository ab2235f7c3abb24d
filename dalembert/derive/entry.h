// SPDX-License-Identifier: Apache-2.0
// One entry of the equations by its name.
#pragma once

#include "dalembert/base/diagnostic.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

/// `T`, `V`, `L`, `E`; `B[theta]`, `G[theta]`, `F[theta]`, `p[theta]`; `M[theta,phi]`; `W[pin[1],theta]`, `Wdot[pin[1],theta]`;
/// `a[pin[1]]`, `gamma[pin[1]]`, `h[pin[1]]`; `eom[theta]`, which is row theta of M q̈ + B + G − F − Wᵀλ.
/// Errors: E0230 no such entry, with the nearest name.
Result<Expr> find_entry(const Equations& equations, const MappedText& name);

/// Row i of M q̈ + B + G − F − Wᵀλ.
Expr equation_of_motion(const Equations& equations, int i);

}  // namespace dalembert
