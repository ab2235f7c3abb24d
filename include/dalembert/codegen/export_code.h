// SPDX-License-Identifier: Apache-2.0
// Code that computes a model without this library: the files of one language.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

struct CodeShape;

enum class CodeLanguage { kC, kCpp, kPython, kMatlab, kJs };

/// What real numbers are: `double`, or `float`, for processors that compute nothing else. Single precision: C and C++ alone.
enum class CodePrecision { kDouble, kSingle };

/// "double", "single".
std::string_view to_text(CodePrecision precision);
std::optional<CodePrecision> parse_code_precision(std::string_view name);

/// The name of a language: "c", "c++", "python", "matlab", "js".
std::string_view to_text(CodeLanguage language);
std::optional<CodeLanguage> parse_code_language(std::string_view name);
std::vector<std::string> code_language_names();

struct CodeFile {
  std::string name;  ///< name of the file, without a folder
  std::string text;
  std::size_t tables = 0;  ///< bytes of `text` that are tables of numbers, which compilers read fast
};

struct ExportedCode {
  std::string identifier;       ///< name of the model as an identifier
  std::vector<CodeFile> files;  ///< all files, the self-test last
};

/// The model in a language, with a self-test that compares it with reference values. `only`: the functions that the code has, besides `init` and `prepare`
/// ("accelerations", "start", …, docs/export.md); empty: all. Errors: those of make_code_model; E0444 for a function that the model's code does not have;
/// E0442 for single precision in a language that has none, E0443 for a model whose numbers it cannot hold.
Result<ExportedCode> export_code(const Equations& equations, CodeLanguage language,
                                 const std::vector<std::string>& only = {},
                                 CodePrecision precision = CodePrecision::kDouble);
/// The model as a program of another shape: `shape` says which routines it has, and which tapes become tables (code_model.h).
Result<ExportedCode> export_code(const Equations& equations, CodeLanguage language, const CodeShape& shape);

}  // namespace dalembert
