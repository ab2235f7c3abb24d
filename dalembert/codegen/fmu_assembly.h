// SPDX-License-Identifier: Apache-2.0
// A consistent start in generated code, with those coordinates and velocities held that a simulator sets before a run.
#pragma once

#include <string>

#include "dalembert/codegen/code_model.h"

namespace dalembert {

/// Whether the routine `assemble` can be written: there are constraints, and few enough velocities for dense matrices.
bool can_assemble(const CodeModel& code);

/// The texts (program.h) of the routine `assemble` (assembly_code.h) and of those that it calls, but for those that the program has.
/// Uses routines of make_code_model(). Call only if can_assemble().
std::string assembly_routines(const CodeModel& code);

}  // namespace dalembert
