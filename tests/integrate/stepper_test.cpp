// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/integrate.h"

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracles/hand_kernels.h"

namespace dalembert {
namespace {

using oracles::make_dynamics;
using oracles::SliderCrank;
using testing::HasSubstr;

Dynamics crank() { return make_dynamics<SliderCrank>({"theta", "phi", "x"}, {"pin[1]", "pin[2]"}); }

// x'' = 25 x + u: errors of a motion whose u is given grow as exp(5 t).
class Upright final : public oracles::HandKernel {
 public:
  Upright() : HandKernel(1, 0, {}, false, 1) {}
  void terms(const oracles::Point& at, oracles::Terms& out) const override {
    out.M[0][0] = 1;
    out.F[0] = 25 * at.q[0] + at.u[0];
  }
};

// x'' = u.
class Pushed final : public oracles::HandKernel {
 public:
  Pushed() : HandKernel(1, 0, {}, false, 1) {}
  void terms(const oracles::Point& at, oracles::Terms& out) const override {
    out.M[0][0] = 1;
    out.F[0] = at.u[0];
  }
};

// Truth: integrate() makes the same steps: the same bits, whatever the method.
TEST(Stepper, StepsAreThoseOfIntegrate) {
  for (const Method method : kMethods) {
    const IntegrateOptions options{.until = 0.5, .rtol = 1e-8, .atol = 1e-10, .method = method};
    const Trajectory whole = integrate(crank(), SliderCrank::start(), options);
    Stepper stepper(crank(), SliderCrank::start(), options);
    std::size_t row = 0;
    while (stepper.step()) {
      ++row;
      ASSERT_LT(row, whole.size());
      ASSERT_EQ(stepper.time(), whole.time[row]);
      ASSERT_EQ(stepper.q()[0], whole.q[0][row]);
      ASSERT_EQ(stepper.v()[2], whole.v[2][row]);
      ASSERT_EQ(stepper.qdd()[1], whole.a[1][row]);
      ASSERT_EQ(stepper.lambda()[1], whole.lambda[1][row]);
    }
    EXPECT_TRUE(stepper.at_end());
    EXPECT_EQ(row + 1, whole.size());
    const Trajectory path = stepper.finish();
    EXPECT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_EQ(path.verdict.holds, whole.verdict.holds);
    EXPECT_EQ(path.verdict.error.relative, whole.verdict.error.relative);
    EXPECT_EQ(path.evaluations, whole.evaluations);
    EXPECT_FALSE(stepper.step());
  }
}

// Truth: between samples x + u/25 is a combination of cosh 5 t and sinh 5 t. A feedback keeps errors small that grow to the size of the motion where the
// same inputs are given, so that the estimate, which is for these, is not said of it.
TEST(Stepper, AFeedbackIsNotJudgedAsInputsThatAreGiven) {
  const double h = 0.01, c = std::cosh(5 * h), s = std::sinh(5 * h);
  std::vector<double> given;
  double x = 0.1, v = 0;
  for (const bool feedback : {true, false}) {
    Stepper stepper(make_dynamics<Upright>({"x"}, {}), {0, {0.1}, {0}}, {.until = 10});
    for (int k = 0; k < 1000; ++k) {
      if (feedback) given.push_back(-50 * stepper.q()[0] - 12 * stepper.v()[0]);
      ASSERT_TRUE(stepper.hold_input("u1", given[static_cast<std::size_t>(k)])) << stepper.why_not();
      ASSERT_TRUE(stepper.step_to((k + 1) * h)) << stepper.reason();
      if (!feedback) continue;
      const double u = -50 * x - 12 * v, y = x + u / 25, w = v;
      x = y * c + w / 5 * s - u / 25;
      v = 5 * y * s + w * c;
      ASSERT_NEAR(stepper.q()[0], x, 1e-11);
    }
    const Trajectory path = stepper.finish();
    EXPECT_EQ(path.verdict.holds, feedback) << to_text(path.verdict);
    EXPECT_EQ(path.verdict.error.estimated, !feedback);
    EXPECT_EQ(path.verdict.warnings.size(), feedback ? 1U : 0U);
  }
}

// Truth: x = u t²/2 piece by piece, a parabola, that both orders follow to round-off; the work is the kinetic energy.
TEST(Stepper, InputsChangeBetweenSteps) {
  for (const Method method : kMethods) {
    Stepper stepper(make_dynamics<Pushed>({"x"}, {}), {0, {1}, {0}}, {.until = 1, .method = method});
    double x = 1, v = 0;
    for (int k = 0; k < 10; ++k) {
      const double u = k % 3 - 1, h = 0.1;
      ASSERT_TRUE(stepper.hold_input("u1", u)) << stepper.why_not();
      EXPECT_EQ(stepper.qdd()[0], u);
      EXPECT_EQ(stepper.inputs()[0], u);
      ASSERT_TRUE(stepper.step_to((k + 1) * h)) << stepper.reason();
      x += v * h + u * h * h / 2;
      v += u * h;
      EXPECT_EQ(stepper.time(), (k + 1) * h);
      EXPECT_NEAR(stepper.q()[0], x, 1e-14) << to_text(method);
      EXPECT_NEAR(stepper.v()[0], v, 1e-14) << to_text(method);
    }
    const Trajectory path = stepper.finish();
    EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
    EXPECT_NEAR(path.work.back(), v * v / 2, 1e-13);
  }
}

// Truth: the same motion in one piece, to the tolerance: stops in between change its steps alone.
TEST(Stepper, StopsWhereItIsTold) {
  const IntegrateOptions options{.until = 1, .rtol = 1e-10, .atol = 1e-12};
  const Trajectory whole = integrate(crank(), SliderCrank::start(), options);
  Stepper stepper(crank(), SliderCrank::start(), options);
  for (int k = 1; k <= 1000; ++k) ASSERT_TRUE(stepper.step_to(k * 1e-3)) << stepper.reason();
  EXPECT_TRUE(stepper.at_end());
  EXPECT_NEAR(stepper.q()[0], whole.q[0].back(), 1e-8);
  const State end = stepper.state();
  EXPECT_EQ(end.t, 1);
  EXPECT_EQ(end.q.size(), 3u);
  EXPECT_FALSE(stepper.step_to(2));
  EXPECT_FALSE(stepper.step_to(0.5));
  EXPECT_EQ(stepper.status(), RunStatus::kOk);
}

TEST(Stepper, SaysWhatCannotBeDone) {
  Stepper sizes(crank(), {0, {1}, {2}}, {});
  EXPECT_EQ(sizes.status(), RunStatus::kFailed);
  EXPECT_THAT(sizes.reason(), HasSubstr("the system 3 coordinates"));
  EXPECT_FALSE(sizes.step());
  EXPECT_TRUE(sizes.q().empty());
  EXPECT_EQ(sizes.finish().status, RunStatus::kFailed);

  Stepper off(crank(), {0, {1, 1, 1}, {0, 0, 0}}, {});
  EXPECT_EQ(off.status(), RunStatus::kFailed);
  EXPECT_THAT(off.reason(), HasSubstr("assemble it first"));

  Stepper stepper(make_dynamics<Pushed>({"x"}, {}), {0, {1}, {0}}, {.until = 1});
  EXPECT_FALSE(stepper.hold_input("tau", 1));
  EXPECT_THAT(stepper.why_not(), HasSubstr("there is no input `tau`; known: "));
  EXPECT_FALSE(stepper.hold_input("u1", std::numeric_limits<double>::quiet_NaN()));
  EXPECT_THAT(stepper.why_not(), HasSubstr("not finite"));
  EXPECT_TRUE(stepper.step());
  const Trajectory path = stepper.finish();
  EXPECT_EQ(path.status, RunStatus::kStopped);
  EXPECT_FALSE(stepper.hold_input("u1", 1));
}

}  // namespace
}  // namespace dalembert
