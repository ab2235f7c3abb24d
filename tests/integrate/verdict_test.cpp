// SPDX-License-Identifier: Apache-2.0
// What a verdict vouches for: the error of the final state, and an energy measured by what moves.
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "oracles/hand_kernels.h"

namespace dalembert {
namespace {

using namespace oracles;
using std::string_view_literals::operator""sv;
using testing::HasSubstr;

/// m ẍ + k x = 0 with V = ½ k x² + offset, and a step of V at x = 0 that the force does not know of.
class Spring : public HandKernel {
 public:
  explicit Spring(double m, double k, double offset = 0, double jump = 0)
      : HandKernel(1, 0, {}, true), m_(m), k_(k), offset_(offset), jump_(jump) {}
  void terms(const Point& at, Terms& x) const override {
    x.M[0][0] = m_;
    x.G[0] = k_ * at.q[0];
  }
  double potential(double, const double* q) const override {
    return k_ * q[0] * q[0] / 2 + offset_ + (q[0] > 0 ? jump_ : 0);
  }

 private:
  double m_, k_, offset_, jump_;
};

/// A free mass whose energy has a part A sin(Ωt) that no coordinate feels: the work alone has to follow it.
class Hum : public HandKernel {
 public:
  Hum(double A, double omega) : HandKernel(1, 0, {}, false), A_(A), omega_(omega) {}
  void terms(const Point& at, Terms& x) const override {
    x.M[0][0] = 1;
    x.G[0] = at.q[0];
  }
  double potential(double t, const double* q) const override { return q[0] * q[0] / 2 + A_ * std::sin(omega_ * t); }
  double partial_t(const Point& at) const override { return -A_ * omega_ * std::cos(omega_ * at.t); }

 private:
  double A_, omega_;
};

/// A spring whose force is noise below 1e-9, as round-off is in long formulas: steps at tighter tolerances follow the noise.
class NoisySpring : public HandKernel {
 public:
  NoisySpring() : HandKernel(1, 0, {}, true) {}
  void terms(const Point& at, Terms& x) const override {
    ++calls;
    x.M[0][0] = 1;
    x.G[0] = at.q[0] + 1e-9 * std::sin(1e15 * at.q[0]);
  }
  double potential(double, const double* q) const override { return q[0] * q[0] / 2; }

  mutable std::int64_t calls = 0;
};

/// A spring whose formulas are said to be long.
class LongSpring : public HandKernel {
 public:
  explicit LongSpring(std::size_t operations) : HandKernel(1, 0, {}, true), operations_(operations) {}
  std::size_t operations() const override { return operations_; }
  void terms(const Point& at, Terms& x) const override {
    x.M[0][0] = 1;
    x.G[0] = at.q[0];
  }
  double potential(double, const double* q) const override { return q[0] * q[0] / 2; }

 private:
  std::size_t operations_;
};

/// A mass on a spring beside one at rest, whose acceleration is round-off of that of the other.
class SpringBesideRest : public HandKernel {
 public:
  SpringBesideRest() : HandKernel(2, 0, {}, true) {}
  void terms(const Point& at, Terms& x) const override {
    x.M[0][0] = x.M[1][1] = 1;
    x.G[0] = at.q[0];
    x.G[1] = at.q[1] + 1e-10 * std::sin(1e15 * (at.q[0] + at.q[1]));
  }
  double potential(double, const double* q) const override { return (q[0] * q[0] + q[1] * q[1]) / 2; }
};

Dynamics spring(double m, double k, double offset = 0, double jump = 0) {
  return {std::make_shared<Spring>(m, k, offset, jump), {}, {}};
}

// Truth: units are a choice. One motion, x = cos t, in units of energy 10^20 times smaller, and with a constant of 1e9
// times the energy in V, which no force feels: the verdict is the same. A step of V by 60 % of the energy is an error
// in each of them; of a constant of 1e9, round-off leaves 1e9·eps ≈ 1e-7 open, and the verdict says so.
TEST(Verdict, TheEnergyIsMeasuredByWhatMoves) {
  for (const double unit : {1.0, 1e-20, 1e9}) {
    const Trajectory good = integrate(spring(unit, unit), {0, {1}, {0}}, {.until = 20});
    EXPECT_TRUE(good.verdict.holds) << to_text(good.verdict);
    EXPECT_NEAR(good.verdict.energy_scale / unit, 0.5, 1e-3);
    const Trajectory bad = integrate(spring(unit, unit, 0, 0.3 * unit), {0, {1}, {0}}, {.until = 20});
    EXPECT_FALSE(bad.verdict.holds) << unit;
    EXPECT_GT(bad.verdict.energy_drift, 0.1);
    ASSERT_FALSE(bad.verdict.reasons.empty());
    EXPECT_THAT(bad.verdict.reasons[0], HasSubstr("energy is not conserved"));
  }
  const Trajectory offset = integrate(spring(1, 1, 1e9), {0, {1}, {0}}, {.until = 20});
  EXPECT_TRUE(offset.verdict.holds) << to_text(offset.verdict);
  EXPECT_THAT(to_text(offset.verdict), HasSubstr("round-off of energies of 1e+09 J"));
  EXPECT_FALSE(integrate(spring(1, 1, 1e9, 0.3), {0, {1}, {0}}, {.until = 20}).verdict.holds);
}

// Truth: at rest nothing moves and nothing is wrong, whatever V is.
TEST(Verdict, RestHolds) {
  for (const double offset : {0.0, 1e9, -3.0}) {
    const Trajectory path = integrate(spring(1, 1, offset), {0, {0}, {0}}, {.until = 5});
    EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  }
}

// Truth: an energy wrong by more than one per cent is not kept, however coarse the tolerance.
TEST(Verdict, NoToleranceAllowsTheEnergyToGo) {
  for (const double rtol : {0.5, 0.1, 1e-2, 1e-6})
    EXPECT_LE(integrate(spring(1, 1), {0, {1}, {0}}, {.until = 5, .rtol = rtol, .atol = rtol}).verdict.drift_limit,
              0.01);
}

// Truth: x = A cos t. With A = 1e-11 m the default atol of 1e-12 allows a tenth of it in each step: the run is wrong by
// several per cent, and the verdict says why. Scaled atol, and it is right again.
TEST(Verdict, SaysWhenAtolRules) {
  const double A = 1e-11;
  const Trajectory path = integrate(spring(1, 1), {0, {A}, {0}}, {.until = 100, .rtol = 1e-9});
  const double error = std::abs(path.q[0].back() - A * std::cos(100));
  ASSERT_GT(error, 1e-3 * A);
  EXPECT_THAT(to_text(path.verdict), HasSubstr("controls the error of `coordinate 1`"));
  EXPECT_GE(path.verdict.error.q[0], error);
  if (error > 0.1 * A) {
    EXPECT_FALSE(path.verdict.holds) << to_text(path.verdict);
  }
  const Trajectory fine = integrate(spring(1, 1), {0, {A}, {0}}, {.until = 10, .rtol = 1e-9, .atol = 1e-23});
  EXPECT_TRUE(fine.verdict.holds) << to_text(fine.verdict);
  EXPECT_TRUE(fine.verdict.warnings.empty()) << to_text(fine.verdict);
  EXPECT_LE(std::abs(fine.q[0].back() - A * std::cos(10)), 1e-6 * A);
}

// Truth: x = cos t whatever hums beside it. The power of the hum is integrated over steps that follow x: its quadrature
// is no error of the motion, and the run is right at every tolerance.
TEST(Verdict, AFastForceIsNoFalseAlarm) {
  for (const double omega : {30.0, 400.0, 5000.0})
    for (const double rtol : {1e-6, 1e-9, 1e-11}) {
      const Dynamics dynamics{std::make_shared<Hum>(0.3, omega), {}, {}};
      const Trajectory path = integrate(dynamics, {0, {1}, {0}}, {.until = 10, .rtol = rtol});
      ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
      EXPECT_TRUE(path.verdict.holds) << omega << " " << rtol << "\n" << to_text(path.verdict);
      EXPECT_LE(std::abs(path.q[0].back() - std::cos(10)), path.verdict.error.q[0]);
      EXPECT_LT(path.steps, 5000);  // 1000 tries for the work and twice what the motion needs
    }
}

// Truth: A01 (cases §05), 18 digits of x and y at t = 10 s. Whatever the tolerance and the method, what the verdict
// vouches for is above the error, and a second run names it within a factor of 30.
TEST(Verdict, TheErrorOfThePendulumIsNamed) {
  const Dynamics pendulum = make_dynamics<CartesianPendulum>({"x", "y"}, {"rod"}, 1.0, 1.0, 9.81, 1);
  for (const Method method : kMethods)
    for (const double rtol : {1e-5, 1e-7, 1e-9, 1e-11})
      for (const char* by : {"growth", "second run", "cross-check"}) {
        IntegrateOptions options{.until = 10, .rtol = rtol, .atol = 1e-2 * rtol, .method = method};
        options.second_run = by == "second run"sv;
        options.cross_check = by == "cross-check"sv;
        const Trajectory path = integrate(pendulum, {0, {-1, 0}, {0, 0}}, options);
        const double ex = std::abs(path.q[0].back() + 0.27508746257611686);
        const double ey = std::abs(path.q[1].back() + 0.961419205099125064);
        const FinalError& error = path.verdict.error;
        ASSERT_TRUE(error.estimated);
        EXPECT_GE(error.q[0], ex) << rtol << " " << by;
        EXPECT_GE(error.q[1], ey) << rtol << " " << by;
        EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
        EXPECT_EQ(error.method, by == "growth"sv ? "tangent growth" : "cross-check");
        EXPECT_EQ(error.along.has_value(), options.cross_check);
        if (by != "growth"sv) EXPECT_LE(error.q[0], 30 * ex + 1e-13);
        if (error.along) EXPECT_GE(*error.along, error.q[1]);
      }
}

// Truth: x'' = 36 x doubles an error every 0.12 s; from x = 1, v = −6 the motion is e^(−6t), and at t = 8 the error has
// grown by e^96: no tolerance leaves a digit, and the verdict says since when.
TEST(Verdict, LostDigitsAreSaid) {
  const Trajectory path = integrate(spring(1, -36), {0, {1}, {-6}}, {.until = 8, .rtol = 1e-9});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_FALSE(path.verdict.holds) << to_text(path.verdict);
  EXPECT_THAT(to_text(path.verdict), HasSubstr("digits lost"));
  const Trajectory early = integrate(spring(1, -36), {0, {1}, {-6}}, {.until = 0.5, .rtol = 1e-11});
  EXPECT_TRUE(early.verdict.holds) << to_text(early.verdict);
  EXPECT_GE(early.verdict.error.q[0], std::abs(early.q[0].back() - std::exp(-3.0)));
}

// Truth: x = cos t. A second run that nobody asked for takes a few times the steps of the first, whatever it meets; what the verdict
// vouches for is above the error without it, too.
TEST(Verdict, ASecondRunFollowsNoNoise) {
  std::int64_t calls[2] = {};
  for (const bool second_run : {false, true}) {
    const auto kernel = std::make_shared<NoisySpring>();
    const Trajectory path =
        integrate({kernel, {}, {}}, {0, {1}, {0}}, {.until = 20, .atol = 1e-14, .second_run = second_run});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
    EXPECT_GE(path.verdict.error.q[0], std::abs(path.q[0].back() - std::cos(20)));
    calls[second_run] = kernel->calls;
  }
  EXPECT_GT(calls[1], calls[0]);  // it was tried
  EXPECT_LT(calls[1], 20 * calls[0] + 12 * 500);
}

// A second run that nobody asked for is made where the first was little work, whatever of it are entries of M: operations count.
TEST(Verdict, ASecondRunIsMadeWhereTheFirstWasLittleWork) {
  for (const std::size_t operations : {100U, 1'000'000U}) {
    const auto kernel = std::make_shared<LongSpring>(operations);
    const Trajectory path = integrate({kernel, {}, {}}, {0, {1}, {0}}, {.until = 20, .second_run = true});
    EXPECT_EQ(path.verdict.error.method, operations == 100 ? "cross-check" : "tangent growth");
    EXPECT_GE(path.verdict.error.q[0], std::abs(path.q[0].back() - std::cos(20)));
  }
}

// Truth: x = cos t, y = 0 but for accelerations of at most 1e-10, which leave at most 20·1e-10 of it within 20 s. Differences over
// displacements as small as y's own motion would be those of this noise, and errors would seem to grow a million times faster.
TEST(Verdict, WhatRestsIsNoMeasureOfErrors) {
  const Dynamics dynamics{std::make_shared<SpringBesideRest>(), {}, {}};
  const Trajectory path = integrate(dynamics, {0, {1, 0}, {0, 0}}, {.until = 20});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  EXPECT_EQ(path.verdict.error.method, "tangent growth");
  EXPECT_GE(path.verdict.error.q[0], std::abs(path.q[0].back() - std::cos(20)));
  EXPECT_LT(path.verdict.error.largest, 1e-5) << to_text(path.verdict);
}

}  // namespace
}  // namespace dalembert
