// SPDX-License-Identifier: Apache-2.0
// Phase portraits of flows whose equilibria, lines of equilibria and trajectories are known.
#include "dalembert/analyze/stability/phase_plane.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace dalembert {
namespace {

// theta'' = −sin theta: centres at 0 and ±2π, saddles at ±π. Trajectories are level curves of E; steps of 0.006 windows of a
// method of order four are off by about 0.006⁴ = 1e-9 of the window each.
TEST(PhasePlane, Pendulum) {
  PlaneFlow flow;
  flow.from = {-7, -3};
  flow.to = {7, 3};
  flow.rate = [](const PlanePoint& s) -> std::optional<PlanePoint> { return PlanePoint{s[1], -std::sin(s[0])}; };
  flow.energy = [](const PlanePoint& s) -> std::optional<double> { return s[1] * s[1] / 2 - std::cos(s[0]); };
  flow.judge = [](const PlanePoint& s) -> std::optional<PlaneStability> {
    return std::cos(s[0]) > 0 ? PlaneStability::kStable : PlaneStability::kUnstable;
  };
  const PhasePortrait portrait = make_phase_portrait(flow);
  ASSERT_EQ(portrait.equilibria.size(), 5U);
  for (const PlaneEquilibrium& equilibrium : portrait.equilibria) {
    const long turn = std::lround(equilibrium.at[0] / M_PI);
    EXPECT_NEAR(equilibrium.at[0], static_cast<double>(turn) * M_PI, 1e-8);
    EXPECT_EQ(equilibrium.stability, turn % 2 == 0 ? PlaneStability::kStable : PlaneStability::kUnstable);
  }
  EXPECT_TRUE(portrait.families.empty());
  ASSERT_GE(portrait.trajectories.size(), 8U);
  for (const auto& line : portrait.trajectories) {
    const double E = *flow.energy(line.front());
    for (const PlanePoint& point : line) EXPECT_NEAR(*flow.energy(point), E, 1e-4);
  }
  // Level curves: cuts of cells are linear, so they are off by the square of a cell, (14/120)²/8.
  double most = 0;
  for (const auto& piece : portrait.energy)
    most = std::max(most, std::abs(*flow.energy(piece[0]) - *flow.energy(piece[1])));
  EXPECT_LT(most, 4e-3);
}

// The sleigh's u' = omega², omega' = −u omega (theory §4, with its constants 1): all of omega = 0 are equilibria, stable for
// u > 0 and unstable for u < 0; the energy's level curves are circles.
TEST(PhasePlane, SleighHasALineOfEquilibria) {
  PlaneFlow flow;
  flow.from = {-2, -2};
  flow.to = {2, 2};
  flow.rate = [](const PlanePoint& s) -> std::optional<PlanePoint> { return PlanePoint{s[1] * s[1], -s[0] * s[1]}; };
  flow.judge = [](const PlanePoint& s) -> std::optional<PlaneStability> {
    return s[0] > 1e-6    ? PlaneStability::kStable
           : s[0] < -1e-6 ? PlaneStability::kUnstable
                          : PlaneStability::kUndecided;
  };
  const PhasePortrait portrait = make_phase_portrait(flow);
  double stable = 0, unstable = 0;
  for (const PlaneFamily& family : portrait.families) {
    const auto [low, high] = std::ranges::minmax(family.points, {}, [](const PlanePoint& p) { return p[0]; });
    for (const PlanePoint& point : family.points) EXPECT_NEAR(point[1], 0, 1e-3);
    if (family.stability == PlaneStability::kStable) {
      EXPECT_GE(low[0], -1e-9);
      stable += high[0] - low[0];
    }
    if (family.stability == PlaneStability::kUnstable) {
      EXPECT_LE(high[0], 1e-9);
      unstable += high[0] - low[0];
    }
  }
  EXPECT_NEAR(stable, 2, 0.1);
  EXPECT_NEAR(unstable, 2, 0.1);
  for (const auto& line : portrait.trajectories) {
    const double E = std::hypot(line.front()[0], line.front()[1]);
    for (const PlanePoint& point : line) EXPECT_NEAR(std::hypot(point[0], point[1]), E, 1e-4);
  }
}

// x'' = 2 x'²/tan x, as of a rod that leaves its corner: x' = C sin² x, which has no value at 0 (the middle of the window, where
// the rate is 1e16 by round-off). Nothing runs along that line, and the rest is there all the same.
TEST(PhasePlane, NothingRunsAlongASingularLine) {
  PlaneFlow flow;
  flow.from = {-3, -4};
  flow.to = {3, 4};
  flow.rate = [](const PlanePoint& s) -> std::optional<PlanePoint> {
    return PlanePoint{s[1], 2 * s[1] * s[1] / std::tan(s[0])};
  };
  const PhasePortrait portrait = make_phase_portrait(flow);
  EXPECT_GE(portrait.trajectories.size(), 8U);
  for (const auto& line : portrait.trajectories) {
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (const auto& [x, y] : line) {
      const double square = std::sin(x) * std::sin(x);
      if (square < 0.01) {
        EXPECT_LT(std::abs(y), 1) << x;
        continue;
      }
      least = std::min(least, y / square);
      most = std::max(most, y / square);
    }
    EXPECT_LE(most - least, 1e-3 * std::abs(most + least)) << line.front()[0] << " " << line.front()[1];
  }
}

// x'' = −x − c x' has one equilibrium, however far apart its eigenvalues are (−1/c and −c) and whatever the scales of the axes.
TEST(PhasePlane, OneEquilibriumIsNoLine) {
  for (const double c : {0.01, 1.0, 1e3, 1e5})
    for (const PlanePoint& to :
         {PlanePoint{1, 1}, PlanePoint{1.3e-3, 0.7}, PlanePoint{0.7, 1.3e-3}, PlanePoint{1, 1.2 * c}}) {
      PlaneFlow flow;
      flow.from = {-1.1 * to[0], -to[1]};
      flow.to = to;
      flow.rate = [c](const PlanePoint& s) -> std::optional<PlanePoint> { return PlanePoint{s[1], -s[0] - c * s[1]}; };
      const PhasePortrait portrait = make_phase_portrait(flow);
      EXPECT_TRUE(portrait.families.empty()) << c << " " << to[0] << " " << to[1];
      EXPECT_EQ(portrait.equilibria.size(), 1U) << c << " " << to[0] << " " << to[1];
    }
}

// x'' = −4 x³ rests at 0 alone, where its derivative is 0: no line leads on, and the point is there all the same.
TEST(PhasePlane, AnEquilibriumWithoutSlopeIsAPoint) {
  PlaneFlow flow;
  flow.from = {-1, -1.2};
  flow.to = {1.3, 1};
  flow.rate = [](const PlanePoint& s) -> std::optional<PlanePoint> {
    return PlanePoint{s[1], -4 * s[0] * s[0] * s[0]};
  };
  flow.judge = [](const PlanePoint& s) {
    return std::abs(s[0]) < 1e-4 ? std::optional(PlaneStability::kUndecided) : std::nullopt;
  };
  const PhasePortrait portrait = make_phase_portrait(flow);
  EXPECT_TRUE(portrait.families.empty());
  ASSERT_EQ(portrait.equilibria.size(), 1U);
  EXPECT_NEAR(portrait.equilibria[0].at[0], 0, 1e-5);  // at which 4 x³ is round-off
}

}  // namespace
}  // namespace dalembert
