// SPDX-License-Identifier: Apache-2.0
// Names of the momenta along fields of translations and rotations.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dalembert/derive/equations.h"

namespace dalembert {

struct MomentumParts {
  std::vector<std::pair<int, int>> planes;  ///< pairs of coordinates that are rotated into each other
  std::vector<int> translations;            ///< coordinates whose component of the field has a constant part
};

/// The digits at the end of a name: "2" of "x2" and "x_2".
std::string_view number_in(std::string_view name);

/// "linear momentum along x (x1, x2)", "angular momentum in the x, y plane (x1, y1, theta1)"; the name differs from those of `taken`.
std::string name_momentum(const Model& model, const MomentumParts& parts, const std::vector<ConservedQuantity>& taken);

}  // namespace dalembert
