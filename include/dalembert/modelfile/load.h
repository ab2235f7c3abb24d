// SPDX-License-Identifier: Apache-2.0
// Loading of a model file (docs/model-format.md) into a Model.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/base/source.h"
#include "dalembert/model/model.h"

namespace dalembert {

/// A value from the command line that replaces one of the file: of a parameter, an input, an initial value (`theta`, `theta'`,
/// `dot(theta)`; held), or an integer of [structure].
struct Override {
  std::string name;
  MappedText value;  ///< the value as text: `20 cm`, `100`, `0.3*sin(2*t)`
  Span name_span;
};

struct LoadOptions {
  std::vector<Override> overrides;  ///< the last one for a name is used
  std::string directory;            ///< where input files are searched; empty: the current directory
  bool allow_files = false;         ///< whether input files may be outside of that folder
};

/// Parses `NAME=VALUE`, as written after `--set`. Error: E0405.
Result<Override> parse_override(const std::string& assignment);

/// Builds a model from its text. Never throws, whatever the bytes. Errors: E00xx, E01xx, E02xx, E05xx; warnings: W01xx.
Result<Model> load_model(SourcePtr source, const LoadOptions& options = {});

/// Loads the file at `path` ("-" has no special meaning). An empty `options.directory` means the file's folder. Additional error: E0001.
Result<Model> load_model_file(const std::string& path, LoadOptions options = {});

}  // namespace dalembert
