// SPDX-License-Identifier: Apache-2.0
// Elimination of the multipliers (theory §4): the equations of motion in quasi-velocities v, as formulas.
//
//   q̇ = S v + s₀        W S = 0,  W s₀ + a = 0
//   M_r v̇ + b = 0       M_r = SᵀM S,  b = SᵀM (Ṡ v + ṡ₀) + Sᵀ(B + G − F)                                   (2.18)
//
// all in q, v and t; a prescribed coordinate is moved by its actuation, which is a force among F. With v = Y q̇ + y₀ and
// [R S] the inverse of [W; Y]: s₀ = [R S] [−a; −y₀], and λ = Rᵀ(M q̈ + B + G − F).
// Forces that depend on multipliers stay in b with them, those of friction as their symbols f: whether they slide or stick
// is not for a formula to say (dynamics/friction.h).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/derive/closed_form.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

/// One quasi-velocity of a reduced system.
struct ReducedVelocity {
  std::string name;  ///< "u"; "theta'" where it is the rate of a coordinate
  Expr v, vdot;      ///< symbols
  Expr definition;   ///< Y q̇ + y₀
};

struct Reduced {
  std::shared_ptr<Graph> graph;             ///< of the formulas: an overlay of that of the equations (expr.h)
  std::vector<ReducedVelocity> velocities;  ///< nv = N − (independent rows)
  bool chosen = false;                      ///< by the program: the model states none
  std::vector<int> rows;                    ///< the independent rows of W, ascending
  SparseMatrix Y;                           ///< nv×N
  SparseMatrix S, Sdot;                     ///< N×nv
  std::vector<Expr> s0, s0dot;              ///< N
  std::vector<Expr> qdot;                   ///< N: S v + s₀
  SparseMatrix M;                           ///< nv×nv
  std::vector<Expr> b;                      ///< nv
  bool closed = false;                      ///< no coordinate and no multiplier in M and b: the equations stand alone
  std::vector<Expr> divisors;               ///< S has no value where one of them is 0

  // Closed forms in q, v and t, and the forces f of frictions; empty where there is none, and then `why`.
  std::vector<Expr> vdot;    ///< nv
  std::vector<Expr> lambda;  ///< m
  NoClosedForm why = NoClosedForm::kTooLarge;
  NoClosedForm why_no_lambda = NoClosedForm::kTooLarge;

  std::optional<Diagnostic> no_equations;  ///< why M and b are left out, where ReduceOptions::or_velocities says so

  int nv() const { return static_cast<int>(velocities.size()); }
};

struct ReduceOptions {
  int max_cost = kAskedCost;      ///< of a formula (algebra/gather.h)
  bool motion = true;             ///< v̇ and λ as well
  std::size_t most_tried = 5000;  ///< terms of all formulas with which quasi-velocities are chosen
  bool equations = true;  ///< M_r and b; false: only S and s₀, as far as the velocities say how the system may move
  bool or_velocities = false;  ///< where M_r and b are too large, S and s₀ alone
};

/// With the quasi-velocities of the model; where it states none, with those that print shortest. Errors: E0263 too large
/// to be written, no equations in which anything moves.
Result<Reduced> reduce(const Equations& equations, const ReduceOptions& options = {});
/// The same, built in the graph of the equations.
Result<Reduced> build_reduced(const Equations& equations, const ReduceOptions& options = {});

/// Row k of M_r v̇ + b.
Expr reduced_equation(const Reduced& reduced, int k);

/// What an expression of q, q̇, q̈ and t is on the constraints, in q, v, v̇ and t: q̇ = S v + s₀, q̈ = S v̇ + Ṡ v + ṡ₀.
Expr in_quasi_velocities(const Equations& equations, const Reduced& reduced, const Expr& expression);

/// c with [S_k, S_l] = Σ_s c S_s + Σ_j c R_j, S_k the columns of S as vector fields and R_j those of the directions that
/// row j of W measures (W_j R_j = 1): minus Hamel's coefficients dω^s(S_k, S_l) of the forms ω = Y dq and W dq. Those that
/// are not 0, k < l.
struct HamelCoefficient {
  int s = 0;  ///< a quasi-velocity; from nv on the independent row s − nv
  int k = 0, l = 0;
  Expr value;
};
std::vector<HamelCoefficient> hamel_coefficients(const Equations& equations, const Reduced& reduced);

}  // namespace dalembert
