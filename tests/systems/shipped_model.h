// SPDX-License-Identifier: Apache-2.0
// The models of models/, loaded for tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/derive/equations.h"
#include "dalembert/modelfile/load.h"

namespace dalembert {

/// `set` holds NAME=VALUE assignments, as behind --set.
inline Equations derive_shipped(const std::string& name, const std::vector<std::string>& set = {}) {
  LoadOptions options;
  for (const std::string& assignment : set) {
    auto override = parse_override(assignment);
    EXPECT_TRUE(override) << render(override.diagnostics());
    options.overrides.push_back(*override);
  }
  auto model = load_model_file(std::string(DALEMBERT_SOURCE_DIR) + "/models/" + name + ".toml", options);
  EXPECT_TRUE(model) << render(model.diagnostics());
  auto equations = derive(std::make_shared<const Model>(std::move(model).value()));
  EXPECT_TRUE(equations) << render(equations.diagnostics());
  return std::move(equations).value();
}

}  // namespace dalembert
