// SPDX-License-Identifier: Apache-2.0
// One equation of motion in the form in which it is printed, with the actuation of a prescribed coordinate.
#pragma once

#include "dalembert/derive/equations.h"

namespace dalembert {

/// Row i of M q̈ + B + G − F − Wᵀλ, minus the actuation where coordinate i is prescribed; built in the graph of the equations.
Expr equation_of_motion(const Equations& equations, int i);
/// The actuation in equation of motion i; null where there is none, or where it is a multiplier (with_prescribed_rows).
Expr actuation_of(const Equations& equations, int i);

}  // namespace dalembert
