// SPDX-License-Identifier: Apache-2.0
// Branches of solutions of one equation F(x, μ) = 0 whose folds are known in closed form.
#include "dalembert/analyze/stability/branch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

namespace dalembert {
namespace {

using Function = std::function<double(double x, double mu)>;

MotionPoint point(double x) {
  MotionPoint at;
  at.q = {x};
  at.v = {0};
  return at;
}

// Newton's method: it goes to whatever solution it finds, however far away.
Branch::Solve newton(Function F, Function slope) {
  return [=](double mu, const MotionPoint& guess) -> std::optional<MotionPoint> {
    double x = guess.q[0];
    for (int i = 0; i < 200; ++i) {
      if (F(x, mu) == 0) break;
      const double by = F(x, mu) / slope(x, mu);
      x -= by;
      if (std::abs(by) <= 1e-15 * std::abs(x)) break;
    }
    return std::abs(F(x, mu)) <= 1e-13 ? std::optional(point(x)) : std::nullopt;
  };
}

// x + 5 sin x = μ folds where cos x = −1/5, and has solutions x = μ at every μ = 2πk, whose slopes are all alike: what is found at wide
// steps looks like a straight line.
TEST(Branch, EndsAtTheFirstFoldOfAChain) {
  const double fold = std::acos(-0.2) + 5 * std::sin(std::acos(-0.2));
  for (const double far : {2 * std::numbers::pi, 4 * std::numbers::pi, 20 * std::numbers::pi}) {
    Branch branch(0, point(0), far,
                  newton([](double x, double mu) { return x + 5 * std::sin(x) - mu; },
                         [](double x, double) { return 1 + 5 * std::cos(x); }));
    const auto at = branch.reach(far);
    if (far < fold) {
      ASSERT_TRUE(at);
      EXPECT_LT(at->q[0], std::acos(-0.2)) << far;
      continue;
    }
    ASSERT_FALSE(at);
    EXPECT_EQ(branch.end().how, BranchEnd::How::kFold);
    EXPECT_NEAR(branch.end().value, fold, 1e-7 * far);
    ASSERT_TRUE(branch.reach(6.6));
    EXPECT_LT(branch.reach(6.6)->q[0], std::acos(-0.2));
  }
}

// Smooth branches are followed over wide steps, also where they are steep, or have a slope of 0 or without bound; where branches meet, on one of them.
TEST(Branch, FollowsWhatIsContinuous) {
  struct Case {
    const char* what;
    Function F, slope;
    double from, x, to, expected;
  };
  for (const Case& c : {
           Case{"parabola", [](double x, double mu) { return x - mu * mu; }, [](double, double) { return 1.0; }, -3, 9,
                7, 49},
           Case{"steep", [](double x, double mu) { return x - std::tanh(1e4 * mu); },
                [](double, double) { return 1.0; }, -1, -1, 2, 1},
           Case{"cube root", [](double x, double mu) { return x * x * x - mu; },
                [](double x, double) { return 3 * x * x; }, 1, 1, -8, -2},
           Case{"pitchfork", [](double x, double mu) { return x * (x * x - mu); },
                [](double x, double mu) { return 3 * x * x - mu; }, 1, 1, -1, 0},
           Case{"trivial", [](double x, double mu) { return x * (x * x - mu); },
                [](double x, double mu) { return 3 * x * x - mu; }, 1, 0, -1, 0},
       }) {
    Branch branch(c.from, point(c.x), std::abs(c.to - c.from), newton(c.F, c.slope));
    const auto at = branch.reach(c.to);
    ASSERT_TRUE(at) << c.what << " ends at " << branch.end().value;
    EXPECT_NEAR(at->q[0], c.expected, 1e-9) << c.what;
  }
}

// Where two branches cross, x = 0 and x = μ, each goes on straight, also from the crossing itself.
TEST(Branch, GoesStraightOnWhereTwoCross) {
  const Branch::Solve solve =
      newton([](double x, double mu) { return x * (x - mu); }, [](double x, double mu) { return 2 * x - mu; });
  for (const double slope : {0.0, 1.0})
    for (const double first : {-0.4, 0.0, 0.3}) {
      Branch branch(1, point(slope), 2, solve);
      for (const double mu : {first, 0.1, 0.0, -0.1, -0.5, -1.0}) {
        const auto at = branch.reach(mu);
        ASSERT_TRUE(at) << mu;
        EXPECT_NEAR(at->q[0], slope * mu, 1e-9) << mu << " after " << first;
      }
    }
}

// An imperfect pitchfork, x³ − μ x = h: the branch from x < 0 folds at μ = 3 (h/2)^(2/3), however little h is.
TEST(Branch, SeesASmallImperfection) {
  for (const double h : {1e-2, 1e-4, 1e-6, 1e-8}) {
    const Branch::Solve solve = newton([h](double x, double mu) { return x * x * x - mu * x - h; },
                                       [](double x, double mu) { return 3 * x * x - mu; });
    Branch branch(1, *solve(1, point(-1)), 2, solve);
    EXPECT_FALSE(branch.reach(-1)) << h;
    EXPECT_EQ(branch.end().how, BranchEnd::How::kFold) << h;
    EXPECT_NEAR(branch.end().value, 3 * std::pow(h / 2, 2.0 / 3), 1e-8) << h;
  }
}

// A solution that jumps, and one that ends without a fold.
TEST(Branch, SaysHowItEnds) {
  Branch jumps(-1, point(0), 2, [](double mu, const MotionPoint&) { return std::optional(point(mu > 0.25 ? 1 : 0)); });
  EXPECT_FALSE(jumps.reach(1));
  EXPECT_EQ(jumps.end().how, BranchEnd::How::kJump);
  EXPECT_NEAR(jumps.end().value, 0.25, 1e-8);
  Branch stops(-1, point(-1), 2,
               [](double mu, const MotionPoint&) { return mu > 0.25 ? std::nullopt : std::optional(point(mu)); });
  EXPECT_FALSE(stops.reach(1));
  EXPECT_EQ(stops.end().how, BranchEnd::How::kNothing);
  EXPECT_NEAR(stops.end().value, 0.25, 1e-8);
  EXPECT_TRUE(stops.reach(0.2));
}

}  // namespace
}  // namespace dalembert
