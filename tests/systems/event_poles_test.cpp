// SPDX-License-Identifier: Apache-2.0
// Poles of the functions of events: a change of sign through a pole is no zero, and a run that only looks at it goes on. Oracle: the motion x = t, which is exact, and
// the zeros of the functions in closed form.
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pointwise;

constexpr double kPi = std::numbers::pi;

System poled_system(const std::string& when, const std::string& more = "") {
  return System(derive_loaded(load_model(make_source("poles", fmt::format(R"toml(coordinates = ["x", "y"]
[energy]
kinetic = "x'^2/2 + y'^2/2"
[[event]]
name = "seen"
when = "{}"
{}
[initial]
position = {{x = 0, y = 1}}
velocity = {{x = 1}}
)toml",
                                                                          when, more)),
                                         {})));
}

std::vector<double> times_seen(const Trajectory& run, const std::string& event = "seen") {
  std::vector<double> times;
  for (const RunEvent& one : run.events)
    if (one.name == event) times.push_back(one.t);
  return times;
}

// Beside its zero g falls as beside a pole, until one is very near.
TEST(EventPoles, SteepZerosAreNone) {
  for (const double e : {0.1, 0.02, 1e-3, 1e-6, 1e-9})
    for (const char* when : {"(x - 3)/((x - 3)^2 + {0}^2)", "(x - 3)*x'/((x - 3)^2 + {0}^2)^2.5"}) {
      const System system = poled_system(fmt::format(fmt::runtime(when), e), "stop = true\n");
      const Trajectory path = integrate(system.dynamics, system.start(), {.until = 7});
      ASSERT_EQ(path.events.size(), 1U) << when << e;
      EXPECT_NEAR(path.time.back(), 3, 1e-12) << when << e;
      EXPECT_THAT(path.verdict.warnings, IsEmpty()) << when << e;
    }
}

// To the round-off of t where g is steep, 1e-9 else; of 1/(x − 3) − 5 the zero is 0.2 beside the pole.
TEST(EventPoles, AreNoZerosAndEndNoRun) {
  struct Poled {
    const char* when;
    std::vector<double> zeros;
  };
  for (const Poled& one : {Poled{"tan(t)", {kPi, 2 * kPi}},
                           {"tan(x)", {kPi, 2 * kPi}},
                           {"tan(x) - x'/2", {std::atan(0.5), kPi + std::atan(0.5), 2 * kPi + std::atan(0.5)}},
                           {"1/(t - 3)", {}},
                           {"1/(x - 3)^2 - 4", {2.5, 3.5}},
                           {"1/(x - 3)^3", {}},
                           {"1/(x - 3) - 5", {3.2}},
                           {"1/(x - 3) + 1/(x - 5)", {4}}}) {
    const System system = poled_system(one.when);
    for (const Method method : {Method::kDop853, Method::kRadau}) {
      const Trajectory run = integrate(system.dynamics, system.start(), {.until = 7.5, .method = method});
      ASSERT_EQ(run.status, RunStatus::kOk) << one.when << run.reason;
      EXPECT_THAT(times_seen(run), Pointwise(DoubleNear(1e-9), one.zeros)) << one.when;
      EXPECT_THAT(run.verdict.warnings,
                  ElementsAre(HasSubstr("the function of the event `seen` grows without bound near t = ")))
          << one.when;
      EXPECT_NEAR(run.q[0].back(), 7.5, 1e-9);
    }
  }
}

TEST(EventPoles, OfARunBackwardsInTime) {
  const System system = poled_system("tan(t)");
  State start = system.start();
  start.t = 4;
  const Trajectory run = integrate(system.dynamics, start, {.until = -2});
  ASSERT_EQ(run.status, RunStatus::kOk) << run.reason;
  EXPECT_THAT(times_seen(run), Pointwise(DoubleNear(1e-9), std::vector<double>{kPi, 0}));
}

// Events beside a pole happen, and one that stops ends the run at its zero alone.
TEST(EventPoles, HideNoOtherEvent) {
  const System system = poled_system("1/(x - 3)", R"toml([[event]]
name = "beside"
when = "x - 3.001"
[[event]]
name = "turn"
when = "x - 2.999"
direction = "up"
set = {"y'" = 1}
[[event]]
name = "end"
when = "1/(x - 4) - 1"
stop = true
)toml");
  const Trajectory run = integrate(system.dynamics, system.start(), {.until = 20});
  ASSERT_EQ(run.status, RunStatus::kOk) << run.reason;
  EXPECT_THAT(times_seen(run), IsEmpty());
  EXPECT_THAT(times_seen(run, "beside"), Pointwise(DoubleNear(1e-9), std::vector<double>{3.001}));
  EXPECT_THAT(times_seen(run, "turn"), Pointwise(DoubleNear(1e-9), std::vector<double>{2.999}));
  EXPECT_NEAR(run.time.back(), 5, 1e-9);
}

}  // namespace
}  // namespace dalembert
