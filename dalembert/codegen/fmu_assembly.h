// SPDX-License-Identifier: Apache-2.0
// A consistent start in generated code, with those coordinates and velocities held that a simulator sets before a run.
#pragma once

#include <string>

#include "dalembert/codegen/code_model.h"

namespace dalembert {

/// Whether the routine `assemble` can be written: there are constraints, and few enough velocities for dense matrices.
bool can_assemble(const CodeModel& code);

/// The text (program.h) of `assemble(t, inout q, inout v, in u, in held_q[nv], in held_v[nv])`: it brings q and v onto
/// the constraints, nearly to round-off, by the least change in the mass metric. There is no displacement along
/// velocities whose held_q is not 0, and no change of velocities whose held_v is not 0. Status 3: a number is not
/// finite, 5: no start was found. Uses routines of make_code_model(). Call only if can_assemble().
std::string assembly_routines(const CodeModel& code);

}  // namespace dalembert
