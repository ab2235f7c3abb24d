// SPDX-License-Identifier: Apache-2.0
// From MODEL and --set to a model, its equations and its kernel, with every failure as a Failure.
#pragma once

#include <memory>

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

/// What --set asks for. Throws Failure, exit 2.
std::vector<Override> overrides_of(const Arguments& arguments);

/// From here on models may read files outside of their folder (--allow-files).
void allow_files();
/// Reads and checks a model; throws Failure with everything that is wrong with it.
LoadedModel load(const ModelSource& source, std::vector<Override> overrides);
LoadedModel load(const std::string& model, std::vector<Override> overrides);
/// Derives and compiles.
System build(LoadedModel loaded, const CompileOptions& options = {});
/// MODEL and --set of a verb's arguments, built.
System build_system(const Arguments& arguments);

/// Throws Failure E0272 where forces depend on multipliers, friction among them: `what` does not know them.
void require_load_independent(const Equations& equations, std::string_view what);

}  // namespace dalembert::app
