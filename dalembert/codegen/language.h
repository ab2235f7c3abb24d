// SPDX-License-Identifier: Apache-2.0
// What the files of all languages are made of.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/codegen/code_model.h"
#include "dalembert/codegen/reference.h"

namespace dalembert {

struct CodeFile;

/// All that a file is written from.
struct CodeContent {
  const CodeModel& model;
  const CodeStart& start;
  const std::vector<ReferenceCase>& cases;
};

std::vector<CodeFile> c_files(const CodeContent& content);
std::vector<CodeFile> cpp_files(const CodeContent& content);
std::vector<CodeFile> python_files(const CodeContent& content);
std::vector<CodeFile> matlab_files(const CodeContent& content);
std::vector<CodeFile> js_files(const CodeContent& content);

/// Longer lists have no indices by name.
inline constexpr std::size_t kMostIndices = 200;

/// Lines that say what the model is, and what is where in its arrays. `first`: the index of first entries, 0 or 1.
std::vector<std::string> describe_model(const CodeModel& model, int first);

/// The text with what the statuses of friction mean inserted after the first `after`, `separator` before each; as it is where
/// the model has none.
std::string with_reasons(const CodeModel& model, std::string_view text, std::string_view after,
                         std::string_view separator);

/// A string in Python and JavaScript.
std::string in_quotes(const std::string& text);

/// "1.5", "1e-300", "nan": numbers that read back the same in every language, with `nan` and `inf` given.
std::string number_literal(double value, std::string_view nan = "NAN", std::string_view inf = "INFINITY");
/// Lines of numbers with commas between.
std::string number_list(const std::vector<double>& values, const std::string& indent);

/// Columns of the matrix that a routine writes into this array; 0: a vector.
std::size_t columns_of(const CodeModel& model, std::string_view array);

}  // namespace dalembert
