// SPDX-License-Identifier: Apache-2.0
// The parts of equations that can be asked for.
#include <algorithm>

#include "dalembert/derive/equations.h"
#include "dalembert/report/equations_text.h"

namespace dalembert {

std::vector<std::string> equation_parts() {
  return {"M",      "B", "G",   "F",         "W",         "Wdot", "a",       "gamma", "eom",
          "lambda", "D", "qdd", "actuation", "kinematic", "S",    "reduced", "hamel"};
}

bool asks_for_reduced(const Equations& equations, const std::vector<std::string>& only) {
  if (only.empty()) return !equations.model->quasi_velocities.empty();
  return std::ranges::any_of(
      only, [](const std::string& part) { return part == "S" || part == "reduced" || part == "hamel"; });
}

}  // namespace dalembert
