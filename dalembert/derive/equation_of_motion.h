// SPDX-License-Identifier: Apache-2.0
// One equation of motion as a person reads it, with what moves a prescribed coordinate.
#pragma once

#include "dalembert/derive/equations.h"

namespace dalembert {

/// Row i of M q̈ + B + G − F − Wᵀλ, of a prescribed coordinate less its actuation; built in the graph of the equations.
Expr equation_of_motion(const Equations& equations, int i);
/// The actuation that is in equation i; null where there is none, or where it is a multiplier (with_prescribed_rows).
Expr actuation_of(const Equations& equations, int i);

}  // namespace dalembert
