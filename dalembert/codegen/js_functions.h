// SPDX-License-Identifier: Apache-2.0
// A model as JavaScript functions without a module around them, which a page can run in a worker.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "dalembert/codegen/code_model.h"

namespace dalembert {

/// The program's constants, as `const NQ = 3;`, and the wanted routines with all routines that they call, as functions
/// `_NAME(s, …)` that write into arrays; `s` has the arrays p (parameters) and prepared. Wanted routines that the
/// program does not have are left out. The result contains no text of the model: no names, no comments.
std::string js_functions(const CodeModel& model, std::span<const std::string_view> wanted);

}  // namespace dalembert
