// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/motion_branches.h"

#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/dynamics/alternatives.h"
#include "dalembert/dynamics/singular_position.h"
#include "oracles/hand_kernels.h"

namespace dalembert {
namespace {

using namespace oracles;
using testing::ElementsAre;
using testing::IsEmpty;

/// Bars 1, 2, 1 on a base of 2, with the angles a, b, c; `again` repeats the second row.
class EqualBars : public HandKernel {
 public:
  explicit EqualBars(bool again = false)
      : HandKernel(3, again ? 3 : 2, again ? std::vector<int>{0, 1, 2} : std::vector<int>{0, 1}, true), again_(again) {}
  void terms(const Point& at, Terms& x) const override {
    const double *q = at.q, *v = at.v, length[] = {1, 2, -1};
    x.M[0][0] = 0.5, x.M[1][1] = 0.7, x.M[2][2] = 0.3;
    for (int i = 0; i < 3; ++i) {
      x.W[0][i] = -length[i] * std::sin(q[i]);
      x.W[1][i] = length[i] * std::cos(q[i]);
      x.gamma[0] -= length[i] * std::cos(q[i]) * v[i] * v[i];
      x.gamma[1] -= length[i] * std::sin(q[i]) * v[i] * v[i];
    }
    if (again_) x.W[2] = x.W[1], x.gamma[2] = x.gamma[1];
  }
  void h(double, const double* q, double* out) const override {
    out[0] = std::cos(q[0]) + 2 * std::cos(q[1]) - std::cos(q[2]) - 2;
    out[1] = std::sin(q[0]) + 2 * std::sin(q[1]) - std::sin(q[2]);
    if (again_) out[2] = out[1];
  }

 private:
  bool again_;
};

Dynamics equal_bars(bool again = false) {
  return again ? make_dynamics<EqualBars>({"a", "b", "c"}, {"loop[1]", "loop[2]", "again"}, true)
               : make_dynamics<EqualBars>({"a", "b", "c"}, {"loop[1]", "loop[2]"});
}

// Truth: flat, a' + 2b' = c' and a'² + 2b'² = c'²: b' = 0 (parallelogram) or b' = −2a' (crossed). The same with a row
// that is always redundant.
TEST(MotionBranches, TwoMotionsLeaveAFlatParallelogram) {
  for (const bool again : {false, true}) {
    const Dynamics dynamics = equal_bars(again);
    const MotionBranches at = find_motion_branches(dynamics, {0, {0, 0, 0}, {6, 0, 6}});
    EXPECT_TRUE(at.singular());
    EXPECT_EQ(at.rank, 1);
    EXPECT_EQ(at.rank_nearby, 2);
    ASSERT_TRUE(at.counted);
    ASSERT_EQ(at.directions.size(), 2u);
    for (const std::vector<double>& v : at.directions) {
      EXPECT_NEAR(v[0] + 2 * v[1] - v[2], 0, 1e-12);
      EXPECT_NEAR(v[1] * (v[1] + 2 * v[0]), 0, 1e-12);
    }
    EXPECT_NE(std::abs(at.directions[0][1]) < 1e-12, std::abs(at.directions[1][1]) < 1e-12);
    EXPECT_EQ(at.given, MotionBranches::Given::kOne);
    EXPECT_EQ(find_motion_branches(dynamics, {0, {0, 0, 0}, {1, -2, -3}}).given, MotionBranches::Given::kOne);
    EXPECT_EQ(find_motion_branches(dynamics, {0, {0, 0, 0}, {1, 1, 3}}).given, MotionBranches::Given::kNone);
    EXPECT_EQ(find_motion_branches(dynamics, {0, {0, 0, 0}, {0, 0, 0}}).given, MotionBranches::Given::kRest);
  }
}

/// A bar of two lengths 0.3 on three rockers of length 1, whose pivots lie on a line: th1, th2, th3 and its angle.
class ThreeRockers : public HandKernel {
 public:
  ThreeRockers() : HandKernel(4, 4, {0, 1, 2, 3}, true) {}
  void terms(const Point& at, Terms& x) const override {
    const double *q = at.q, *v = at.v;
    for (int i = 0; i < 4; ++i) x.M[i][i] = 0.4 + 0.1 * i;
    for (int k = 0; k < 2; ++k)
      for (const auto& [i, length] : {std::pair{k, 1.0}, std::pair{3, kWidth}, std::pair{k + 1, -1.0}}) {
        x.W[2 * k][i] = -length * std::sin(q[i]);
        x.W[2 * k + 1][i] = length * std::cos(q[i]);
        x.gamma[2 * k] -= length * std::cos(q[i]) * v[i] * v[i];
        x.gamma[2 * k + 1] -= length * std::sin(q[i]) * v[i] * v[i];
      }
  }
  void h(double, const double* q, double* out) const override {
    for (int k = 0; k < 2; ++k) {
      out[2 * k] = std::cos(q[k]) + kWidth * std::cos(q[3]) - std::cos(q[k + 1]) - kWidth;
      out[2 * k + 1] = std::sin(q[k]) + kWidth * std::sin(q[3]) - std::sin(q[k + 1]);
    }
  }

 private:
  static constexpr double kWidth = 0.3;
};

// Truth: flat, th2' = th1' + w a', th3' = th2' + w a', th2'² = th1'² + w a'² and th3'² = th2'² + w a'². Two rockers alone
// may cross, 2 th1' = (1 − w) a'; three are parallel, a' = 0.
TEST(MotionBranches, OneMotionOfThreeRockers) {
  const Dynamics dynamics = make_dynamics<ThreeRockers>({"th1", "th2", "th3", "a"}, {"x[1]", "y[1]", "x[2]", "y[2]"});
  const MotionBranches at = find_motion_branches(dynamics, {0, {0, 0, 0, 0}, {0, 0, 0, 0}});
  EXPECT_EQ(at.rank, 2);
  EXPECT_EQ(at.rank_nearby, 3);
  ASSERT_TRUE(at.counted);
  ASSERT_EQ(at.directions.size(), 1u);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(at.directions[0][static_cast<std::size_t>(i)], i < 3 ? 1 : 0, 1e-9);
}

/// A plate (x, y, a) on three rockers (th1, th2, th3), whose pivots lie on a line.
class PlateOnRockers : public HandKernel {
 public:
  PlateOnRockers(double mass, double length, double width)
      : HandKernel(6, 6, {0, 1, 2, 3, 4, 5}, true), mass_(mass), length_(length), width_(width) {}
  void terms(const Point& at, Terms& x) const override {
    const double *q = at.q, *v = at.v;
    for (int i = 0; i < 6; ++i) x.M[i][i] = i < 2 ? mass_ : i == 2 ? 0.25 : 0.02;
    for (int k = 0; k < 3; ++k) {
      const double along = (k - 1) * width_, sine = std::sin(q[2]), cosine = std::cos(q[2]), th = q[3 + k],
                   rate = v[3 + k];
      x.W[2 * k][0] = x.W[2 * k + 1][1] = 1;
      x.W[2 * k][2] = -along * sine;
      x.W[2 * k + 1][2] = along * cosine;
      x.W[2 * k][3 + k] = -length_ * std::cos(th);
      x.W[2 * k + 1][3 + k] = -length_ * std::sin(th);
      x.gamma[2 * k] = -along * cosine * v[2] * v[2] + length_ * std::sin(th) * rate * rate;
      x.gamma[2 * k + 1] = -along * sine * v[2] * v[2] - length_ * std::cos(th) * rate * rate;
    }
  }
  void h(double, const double* q, double* out) const override {
    for (int k = 0; k < 3; ++k) {
      const double along = (k - 1) * width_;
      out[2 * k] = q[0] + along * std::cos(q[2]) - along - length_ * std::sin(q[3 + k]);
      out[2 * k + 1] = q[1] + along * std::sin(q[2]) + length_ * std::cos(q[3 + k]);
    }
  }

 private:
  double mass_, length_, width_;
};

// Truth: as above, with the plate's own coordinates: th1' = th2' = th3', y' = l th', a' = 0 and x' = 0. Of the two
// dimensions that W leaves free it is one direction, and most coordinates that may be held move in the other.
TEST(MotionBranches, OneMotionOfAPlateOnRockers) {
  for (const double mass : {1, 3})
    for (const double length : {0.3, 0.55, 1.25})
      for (const double width : {0.35, 0.5, 0.8})
        for (const double flat : {-std::numbers::pi / 2, std::numbers::pi / 2}) {
          const Dynamics dynamics =
              make_dynamics<PlateOnRockers>({"x", "y", "a", "th1", "th2", "th3"},
                                            {"x[1]", "y[1]", "x[2]", "y[2]", "x[3]", "y[3]"}, mass, length, width);
          const MotionBranches at = find_motion_branches(
              dynamics, {0, {std::copysign(length, flat), 0, 0, flat, flat, flat}, {0, 0, 0, 0, 0, 0}});
          EXPECT_EQ(at.rank, 4);
          EXPECT_EQ(at.rank_nearby, 5) << mass << " " << length << " " << width;
          EXPECT_EQ(at.directions.size(), 1u) << mass << " " << length << " " << width;
        }
}

/// A point between two fixed ones, at their distances, a and b along a line through the origin; `slides` leaves the second out and repeats
/// the first.
class TwoBarsInLine : public HandKernel {
 public:
  TwoBarsInLine(double a, double b, double angle, bool slides) : HandKernel(2, 2, {0, 1}, true) {
    const double far[] = {-a, slides ? -a : b};
    for (int k = 0; k < 2; ++k) x_[k] = far[k] * std::cos(angle), y_[k] = far[k] * std::sin(angle);
  }
  void terms(const Point& at, Terms& out) const override {
    out.M[0][0] = out.M[1][1] = 2;
    for (int k = 0; k < 2; ++k) {
      const double x = at.q[0] - x_[k], y = at.q[1] - y_[k], r = std::hypot(x, y);
      out.W[k][0] = x / r, out.W[k][1] = y / r;
      out.gamma[k] = std::pow(y * at.v[0] - x * at.v[1], 2) / (r * r * r);
    }
  }
  void h(double, const double* q, double* out) const override {
    for (int k = 0; k < 2; ++k) out[k] = std::hypot(q[0] - x_[k], q[1] - y_[k]) - std::hypot(x_[k], y_[k]);
  }

 private:
  double x_[2], y_[2];
};

// Truth: the circles touch in one point, so nothing moves, although W leaves the motion across free. With one circle twice, of any
// size, positions are beside it, and it is regular.
TEST(MotionBranches, NoPositionIsBesideTwoBarsInLine) {
  for (const double size : {1e-3, 0.04, 1.0, 300.0})
    for (const double ratio : {1.0, 0.4, 7.0})
      for (const double angle : {0.0, 0.7, -2.0}) {
        const Dynamics touching =
            make_dynamics<TwoBarsInLine>({"x", "y"}, {"left", "right"}, size, ratio * size, angle, false);
        const MotionBranches at = find_motion_branches(touching, {0, {0, 0}, {0, 0}});
        EXPECT_EQ(at.rank, 1);
        EXPECT_TRUE(at.rigid() && !at.regular()) << size << " " << ratio << " " << angle;
        EXPECT_THAT(at.rows, ElementsAre(0, 1));
        const Dynamics twice = make_dynamics<TwoBarsInLine>({"x", "y"}, {"left", "again"}, size, size, angle, true);
        EXPECT_TRUE(find_motion_branches(twice, {0, {0, 0}, {0, 0}}).regular()) << size << " " << angle;
      }
}

// Truth: h is of second order in the distance from the flat position, so round-off of 1e-16 leaves 1e-8 open.
TEST(SingularPosition, IsReachedFromWhereResidualsEnd) {
  for (const bool again : {false, true}) {
    const Dynamics dynamics = equal_bars(again);
    std::vector<double> q{3e-8, -2e-8, -1e-8};
    ASSERT_TRUE(reach_singular_position(dynamics, 0, q));
    for (const double x : q) EXPECT_NEAR(x, 0, 1e-13);
    // What is held stays, and so does what is further away, or regular.
    q = {3e-8, -2e-8, -1e-8};
    reach_singular_position(dynamics, 0, q, {true, false, false});
    EXPECT_EQ(q[0], 3e-8);
    q = {1e-4, 0, 1e-4};
    EXPECT_FALSE(reach_singular_position(dynamics, 0, q));
    EXPECT_THAT(q, ElementsAre(1e-4, 0, 1e-4));
    q = {1, 0, 1};
    EXPECT_FALSE(reach_singular_position(dynamics, 0, q));
  }
}

// Truth: elsewhere the rank is the same all around, redundant rows or not.
TEST(MotionBranches, RegularPositionsHaveNone) {
  EXPECT_FALSE(find_motion_branches(equal_bars(true), {0, {1, 0, 1}, {1, 0, 1}}).singular());
  const Dynamics crank = make_dynamics<SliderCrank>({"theta", "phi", "x"}, {"pin[1]", "pin[2]", "again"}, true);
  EXPECT_FALSE(find_motion_branches(crank, SliderCrank::start()).singular());
}

// Truth: a slider-crank with its crank held closes in two ways, mirror images of the rod about the vertical: φ and π −
// φ.
TEST(Alternatives, BothSidesOfASliderCrank) {
  const Dynamics dynamics = make_dynamics<SliderCrank>({"theta", "phi", "x"}, {"pin[1]", "pin[2]"});
  AssembleOptions options;
  options.hold_position = {true, false, false};
  const State guess{0, {1.05, 2.8, 0.8}, {0, 0, 0}};
  const Assembly found = assemble(dynamics, guess, options);
  ASSERT_TRUE(found.ok());
  const Alternatives others = find_alternatives(dynamics, guess, options, found);
  ASSERT_EQ(others.q.size(), 1u);
  EXPECT_THAT(others.angle, ElementsAre(false, true, false)) << "theta is held";
  EXPECT_NEAR(others.q[0][1], M_PI - found.state.q[1], 1e-9);
  EXPECT_NEAR(others.q[0][2], 0.6 * std::cos(1.05) - found.state.q[2], 1e-9);
  // Each side has half of the starts: 20 of 200 meet the rarer one with a chance of 1 − 1e-33.
  EXPECT_EQ(others.search, Alternatives::Search::kDone);
  EXPECT_TRUE(others.covered);
  ASSERT_EQ(others.met.size(), 2u);
  EXPECT_EQ(others.met[0] + others.met[1] + others.led_nowhere, others.starts);
  EXPECT_NEAR(std::pow(1 - others.missing_below(), others.starts), 0.01, 1e-12);
  EXPECT_FALSE(find_alternatives(dynamics, guess, options, found, AlternativesEffort::kGuesses).covered);
  // With nothing held there are more assemblies than could be listed.
  const Alternatives free = find_alternatives(dynamics, guess, {}, assemble(dynamics, guess));
  EXPECT_THAT(free.q, IsEmpty());
  EXPECT_EQ(free.search, Alternatives::Search::kFree);
}

}  // namespace
}  // namespace dalembert
