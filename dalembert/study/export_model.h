// SPDX-License-Identifier: Apache-2.0
// A model as files of another language: code that needs nothing of this library (codegen/export_code.h), or LaTeX.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dalembert/codegen/export_code.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

/// What `to` may be: "c", "c++", …, "latex".
std::vector<std::string> export_languages();

/// Errors: E0408 for another language, those of export_code().
Result<std::vector<CodeFile>> export_model(const Equations& equations, std::string_view to);

}  // namespace dalembert
