// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/export_code.h"

#include <array>
#include <utility>

#include "dalembert/codegen/language.h"

namespace dalembert {
namespace {

struct Language {
  CodeLanguage language;
  std::string_view name;
  std::vector<CodeFile> (*files)(const CodeContent&);
};

constexpr std::array kLanguages{
    Language{CodeLanguage::kC, "c", c_files}, Language{CodeLanguage::kCpp, "c++", cpp_files},
    Language{CodeLanguage::kPython, "python", python_files}, Language{CodeLanguage::kMatlab, "matlab", matlab_files},
    Language{CodeLanguage::kJs, "js", js_files}};

}  // namespace

std::string_view to_text(CodeLanguage language) { return kLanguages[static_cast<std::size_t>(language)].name; }

std::optional<CodeLanguage> parse_code_language(std::string_view name) {
  for (const Language& one : kLanguages)
    if (one.name == name) return one.language;
  return std::nullopt;
}

std::vector<std::string> code_language_names() {
  std::vector<std::string> names;
  for (const Language& one : kLanguages) names.emplace_back(one.name);
  return names;
}

Result<ExportedCode> export_code(const Equations& equations, CodeLanguage language) {
  return export_code(equations, language, CodeShape{});
}

Result<ExportedCode> export_code(const Equations& equations, CodeLanguage language, const CodeShape& shape) {
  Result<CodeModel> model = make_code_model(equations, shape);
  if (!model) return model.diagnostics();
  const Assembly start = code_start(equations, *model);
  const std::vector<ReferenceCase> cases = reference_cases(equations, *model);
  return ExportedCode{model->identifier, kLanguages[static_cast<std::size_t>(language)].files({*model, start, cases})};
}

}  // namespace dalembert
