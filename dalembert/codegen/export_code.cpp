// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/export_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "dalembert/base/text.h"
#include "dalembert/codegen/language.h"
#include "dalembert/codegen/single_refusals.h"

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

// The functions that a caller may choose from.
std::vector<std::string> functions_of(const CodeModel& model, const Assembly& start) {
  std::vector<std::string> names;
  for (const Routine& routine : model.program.routines)
    if (routine.is_public && routine.name != "prepare") names.push_back(routine.name);
  if (start.ok()) names.emplace_back("start");
  return names;
}

std::optional<Diagnostic> refuse_function(const std::string& name, const std::vector<std::string>& functions) {
  if (std::ranges::find(functions, name) != functions.end()) return std::nullopt;
  Diagnostic unknown = error("E0444", fmt::format("code of this model has no function `{}`", name));
  if (const auto near = nearest(name, functions)) unknown.help.push_back(fmt::format("did you mean `{}`?", *near));
  unknown.help.push_back(fmt::format("the functions are {}", join_words(functions)));
  return unknown;
}

// Removes what neither these functions nor `prepare` need. What they need of other functions is no longer public.
void keep_only(CodeModel& model, const std::vector<std::string>& only) {
  std::vector<std::string_view> wanted(only.begin(), only.end());
  std::set<std::string> kept = reached_routines(model.program, wanted);
  for (Routine& routine : model.program.routines) {
    routine.is_public = routine.name == "prepare" || std::ranges::find(only, routine.name) != only.end();
    if (routine.name != "prepare") continue;
    // It prepares numbers for one kernel after another: prepare_NAME for kernel_NAME.
    std::erase_if(routine.body, [&](const Step& step) {
      constexpr std::string_view kPrepare = "prepare_";
      return step.value.text.starts_with(kPrepare) &&
             !kept.contains("kernel_" + step.value.text.substr(kPrepare.size()));
    });
  }
  wanted.emplace_back("prepare");
  kept = reached_routines(model.program, wanted);
  std::erase_if(model.program.routines, [&](const Routine& routine) { return !kept.contains(routine.name); });
  std::erase_if(model.program.tables, [&](const auto& table) { return !kept.contains(table.first); });
  std::erase_if(model.tabled, [&](const TabledTape& tape) { return !kept.contains(tape.routine); });
}

Result<ExportedCode> write_code(const Equations& equations, CodeLanguage language, CodeModel model,
                                const std::vector<std::string>& only) {
  Assembly start = code_start(equations, model);
  const std::vector<std::string> functions = functions_of(model, start);
  for (const std::string& name : only)
    if (std::optional<Diagnostic> refused = refuse_function(name, functions)) return *std::move(refused);
  if (model.program.single)
    if (std::optional<Diagnostic> refused = refuse_in_single(model, start)) return *std::move(refused);
  const std::vector<ReferenceCase> cases = reference_cases(equations, model, only);
  if (!only.empty()) {
    keep_only(model, only);
    if (std::ranges::find(only, "start") == only.end()) start.status = AssemblyStatus::kNoPosition;  // none is written
  }
  return ExportedCode{model.identifier, kLanguages[static_cast<std::size_t>(language)].files({model, start, cases})};
}

}  // namespace

std::string_view to_text(CodePrecision precision) { return precision == CodePrecision::kSingle ? "single" : "double"; }

std::optional<CodePrecision> parse_code_precision(std::string_view name) {
  for (const CodePrecision one : {CodePrecision::kDouble, CodePrecision::kSingle})
    if (name == to_text(one)) return one;
  return std::nullopt;
}

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

Result<ExportedCode> export_code(const Equations& equations, CodeLanguage language,
                                 const std::vector<std::string>& only, CodePrecision precision) {
  const bool single = precision == CodePrecision::kSingle;
  if (single && language != CodeLanguage::kC && language != CodeLanguage::kCpp)
    return refuse_single_precision(to_text(language));
  Result<CodeModel> model = make_code_model(equations, {.single = single});
  if (!model) return model.diagnostics();
  return write_code(equations, language, std::move(model).value(), only);
}

Result<ExportedCode> export_code(const Equations& equations, CodeLanguage language, const CodeShape& shape) {
  Result<CodeModel> model = make_code_model(equations, shape);
  if (!model) return model.diagnostics();
  return write_code(equations, language, std::move(model).value(), {});
}

}  // namespace dalembert
