// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/dynamics.h"

#include <gtest/gtest.h>

#include "dalembert/dynamics/residual.h"
#include "oracles/hand_kernels.h"

namespace dalembert {
namespace {

using namespace oracles;

// Truth: dynamics.h: linear between samples, the outer samples hold outside.
TEST(Dynamics, TablesReplaceInputs) {
  auto kernel = std::make_shared<DrivenOscillator>();
  const Dynamics plain(kernel, {}, {});
  const Dynamics table(kernel, {}, {}, {TableInput{0, {1, 2, 4}, {10, 20, 0}}});
  double u = 0;
  plain.inputs(0, nullptr, &u);
  EXPECT_EQ(u, DrivenOscillator::A);
  const auto at = [&](double t) {
    table.inputs(t, nullptr, &u);
    return u;
  };
  EXPECT_EQ(at(0), 10);
  EXPECT_EQ(at(1), 10);
  EXPECT_EQ(at(1.5), 15);
  EXPECT_EQ(at(2), 20);
  EXPECT_EQ(at(3), 10);
  EXPECT_EQ(at(9), 0);
}

// Truth: by hand. Left out, the samples of the first table leave 10, 10, 0 (no kink: straight on), 10 of a span of 20;
// those of the second, straight but for round-off, 0.1 and 1.7 of a span of 1.9.
TEST(Dynamics, KinksOfTables) {
  auto kernel = std::make_shared<DrivenOscillator>();
  const Dynamics none(kernel, {}, {});
  EXPECT_TRUE(none.find_kinks(0, 9).empty());
  const TableInput bent{0, {1, 2, 3, 4}, {10, 20, 10, 0}}, straight{0, {0.1, 0.2, 0.3, 2}, {0.1, 0.2, 0.3, 2}};
  const Dynamics both(kernel, {}, {}, {straight, bent});
  const auto expect = [&](double from, double to, const std::vector<Kink>& expected) {
    const std::vector<Kink> kinks = both.find_kinks(from, to);
    ASSERT_EQ(kinks.size(), expected.size());
    for (std::size_t i = 0; i < kinks.size(); ++i) {
      EXPECT_EQ(kinks[i].time, expected[i].time);
      EXPECT_NEAR(kinks[i].size, expected[i].size, 1e-15);
    }
  };
  // Both tables have one at 2: the larger counts.
  expect(0, 9, {{0.1, 0.1 / 1.9}, {1, 0.5}, {2, 1.7 / 1.9}, {4, 0.5}});
  expect(9, 0, {{4, 0.5}, {2, 1.7 / 1.9}, {1, 0.5}, {0.1, 0.1 / 1.9}});
  expect(1, 4, {{2, 1.7 / 1.9}});  // the ends are not between
  expect(2.5, 3.5, {});
}

// Truth: kernel.h's table of what each function writes, counted for 2 coordinates, 2 rows, dense.
TEST(Dynamics, OutputSizes) {
  const CartesianPendulum kernel(1, 1, 9.81, 2);
  EXPECT_EQ(output_size(kernel.layout(), KernelFunction::kPosition), 2u);
  EXPECT_EQ(output_size(kernel.layout(), KernelFunction::kVelocity), 6u);
  EXPECT_EQ(output_size(kernel.layout(), KernelFunction::kMass), 4u);
  EXPECT_EQ(output_size(kernel.layout(), KernelFunction::kTerms), 18u);
  EXPECT_EQ(output_size(kernel.layout(), KernelFunction::kRates), 12u);
  EXPECT_EQ(output_size(kernel.layout(), KernelFunction::kEnergy), 5u);
  EXPECT_EQ(output_size(kernel.layout(), KernelFunction::kInputs), 0u);
  EXPECT_EQ(output_size(kernel.layout(), KernelFunction::kOutputs), 1u);
}

// Truth: the definitions, by hand.
TEST(Dynamics, ResidualsAndEnergy) {
  const Dynamics dynamics = make_dynamics<CartesianPendulum>({"x", "y"}, {"rod"}, 2.0, 1.0, 10.0);
  const State state{0, {1, 1}, {3, -1}};
  EXPECT_DOUBLE_EQ(position_residual(dynamics, state)[0], 0.5);
  EXPECT_DOUBLE_EQ(velocity_residual(dynamics, state)[0], 2);
  const Energy e = energy(dynamics, state);
  EXPECT_DOUBLE_EQ(e.kinetic, 10);
  EXPECT_DOUBLE_EQ(e.potential, 20);
  EXPECT_DOUBLE_EQ(e.total, 30);
}

}  // namespace
}  // namespace dalembert
