// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/fmu_assembly.h"

#include "dalembert/codegen/assembly_code.h"

namespace dalembert {

bool can_assemble(const CodeModel& code) { return code.solves_any_rank && code.layout().m > 0; }

std::string assembly_routines(const CodeModel& code) {
  const bool has_parts = code.program.find("assemble_velocity") != nullptr;
  return (has_parts ? "" : assembly_parts(code.layout())) + assembly_routine(code.layout());
}

}  // namespace dalembert
