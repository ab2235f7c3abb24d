// SPDX-License-Identifier: Apache-2.0
// Equations of motion as expressions (docs/notation.md; formulas: theory §2).
//
//   M q̈ + B + G = F + Wᵀλ        W q̇ + a = 0        W q̈ + γ = 0
//
// Where the motion has velocities v other than q̇, with q̇ = N v + n₀ (unit quaternions; quasi-velocities, N = S, n₀ = s₀):
//
//   M v̇ + B + G = F + Wᵀλ        W v + a = 0        W v̇ + γ = 0
//
// Each entry of them has a name: read_entry().
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/model/model.h"

namespace dalembert {

/// A quantity that the motion conserves: E, the momentum p_i = ∂L/∂q̇_i of a cyclic coordinate on which no force acts,
/// or the momentum p·ξ along another translation or rotation (momenta.h).
struct ConservedQuantity {
  std::string name;  ///< "energy", "p[phi]", "linear momentum along x (x1, x2)"
  Expr expression;
};

/// One friction (theory §8), or one of the two directions of a friction in a plane. Its force f contributes −f ∂v_s/∂v to the generalized
/// forces. The symbol of f is a multiplier that is numbered after those of the rows.
struct FrictionLaw {
  std::string name;
  bool second = false;  ///< the second direction of the friction before it, with the same N and coefficients
  Expr force;           ///< symbol of the force f, a multiplier of index m + j
  Expr velocity;        ///< sliding speed v_s
  Expr c0, gamma;       ///< sliding speed at v = 0; dv_s/dt at v̇ = 0
  Expr normal, N0;      ///< normal force N, and the part of N that does not depend on λ
  Expr mu, mu_s, viscous;
};

/// A holonomic row that is one-sided.
struct UnilateralRow {
  int row = 0;
  Expr restitution;  ///< Newton's coefficient; null: 0
};

struct Equations {
  std::shared_ptr<const Model> model;
  std::shared_ptr<Graph> graph;  ///< graph of all expressions below
  std::size_t nodes = 0;         ///< number of nodes that `derive` left in the graph; 0: all of its nodes
  std::vector<Expr> q, qd, qdd;  ///< symbols of q, q̇ and q̈, N each
  Expr t;

  // Velocities other than q̇. Where a system has them, everything below is in q, v and t, and contains no symbol of q̇ or q̈.
  std::vector<Expr> v, vdot;  ///< symbols of v and v̇ (kQuasiVelocity, kQuasiAcceleration), nv each; empty where v = q̇
  SparseMatrix N;             ///< matrix N of q̇ = N v + n₀, N×nv; empty where v = q̇
  std::vector<Expr> n0;       ///< vector n₀ of q̇ = N v + n₀, N entries; empty where v = q̇
  std::vector<int> quaternions;  ///< for each unit quaternion: the first of its four consecutive coordinates

  Expr T, V, L;         ///< energies; with a Lagrangian given directly V = −L(q, 0, t) and T = L + V
  std::vector<Expr> p;  ///< nv momenta ∂L/∂q̇
  SparseMatrix M;       ///< mass matrix ∂²L/∂q̇∂q̇, nv×nv
  std::vector<Expr> B;  ///< nv centrifugal and Coriolis terms (∂²T/∂q̇∂q)q̇ + ∂²T/∂q̇∂t − ∂T/∂q
  std::vector<Expr> G;  ///< nv entries of ∂V/∂q
  std::vector<Expr> F;  ///< nv: generalized non-conservative forces, without the part that depends on multipliers
  SparseMatrix Phi;     ///< nv×m, ∂F/∂λ: the part of the forces that depends on multipliers is Φ λ
  SparseMatrix C;       ///< one row per friction, ∂v_s/∂v, nv columns: the forces of friction are −Cᵀ f
  SparseMatrix load;    ///< one row per friction, ∂N/∂λ (N the normal force), m columns
  std::vector<FrictionLaw> frictions;

  int actuated = 0;               ///< number of last rows that are prescribed coordinates: see with_prescribed_rows()
  std::vector<std::string> rows;  ///< m names of the constraint rows, in the order of the model
  std::vector<int> holonomic;     ///< indices of the rows that are holonomic
  /// The one-sided rows, h >= 0, λ >= 0, h λ = 0 (theory §8). Everything below takes them as closed, h = 0.
  std::vector<UnilateralRow> unilateral;  ///< in the order of the rows
  bool is_unilateral(std::size_t row) const {
    return std::ranges::binary_search(unilateral, static_cast<int>(row), {}, &UnilateralRow::row);
  }
  /// For each row, 1 while it does not act and 0 while it does; empty: all rows act (compile/contacts.h).
  std::vector<Expr> idle;
  std::vector<Expr> h;       ///< left sides of the m rows: h(q,t), or η(q,q̇,t) for a Pfaffian row
  std::vector<Expr> lambda;  ///< symbols of the m multipliers
  SparseMatrix W;            ///< m×nv, coefficients of W v + a = 0; (∂h/∂q) N for holonomic rows
  std::vector<Expr> a;       ///< m entries: ∂h/∂t for holonomic rows, η at q̇ = 0 for Pfaffian ones
  std::vector<Expr> gamma;   ///< m entries of γ: d(Wq̇ + a)/dt at q̈ = 0
  SparseMatrix Wdot;         ///< rate of W, m×nv

  Expr E;                     ///< energy q̇·∂L/∂q̇ − L
  Expr dLdt;                  ///< partial derivative of L by time
  Expr power;                 ///< power F·q̇ of the forces F
  bool conservative = false;  ///< E is constant: F = 0 (with constant inputs put in), a = 0 and ∂L/∂t = 0 identically
  std::vector<ConservedQuantity> momenta;  ///< momenta that every motion conserves

  int n() const { return static_cast<int>(q.size()); }
  int m() const { return static_cast<int>(rows.size()); }
  bool load_dependent() const { return !frictions.empty() || !Phi.value.empty(); }
  /// Generalized force on velocity i with Φ λ and friction: everything that acts on it except the constraints.
  Expr whole_force(int i) const;
  bool v_is_qdot() const { return v.empty(); }
  const std::vector<Expr>& velocities() const { return v_is_qdot() ? qd : v; }
  const std::vector<Expr>& accelerations() const { return v_is_qdot() ? qdd : vdot; }
  int nv() const { return static_cast<int>(velocities().size()); }
};

/// The time derivative of each symbol of the state along a motion: q̇ or N v + n₀ for q, v̇ for v. Built in the graph of the equations.
std::unordered_map<SymbolId, Expr> rates_of_state(const Equations& equations);

/// The symbols of q̇ and q̈ in terms of v and v̇: N v + n₀ and its rate, built in the graph of the equations; empty where v = q̇.
std::unordered_map<SymbolId, Expr> motion_of_coordinates(const Equations& equations);

/// Maps the model's symbol of each friction force to the symbol in the equations, for frictions where the two differ
/// (FrictionLaw::force).
std::unordered_map<SymbolId, Expr> frictions_of_model(const Equations& equations);

/// Derives the equations of motion of a model. Errors: those in model.diagnostics(); E0220 T is not quadratic in the
/// velocities; E0221 a power is not linear in them; E0222 a Pfaffian constraint is not affine in them; E0270 a force is
/// not linear in multipliers; E0271 a sliding speed is not affine in the velocities. Warnings of the model are passed on.
Result<Equations> derive(std::shared_ptr<const Model> model);

/// The same equations on an overlay of their graph (expr.h). Every pass that builds expressions from equations begins
/// with this: the graph stays as it was, and the results do not depend on what other passes build. Equations that are
/// on an overlay already stay on it.
Equations on_overlay(const Equations& equations);

/// The equations with one more row α − f(t) = 0 at the end for each prescribed coordinate α. The multiplier of the row is the
/// force that makes α follow f, so these are the equations of the actuated system (theory §6); they are solved, projected and
/// balanced like any other. Built in the graph of the equations; equations that have these rows already are returned unchanged.
Equations with_prescribed_rows(Equations equations);
/// For equations with rows of prescribed coordinates: the multiplier that replaces each actuation, by the actuation's
/// symbol (Prescribed::actuation).
std::unordered_map<SymbolId, Expr> actuation_multipliers(const Equations& equations);

/// The quantities that every motion conserves: the energy where the system is conservative, and the momenta.
std::vector<ConservedQuantity> conserved_quantities(const Equations& equations);

/// Unit of the multiplier of `row`: joule per unit of h for a holonomic row, watt per unit of η for a Pfaffian one; no
/// value where the row has no unit.
std::optional<Dimension> lambda_dimension(const Model& model, const Constraint& constraint, const ConstraintRow& row);

struct LocalConnection;
struct Reduced;

/// The names by which entries of M, B, F … are indexed: those of the coordinates. Where v is not q̇, each velocity has
/// the name of the coordinate whose rate it is, or else a name of its own ("top.omega.x").
std::vector<std::string> motion_names(const Equations& equations);

/// The entry to which a name refers.
struct EntryName {
  std::string part;         ///< which quantity: "M", "gamma", "eom"
  int row = 0, column = 0;  ///< counted from 0, where the part has indices
  std::string text;         ///< the whole name, with every index by name: "M[theta,phi]"

  /// Whether the entry has to be solved for (λ, q̈). Entries of the equations without multipliers are reduced()
  /// (reduce.h); all others are in Equations.
  bool solved() const { return part == "lambda" || part == "qdd"; }
  bool reduced() const;
  /// Whether the entry is a whole equation, so that a claim may state both its sides.
  bool equation() const { return part == "eom" || part == "reduced" || part == "kinematic"; }
  /// Whether the entry is one of the connection, which has other formulas in body axes (body_axes_entry).
  bool of_connection() const { return part == "A" || part == "kinematic"; }
};

/// Reads the name of an entry: `T`, `V`, `L`, `E`; `B[theta]`, `G[theta]`, `F[theta]`, `p[theta]`; `M[theta,phi]`;
/// `W[pin[1],theta]`, `Wdot[pin[1],theta]`; `a[pin[1]]`, `gamma[pin[1]]`, `h[pin[1]]`; `eom[theta]`, which is row theta
/// of M q̈ + B + G − F − Wᵀλ; `lambda[pin[1]]`, `qdd[theta]`; `Pc[pin[1]]`, the power λ_j (W q̇)_j of a multiplier.
/// Coordinates and rows may be given by numbers from 1: `M[1,2]`. Errors: E0230 no such entry, with the nearest name.
/// Kinematic systems have `A[x,alpha]` and `kinematic[x]`, row x of q̇_p + A q̇_a + W_p⁻¹ a, in ground axes; mixed systems
/// have `A[x,alpha]` in body axes. Errors: E0231 there is no connection.
/// Models with quasi-velocities have `S[x,u]`, `Sdot[x,u]`, `s0[x]`; `Mr[u,u]`, `br[u]`, `reduced[u]` (row u of M_r v̇ + b),
/// `vdot[u]`; and, where the reduced equations contain no coordinate, `J[u,omega]`, which is ∂v̇_u/∂ω.
Result<EntryName> read_entry(const Equations& equations, const MappedText& name);

/// The entry's expression; null for λ, q̈ and entries of the equations without multipliers.
Expr entry_value(const Equations& equations, const EntryName& entry);

/// `A[x,alpha]` in body axes or, in a kinematic system, row x of ξ + A q̇_a, taken from `local`; null where `local` has no such entry.
Expr body_axes_entry(const Equations& equations, const LocalConnection& local, const EntryName& entry);

/// An entry of the equations without multipliers, in q, v and t, built in their graph. Errors: E0231 v̇ has no closed
/// form, or J is asked for where the reduced equations contain coordinates.
Result<Expr> reduced_entry(const Reduced& reduced, const EntryName& entry, const Span& place);

/// The expression of any entry; λ and q̈ are solved for as in solve_closed_form(). Expressions that the equations do
/// not hold already are built in their graph. Errors: E0230; E0231 no closed form; those of build_reduced().
Result<Expr> find_entry(const Equations& equations, const MappedText& name);

}  // namespace dalembert
