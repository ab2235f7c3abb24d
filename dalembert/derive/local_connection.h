// SPDX-License-Identifier: Apache-2.0
// Systems that are placed in the plane by three coordinates x, y, θ on which nothing depends but by rotation, seen from
// axes that move with them (theory §6). With ξ = (ẋ cos θ + ẏ sin θ, −ẋ sin θ + ẏ cos θ, θ̇) and the rates of the other
// passive coordinates after them:
//
//   kinematic   ξ = −A q̇_a                                                                      (6.3)
//   mixed       ξ = −A q̇_a + B p,    ṗ_i = pᵀα_i p + pᵀβ_i q̇_a + q̇_aᵀγ_i q̇_a + rest_i             (6.4)
//
// where p = Nᵀ ∂T/∂ξ is the momentum along the directions N that the constraints allow while the shape rests.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "dalembert/derive/kinematic.h"

namespace dalembert {

struct LocalConnection {
  std::shared_ptr<Graph> graph;
  std::array<int, 3> placement{};    ///< the coordinates x, y, θ
  Partition parts;                   ///< passive: x, y, θ, then the others
  std::vector<std::vector<Expr>> A;  ///< passive × actuated
  std::vector<Expr> singular;        ///< the velocities are not determined where one of these vanishes

  /// Curvature by pair of actuated coordinates (0, 1), (0, 2), … (1, 2), …, three numbers each: a small loop of that
  /// area displaces by −area · curvature. Of kinematic systems without other passive coordinates.
  std::vector<std::vector<Expr>> curvature;

  // Mixed systems; empty in kinematic ones.
  std::vector<Expr> xi;                                            ///< symbols: ξ and the rates of the others
  std::vector<Expr> p;                                             ///< symbols
  std::vector<Expr> momentum;                                      ///< what they are, in ξ and q̇_a
  std::vector<std::vector<Expr>> N;                                ///< passive × p
  std::vector<std::vector<Expr>> B;                                ///< passive × p
  std::vector<Expr> pdot;                                          ///< ṗ in p, q̇_a and the shape
  std::vector<std::vector<std::vector<Expr>>> alpha, beta, gamma;  ///< [i][row][column]
  std::vector<Expr> rest;                                          ///< 0 where nothing but the constraints acts along N

  bool mixed() const { return !p.empty(); }
};

/// Built in the graph of the equations, which are on an overlay. Nothing where no three passive coordinates are such a
/// placement, where rows are not homogeneous in the velocities, or where formulas cost more than `max_cost`.
std::optional<LocalConnection> build_local_connection(const Equations& equations, const std::vector<int>& actuated,
                                                      int max_cost);

}  // namespace dalembert
