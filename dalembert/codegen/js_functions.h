// SPDX-License-Identifier: Apache-2.0
// A model as JavaScript functions without a module around them: what a page runs in a worker.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "dalembert/codegen/code_model.h"

namespace dalembert {

/// The constants, as `const NQ = 3;`, and of the program's routines those that are wanted and what they call, as functions
/// `_NAME(s, …)` that write into arrays; `s` has the arrays p, of the parameters, and prepared. Wanted routines that the
/// program does not have are left out. Nothing of the model's own text is in it: no name, no comment.
std::string js_functions(const CodeModel& model, std::span<const std::string_view> wanted);

}  // namespace dalembert
