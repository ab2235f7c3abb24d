// SPDX-License-Identifier: Apache-2.0
// What the user wants to see of a model ([draw]), and springs and dampers as they were stated. Nothing here changes the
// equations; what is drawn of it all is the scene's affair (scene/scene.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dalembert/model/geometry.h"

namespace dalembert {

/// A spring or a damper, between two places or on a coordinate.
struct Connection {
  enum Kind { kSpring, kDamper } kind = kSpring;
  Vector a, b = {};     ///< along the ground axes; empty where it acts on a coordinate
  int coordinate = -1;  ///< the coordinate
};

/// Points by their index in Model::points. What is absent is chosen by the scene.
struct Drawing {
  struct Circle {
    int point = 0;     ///< its centre
    Expr radius;       ///< a length
    Vector axis = {};  ///< normal to it, along the ground axes, of any length; empty: a ball, in the plane a circle
  };
  std::optional<std::vector<std::vector<int>>> lines;  ///< each through two or more; closed if it ends at its first
  std::optional<std::vector<Circle>> circles;
  std::optional<std::vector<int>> trace;   ///< points whose path is shown
  std::optional<std::vector<int>> labels;  ///< points that bear their name; empty: none
};

}  // namespace dalembert
