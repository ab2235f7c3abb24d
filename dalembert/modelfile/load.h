// SPDX-License-Identifier: Apache-2.0
// A model file (docs/model-format.md) becomes a Model.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/base/source.h"
#include "dalembert/model/model.h"

namespace dalembert {

/// What the command line says instead of the file: a parameter, an input, an initial value (`theta`, `theta'`,
/// `dot(theta)`; held), an integer of [structure].
struct Override {
  std::string name;
  MappedText value;  ///< `20 cm`, `100`, `0.3*sin(2*t)`
  Span name_span;
};

struct LoadOptions {
  std::vector<Override> overrides;  ///< later ones win
  std::string directory;            ///< where input files are looked for; empty: the current one
  bool allow_files = false;         ///< such files may lie elsewhere too; else in that folder or below it
};

/// `NAME=VALUE` as written after `--set`. Error: E0405.
Result<Override> parse_override(const std::string& assignment);

/// Reads the text of a model. Never throws, whatever the bytes. Errors: E00xx, E01xx, E02xx, E05xx; warnings: W01xx.
Result<Model> load_model(SourcePtr source, const LoadOptions& options = {});

/// Reads the file at `path` ("-" is not special). `options.directory`, when empty, is the file's. Error besides: E0001.
Result<Model> load_model_file(const std::string& path, LoadOptions options = {});

}  // namespace dalembert
