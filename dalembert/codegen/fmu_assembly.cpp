// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/fmu_assembly.h"

#include "dalembert/codegen/assembly_code.h"
#include "dalembert/codegen/texts.h"

namespace dalembert {

bool can_assemble(const CodeModel& code) { return code.solves_any_rank && code.layout().m > 0; }

std::string assembly_routines(const CodeModel& code) {
  const Layout& layout = code.layout();
  const bool levels = !layout.holonomic.empty();
  const std::string parts = code.program.find("assemble_velocity") == nullptr ? assembly_parts(layout) : "";
  return parts +
         filled(kAssemble, {{"call NORMALIZE()", layout.v_is_qdot ? "" : "call normalize(q)"},
                            {"call POSITION()", levels ? "status = assemble_position(t, q, v, u, held_q)\nif status != "
                                                         "0 {\nreturn status\n}"
                                                       : ""}});
}

}  // namespace dalembert
