// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/workspace.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "oracles/hand_kernels.h"

namespace dalembert {
namespace {

std::vector<std::vector<double>*> numbers_of(Workspace& w) {
  return {&w.work, &w.out, &w.u,  &w.M,    &w.W,     &w.f,      &w.gamma, &w.a,           &w.h,        &w.h_size,
          &w.N,    &w.dq,  &w.dv, &w.step, &w.start, &w.before, &w.zero,  &w.multipliers, &w.residual, &w.magnitude};
}

// Truth: a workspace that was just made. Whatever a run left, nothing of it is there any more.
TEST(Workspace, RenewedIsAsNew) {
  const Dynamics dynamics = oracles::make_dynamics<oracles::SliderCrank>({"theta", "phi", "x"}, {"pin[1]", "pin[2]"});
  Workspace used(dynamics), fresh(dynamics);
  for (std::vector<double>* x : numbers_of(used))
    for (double& value : *x) value = std::nan("");
  for (Workspace::RowSize& size : used.row_sizes) size = {1, 2, 3};
  used.held_inputs.emplace_back(0, 1.5);
  used.constant_inputs = !used.constant_inputs;
  used.code.front() = [](const double* const*, double*, double*) -> std::uint64_t { return 0; };
  used.loss = 7;
  used.fallbacks = 3;
  for (RowBasis* rows : {&used.basis, &used.position_basis, &used.acting}) rows->set({0});
  const double trust[] = {1, 1e6};
  used.kkt.set_solved_by_kernel(trust);

  used.renew(dynamics);
  const auto now = numbers_of(used), truth = numbers_of(fresh);
  for (std::size_t k = 0; k < truth.size(); ++k) EXPECT_EQ(*now[k], *truth[k]) << k;
  ASSERT_EQ(used.row_sizes.size(), fresh.row_sizes.size());
  for (const Workspace::RowSize& size : used.row_sizes) {
    EXPECT_EQ(size.position, 0);
    EXPECT_EQ(size.velocity, 0);
    EXPECT_EQ(size.squared, 0);
  }
  EXPECT_TRUE(used.held_inputs.empty());
  EXPECT_EQ(used.constant_inputs, fresh.constant_inputs);
  EXPECT_EQ(used.code, fresh.code);
  EXPECT_EQ(used.loss, 1);
  EXPECT_EQ(used.fallbacks, 0);
  for (const RowBasis* rows : {&used.basis, &used.position_basis, &used.acting}) {
    EXPECT_TRUE(rows->all);
    EXPECT_TRUE(rows->rows.empty());
  }
  EXPECT_EQ(used.kkt.loss(), fresh.kkt.loss());
  EXPECT_EQ(used.kkt.rank(), fresh.kkt.rank());
}

}  // namespace
}  // namespace dalembert
