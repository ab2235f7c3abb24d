// SPDX-License-Identifier: Apache-2.0
// What MODEL on the command line means: a file, `-` for standard input, or the name of a reference model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/base/source.h"

namespace dalembert::app {

struct ShippedModel {
  std::string name, path;
};

/// The reference models, by name: beside the installed program, else in the tree that it was built from.
std::vector<ShippedModel> shipped_models();
std::optional<ShippedModel> find_shipped(const std::string& name);

/// The reference of the model file, docs/model-format.md: installed above the models, else in the tree.
std::string format_reference();

struct ModelSource {
  SourcePtr source;
  std::string directory;  ///< where the model's input files are looked for
};

/// Reads MODEL. Throws Failure: exit 5 (E0001) when a file cannot be read, exit 2 (E0404, nearest names) when MODEL is
/// neither a file nor a reference model.
ModelSource read_model_source(const std::string& model);

/// The bytes of a file, "-": of standard input. Throws Failure with exit 5, E0001.
std::string read_text(const std::string& path);

/// Error E0404 with the nearest of the reference models.
Diagnostic unknown_model(const std::string& name);

}  // namespace dalembert::app
