// SPDX-License-Identifier: Apache-2.0
// A model with a contact: a ball above the ground.
#pragma once

#include <string>

namespace dalembert::testing {

/// It starts at rest at `height`, such as "1 m".
inline std::string ball_above_ground(const std::string& height) {
  return R"(
name = "ball"
coordinates = [{name = "y", unit = "m"}]
parameters = {m = "1 kg", g = "9.81 m/s^2"}
energy = {kinetic = "1/2*m*y'^2", potential = "m*g*y"}
constraint = [{name = "ground", holonomic = "y", unilateral = true, restitution = "0.8"}]
initial = {position = {y = ")" +
         height + R"("}, velocity = {y = "0 m/s"}}
)";
}

}  // namespace dalembert::testing
