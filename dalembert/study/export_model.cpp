// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/export_model.h"

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/codegen/casadi_code.h"
#include "dalembert/codegen/identifiers.h"
#include "dalembert/codegen/single_refusals.h"
#include "dalembert/report/equations_text.h"

namespace dalembert {

std::vector<std::string> export_languages() {
  std::vector<std::string> languages = code_language_names();
  languages.insert(languages.end(), {"casadi", "latex"});
  return languages;
}

Result<std::vector<CodeFile>> export_model(const Equations& equations, std::string_view to,
                                           const std::vector<std::string>& only, CodePrecision precision) {
  if (const std::optional<CodeLanguage> language = parse_code_language(to)) {
    Result<ExportedCode> code = export_code(equations, *language, only, precision);
    if (!code) return code.diagnostics();
    return std::move(code).value().files;
  }
  if (!only.empty() && (to == "casadi" || to == "latex" || to == "fmu")) {
    Diagnostic whole = error("E0445", fmt::format("what is exported to `{}` has no functions to choose from", to));
    whole.help.push_back(fmt::format("code in {} has", join_words(code_language_names())));
    return whole;
  }
  if (precision == CodePrecision::kSingle && (to == "casadi" || to == "latex" || to == "fmu"))
    return refuse_single_precision(to);
  if (to == "casadi") {
    Result<ExportedCode> code = export_casadi(equations);
    if (!code) return code.diagnostics();
    return std::move(code).value().files;
  }
  if (to == "latex") {
    EquationsFormat format;
    format.notation = Notation::kLatex;
    return std::vector<CodeFile>{{identifier(equations.model->name) + ".tex", print_equations(equations, format)}};
  }
  Diagnostic unknown = error("E0408", fmt::format("models are not exported to `{}`", to));
  const std::vector<std::string> languages = export_languages();
  if (const auto near = nearest(to, languages)) unknown.help.push_back(fmt::format("did you mean `{}`?", *near));
  unknown.help.push_back(fmt::format("the languages are {}", join_words(languages)));
  return unknown;
}

}  // namespace dalembert
