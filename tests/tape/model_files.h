// SPDX-License-Identifier: Apache-2.0
// The models of models/ as tests of layers below whole systems use them: by file, one after the other.
#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/derive/contact_mode.h"
#include "dalembert/derive/equations.h"
#include "dalembert/modelfile/load.h"
#include "source_tree.h"

namespace dalembert {

inline std::vector<std::string> model_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(source_tree() + "/models"))
    if (entry.path().extension() == ".toml") files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

/// "slider_crank" of "…/slider-crank.toml": what a test of that file is called.
inline std::string name_of_file(const ::testing::TestParamInfo<std::string>& chosen) {
  std::string name = std::filesystem::path(chosen.param).stem().string();
  std::ranges::replace(name, '-', '_');
  return name;
}

inline Equations equations_of(const std::string& file) {
  Result<Model> loaded = load_model_file(file);
  EXPECT_TRUE(loaded) << render(loaded.diagnostics());
  if (!loaded) return {};
  Result<Equations> derived = derive(std::make_shared<Model>(std::move(loaded).value()));
  EXPECT_TRUE(derived) << render(derived.diagnostics());
  return derived ? std::move(derived).value() : Equations{};
}

/// For each contact whether it is closed in these tests: every other one. All at once may contradict each other.
inline std::vector<char> every_other(std::size_t contacts) {
  std::vector<char> closed(contacts, 0);
  for (std::size_t k = 0; k < contacts; k += 2) closed[k] = 1;
  return closed;
}

/// The equations while every other contact is closed.
inline Equations with_contacts_held(const Equations& equations) {
  if (equations.unilateral.empty()) return equations;
  return hold_contacts(equations, every_other(equations.unilateral.size()));
}

}  // namespace dalembert
