// SPDX-License-Identifier: Apache-2.0
// What the user wants to see of a model ([draw]), and springs and dampers as they were stated. Nothing here changes the equations; the scene
// (scene/scene.h) decides how it is drawn.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dalembert/model/geometry.h"

namespace dalembert {

/// A spring or a damper, between two places or on a coordinate.
struct Connection {
  enum Kind { kSpring, kDamper } kind = kSpring;
  Vector a, b = {};     ///< the two ends, along the ground axes; empty for a connection on a coordinate
  int coordinate = -1;  ///< index of the coordinate, for a connection on a coordinate
};

/// What to draw, with points by their index in Model::points. The scene chooses what is absent.
struct Drawing {
  struct Circle {
    int point = 0;     ///< the circle's centre
    Expr radius;       ///< has the dimension of a length
    Vector axis = {};  ///< normal to the circle, along the ground axes; empty: a ball (space), a circle (plane)
  };
  std::optional<std::vector<std::vector<int>>> lines;  ///< polylines of two points or more; closed if the ends agree
  std::optional<std::vector<Circle>> circles;
  std::optional<std::vector<int>> trace;   ///< points whose path is shown
  std::optional<std::vector<int>> labels;  ///< points whose name is shown; empty: none
};

}  // namespace dalembert
