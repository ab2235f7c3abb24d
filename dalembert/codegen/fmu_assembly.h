// SPDX-License-Identifier: Apache-2.0
// A consistent start in generated code, with some coordinates and velocities held: what a simulator sets before a run.
#pragma once

#include <string>

#include "dalembert/codegen/code_model.h"

namespace dalembert {

/// Whether `assemble` can be: there are constraints, and few enough velocities for dense matrices.
bool can_assemble(const CodeModel& code);

/// The text (program.h) of `assemble(t, inout q, inout v, in u, in held_q[nv], in held_v[nv])`: the least change in the mass
/// metric that brings q and v onto the constraints, nearly to round-off, without a displacement along the velocities
/// whose held_q is not 0, or a change of those whose held_v is not. Status 3: not finite, 5: none was found. Uses routines
/// of make_code_model. Call only if can_assemble().
std::string assembly_routines(const CodeModel& code);

}  // namespace dalembert
