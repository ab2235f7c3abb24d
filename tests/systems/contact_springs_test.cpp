// SPDX-License-Identifier: Apache-2.0
// Impacts without loss against springs that become stiffer: their contact lasts about π √(m/k), so the difference goes with 1/√k.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

// A uniform rod of 1 kg and 1 m above a smooth floor, with the gaps of its two ends; `floor` says what the floor does.
std::string rod_above_floor(const std::string& floor) {
  return R"toml(name = "rod"
coordinates = ["y", "theta"]
[parameters]
k = 1e6
[define]
left = "y - sin(theta)/2"
right = "y + sin(theta)/2"
[energy]
kinetic = "y'^2/2 + theta'^2/24"
)toml" + floor;
}

TEST(ContactSprings, StiffSpringsTendToImpactsInFirstOrder) {
  const System rigid = loaded(rod_above_floor(R"toml(potential = "9.81*y"
[[constraint]]
name = "left"
holonomic = "y - sin(theta)/2"
unilateral = true
restitution = 1
[[constraint]]
name = "right"
holonomic = "y + sin(theta)/2"
unilateral = true
restitution = 1
)toml"));
  const System soft = loaded(rod_above_floor(
      R"toml(potential = "9.81*y + if(left < 0, k/2*left^2, 0) + if(right < 0, k/2*right^2, 0)"
)toml"));
  const State start{0, {0.6, 0.3}, {0, 0.4}};
  const IntegrateOptions options{.until = 1, .rtol = 1e-11};
  const Trajectory path = integrate(rigid.dynamics, start, options);
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_GE(path.verdict.impacts, 4);
  std::vector<std::vector<double>> ends;
  for (const double k : {1e8, 4e8, 16e8}) {
    const Trajectory with_springs = integrate(soft.dynamics.with_parameters({k}), start, options);
    ASSERT_EQ(with_springs.status, RunStatus::kOk) << with_springs.reason;
    ends.push_back(
        {with_springs.q[0].back(), with_springs.q[1].back(), with_springs.v[0].back(), with_springs.v[1].back()});
  }
  const std::vector<double> end{path.q[0].back(), path.q[1].back(), path.v[0].back(), path.v[1].back()};
  for (std::size_t i = 0; i < 4; ++i) {
    const double coarse = ends[0][i] - end[i], middle = ends[1][i] - end[i], fine = ends[2][i] - end[i];
    EXPECT_NEAR(middle / coarse, 0.5, 0.05) << i;
    EXPECT_NEAR(fine / middle, 0.5, 0.02) << i;
    // What is left after extrapolation is of second order.
    EXPECT_LT(std::abs(2 * ends[2][i] - ends[1][i] - end[i]), 0.02 * std::abs(fine)) << i;
  }
}

}  // namespace
}  // namespace dalembert
