// SPDX-License-Identifier: Apache-2.0
// What a model keeps of its statements beside the expressions that they lead to: the arguments of constraints and forces, the generalized forces that
// a force consists of, springs and dampers, and what the user wants to see of the model ([draw]).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dalembert/base/units.h"
#include "dalembert/expr/expr.h"
#include "dalembert/model/geometry.h"

namespace dalembert {

/// An argument as it was given. Which members hold it, its type says (argument_description.h).
struct Argument {
  std::string name = {};                      ///< the name by which it was given; empty: it has none
  std::vector<Expr> expressions = {};         ///< kExpression, kExpressions, kVector, kMoment; kCoordinate: q_i
  std::vector<Point> points = {};             ///< kPoint, kPoints
  Frame frame = {};                           ///< kFrame; the ground where none was given
  Body body = {};                             ///< kBody
  std::vector<DimensionTerm> dimension = {};  ///< of each expression, or of the points; empty if nothing asks for it
};
using Arguments = std::vector<Argument>;

/// A part of a generalized force: F_i += factor · ∂along/∂q_i, or factor · ∂along/∂q̇_i if `rate` is set.
struct Contribution {
  Expr along;
  Expr factor = {};  ///< null: 1, where `along` is a power, linear in q̇
  bool rate = false;
};

/// A spring or a damper, between two places or on a coordinate. Its equations are those of an energy or of a force; scenes draw it.
struct Connection {
  enum Kind { kSpring, kDamper } kind = kSpring;
  Vector a, b = {};     ///< the two ends, along the ground axes; empty for a connection on a coordinate
  int coordinate = -1;  ///< index of the coordinate, for a connection on a coordinate
};

/// What to draw, with points by their index in Model::points. It changes no equation. The scene (scene/scene.h) chooses what is absent here.
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
