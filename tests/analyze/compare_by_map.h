// SPDX-License-Identifier: Apache-2.0
// Two models in different coordinates, compared with a map from one to the other.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/analyze/audit.h"
#include "dalembert/modelfile/load.h"

namespace dalembert {

using NamedFormulas = std::vector<std::pair<std::string, std::string>>;

inline ModelComparison compared_by(const std::string& here, const std::string& there, const NamedFormulas& formulas) {
  const auto derived = [](const std::string& text) {
    auto model = load_model(make_source("model.toml", text));
    EXPECT_TRUE(model) << render(model.diagnostics());
    auto equations = derive(std::make_shared<const Model>(std::move(model).value()));
    EXPECT_TRUE(equations) << render(equations.diagnostics());
    return std::move(equations).value();
  };
  std::vector<StudyStatement::Named> map;
  for (const auto& [name, formula] : formulas)
    map.push_back({name, MappedText::of(formula, "formula"), MappedText::of(name, "name").span()});
  auto result = compare_models(derived(here), derived(there), Notation::kText, map);
  EXPECT_TRUE(result) << render(result.diagnostics());
  return result ? *std::move(result) : ModelComparison{};
}

}  // namespace dalembert
