// SPDX-License-Identifier: Apache-2.0
// What takes `const Equations&` leaves them as they were, and says the same whatever was made of them before.
#include <algorithm>
#include <filesystem>
#include <initializer_list>

#include <gtest/gtest.h>

#include "sanitized.h"
#include "source_tree.h"
#include "systems/passes.h"
#include "tape/model_files.h"

namespace dalembert {
namespace {

bool is_one_of(const std::string& file, std::initializer_list<const char*> names) {
  return std::ranges::any_of(names, [&](const char* name) { return std::filesystem::path(file).stem() == name; });
}

std::vector<std::string> all_models() {
  std::vector<std::string> files = model_files();
#if DALEMBERT_SANITIZED
  // The passes build the same things in all of them; all would take a quarter of an hour.
  std::erase_if(files, [](const std::string& file) {
    return !is_one_of(
        file, {"block-on-belt", "cart-pendulum", "chaplygin-sleigh", "furuta-pendulum", "heavy-top", "rolling-sphere"});
  });
#else
  // Those that take ten seconds and more: no pass does in them what it does in no other model.
  std::erase_if(files, [](const std::string& file) {
    return is_one_of(
        file, {"delta-robot-rigid", "spatial-slider-crank", "three-link-snake", "trailer", "ur5", "whipple-bicycle"});
  });
  for (const auto& entry : std::filesystem::directory_iterator(source_tree() + "/models/audits"))
    if (entry.path().extension() == ".toml") files.push_back(entry.path().string());
#endif
  return files;
}

class UntouchedGraph : public ::testing::TestWithParam<std::string> {};

// Truth: the graph's own count of nodes and symbols.
TEST_P(UntouchedGraph, NoPassAddsToIt) {
  const Equations equations = equations_of(GetParam());
  ASSERT_TRUE(equations.graph);
  const std::size_t nodes = equations.graph->size(), symbols = equations.graph->symbol_count();
  EXPECT_EQ(equations.nodes, nodes);
  for (const Pass& pass : kPasses) {
    pass.result(equations);
    EXPECT_EQ(equations.graph->size(), nodes) << pass.name;
    EXPECT_EQ(equations.graph->symbol_count(), symbols) << pass.name;
  }
}

// Truth: the same pass before. Orders of terms come from numbers of nodes, so a pass that saw what a program built in
// the meantime could print them otherwise.
TEST_P(UntouchedGraph, ResultsDoNotDependOnWhatWasBuilt) {
  const Equations equations = equations_of(GetParam());
  std::vector<std::string> before;
  for (const Pass& pass : kPasses) before.push_back(pass.result(equations));
  // The parts of what passes make, the last one first.
  std::vector<Expr> built{equations.E};
  for (std::size_t i = equations.q.size(); i-- > 0;)
    built.push_back(sin(equations.q[i]) * cos(equations.q[i]) * equations.qd[i]);
  for (std::size_t i = equations.G.size(); i-- > 0;) built.push_back(-equations.G[i] - equations.B[i] + equations.F[i]);
  for (std::size_t k = equations.M.value.size(); k-- > 0;)
    built.push_back(equations.M.value[k] * equations.accelerations()[static_cast<std::size_t>(equations.M.col[k])]);
  EXPECT_GT(equations.graph->size(), equations.nodes);
  for (std::size_t i = kPasses.size(); i-- > 0;) EXPECT_EQ(kPasses[i].result(equations), before[i]) << kPasses[i].name;
}

INSTANTIATE_TEST_SUITE_P(Models, UntouchedGraph, ::testing::ValuesIn(all_models()), [](const auto& model) {
  std::string name = std::filesystem::path(model.param).stem().string();
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

}  // namespace
}  // namespace dalembert
