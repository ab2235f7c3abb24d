// SPDX-License-Identifier: Apache-2.0
// A damped oscillator, and its closed forms.
#pragma once

#include <cmath>
#include <numbers>
#include <string>

namespace dalembert {

// x = e^(−ct/2) (cos ωt + c/(2ω) sin ωt), ω² = 4 − c²/4: from 1 at rest.
struct Damped {
  double c = 0.3, w = std::sqrt(4 - 0.3 * 0.3 / 4);
  double x(double t) const { return std::exp(-c * t / 2) * (std::cos(w * t) + c / 2 / w * std::sin(w * t)); }
  double v(double t) const { return -4 / w * std::exp(-c * t / 2) * std::sin(w * t); }
  double heat(double t) const { return 2 - v(t) * v(t) / 2 - 2 * x(t) * x(t); }
  // ∫|x'|: x' changes its sign every π/ω.
  double path(double t) const {
    double sum = 0, from = 0;
    for (; from + std::numbers::pi / w < t; from += std::numbers::pi / w)
      sum += std::abs(x(from + std::numbers::pi / w) - x(from));
    return sum + std::abs(x(t) - x(from));
  }
};

inline const std::string kDamped = R"toml(name = "damped"
coordinates = [{name = "x", unit = "m"}]
[parameters]
mass = "1 kg"
k = "4 N/m"
c = "0.3 N*s/m"
[energy]
kinetic = "mass/2*x'^2"
potential = "k/2*x^2"
dissipation = "c/2*x'^2"
[initial]
position = {x = 1}
)toml";

}  // namespace dalembert
