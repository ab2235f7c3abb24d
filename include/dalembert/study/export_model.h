// SPDX-License-Identifier: Apache-2.0
// A model as files in another language: source code that is independent of this library (codegen/export_code.h), or
// LaTeX.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dalembert/codegen/export_code.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

/// The values that `to` accepts: "c", "c++", …, "casadi", "latex".
std::vector<std::string> export_languages();

/// The model as files in the language `to`; `only` and `precision` as for export_code(). Errors: E0408 for an unknown language, E0445 for functions of one that has none to
/// choose from, and those of export_code().
Result<std::vector<CodeFile>> export_model(const Equations& equations, std::string_view to,
                                           const std::vector<std::string>& only = {},
                                           CodePrecision precision = CodePrecision::kDouble);

}  // namespace dalembert
