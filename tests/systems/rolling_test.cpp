// SPDX-License-Identifier: Apache-2.0
// Wheels and disks from frames in space: model file → derive → compile → assemble → integrate.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "dalembert/report/multipliers.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

// A disk that stays upright: heading phi, roll theta about its own y axis, contact below its centre.
constexpr const char* kDisk = R"toml(name = "disk"
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}, {name = "theta", unit = "rad"}, {name = "phi", unit = "rad"}]
[parameters]
m = "2 kg"
I = "0.3 kg*m^2"
J = "0.2 kg*m^2"
R = "0.5 m"
[[frame]]
name = "disk"
origin = ["x", "y", "R"]
rotate = [["z", "phi"], ["y", "theta"]]
[[body]]
name = "disk"
mass = "m"
inertia = ["J", "I", "J"]
frame = "disk"
[[point]]
name = "contact"
at = ["x", "y", 0]
[[constraint]]
name = "roll"
no_slip = {point = "contact"}
frame = "disk"
[initial]
position = {x = 0, y = 0, theta = 0, phi = 0}
velocity = {theta = "2 rad/s", phi = "0.7 rad/s"}
)toml";

// Truth: cases §15, thirteen digits: x = (RΩ/ω) sin ωt, y = (RΩ/ω)(1 − cos ωt), λ = m R Ω ω (−sin ωt, cos ωt). A motion that
// does not amplify errors: 5 s at rtol = 1e-12 leave less than 1e-10.
TEST(Rolling, UprightDisk) {
  const Equations equations = derive_loaded(load_model(make_source("disk.toml", kDisk)));
  ASSERT_EQ(equations.rows, (std::vector<std::string>{"roll.x", "roll.y"}));
  EXPECT_TRUE(equations.holonomic.empty());
  EXPECT_EQ(explain_multipliers(equations)[0].words, "force along x at `contact` that keeps it from slipping");
  EXPECT_EQ(explain_multipliers(equations)[0].unit, "N");
  const System system(equations);
  const Trajectory path = integrate(system.dynamics, system.start(), {.until = 5, .rtol = 1e-12, .atol = 1e-14});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  EXPECT_NEAR(path.q[0].back(), -0.5011188966995, 1e-10);
  EXPECT_NEAR(path.q[1].back(), 2.7663666961297, 1e-10);
  EXPECT_NEAR(path.q[2].back(), 10, 1e-10);
  EXPECT_NEAR(path.q[3].back(), 3.5, 1e-10);
  EXPECT_NEAR(path.lambda[0].back(), 0.4910965187655, 1e-10);
  EXPECT_NEAR(path.lambda[1].back(), -1.3110393622071, 1e-10);
}

}  // namespace
}  // namespace dalembert
