// SPDX-License-Identifier: Apache-2.0
// Parts that the files of all languages share.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/codegen/code_model.h"
#include "dalembert/codegen/reference.h"
#include "dalembert/codegen/writer.h"

namespace dalembert {

struct CodeFile;

/// Everything that a file is written from.
struct CodeContent {
  const CodeModel& model;
  const Assembly& start;
  const std::vector<ReferenceCase>& cases;
};

// A language consists of a function that writes its files, the class of its writer, and a line in export_code.cpp. The
// first two are in a file of their own.
using WriteFiles = std::vector<CodeFile>(const CodeContent& content);
WriteFiles c_files, cpp_files, python_files, matlab_files, js_files;
using MakeWriter = std::unique_ptr<Writer>(const Program& program);
MakeWriter python_writer, matlab_writer, js_writer;  // the writers of C and C++ are in c_writer.h

/// An array of more entries gets no named constants for the indices of its entries.
inline constexpr std::size_t kMostIndices = 200;

/// Lines of a comment that describe the model and the entries of its arrays. `first`: the index of an array's first
/// entry, 0 or 1.
std::vector<std::string> describe_model(const CodeModel& model, int first);

/// The text with the meanings of the statuses of friction or of contacts inserted after the first occurrence of `after`,
/// each with `separator` before it; unchanged if the model has neither.
std::string with_reasons(const CodeModel& model, std::string_view text, std::string_view after,
                         std::string_view separator);

/// A string literal of Python and JavaScript.
std::string in_quotes(const std::string& text);

/// A number as a literal that reads back the same in every language, "1.5" or "1e-300"; `nan` and `inf` are the
/// spellings of the language.
std::string number_literal(double value, std::string_view nan = "NAN", std::string_view inf = "INFINITY");
/// Lines of numbers with commas between.
std::string number_list(const std::vector<double>& values, const std::string& indent);

/// A list of names that a module states, such as COORDINATES.
struct NameList {
  std::string title;
  std::vector<std::string> names;  ///< as in the model; parameters as identifiers
};
std::vector<NameList> name_lists(const CodeModel& model);

/// The model's own values of its parameters.
std::vector<double> default_parameters(const CodeModel& model);

/// Writes the literals of a language.
struct Literals {
  std::string_view nan, inf;
  std::string (*array)(const std::vector<double>& values);
};

/// The literals of the arguments of a call for self-tests, in the order of the parameters; `last` (may be empty) names
/// the argument that comes after all others.
std::string argument_list(const Routine& routine, const ReferenceCall& call, const Literals& literals,
                          std::string_view last);

/// The place of an array among the results of a routine, from 0; 0 for a returned number, whose name is empty.
std::size_t place_of_result(const Routine& routine, const std::string& array);

/// Number of columns of the matrix that a routine writes into this array; 0 for a vector.
std::size_t columns_of(const CodeModel& model, std::string_view array);

}  // namespace dalembert
