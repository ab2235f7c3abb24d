// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/machine_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <thread>

#include "compile/lane_arguments.h"
#include "compile/reference_systems.h"

namespace dalembert {
namespace {

CodeOptions uncached() { return {}; }

// A state of the slider-crank, on no manifold.
struct State3 {
  std::array<double, 3> q{0.4, 2.9, 0.8}, v{3, -1, 0.5}, qdd{1, -2, 0.3};
  std::array<double, 2> lambda{4, -5}, u{0.1, -0.2};
  std::vector<double> p, prepared, work;

  State3(const Kernel& kernel, const Equations& equations)
      : prepared(kernel.layout().prepared), work(kernel.layout().work, std::nan("")) {
    for (const Parameter& parameter : equations.model->parameters) p.push_back(parameter.value);
    kernel.prepare(p.data(), prepared.data());
  }
  std::vector<double> call(const Kernel& kernel, KernelFunction function) {
    std::vector<double> out(output_size(kernel.layout(), function), std::nan(""));
    kernel.call(function,
                {.t = 0.3,
                 .q = q.data(),
                 .v = v.data(),
                 .qdd = qdd.data(),
                 .lambda = lambda.data(),
                 .u = u.data(),
                 .p = p.data(),
                 .prepared = prepared.data(),
                 .work = work.data()},
                out.data());
    return out;
  }
};

// Oracle: the interpreter. Both evaluate the same instructions with roundings of their own; the largest output's
// intermediates are within a factor of some hundred of it, 1e-12 of it are 4500 ε.
TEST(MachineKernel, IsTheTapeKernelFaster) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  const testing::SliderCrank system;
  const Equations equations = system.equations();
  const auto tapes = std::make_shared<const TapeKernel>(equations);
  const MachineKernel kernel(tapes, uncached());
  EXPECT_EQ(kernel.solves_kkt(), tapes->solves_kkt());
  State3 state(kernel, equations);
  for (int f = 0; f < kKernelFunctions; ++f) {
    const auto function = static_cast<KernelFunction>(f);
    const std::vector<double> expected = state.call(*tapes, function), computed = state.call(kernel, function);
    ASSERT_EQ(expected.size(), computed.size());
    double largest = 0;
    for (const double value : expected) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(computed[i], expected[i], 1e-12 * largest) << "function " << f << ", output " << i;
    EXPECT_EQ(kernel.prepare_code(function), tapes->tape(function).instructions.size() >= MachineKernel::kShortest);
  }
  EXPECT_EQ(kernel.why_not(), "");
}

// Beyond 2³⁰ the interpreter answers, so with its very bits.
TEST(MachineKernel, LargeAnglesAreTheInterpreters) {
  DALEMBERT_SKIP_WITHOUT_CODE();
  const testing::SliderCrank system;
  const Equations equations = system.equations();
  const auto tapes = std::make_shared<const TapeKernel>(equations);
  const MachineKernel kernel(tapes, uncached());
  State3 state(kernel, equations);
  state.q[0] = 3e12;
  EXPECT_EQ(state.call(kernel, KernelFunction::kRates), state.call(*tapes, KernelFunction::kRates));
}

TEST(MachineKernel, InterpretsWithoutLlvm) {
  const testing::SliderCrank system;
  const Equations equations = system.equations();
  const auto tapes = std::make_shared<const TapeKernel>(equations);
  CodeOptions options;
  options.llvm_library = "/nowhere/libLLVM.so";
  const MachineKernel kernel(tapes, options);
  EXPECT_EQ(kernel.why_not(), "");
  State3 state(kernel, equations);
  EXPECT_EQ(state.call(kernel, KernelFunction::kRates), state.call(*tapes, KernelFunction::kRates));
  EXPECT_FALSE(kernel.prepare_code(KernelFunction::kRates));
  EXPECT_NE(kernel.why_not(), "");
}

// All threads make the same call first.
TEST(MachineKernel, IsSafeToCallFromManyThreads) {
  const testing::SliderCrank system;
  const Equations equations = system.equations();
  const auto tapes = std::make_shared<const TapeKernel>(equations);
  const MachineKernel kernel(tapes, uncached());
  std::vector<std::vector<double>> results(4);
  {
    std::vector<std::jthread> threads;
    for (std::vector<double>& result : results)
      threads.emplace_back([&] {
        State3 state(kernel, equations);
        result = state.call(kernel, KernelFunction::kTerms);
      });
  }
  for (const std::vector<double>& result : results) EXPECT_EQ(result, results.front());
}

}  // namespace
}  // namespace dalembert
