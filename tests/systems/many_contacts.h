// SPDX-License-Identifier: Apache-2.0
// Eight contacts, three of them with dependent rows; forces that press and lift; a bilateral row between two bodies. Without a start.
#pragma once

namespace dalembert {

inline constexpr const char* kManyContacts = R"toml(name = "many"
coordinates = ["x", "y", "theta", "s", "y2", "x3"]
[parameters]
m = 1
g = 9.81
b = 0.4
[inputs]
F1 = "15*sin(7*t)"
F2 = "20*cos(11*t)"
F3 = "6*sin(13*t)"
[energy]
kinetic = "m/2*(x'^2 + y'^2) + m/20*theta'^2 + m/3*s'^2 + m/2*y2'^2 + m/4*x3'^2 + m/8*x'*theta'*cos(theta)"
potential = "m*g*y + m/2*g*y2 + 3*(x3 - x)^2"
[[force]]
coordinate = "y"
value = "F1"
[[force]]
coordinate = "x"
value = "F2"
[[force]]
coordinate = "theta"
value = "F3"
[[constraint]]
name = "left"
holonomic = "y - b*sin(theta)"
unilateral = true
restitution = 0.3
[[constraint]]
name = "middle"
holonomic = "y"
unilateral = true
restitution = 0.5
[[constraint]]
name = "right"
holonomic = "y + b*sin(theta)"
unilateral = true
[[constraint]]
name = "wall"
holonomic = "x - b*cos(theta) + b"
unilateral = true
restitution = 0.9
[[constraint]]
name = "stack"
holonomic = "y2 - y - 0.1*theta^2"
unilateral = true
restitution = 0.2
[[constraint]]
name = "link"
holonomic = "s - x - y/3"
[[constraint]]
name = "stop"
holonomic = "x3 - x"
unilateral = true
[[constraint]]
name = "ceiling"
holonomic = "1 + 0.2*x - y2"
unilateral = true
restitution = 1
[[constraint]]
name = "far"
holonomic = "0.1*s + x3"
unilateral = true
restitution = 0.6
)toml";

}  // namespace dalembert
