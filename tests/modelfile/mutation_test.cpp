// SPDX-License-Identifier: Apache-2.0
// Shipped models with bytes deleted, replaced, doubled and swapped at random (fixed seeds): the loader answers with a
// model or with messages that have a code and a place inside the text. Nothing else is claimed, and nothing may crash.
#include <random>

#include <gtest/gtest.h>

#include "dalembert/modelfile/load.h"
#include "mutated_texts.h"

namespace dalembert {
namespace {

TEST(Mutation, NeverCrashes) {
  const std::vector<std::string> texts = shipped_texts();
  ASSERT_FALSE(texts.empty());
  std::mt19937 random(20240611);
  int accepted = 0;
  for (int i = 0; i < 2000; ++i) {
    const SourcePtr source =
        make_source("mutated.toml", mutate(texts[static_cast<std::size_t>(i) % texts.size()], random));
    const auto model = load_model(source);
    accepted += model.ok();
    if (model.ok()) continue;
    ASSERT_FALSE(model.diagnostics().empty()) << source->text();
    for (const Diagnostic& problem : model.diagnostics()) {
      EXPECT_FALSE(explain(problem.code).empty()) << problem.code;
      ASSERT_TRUE(problem.primary.span) << problem.message << "\n" << source->text();
      EXPECT_LE(problem.primary.span.end, problem.primary.span.source->text().size());
    }
    EXPECT_FALSE(render(model.diagnostics()).empty());
  }
  // Comments and texts take any change, so some files must still be good; most must not.
  EXPECT_GT(accepted, 100);
  EXPECT_LT(accepted, 1900);
}

}  // namespace
}  // namespace dalembert
