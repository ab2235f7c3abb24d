// SPDX-License-Identifier: Apache-2.0
// Lanes of systems whose state is too large for registers.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/compile/compile.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

// Truth: the same steps, one lane at a time by the interpreter. 120 coordinates, of which the steps are a loop in
// memory. The two differ by fused multiply-adds and sines, some ε in each acceleration of size 100, times h = 1e-3 and
// 20 steps in the velocities; the condition of the KKT matrices of a chain of 40 links is below 1e5.
TEST(LargeLanes, StepsAreThoseOfOneLane) {
  const System chain = shipped("n-link-chain-maximal", {"N=40"});
  const State start = chain.start();
  const std::size_t n = start.q.size();
  for (const int lanes : {4, 8}) {
    LaneKernel code(chain.dynamics, lanes), slow(chain.dynamics, lanes, {.machine_code = false});
    if (!code.machine_code()) GTEST_SKIP() << code.why_no_machine_code();
    const auto width = static_cast<std::size_t>(lanes);
    std::vector<double> one(2 * n * width);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t l = 0; l < width; ++l) one[i * width + l] = start.q[i];
    // A velocity along the chain that lanes have more and more of: turning about the ground's pin as a whole.
    for (std::size_t i = 0; i < n / 3; ++i)
      for (std::size_t l = 0; l < width; ++l) {
        const double speed = 0.1 * static_cast<double>(l);
        one[(n + i) * width + l] = -speed * start.q[n / 3 + i];
        one[(n + n / 3 + i) * width + l] = speed * start.q[i];
        one[(n + 2 * n / 3 + i) * width + l] = speed;
      }
    std::vector<double> two = one;
    EXPECT_EQ(code.advance(one.data(), 0, 1e-3, 20), 0);
    EXPECT_EQ(slow.advance(two.data(), 0, 1e-3, 20), lanes);
    double moved = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
      EXPECT_NEAR(one[i], two[i], 1e-9 * (1 + std::abs(two[i]))) << i;
      moved = std::max(moved, std::abs(two[i]));
    }
    EXPECT_GT(moved, 0.1);
  }
}

// Truth: fastest_lanes(): a dense chain of 40 links is straight code of 18,000 instructions; one in maximal coordinates is
// loops.
TEST(LargeLanes, LongStraightCodeTakesFour) {
  EXPECT_EQ(fastest_lanes(shipped("slider-crank").dynamics), 8);
  EXPECT_EQ(fastest_lanes(shipped("n-link-chain", {"N=40"}).dynamics), 4);
  EXPECT_EQ(fastest_lanes(shipped("n-link-chain-maximal", {"N=100"}).dynamics), 8);
}

}  // namespace
}  // namespace dalembert
