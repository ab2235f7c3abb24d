// SPDX-License-Identifier: Apache-2.0
// A ball that slides and rolls on a table, with friction in the plane of its contact.
#pragma once

#include <string>
#include <vector>

namespace dalembert {

/// A frame that turns with a ball, by a unit quaternion, and the ball's middle.
inline const std::string kBallFrame = R"toml([[frame]]
name = "ball"
origin = ["x", "y", "z"]
quaternion = ["e0", "e1", "e2", "e3"]
[[point]]
name = "C"
frame = "ball"
at = [0, 0, 0]
)toml";

/// A homogeneous ball above a table, with a unit quaternion. `friction`: the line that states the friction.
inline std::string ball_on_table(const std::string& friction) {
  return R"toml(name = "ball on a table"
coordinates = [{name="x", unit="m"}, {name="y", unit="m"}, {name="z", unit="m"}, "e0", "e1", "e2", "e3"]
gravity = [0, 0, -9.81]
[parameters]
m = "0.2 kg"
r = "30 mm"
mu = 0.2
e = 0.8
beta = "0.7 rad"
)toml" + kBallFrame +
         R"toml([[body]]
name = "ball"
mass = "m"
inertia = ["2/5*m*r^2", "2/5*m*r^2", "2/5*m*r^2"]
frame = "ball"
[[point]]
name = "O"
at = [0, 0, 0]
[[constraint]]
name = "table"
contact = {point = "C", above = "O", normal = [0, 0, 1], radius = "r"}
restitution = "e"
frame = "ball"
)toml" + friction;
}

/// It stands on the table and slides with 2 m/s along (0.8, 0.6).
inline const std::vector<double> kStruckPosition{0, 0, 0.03, 1, 0, 0, 0}, kStruckVelocity{1, 0, 0, 40, -20, 5};

}  // namespace dalembert
