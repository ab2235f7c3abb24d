// SPDX-License-Identifier: Apache-2.0
// How generated code brings a state onto the constraints while some coordinates and velocities are held.
#pragma once

#include <string>

#include "dalembert/dynamics/kernel.h"

namespace dalembert {

/// The texts (program.h) of the routines assemble_position, of models with position rows, and assemble_velocity: each brings its part of a state
/// onto the constraints by the least change in the mass metric.
std::string assembly_parts(const Layout& layout);

/// The text of the routine `assemble(t, inout q, inout v, in u, in held_q[nv], in held_v[nv])`, which calls them: there is no displacement
/// along velocities whose held_q is not 0, and no change of velocities whose held_v is not 0. Status 3: a number is not finite, 5: no start was found.
std::string assembly_routine(const Layout& layout);

}  // namespace dalembert
