// SPDX-License-Identifier: Apache-2.0
// Reference values for generated code: calls and the results that they must return, computed by the interpreter and the
// solvers of the library.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dalembert/codegen/code_model.h"
#include "dalembert/dynamics/assemble.h"

namespace dalembert {

/// The values that a call must return in an array: every `stride`-th entry.
struct ExpectedArray {
  /// Name of the routine's parameter that receives the array; empty: the real number that the routine returns.
  std::string name;
  std::vector<double> values;
  std::vector<double> tolerances;  ///< absolute tolerances of the values: one for all, or one for each
  std::size_t stride = 1;

  double tolerance(std::size_t value) const { return tolerances[tolerances.size() == 1 ? 0 : value]; }
};

struct ReferenceCall {
  std::string routine;
  /// For each argument: name of the parameter and values; a scalar has one value.
  std::vector<std::pair<std::string, std::vector<double>>> given;
  int status = 0;
  std::vector<ExpectedArray> expected;

  const std::vector<double>& value(const std::string& parameter) const;
};

/// Calls that share one set of values of the model's parameters.
struct ReferenceCase {
  std::string what;
  std::vector<double> parameters;
  std::vector<ReferenceCall> calls;
};

/// An array with more entries is given by state_entry(), and only a few of its entries are compared.
inline constexpr std::size_t kLongestReference = 150;
/// Entry i of an array of more than kLongestReference entries; the formula gives the same number in every language.
inline double state_entry(std::size_t i) { return static_cast<double>((37 * i + 5) % 101) / 101.0 - 0.5; }

/// Cases at the model's start, if it has one, and at two states off the constraints with other values of the
/// parameters; for large systems only at one state off the constraints. `only`: the routines that are called; empty: all.
std::vector<ReferenceCase> reference_cases(const Equations& equations, const CodeModel& code,
                                           const std::vector<std::string>& only = {});

/// The model's consistent start; where there is none the state is what the model says.
Assembly code_start(const Equations& equations, const CodeModel& code);

}  // namespace dalembert
