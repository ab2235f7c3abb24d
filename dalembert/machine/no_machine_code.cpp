// SPDX-License-Identifier: Apache-2.0
// Replaces machine_code.cpp if the library is built without machine code (DALEMBERT_MACHINE_CODE off): every request is
// refused, and tapes are interpreted.
#include <memory>
#include <span>
#include <string>

#include "dalembert/machine/machine_code.h"

namespace dalembert {

CodeOptions default_code_options() { return {}; }

std::shared_ptr<const MachineCode> generate_code(std::span<const CodeFunction>, const CodeOptions&,
                                                 std::string* why_not) {
  if (why_not != nullptr) *why_not = "this build of dalembert cannot generate machine code";
  return nullptr;
}

}  // namespace dalembert
