// SPDX-License-Identifier: Apache-2.0
// Derivatives of a body by what nothing couples with it are 0, whatever happens to the other bodies: no round-off of one is a derivative of another.
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "dalembert/study/system_at.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

Trajectory unrelated_run(const std::string& text, double until, const std::vector<std::string>& names) {
  const BuiltModel system =
      value_of(build_model(std::make_shared<const Model>(value_of(load_model(make_source("unrelated", text)))), {},
                           {.machine_code = false}));
  IntegrateOptions options{.until = until};
  for (const std::string& name : names) options.tangents.push_back({.name = name});
  EXPECT_TRUE(find_tangents(system, options).empty());
  return integrate(system.dynamics, assemble_start(system.equations, system.dynamics).state, options);
}

// A ball bounces until it rests, a block slides to and fro with friction, on a spring or where a force drives it. At each bounce the instant moves with the start of the ball, and the block moves on
// through that instant.
std::string ball_and_block(const std::string& friction) {
  return R"toml(coordinates = ["h", "s"]
parameters = {e = 0.95, g = 10, mu = 0.3, k = 4, F = 6}
[energy]
kinetic = "h'^2/2 + s'^2/2"
potential = "g*h + k/2*s^2"
[[constraint]]
name = "floor"
holonomic = "h"
unilateral = true
restitution = "e"
[[force]]
coordinate = "s"
value = "F*sin(2*t)"
[initial]
position = {h = 1, s = 0.5}
velocity = {s = 2}
)toml" + friction;
}

const std::string kSlide = R"toml([[friction]]
name = "slide"
normal = 5
velocity = "s'"
coefficient = "mu"
)toml";

TEST(UnrelatedSensitivity, IsZeroThroughManyBounces) {
  for (const bool friction : {true, false}) {
    const Trajectory run = unrelated_run(ball_and_block(friction ? kSlide : ""), 20, {"h", "e", "g", "s", "k", "F"});
    ASSERT_TRUE(run.verdict.holds);
    ASSERT_GT(run.verdict.impacts, 100);
    for (const char* by : {"h", "e", "g"})
      for (const char* of : {"q/s", "v/s"})
        for (const double value : run.series(std::string("sens/") + by + "/" + of)) EXPECT_EQ(value, 0) << by << of;
    for (const char* by : {"s", "k", "F"})
      for (const char* of : {"q/h", "v/h"})
        for (const double value : run.series(std::string("sens/") + by + "/" + of)) EXPECT_EQ(value, 0) << by << of;
  }
}

// The same where an event sets the velocity of the ball, and where two such balls jump at one instant.
TEST(UnrelatedSensitivity, IsZeroThroughEvents) {
  const Trajectory run = unrelated_run(R"toml(coordinates = ["a", "b", "s"]
parameters = {ea = 0.9, eb = 0.9, k = 4}
[energy]
kinetic = "a'^2/2 + b'^2/2 + s'^2/2"
potential = "10*a + 10*b + k/2*s^2 + s^4"
[[event]]
name = "a_down"
when = "a"
direction = "down"
set = {"a'" = "-ea*a'"}
[[event]]
name = "b_down"
when = "b"
direction = "down"
set = {"b'" = "-eb*b'"}
[initial]
position = {a = 1, b = 1, s = 0.5}
velocity = {s = 2}
)toml",
                                       5, {"a", "ea", "b", "eb", "s", "k"});
  ASSERT_TRUE(run.verdict.holds);
  for (const char* by : {"a", "ea", "b", "eb"})
    for (const char* of : {"q/s", "v/s"})
      for (const double value : run.series(std::string("sens/") + by + "/" + of)) EXPECT_EQ(value, 0) << by << of;
  for (const char* of : {"q/b", "v/b"})
    for (const double value : run.series(std::string("sens/ea/") + of)) EXPECT_EQ(value, 0) << of;
}

}  // namespace
}  // namespace dalembert
