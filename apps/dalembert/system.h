// SPDX-License-Identifier: Apache-2.0
// From MODEL and --set to a model, its equations and its kernel, with every failure as a Failure.
#pragma once

#include <memory>

#include "apps/dalembert/arguments.h"
#include "apps/dalembert/model_source.h"
#include "dalembert/compile/compile.h"
#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/model/model.h"
#include "dalembert/modelfile/load.h"

namespace dalembert::app {

struct LoadedModel {
  std::shared_ptr<const Model> model;
  Diagnostics warnings;
};

struct System {
  std::shared_ptr<const Model> model;
  Equations equations;
  Dynamics dynamics;
  Diagnostics warnings;
  double compile_seconds = 0;
};

/// What --set asks for. Throws Failure, exit 2.
std::vector<Override> overrides_of(const Arguments& arguments);

/// Reads and checks a model; throws Failure with everything that is wrong with it.
LoadedModel load(const ModelSource& source, std::vector<Override> overrides);
LoadedModel load(const std::string& model, std::vector<Override> overrides);
/// Derives and compiles.
System build(LoadedModel loaded, const CompileOptions& options = {});
/// MODEL and --set of a verb's arguments, built.
System build_system(const Arguments& arguments);

/// Throws Failure E0272 where forces depend on multipliers, friction among them: `what` does not know them.
void refuse_load_dependent(const Equations& equations, std::string_view what);

/// Those whose flag is `wanted`.
std::vector<std::string> names_where(const std::vector<std::string>& names, const std::vector<bool>& flags,
                                     bool wanted);

/// The unit of a coordinate as people write it: an angle's is "rad", not "1".
std::string coordinate_unit(const std::string& unit);
std::vector<std::string> coordinate_units(const Names& names);
/// " rad", or nothing where there is no unit worth writing.
std::string unit_suffix(const std::string& unit);
/// Unit per second: "m/s", "rad/s", "1/s" of "1"; empty stays empty.
std::string rate_unit(const std::string& unit);

}  // namespace dalembert::app
