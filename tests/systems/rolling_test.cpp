// SPDX-License-Identifier: Apache-2.0
// Wheels and disks from frames in space: model file → derive → compile → assemble → integrate.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/dynamics/kkt.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/report/equations_text.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

// Truth: cases §15, thirteen digits: x = (RΩ/ω) sin ωt, y = (RΩ/ω)(1 − cos ωt), λ = m R Ω ω (−sin ωt, cos ωt). A motion that
// does not amplify errors: 5 s at rtol = 1e-12 leave less than 1e-10.
TEST(Rolling, UprightDisk) {
  const Equations equations = derive_shipped("vertical-disk");
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

// Truth: cases §15, driven: (I + m R²) θ̈ = τ_θ, J φ̈ = τ_φ, whatever the state; ẍ and ÿ follow from rolling.
TEST(Rolling, DrivenDisk) {
  const System system(derive_shipped("vertical-disk", {"tau_theta=0.7", "tau_phi=-0.3"}));
  const double m = system.parameter("m"), I = system.parameter("I"), J = system.parameter("J"),
               R = system.parameter("R");
  const double rolling = 1.7, turning = -0.9, phi = 0.6, c = std::cos(phi), s = std::sin(phi);
  const State state{0, {0.2, -0.1, 2, phi}, {R * rolling * c, R * rolling * s, rolling, turning}};
  const KktSolution now = solve_kkt(system.dynamics, state);
  ASSERT_EQ(now.status, KktStatus::kOk);
  const double accelerated = 0.7 / (I + m * R * R);
  EXPECT_NEAR(now.qdd[2], accelerated, 1e-14);
  EXPECT_NEAR(now.qdd[3], -0.3 / J, 1e-14);
  EXPECT_NEAR(now.qdd[0], R * (accelerated * c - rolling * turning * s), 1e-14);
  EXPECT_NEAR(now.qdd[1], R * (accelerated * s + rolling * turning * c), 1e-14);
}

}  // namespace
}  // namespace dalembert
