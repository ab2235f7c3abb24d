// SPDX-License-Identifier: Apache-2.0
// A chain so long that what its far links exert on each other is less than the smallest number.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/processor_word.h"
#include "dalembert/base/subnormals.h"
#include "dalembert/compile/compile.h"
#include "dalembert/compile/machine_kernel.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/tape/subnormals.h"
#include "source_tree.h"
#include "tape/in_pieces.h"

namespace dalembert {
namespace {

class LongChain : public ::testing::Test {
 protected:
  static const Equations& equations() {
    static const Equations made = [] {
      LoadOptions options;
      options.overrides.push_back(*parse_override("N=1000"));
      Result<Model> model = load_model_file(source_tree() + "/models/n-link-chain-maximal.toml", options);
      return *derive(std::make_shared<const Model>(std::move(model).value()));
    }();
    return made;
  }
  const Equations& chain = equations();
  const Dynamics dynamics = compile(chain);
  const State start = assemble(dynamics, initial_state(*chain.model)).state;  // straight and at rest
  const Tape& tape = tapes_of(dynamics)->tape(KernelFunction::kAccelerations);
  std::vector<const double*> arguments = [&] {
    std::vector<const double*> list(kTapeArrays, nullptr);
    list[static_cast<std::size_t>(TapeArray::kTime)] = &start.t;
    list[static_cast<std::size_t>(TapeArray::kParameter)] = dynamics.parameters().data();
    list[static_cast<std::size_t>(TapeArray::kCoordinate)] = start.q.data();
    list[static_cast<std::size_t>(TapeArray::kVelocity)] = start.v.data();
    list[static_cast<std::size_t>(TapeArray::kPrepared)] = dynamics.prepared();
    return list;
  }();
};

// Truth: the same instructions one after the other in short pieces, which compute with subnormal numbers. What is left
// out is below 2.2e-308 each time. Forces of that size move a link of 0.1 kg and 3.3e-4 kg m² by less than 1e-304 m/s²
// and rad/s² each, and fewer than 1e4 meet at one.
TEST_F(LongChain, AccelerationsLackNoMoreThanSubnormals) {
  if (!SubnormalsAsZeros::kThere) GTEST_SKIP() << "there is no such switch here";
  ASSERT_TRUE(takes_subnormals_for_zeros(tape));
  std::vector<double> work(tape.registers), out(tape.outputs);
  const auto before = testing::processor_word();
  run(tape, arguments.data(), work.data(), out.data(), 1);
  EXPECT_EQ(testing::processor_word(), before);
  const std::vector<double> pieces = testing::values_in_pieces(tape, arguments.data());
  double largest = 0;
  int subnormal = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    largest = std::max(largest, std::abs(out[i] - pieces[i]));
    subnormal += std::fpclassify(pieces[i]) == FP_SUBNORMAL;
    EXPECT_NE(std::fpclassify(out[i]), FP_SUBNORMAL) << i;
  }
  EXPECT_GT(subnormal, 0);
  EXPECT_LT(largest, 1e-300);
}

// Truth: the tape interpreted. Every way of one evaluation gives its digits: bit by bit where it is interpreted, in
// lanes too; by machine code up to fused multiply-adds and sines, some ε times the condition of the chain's equations,
// and then the same from a run's workspace and from the kernel. None leaves the caller's processor changed.
TEST_F(LongChain, EveryWayGivesTheSameDigits) {
  const std::size_t n = start.q.size(), m = static_cast<std::size_t>(dynamics.m());
  std::vector<double> work(tape.registers), out(tape.outputs);
  run(tape, arguments.data(), work.data(), out.data(), 1);

  const auto modes = testing::processor_modes();
  const KktSolution solution = solve_kkt(dynamics, start);
  ASSERT_EQ(solution.status, KktStatus::kOk);
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(solution.qdd[i], out[i]) << i;

  dynamics.kernel().expect_many_calls();
  Workspace workspace(dynamics);
  std::vector<double> of_run(tape.outputs), alone(tape.outputs);
  call_kernel(dynamics, KernelFunction::kAccelerations, start.t, start.q.data(), start.v.data(), workspace,
              of_run.data());
  dynamics.kernel().call(KernelFunction::kAccelerations,
                         kernel_arguments(dynamics, start.t, start.q.data(), start.v.data(), workspace), alone.data());
  EXPECT_EQ(of_run, alone);
  for (std::size_t i = 0; i < n + m; ++i) EXPECT_NEAR(of_run[i], out[i], 1e-10 * (1 + std::abs(out[i]))) << i;

  for (const int lanes : {4, 8}) {
    for (const bool machine_code : {false, true}) {
      LaneKernel kernel(dynamics, lanes, {.machine_code = machine_code});
      if (machine_code && !kernel.machine_code()) continue;
      const auto width = static_cast<std::size_t>(lanes);
      std::vector<double> t(width, start.t), q(n * width), v(n * width, 0), all(tape.outputs * width);
      for (std::size_t i = 0; i < n * width; ++i) q[i] = start.q[i / width];
      EXPECT_EQ(kernel.accelerations({.t = t.data(), .q = q.data(), .v = v.data()}, all.data()), 0);
      for (std::size_t i = 0; i < (n + m) * width; ++i) {
        if (machine_code)
          EXPECT_NEAR(all[i], out[i / width], 1e-10 * (1 + std::abs(out[i / width])));
        else
          EXPECT_EQ(all[i], out[i / width]);
        EXPECT_TRUE(!SubnormalsAsZeros::kThere || std::fpclassify(all[i]) != FP_SUBNORMAL);
      }
    }
  }
  EXPECT_EQ(testing::processor_modes(), modes);
}

}  // namespace
}  // namespace dalembert
