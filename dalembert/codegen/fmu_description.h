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
  std::vector<double> inputs;  ///< values of the inputs at the start
  double start_time = 0, stop_time = 10, tolerance = 1e-9, step = 0.01;
  /// The model has constraints or quaternions, onto which states are projected, or guards, where states may jump.
  bool has_projection = false;
  /// By input: the formula that it follows until the simulator sets it; empty: it is a number.
  std::vector<std::string> input_formulas;
  /// Pattern of the Jacobian of (v̇, λ) by (q, v, u); without entries if it is not known.
  Pattern jacobian;
  std::vector<std::string> sources;  ///< names of the files in the folder `sources` that are compiled
};

/// Value references are those of the C code: parameters, inputs, q, v, q̇, v̇, λ, energies, outputs, forces of friction, numbers of events,
/// three numbers of the solver, each group in the order of the model. The guid is left as `@GUID@`.
std::string fmu_description(const CodeModel& code, const FmuFacts& facts, const std::string& tool);

}  // namespace dalembert
