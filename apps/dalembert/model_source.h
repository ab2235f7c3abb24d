// SPDX-License-Identifier: Apache-2.0
// Resolves MODEL on the command line: a file, `-` for standard input, or the name of a reference model.
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

/// The reference models, sorted by name: those installed with the program, else those of the source tree.
std::vector<ShippedModel> shipped_models();
std::optional<ShippedModel> find_shipped(const std::string& name);

/// The path of a file of docs/: the installed copy, else that of the source tree.
std::string page(const std::string& name);

struct ModelSource {
  SourcePtr source;
  std::string directory;  ///< folder in which the model's input files are looked up
};

/// Reads MODEL. Throws Failure: exit 5 (E0001) when a file cannot be read, exit 2 (E0404, nearest names) when MODEL is
/// neither a file nor a reference model.
ModelSource read_model_source(const std::string& model);

/// The content of a file; "-" is standard input. Throws Failure with exit 5, E0001.
std::string read_text(const std::string& path);

/// Error E0404 with the nearest names of reference models.
Diagnostic unknown_model(const std::string& name);

}  // namespace dalembert::app
