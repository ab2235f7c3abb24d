// SPDX-License-Identifier: Apache-2.0
// The inner loop allocates nothing: every operator new of this executable is counted.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "compile/reference_systems.h"
#include "dalembert/compile/compile.h"
#include "dalembert/compile/machine_kernel.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/modelfile/load.h"
#include "source_tree.h"

namespace {
std::atomic<long> allocations{0};

void* counted(std::size_t size) {
  ++allocations;
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) std::abort();
  return memory;
}
}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return counted(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace dalembert {
namespace {

// Oracle: the count of operator new before and after. It must see an allocation that is there.
TEST(Kernel, CallsAllocateNothing) {
  const testing::SliderCrank system;
  const Dynamics dynamics = compile(system.equations());
  const std::array<double, 3> q{1, 2.8, 0.8}, v{4, -1, 0.3}, qdd{1, 2, 3};
  const std::array<double, 2> lambda{5, 6};
  std::array<double, 2> u{0.1, 0.2};
  std::vector<double> work(dynamics.layout().work), out(100);
  const KernelArguments in{.t = 0,
                           .q = q.data(),
                           .v = v.data(),
                           .qdd = qdd.data(),
                           .lambda = lambda.data(),
                           .u = u.data(),
                           .p = dynamics.parameters().data(),
                           .prepared = dynamics.prepared(),
                           .work = work.data()};
  const long before = allocations;
  for (int i = 0; i <= static_cast<int>(KernelFunction::kPower); ++i)
    dynamics.kernel().call(static_cast<KernelFunction>(i), in, out.data());
  dynamics.inputs(0.5, work.data(), u.data());
  EXPECT_EQ(allocations - before, 0);

  // Machine code as well, once it is there.
  const MachineKernel machine(std::make_shared<const TapeKernel>(system.equations()), {});
  machine.expect_many_calls();
  const long generated = allocations;
  for (int i = 0; i < kKernelFunctions; ++i) machine.call(static_cast<KernelFunction>(i), in, out.data());
  EXPECT_EQ(allocations - generated, 0);

  const long then = allocations;
  delete new std::array<double, 4>{};
  std::vector<double> some(10);
  EXPECT_GE(allocations - then, 1);
}

// A step of a run: solves, projections, measures; then as many lanes at once. None allocates, by the kernel or, at a
// configuration that it does not trust, by the dense solver.
TEST(Kernel, StepsAllocateNothing) {
  const testing::SliderCrank system;
  const Equations equations = system.equations();
  const Dynamics dynamics = compile(equations);
  dynamics.kernel().expect_many_calls();
  Workspace workspace(dynamics);
  std::array<double, 3> q{1, 2.8, 0.8}, v{4, -1, 0.3}, qdd{};
  std::array<double, 2> lambda{};
  const std::array<double, 3> singular{M_PI / 2, M_PI / 2, 0};  // the second row of W vanishes
  const CodeOptions not_kept;
  LaneKernel lanes(dynamics, 8, {.code = &not_kept});
  std::array<double, 8> t{};
  std::array<double, 24> lane_q{}, lane_v{};
  std::array<double, 56> out{};
  std::array<double, 48> state{};
  for (std::size_t l = 0; l < 8; ++l) {
    for (std::size_t i = 0; i < 3; ++i) state[i * 8 + l] = lane_q[i * 8 + l] = q[i];
    lane_v[l] = static_cast<double>(l);
  }
  const auto step = [&] {
    EXPECT_EQ(solve_kkt(dynamics, 0, q.data(), v.data(), workspace, qdd.data(), lambda.data()), KktStatus::kOk);
    solve_kkt(dynamics, 0, singular.data(), v.data(), workspace, qdd.data(), lambda.data());
    project(dynamics, 0, q.data(), v.data(), workspace);
    energy(dynamics, 0, q.data(), v.data(), workspace);
    lanes.accelerations({.t = t.data(), .q = lane_q.data(), .v = lane_v.data()}, out.data());
    lanes.advance(state.data(), 0, 1e-4, 10);
  };
  step();
  const long before = allocations;
  for (int i = 0; i < 10; ++i) step();
  EXPECT_EQ(allocations - before, 0);
  EXPECT_EQ(workspace.fallbacks, 11);
}

// From the file to the kernel, the work grows with the system. A loop over all coordinates for each row, or a table of
// them made for each derivative, would show in the number of allocations.
TEST(Kernel, ReadingDerivingAndCompilingGrowWithTheSystem) {
  const auto allocations_of = [](int links) {
    LoadOptions options;
    options.overrides.push_back(parse_override("N=" + std::to_string(links)).value());
    const long before = allocations;
    Result<Model> model = load_model_file(source_tree() + "/models/n-link-chain-maximal.toml", std::move(options));
    EXPECT_TRUE(model);
    const Result<Equations> equations = derive(std::make_shared<Model>(std::move(model).value()));
    EXPECT_TRUE(equations);
    const Dynamics dynamics = compile(*equations);
    EXPECT_EQ(dynamics.nv(), 3 * links);
    return static_cast<double>(allocations - before);
  };
  allocations_of(10);  // what is made once in a process
  // More than kLargestSimplified, so that all are made in the same way.
  EXPECT_LT(allocations_of(400), 2.2 * allocations_of(200));
}

}  // namespace
}  // namespace dalembert
