// SPDX-License-Identifier: Apache-2.0
// Many states at once against one at a time, and lanes that leave the common path.
#include "dalembert/compile/compile.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "compile/reference_systems.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/machine/code_function.h"

namespace dalembert {
namespace {

struct Fixture {
  testing::SliderCrank system;
  Dynamics dynamics = compile(system.equations(), {.machine_code = false});
};

// θ and the rest of the slider-crank on its manifold (x > 0), for crank speed `speed`.
std::array<double, 6> on_manifold(double theta, double speed) {
  const double L1 = 0.15, L2 = 0.35, phi = M_PI - std::asin(L1 * std::sin(theta) / L2);
  const double phid = L1 * std::cos(theta) * speed / (L2 * std::cos(phi));
  return {theta, phi,  2 * L1 * std::cos(theta) - 2 * L2 * std::cos(phi),
          speed, phid, -2 * L1 * std::sin(theta) * speed + 2 * L2 * std::sin(phi) * phid};
}

class Lanes : public ::testing::TestWithParam<std::tuple<int, bool>> {
 protected:
  static int lanes() { return std::get<0>(GetParam()); }
  static LaneOptions options() {
    LaneOptions options;
    options.machine_code = std::get<1>(GetParam());
    static const CodeOptions kNotKept;
    options.code = &kNotKept;
    return options;
  }
};

// Oracle: solve_kkt() by the interpreter, state by state. The two differ by fused multiply-adds and by sines, a few ε
// an operation, times the condition of S (below 1e3 for these states).
TEST_P(Lanes, AreTheStatesOneByOne) {
  const Fixture fixture;
  LaneKernel kernel(fixture.dynamics, lanes(), options());
  if (options().machine_code && !kernel.machine_code()) GTEST_SKIP() << kernel.why_no_machine_code();
  const auto width = static_cast<std::size_t>(lanes());
  std::vector<double> t(width, 0.1), q(3 * width), v(3 * width), out(7 * width);
  for (std::size_t l = 0; l < width; ++l) {
    const auto state = on_manifold(0.1 + 0.7 * static_cast<double>(l), 5 - static_cast<double>(l));
    for (std::size_t i = 0; i < 3; ++i) {
      q[i * width + l] = state[i];
      v[i * width + l] = state[3 + i];
    }
  }
  EXPECT_EQ(kernel.accelerations({.t = t.data(), .q = q.data(), .v = v.data()}, out.data()), 0);
  for (std::size_t l = 0; l < width; ++l) {
    State state{0.1, std::vector<double>(3), std::vector<double>(3)};
    for (std::size_t i = 0; i < 3; ++i) {
      state.q[i] = q[i * width + l];
      state.v[i] = v[i * width + l];
    }
    const KktSolution expected = solve_kkt(fixture.dynamics, state);
    ASSERT_EQ(expected.status, KktStatus::kOk);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(out[i * width + l], expected.qdd[i], 1e-11 * (1 + std::abs(expected.qdd[i]))) << l;
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_NEAR(out[(3 + i) * width + l], expected.lambda[i], 1e-11 * (1 + std::abs(expected.lambda[i]))) << l;
  }
}

// Oracle: the kernel one by one; the same instructions with other roundings. A lane with an angle beyond 2³⁰ is the
// interpreter's.
TEST_P(Lanes, CallEveryFunction) {
  const Fixture fixture;
  LaneKernel kernel(fixture.dynamics, lanes(), options());
  if (options().machine_code && !kernel.machine_code()) GTEST_SKIP() << kernel.why_no_machine_code();
  const auto width = static_cast<std::size_t>(lanes());
  std::vector<double> t(width, 0.1), q(3 * width), v(3 * width), qdd(3 * width), lambda(2 * width), u(2 * width);
  double next = 0.3;
  for (std::vector<double>* x : {&q, &v, &qdd, &lambda, &u})
    for (double& value : *x) value = 2 * std::sin(next += 1.7);
  q[1] = 5e9;
  const LaneArguments in{t.data(), q.data(), v.data(), qdd.data(), lambda.data(), u.data()};
  const Layout& layout = fixture.dynamics.layout();
  for (int f = 0; f < kKernelFunctions; ++f) {
    const auto function = static_cast<KernelFunction>(f);
    const std::size_t size = output_size(layout, function);
    std::vector<double> out(size * width), expected(size), work(layout.work);
    EXPECT_LE(kernel.call(function, in, out.data()), kernel.machine_code() ? 1 : 0);
    for (std::size_t l = 0; l < width; ++l) {
      const auto lane = [&](const std::vector<double>& x) {
        std::vector<double> own;
        for (std::size_t i = l; i < x.size(); i += width) own.push_back(x[i]);
        return own;
      };
      const std::vector<double> own_q = lane(q), own_v = lane(v), own_qdd = lane(qdd), own_lambda = lane(lambda),
                                own_u = lane(u);
      fixture.dynamics.kernel().call(function,
                                     {.t = 0.1,
                                      .q = own_q.data(),
                                      .v = own_v.data(),
                                      .qdd = own_qdd.data(),
                                      .lambda = own_lambda.data(),
                                      .u = own_u.data(),
                                      .p = fixture.dynamics.parameters().data(),
                                      .prepared = fixture.dynamics.prepared(),
                                      .work = work.data()},
                                     expected.data());
      double largest = 0;
      for (const double value : expected) largest = std::max(largest, std::abs(value));
      for (std::size_t i = 0; i < size; ++i) EXPECT_NEAR(out[i * width + l], expected[i], 1e-11 * largest) << f;
    }
  }
}

// A crank and a rod of one length, both upright: the second row of W vanishes, λ is not unique. That lane takes the
// rank-revealing solve, as does one whose angle is beyond 2³⁰; their neighbours do not notice.
TEST_P(Lanes, TheOddLaneFallsBackAlone) {
  const Fixture fixture;
  std::vector<double> parameters(fixture.dynamics.parameters().begin(), fixture.dynamics.parameters().end());
  parameters[2] = parameters[1];  // L2 = L1
  const Dynamics dynamics = fixture.dynamics.with_parameters(parameters);
  LaneKernel kernel(dynamics, lanes(), options());
  if (options().machine_code && !kernel.machine_code()) GTEST_SKIP() << kernel.why_no_machine_code();
  const auto width = static_cast<std::size_t>(lanes());
  std::vector<double> t(width), q(3 * width), v(3 * width), out(7 * width), before(7 * width);
  for (std::size_t l = 0; l < width; ++l) {
    q[l] = 0.3 + 0.1 * static_cast<double>(l);
    q[width + l] = M_PI - q[l];
    q[2 * width + l] = 4 * 0.15 * std::cos(q[l]);
    v[l] = 1;
  }
  EXPECT_EQ(kernel.accelerations({.t = t.data(), .q = q.data(), .v = v.data()}, before.data()), 0);
  q[1] = q[width + 1] = M_PI / 2;
  q[2 * width + 1] = 0;
  v[width + 1] = 1;
  int expected = 1;
  if (kernel.machine_code()) {
    q[2] += 2 * M_PI * 4e8;
    ++expected;
  }
  EXPECT_EQ(kernel.accelerations({.t = t.data(), .q = q.data(), .v = v.data()}, out.data()), expected);
  for (std::size_t l = 0; l < width; ++l) {
    if (l == 1 || (l == 2 && expected == 2)) continue;
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(out[i * width + l], before[i * width + l]);
  }
  const State upright{0, {M_PI / 2, M_PI / 2, 0}, {1, 1, 0}};
  const KktSolution solution = solve_kkt(dynamics, upright);
  EXPECT_EQ(solution.rank, 1);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(out[i * width + 1], solution.qdd[i], 1e-9);
  // 4e8 turns are 2.5e9 rad, whose last digit is 5e-7.
  if (expected == 1) return;
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(out[i * width + 2], before[i * width + 2], 1e-4 * (1 + std::abs(before[i * width + 2])));
}

// Oracle: the order of the method. Halving the step divides the error by 16, measured against steps of a sixteenth.
TEST_P(Lanes, RungeKuttaStepsAreOfOrderFour) {
  const Fixture fixture;
  LaneKernel kernel(fixture.dynamics, lanes(), options());
  if (options().machine_code && !kernel.machine_code()) GTEST_SKIP() << kernel.why_no_machine_code();
  const auto width = static_cast<std::size_t>(lanes());
  std::vector<double> start(6 * width);
  for (std::size_t l = 0; l < width; ++l) {
    const auto state = on_manifold(0.2 * static_cast<double>(l), 10);
    for (std::size_t i = 0; i < 6; ++i) start[i * width + l] = state[i];
  }
  const auto after = [&](std::uint64_t steps) {
    std::vector<double> state = start;
    const int one_by_one = kernel.advance(state.data(), 0, 0.1 / static_cast<double>(steps), steps);
    EXPECT_EQ(one_by_one, kernel.machine_code() ? 0 : lanes());
    return state;
  };
  const std::vector<double> coarse = after(20), fine = after(40), exact = after(320);
  double coarse_error = 0, fine_error = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    coarse_error += std::abs(coarse[i] - exact[i]);
    fine_error += std::abs(fine[i] - exact[i]);
  }
  EXPECT_NEAR(std::log2(coarse_error / fine_error), 4, 0.5);
}

INSTANTIATE_TEST_SUITE_P(Widths, Lanes,
                         ::testing::Values(std::tuple(4, false), std::tuple(32, false), std::tuple(4, true),
                                           std::tuple(8, true)));

}  // namespace
}  // namespace dalembert
