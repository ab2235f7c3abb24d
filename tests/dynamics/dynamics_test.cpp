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
