// SPDX-License-Identifier: Apache-2.0
// What constraints and forces were stated with, as a model keeps it.
#pragma once

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

}  // namespace dalembert
