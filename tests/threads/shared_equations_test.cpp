// SPDX-License-Identifier: Apache-2.0
// The same equations used from many threads at once. `./dev test --preset tsan` runs this under ThreadSanitizer, which
// finds races that happen to do no harm here.
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sanitized.h"
#include "source_tree.h"
#include "systems/passes.h"
#include "tape/model_files.h"

namespace dalembert {
namespace {

class SharedEquations : public ::testing::TestWithParam<const char*> {
 protected:
  static Equations equations() { return equations_of(source_tree() + "/models/" + std::string(GetParam())); }
};

// Truth: one thread alone. Every pass runs beside every other, each thread beginning with another one, while two more
// threads build expressions in the equations' own graph.
TEST_P(SharedEquations, SayTheSameToManyThreads) {
  const Equations shared = equations();
  ASSERT_TRUE(shared.graph);
  std::vector<std::string> alone;
  for (const Pass& pass : kPasses) alone.push_back(pass.result(shared));

  constexpr std::size_t kReaders = 4, kBuilders = 2;
  std::array<std::vector<std::string>, kReaders> found;
  std::array<std::vector<Expr>, kBuilders> built;
  std::atomic<std::size_t> reading = kReaders;
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < kReaders; ++r)
    threads.emplace_back([&, r] {
      found[r].resize(kPasses.size());
      for (std::size_t i = 0; i < kPasses.size(); ++i) {
        const std::size_t which = (i + r * kPasses.size() / kReaders) % kPasses.size();
        found[r][which] = kPasses[which].result(shared);
      }
      --reading;
    });
  for (std::vector<Expr>& list : built)
    threads.emplace_back([&] {
      Expr e = shared.E;
      do {
        e = sin(e + 1) * shared.q.front() + static_cast<int>(list.size());
        list.push_back(e);
      } while (reading > 0 && list.size() < 20000);
    });
  for (std::thread& thread : threads) thread.join();

  for (const auto& of_thread : found)
    for (std::size_t i = 0; i < kPasses.size(); ++i) EXPECT_EQ(of_thread[i], alone[i]) << kPasses[i].name;
  // What both built is the same expressions, each once.
  for (std::size_t i = 0; i < std::min(built[0].size(), built[1].size()); ++i)
    ASSERT_TRUE(built[0][i].same(built[1][i])) << i;
}

constexpr const char* kModels[] = {
#if !DALEMBERT_SANITIZED
    "audits/slider-crank-misprints.toml",  // minutes
#endif
    "audits/rolling-sphere-misprints.toml", "chaplygin-sleigh-contact.toml", "cart-pendulum.toml"};

INSTANTIATE_TEST_SUITE_P(Models, SharedEquations, ::testing::ValuesIn(kModels),
                         [](const auto& model) { return "Model" + std::to_string(model.index); });

}  // namespace
}  // namespace dalembert
