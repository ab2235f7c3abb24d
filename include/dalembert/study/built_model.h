// SPDX-License-Identifier: Apache-2.0
// A model together with its equations and its compiled kernel.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/compile/compile.h"
#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/model/model.h"

namespace dalembert {

class KeptDerivatives;

struct BuiltModel {
  std::shared_ptr<const Model> model;
  Equations equations;
  Dynamics dynamics;
  Diagnostics warnings;
  double compile_seconds = 0;
  std::shared_ptr<KeptDerivatives> derivatives = {};  ///< of these equations; copies share them
};

/// Derives and compiles. The warnings of the result are `warnings` followed by new ones, each once. On failure they
/// accompany the errors: those of derive(), and E0904 for a system that is too large to be solved densely.
Result<BuiltModel> build_model(std::shared_ptr<const Model> model, Diagnostics warnings = {},
                               const CompileOptions& options = {});

/// Compiles equations that are derived already. Warnings and errors are as above.
Result<BuiltModel> build_model(Equations equations, Diagnostics warnings = {}, const CompileOptions& options = {});

/// The same system with other parameter values, in the order of the model's parameters. Initial values that are formulas of parameters follow.
BuiltModel with_parameters(const BuiltModel& built, const std::vector<double>& values);

/// Puts other equations, compiled, in the place of those of a system.
void replace_equations(BuiltModel& built, Equations equations, const CompileOptions& options = {});

/// Appends the diagnostics of `more` that `all` does not contain yet.
void append_new(Diagnostics& all, const Diagnostics& more);

/// Units as shown to users (base/wording.h).
std::vector<std::string> coordinate_units(const Names& names);

}  // namespace dalembert
