// SPDX-License-Identifier: Apache-2.0
// Equations of motion as expressions (docs/notation.md; formulas: theory §2).
//
//   M q̈ + B + G = F + Wᵀλ        W q̇ + a = 0        W q̈ + γ = 0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/model/model.h"

namespace dalembert {

/// A quantity that the motion conserves: E, the momentum p_i = ∂L/∂q̇_i of a cyclic coordinate that nothing acts on, or
/// the momentum p·ξ along another translation or rotation (momenta.h).
struct ConservedQuantity {
  std::string name;  ///< "energy", "p[phi]", "linear momentum along x (x1, x2)"
  Expr expression;
};

struct Equations {
  std::shared_ptr<const Model> model;
  std::shared_ptr<Graph> graph;  ///< of all expressions below
  std::size_t nodes = 0;         ///< how many of it `derive` left there; 0: all
  std::vector<Expr> q, qd, qdd;  ///< N symbols each
  Expr t;

  Expr T, V, L;         ///< energies; with a Lagrangian given directly V = −L(q, 0, t) and T = L + V
  std::vector<Expr> p;  ///< N: momenta ∂L/∂q̇
  SparseMatrix M;       ///< N×N, ∂²L/∂q̇∂q̇
  std::vector<Expr> B;  ///< N: (∂²T/∂q̇∂q)q̇ + ∂²T/∂q̇∂t − ∂T/∂q
  std::vector<Expr> G;  ///< N: ∂V/∂q
  std::vector<Expr> F;  ///< N: generalized non-conservative forces

  std::vector<std::string> rows;  ///< m names, in the order of the model
  std::vector<int> holonomic;     ///< which rows have a position level
  std::vector<Expr> h;            ///< m: h(q,t), or η(q,q̇,t) for a Pfaffian row
  std::vector<Expr> lambda;       ///< m symbols
  SparseMatrix W;                 ///< m×N
  std::vector<Expr> a;            ///< m: ∂h/∂t, or η at q̇ = 0
  std::vector<Expr> gamma;        ///< m: d(Wq̇ + a)/dt at q̈ = 0
  SparseMatrix Wdot;              ///< m×N: dW/dt

  Expr E;                     ///< q̇·∂L/∂q̇ − L
  Expr dLdt;                  ///< ∂L/∂t
  Expr power;                 ///< F·q̇
  bool conservative = false;  ///< F = 0 (with the inputs' constant values), a = 0, ∂L/∂t = 0 identically: E is constant
  std::vector<ConservedQuantity> momenta;  ///< constant as well

  int n() const { return static_cast<int>(q.size()); }
  int m() const { return static_cast<int>(rows.size()); }
};

/// Derives everything above. Errors: what model.diagnostics() holds; E0220 T not quadratic in the velocities; E0221
/// power not linear in them; E0222 a Pfaffian constraint not affine in them. Warnings of the model are passed on.
Result<Equations> derive(std::shared_ptr<const Model> model);

/// The same equations on an overlay of their graph (expr.h), with which a pass begins that makes expressions of them: it
/// leaves the graph as it was, and what it makes does not depend on what others build there. Those that are on an
/// overlay stay on it.
Equations on_overlay(const Equations& equations);

/// What every motion conserves: the energy where the system is conservative, and the momenta.
std::vector<ConservedQuantity> conserved_quantities(const Equations& equations);

/// Unit of row j's multiplier, J/[h] or W/[η], where the row has one.
std::optional<Dimension> lambda_dimension(const Model& model, const Constraint& constraint, const ConstraintRow& row);

}  // namespace dalembert
