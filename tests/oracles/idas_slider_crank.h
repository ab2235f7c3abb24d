// SPDX-License-Identifier: Apache-2.0
// The slider-crank of an example of IDAS with a functional of its run (cases §30).
#pragma once

#include <string>

namespace dalembert::oracles {

inline std::string idas_slider_crank() {
  return R"toml(name = "slider-crank with a spring and a damper"
coordinates = ["q", "x", "p"]
[parameters]
k = 1
c = 1
[define]
a = "1/2"
l = "sqrt(x^2 - x*(cos(p) + a*cos(q)) + (1 + a^2)/4 + a/2*cos(p - q))"
[energy]
kinetic = "1/2*(q'^2 + x'^2 + 2*p'^2)"
potential = "k/2*(l - 1)^2"
dissipation = "c/2*dot(l)^2"
[[force]]
power = "x' - sin(p)*p'"
[[constraint]]
name = "pin"
holonomic = ["x - cos(p) - a*cos(q)", "sin(p) + a*sin(q)"]
[initial]
position = {q = "pi/2"}
guess = {x = 0.87, p = -0.52}
[outputs]
G = "integral(1/2*(q'^2 + x'^2 + 2*p'^2))"
)toml";
}

}  // namespace dalembert::oracles
