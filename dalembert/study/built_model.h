// SPDX-License-Identifier: Apache-2.0
// A model with everything that is made of it once: its equations and its kernel.
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

struct BuiltModel {
  std::shared_ptr<const Model> model;
  Equations equations;
  Dynamics dynamics;
  Diagnostics warnings;
  double compile_seconds = 0;
};

/// Derives and compiles. The result's warnings begin with `warnings`, each one once; where it fails, they come with the
/// errors: those of derive, and E0904 where a system that is solved densely is too large.
Result<BuiltModel> build_model(std::shared_ptr<const Model> model, Diagnostics warnings = {},
                               const CompileOptions& options = {});

/// The same of equations that were derived.
Result<BuiltModel> build_model(Equations equations, Diagnostics warnings = {}, const CompileOptions& options = {});

/// The same with other values of parameters, by their number in the model.
BuiltModel with_parameters(const BuiltModel& built, const std::vector<double>& values);

/// E0272 where forces depend on multipliers, friction among them: `what` does not know them. Else empty.
Diagnostics refuse_load_dependent(const Equations& equations, std::string_view what);

/// More of them are appended, each one that is not there yet.
void append_new(Diagnostics& all, const Diagnostics& more);

/// As people write them (base/wording.h).
std::vector<std::string> coordinate_units(const Names& names);

}  // namespace dalembert
