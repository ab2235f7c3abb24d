// SPDX-License-Identifier: Apache-2.0
// From MODEL and --set to a model, its equations and its kernel. Errors are thrown as Failure.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "apps/dalembert/arguments.h"
#include "apps/dalembert/model_source.h"
#include "dalembert/base/wording.h"
#include "dalembert/model/model.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/study/built_model.h"

namespace dalembert::app {

struct LoadedModel {
  std::shared_ptr<const Model> model;
  Diagnostics warnings;
};

using System = BuiltModel;

/// Reads --set. Throws Failure, exit 2.
std::vector<Override> overrides_of(const Arguments& arguments);

/// Allows models to read files outside their folder (--allow-files).
void allow_files();
/// Reads and checks a model. Throws Failure with all its errors.
LoadedModel load(const ModelSource& source, std::vector<Override> overrides);
LoadedModel load(const std::string& model, std::vector<Override> overrides);
/// Leaves out the warnings of parameters (W0101) that these expressions read.
void leave_out_read_parameters(Diagnostics& warnings, const Model& model, std::span<const std::string> expressions);
/// Derives and compiles.
System build(LoadedModel loaded, const CompileOptions& options = {});
/// Builds the model that MODEL and --set in the arguments give.
System build_system(const Arguments& arguments);

}  // namespace dalembert::app
