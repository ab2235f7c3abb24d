// SPDX-License-Identifier: Apache-2.0
// Constraints that jump or have a corner where a condition changes: contacts part from what falls away under them, and everything else ends the run
// with its reason instead of a projection that no law states.
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using testing::HasSubstr;

constexpr double kFalls = 9.81;

// A point of mass 1 over a profile that goes by at the speed 1.
Trajectory run_over(const std::string& profile, double height, double rate, double until,
                    Method method = Method::kDop853, bool one_sided = true) {
  const System system(derive_loaded(
      load_model(make_source("follower", fmt::format(R"toml(coordinates = ["x", "y"]
[energy]
kinetic = "y'^2/2"
potential = "9.81*y"
[prescribed]
x = "t"
[[constraint]]
name = "profile"
holonomic = "y - ({})"
{}
[initial]
position = {{y = {}}}
velocity = {{y = {}}}
)toml",
                                                     profile, one_sided ? "unilateral = true" : "", height, rate)),
                 {})));
  return integrate(system.dynamics, system.start(), {.until = until, .method = method});
}

std::vector<double> times_of(const Trajectory& path, RunEventKind kind) {
  std::vector<double> times;
  for (const RunEvent& event : path.events)
    if (event.kind == kind) times.push_back(event.t);
  return times;
}

// Up a tooth with the slope 1, off its end, and down again after sqrt(2/g): a pawl, or a drop cam.
TEST(BrokenConstraints, APawlDropsBehindEachTooth) {
  for (const Method method : {Method::kDop853, Method::kDopri5, Method::kRadau}) {
    const Trajectory path = run_over("mod(x, 1)", 0, 1, 3.8, method);
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    const std::vector<double> releases = times_of(path, RunEventKind::kRelease),
                              impacts = times_of(path, RunEventKind::kImpact);
    ASSERT_EQ(releases.size(), 3U);
    ASSERT_EQ(impacts.size(), 3U);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(releases[k], 1.0 + static_cast<double>(k), 1e-12);
      EXPECT_NEAR(impacts[k], releases[k] + std::sqrt(2 / kFalls), 1e-8);
    }
    EXPECT_NEAR(path.q[1].back(), 0.8, 1e-9);
  }
}

// Over a ridge: up with the slope 1, free from there on, and down on the other side after 4/g.
TEST(BrokenConstraints, AContactPartsAtARidge) {
  const Trajectory path = run_over("-abs(x - 1)", -1, 1, 1.6);
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  const std::vector<double> impacts = times_of(path, RunEventKind::kImpact);
  ASSERT_EQ(times_of(path, RunEventKind::kRelease).size(), 1U);
  ASSERT_EQ(impacts.size(), 1U);
  EXPECT_NEAR(impacts[0], 1 + 4 / kFalls, 1e-8);
}

TEST(BrokenConstraints, WhatNoLawStatesEndsTheRun) {
  struct Case {
    std::string profile;
    double height, rate;
    bool one_sided;
    std::string reason;
  };
  for (const Case& one : {Case{"abs(x - 1)", 1, -1, true, "the contact `profile` has a corner where `"},
                          Case{"1 - mod(x, 1)", 1, -1, true, "the contact `profile` jumps below 0 where `"},
                          Case{"abs(x - 1)", 1, -1, false, "the constraint `profile` has a corner where `"},
                          Case{"mod(x, 1)", 0, 1, false, "the constraint `profile` jumps where `"},
                          Case{"t + if(t > 1, 1, 0)", 0, 1, false, "the constraint `profile` jumps where "}}) {
    const Trajectory path = run_over(one.profile, one.height, one.rate, 3, Method::kDop853, one.one_sided);
    EXPECT_EQ(path.status, RunStatus::kFailed) << one.profile;
    EXPECT_THAT(path.reason, HasSubstr(one.reason)) << one.profile;
    EXPECT_THAT(path.reason, HasSubstr("at t = 1 s")) << one.profile;
  }
}

// A profile of which only the curvature jumps is followed.
TEST(BrokenConstraints, ACurvatureMayJump) {
  for (const bool one_sided : {true, false}) {
    const Trajectory path = run_over("if(x > 1, (x - 1)^2/2, 0)", 0, 0, 2, Method::kDop853, one_sided);
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_TRUE(path.verdict.holds);
    EXPECT_NEAR(path.q[1].back(), 0.5, 1e-10);
  }
}

}  // namespace
}  // namespace dalembert
