// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/trajectory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace dalembert {
namespace {

TEST(StepHistory, KeepsFewStepsAsTheyAre) {
  StepHistory history;
  history.add(0, 0.25);
  history.add(0.25, 1);
  ASSERT_EQ(history.stretches().size(), 2u);
  EXPECT_EQ(history.steps_of_stretch(), 1);
  EXPECT_EQ(history.stretches()[1].from, 0.25);
  EXPECT_EQ(history.stretches()[1].to, 1);
  EXPECT_EQ(history.stretches()[1].shortest, 0.75);
  EXPECT_EQ(history.stretches()[1].longest, 0.75);
}

// Oracle: the steps themselves, grouped by as many as the history says. Backwards in time, too.
TEST(StepHistory, KeepsEveryExtremeOfManyStepsInLittleMemory) {
  for (const double direction : {1.0, -1.0}) {
    StepHistory history;
    std::vector<double> at{0};
    for (int k = 0; k < 10'000; ++k) {
      const double length = k == 7777 ? 5 : k == 1234 ? 1e-7 : 0.01 * (2 + std::sin(0.1 * k));
      at.push_back(at.back() + direction * length);
      history.add(at[at.size() - 2], at.back());
    }
    const auto& stretches = history.stretches();
    const auto each = static_cast<std::size_t>(history.steps_of_stretch());
    ASSERT_LE(stretches.size(), StepHistory::kMost);
    ASSERT_EQ(stretches.size(), (10'000 + each - 1) / each);
    for (std::size_t s = 0; s < stretches.size(); ++s) {
      const std::size_t first = s * each, last = std::min<std::size_t>(first + each, 10'000);
      double shortest = 1e300, longest = 0;
      for (std::size_t k = first; k < last; ++k) {
        shortest = std::min(shortest, std::abs(at[k + 1] - at[k]));
        longest = std::max(longest, std::abs(at[k + 1] - at[k]));
      }
      EXPECT_EQ(stretches[s].from, at[first]);
      EXPECT_EQ(stretches[s].to, at[last]);
      EXPECT_EQ(stretches[s].shortest, shortest);
      EXPECT_EQ(stretches[s].longest, longest);
    }
  }
}

}  // namespace
}  // namespace dalembert
