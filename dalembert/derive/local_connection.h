// SPDX-License-Identifier: Apache-2.0
// Systems that three coordinates x, y, θ place in the plane, and whose equations, written in axes that move with the
// system, do not depend on the placement (theory §6). With ξ = (ẋ cos θ + ẏ sin θ, −ẋ sin θ + ẏ cos θ, θ̇), followed by
// the rates of the other passive coordinates:
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
  std::array<int, 3> placement{};    ///< indices of the coordinates x, y, θ
  Partition parts;                   ///< passive coordinates: x, y, θ, then the others
  std::vector<std::vector<Expr>> A;  ///< matrix A of (6.3) and (6.4), passive × actuated
  std::vector<Expr> singular;        ///< ξ is not determined where one of these vanishes

  /// Curvature for each pair of actuated coordinates (0, 1), (0, 2), … (1, 2), …, three entries each: a small loop in
  /// the plane of the pair displaces the system by −area · curvature. Only for kinematic systems that have no passive
  /// coordinates besides the placement.
  std::vector<std::vector<Expr>> curvature;

  // The following is for mixed systems; it is empty in kinematic ones.
  std::vector<Expr> xi;                                            ///< symbols of ξ and of the other passive rates
  std::vector<Expr> p;                                             ///< symbols of the momenta
  std::vector<Expr> momentum;                                      ///< the momenta in terms of ξ and q̇_a
  std::vector<std::vector<Expr>> N;                                ///< directions N of the momenta, passive × momenta
  std::vector<std::vector<Expr>> B;                                ///< matrix B of (6.4), passive × momenta
  std::vector<Expr> pdot;                                          ///< ṗ in terms of p, q̇_a and the shape
  std::vector<std::vector<std::vector<Expr>>> alpha, beta, gamma;  ///< matrices of (6.4): [i][row][column]
  std::vector<Expr> rest;                                          ///< rest_i of (6.4); 0 without applied forces

  bool mixed() const { return !p.empty(); }
};

/// The local connection, built in the graph of the equations, which must be on an overlay. No value where no three
/// passive coordinates form such a placement, where rows are not homogeneous in the velocities, or where a formula
/// costs more than `max_cost` (algebra/gather.h).
std::optional<LocalConnection> build_local_connection(const Equations& equations, const std::vector<int>& actuated,
                                                      int max_cost);

}  // namespace dalembert
