// SPDX-License-Identifier: Apache-2.0
// What has no code in single precision (single_precision.h), and why.
#pragma once

#include <optional>
#include <string_view>

#include "dalembert/base/diagnostic.h"
#include "dalembert/codegen/code_model.h"
#include "dalembert/dynamics/assemble.h"

namespace dalembert {

/// What to say where something is asked for in single precision that is not written in C or C++. E0442.
Diagnostic refuse_single_precision(std::string_view language);

/// Refuses a model whose parameters, constants or samples are beyond the numbers of float or become equal in it, or whose accelerations at its start single
/// precision cannot compute where double precision can. E0443.
std::optional<Diagnostic> refuse_in_single(const CodeModel& model, const Assembly& start);

}  // namespace dalembert
