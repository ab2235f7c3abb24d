// SPDX-License-Identifier: Apache-2.0
// Models of models/ as the benchmarks use them.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/modelfile/load.h"
#include "tests/source_tree.h"

namespace dalembert::bench {

/// Benchmarks have no user to report to.
template <class T>
T value_or_abort(Result<T> result) {
  if (!result) {
    std::fputs(render(result.diagnostics()).c_str(), stderr);
    std::abort();
  }
  return std::move(result).value();
}

inline LoadOptions options_with(const std::vector<std::string>& set) {
  LoadOptions options;
  for (const std::string& assignment : set) options.overrides.push_back(value_or_abort(parse_override(assignment)));
  return options;
}

inline std::string model_path(const std::string& name) { return source_tree() + "/models/" + name + ".toml"; }

/// `set` holds NAME=VALUE assignments, as after --set.
inline Equations derive_shipped(const std::string& name, const std::vector<std::string>& set = {}) {
  Model model = value_or_abort(load_model_file(model_path(name), options_with(set)));
  return value_or_abort(derive(std::make_shared<const Model>(std::move(model))));
}

}  // namespace dalembert::bench
