// SPDX-License-Identifier: Apache-2.0
// FMUs of models with contacts, friction or events: the text of the interface is that of all models, but for what these change.
#pragma once

#include <string>

#include "dalembert/base/diagnostic.h"
#include "dalembert/codegen/code_model.h"

namespace dalembert {

/// Whether the interface has guards.
bool has_guards(const CodeModel& code);

/// The text of fmu_*.c with what guards change in it, for a program with holds_guards.
Result<std::string> fmu_text_with_guards(std::string text, const CodeModel& code);

}  // namespace dalembert
