// SPDX-License-Identifier: Apache-2.0
// Kinematic systems: as many constraint rows as passive coordinates, so that the actuated ones alone move the rest
// (theory §6).
//
//   W_p q̇_p + W_a q̇_a + a = 0        q̇_p = −A q̇_a − W_p⁻¹ a,   A = W_p⁻¹ W_a                       (6.1)
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "dalembert/derive/equations.h"

namespace dalembert {

/// Indices of the velocities that are rates of prescribed coordinates, in the order of the coordinates; where v = q̇
/// the indices of the coordinates themselves.
std::vector<int> actuated_velocities(const Equations& equations);

/// Indices of velocities (of coordinates where v = q̇): `actuated` follow a prescribed motion, `passive` are all
/// others. Each list is ascending.
struct Partition {
  std::vector<int> passive, actuated;
};
Partition partition(const Equations& equations, const std::vector<int>& actuated);

struct KinematicForm {
  std::shared_ptr<Graph> graph;  ///< graph of the formulas
  Partition parts;
  std::vector<std::vector<Expr>> A;  ///< the connection: one row per passive coordinate, one column per actuated one
  std::vector<Expr> drift;           ///< the part of −q̇_p that does not depend on q̇_a: W_p⁻¹ a
  std::vector<Expr> qdot;            ///< rates of the passive coordinates
  Expr determinant;                  ///< determinant of W_p, the columns of W for the passive coordinates
  std::vector<Expr> singular;        ///< W_p is singular exactly where one of these vanishes; empty: nowhere
};

enum class NotKinematic {
  kRows,      ///< the number of rows is not that of the passive coordinates
  kSingular,  ///< W_p is singular everywhere
  kTooLarge,  ///< the formulas are too long to be read
};
std::string_view to_text(NotKinematic why);

/// The connection of a kinematic system, built in the graph of the equations, which must be on an overlay. Holonomic
/// rows enter through their rates. No value where there is no such form; the reason is then written to `why`, if given.
std::optional<KinematicForm> build_kinematic(const Equations& equations, const std::vector<int>& actuated, int max_cost,
                                             NotKinematic* why = nullptr);

/// A sparse matrix as a dense one, with all rows and with the given columns in their order; null entries are 0.
std::vector<std::vector<Expr>> dense_columns(const SparseMatrix& matrix, const std::vector<int>& columns);

}  // namespace dalembert
