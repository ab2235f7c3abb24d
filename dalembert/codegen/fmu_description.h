// SPDX-License-Identifier: Apache-2.0
// The description of an FMU, modelDescription.xml, with the variables in the order that its C code assumes.
#pragma once

#include <string>
#include <vector>

#include "dalembert/codegen/code_model.h"
#include "dalembert/codegen/reference.h"

namespace dalembert {

/// Facts about a model that the interface of its FMU needs.
struct FmuFacts {
  Assembly start;
  std::vector<double> inputs;  ///< values at the start
  double start_time = 0, stop_time = 10, tolerance = 1e-9, step = 0.01;
  bool has_projection = false;              ///< there are constraints or quaternions
  std::vector<std::string> input_formulas;  ///< formula of an input until it is set; empty: a number
  Pattern jacobian;                         ///< of (v̇, λ) by (q, v, u); without entries if it is not known
  std::vector<std::string> sources;         ///< files in the folder of sources that are compiled
};

/// Value references are those of the C code: parameters, inputs, q, v, q̇, v̇, λ, energies, outputs, three numbers of
/// the solver, each group in the order of the model. The guid is left as `@GUID@`.
std::string fmu_description(const CodeModel& code, const FmuFacts& facts, const std::string& tool);

}  // namespace dalembert
