// SPDX-License-Identifier: Apache-2.0
// The equations of motion solved: formulas of accelerations and multipliers, and equations in quasi-velocities.
//
// Closed forms: accelerations and multipliers as formulas, for systems small enough that the formulas are worth reading.
//
//   ⎡ M  −Wᵀ ⎤ ⎡ q̈ ⎤   ⎡ F − B − G ⎤
//   ⎣ W   0  ⎦ ⎣ λ ⎦ = ⎣    −γ     ⎦        by elimination on expressions, every entry kept in lowest terms
//
// Elimination of the multipliers (theory §4): the equations of motion in quasi-velocities v, as formulas.
//
//   q̇ = S v + s₀        W S = 0,  W s₀ + a = 0
//   M_r v̇ + b = 0       M_r = SᵀM S,  b = SᵀM (Ṡ v + ṡ₀) + Sᵀ(B + G − F)                                   (2.18)
//
// All are in q, v and t. F includes the actuations of prescribed coordinates. With v = Y q̇ + y₀ and [R S] the inverse
// of [W; Y]: s₀ = [R S] [−a; −y₀], and λ = Rᵀ(M q̈ + B + G − F).
// Multipliers on which forces depend remain in b, and friction forces remain as symbols f, because no formula can tell
// whether a contact slides or sticks (dynamics/friction.h).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

struct ClosedForm {
  std::shared_ptr<Graph> graph;  ///< graph of the formulas: an overlay of the graph of the equations (expr.h)
  std::vector<Expr> qdd;         ///< q̈ of each of the N coordinates
  std::vector<Expr> lambda;      ///< λ of each of the m constraint rows
  std::vector<Expr> actuation;   ///< force at each prescribed coordinate, whose q̈ remains a symbol in all formulas
};

/// The largest cost of a formula (algebra/gather.h) in a closed form that the user asked for.
inline constexpr int kAskedCost = 2000;

enum class NoClosedForm {
  kTooLarge,  ///< an entry exceeded the largest cost (algebra/gather.h) during the elimination
  kSingular,  ///< the matrix of formulas is singular: redundant rows, or a motion without inertia
  kFriction,  ///< friction, or forces that depend on multipliers: the matrix is not symmetric
  kNoPivot,   ///< no entry is left on the diagonal: a coordinate without inertia of its own
};
/// The reason as text, to follow "no closed form: ": "the system is singular …".
std::string_view to_text(NoClosedForm why);

/// Accelerations and multipliers as formulas of cost `max_cost` at most (algebra/gather.h). No value where there is no
/// closed form; the reason is then written to `why`, if given.
std::optional<ClosedForm> solve_closed_form(const Equations& equations, int max_cost = kAskedCost,
                                            NoClosedForm* why = nullptr);
/// The same closed form, built in the graph of the equations.
std::optional<ClosedForm> build_closed_form(const Equations& equations, int max_cost = kAskedCost,
                                            NoClosedForm* why = nullptr);

/// One quasi-velocity of a reduced system.
struct ReducedVelocity {
  std::string name;  ///< name of the quasi-velocity: "u"; "theta'" where it is the rate of a coordinate
  Expr v, vdot;      ///< symbols of the quasi-velocity and its rate
  Expr definition;   ///< the quasi-velocity as a row of Y q̇ + y₀
};

struct Reduced {
  std::shared_ptr<Graph> graph;             ///< graph of the formulas: an overlay of that of the equations (expr.h)
  std::vector<ReducedVelocity> velocities;  ///< the nv = N − (number of independent rows) quasi-velocities
  bool chosen = false;                      ///< the program chose them, because the model states none
  std::vector<int> rows;                    ///< the independent rows of W, ascending
  SparseMatrix Y;                           ///< matrix Y of v = Y q̇ + y₀, nv×N
  SparseMatrix S, Sdot;                     ///< matrix S of q̇ = S v + s₀, and its rate; N×nv
  std::vector<Expr> s0, s0dot;              ///< vector s₀ of q̇ = S v + s₀, and its rate; N entries
  std::vector<Expr> qdot;                   ///< N entries of q̇ = S v + s₀
  SparseMatrix M;                           ///< mass matrix M_r, nv×nv
  std::vector<Expr> b;                      ///< nv entries of b in M_r v̇ + b = 0
  bool closed = false;                      ///< neither coordinates nor multipliers are in M and b
  std::vector<Expr> divisors;               ///< S has no value where one of them is 0

  // Closed forms in q, v, t and the friction forces f. Empty where there is none; the reason is then in `why` or `why_no_lambda`.
  std::vector<Expr> vdot;  ///< formulas of v̇, nv entries; v̇_k itself where v_k is the rate of a prescribed coordinate
  std::vector<Expr> lambda;  ///< formulas of the m multipliers λ
  /// Formulas of the actuations of prescribed coordinates, in their order, in terms of their q̈. Empty where a prescribed rate is no v_k: the
  /// actuations are then symbols in v̇ and λ.
  std::vector<Expr> actuation;
  NoClosedForm why = NoClosedForm::kTooLarge;
  NoClosedForm why_no_lambda = NoClosedForm::kTooLarge;

  std::optional<Diagnostic> no_equations;  ///< why M and b are missing, where ReduceOptions::or_velocities allows that

  int nv() const { return static_cast<int>(velocities.size()); }
};

struct ReduceOptions {
  int max_cost = kAskedCost;      ///< largest cost of a formula (algebra/gather.h)
  bool motion = true;             ///< solve for v̇ and λ as well
  std::size_t most_tried = 5000;  ///< largest number of terms that are built to choose quasi-velocities
  bool equations = true;          ///< derive M_r and b as well; false: only S and s₀ of q̇ = S v + s₀
  bool or_velocities = false;     ///< give S and s₀ alone where M_r and b are too large
};

/// Eliminates the multipliers, with the quasi-velocities of the model or, where it states none, with those that print
/// shortest. Errors: E0263 the formulas are too large to be written, or nothing can move.
Result<Reduced> reduce(const Equations& equations, const ReduceOptions& options = {});
/// The same reduction, built in the graph of the equations.
Result<Reduced> build_reduced(const Equations& equations, const ReduceOptions& options = {});

/// Row k of the reduced equations, M_r v̇ + b.
Expr reduced_equation(const Reduced& reduced, int k);

/// Rewrites an expression of q, q̇, q̈ and t as the expression of q, v, v̇ and t that equals it on the constraints:
/// q̇ = S v + s₀, q̈ = S v̇ + Ṡ v + ṡ₀.
Expr in_quasi_velocities(const Equations& equations, const Reduced& reduced, const Expr& expression);

/// A coefficient c of the Lie bracket [S_k, S_l] = Σ_s c S_s + Σ_j c R_j. S_k is column k of S as a vector field,
/// and R_j column j of R, with W_j R_j = 1. It is minus Hamel's coefficient dω^s(S_k, S_l) of the forms ω = Y dq and
/// W dq. Only coefficients other than 0 are listed, with k < l.
struct HamelCoefficient {
  int s = 0;  ///< index of a quasi-velocity; from nv on, of the independent row s − nv
  int k = 0, l = 0;
  Expr value;
};
std::vector<HamelCoefficient> hamel_coefficients(const Equations& equations, const Reduced& reduced);

}  // namespace dalembert
