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

/// Velocities that are rates of prescribed coordinates, in their order; the coordinates themselves where v = q̇.
std::vector<int> actuated_velocities(const Equations& equations);

/// Velocities, or the coordinates whose rates they are, by what moves them, each list ascending.
struct Partition {
  std::vector<int> passive, actuated;
};
Partition partition(const Equations& equations, const std::vector<int>& actuated);

struct KinematicForm {
  std::shared_ptr<Graph> graph;  ///< of the formulas
  Partition parts;
  std::vector<std::vector<Expr>> A;  ///< the connection: a row for each passive coordinate, a column for each actuated
  std::vector<Expr> drift;           ///< W_p⁻¹ a
  std::vector<Expr> qdot;            ///< of the passive coordinates
  Expr determinant;                  ///< det W_p
  std::vector<Expr> singular;        ///< W_p is singular exactly where one of these vanishes; empty: nowhere
};

enum class NotKinematic {
  kRows,      ///< not as many rows as passive coordinates
  kSingular,  ///< W_p is singular everywhere
  kTooLarge,  ///< the formulas are too long to be read
};
std::string_view to_text(NotKinematic why);

/// Built in the graph of the equations, which are on an overlay. Holonomic rows count by their rates.
std::optional<KinematicForm> build_kinematic(const Equations& equations, const std::vector<int>& actuated, int max_cost,
                                             NotKinematic* why = nullptr);

/// The rows and columns of a sparse matrix as a full one; null entries are 0. `columns`: which, in this order.
std::vector<std::vector<Expr>> dense_columns(const SparseMatrix& matrix, const std::vector<int>& columns);

}  // namespace dalembert
