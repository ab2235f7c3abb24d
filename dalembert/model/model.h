// SPDX-License-Identifier: Apache-2.0
// What the user states: coordinates, energies or bodies, forces, constraints. A Model is built step by step (by a model
// file or by C++) and is not changed afterwards; `derive` makes equations of it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/base/units.h"
#include "dalembert/expr/expr.h"
#include "dalembert/expr/kinds.h"
#include "dalembert/model/roles.h"

namespace dalembert {

/// Cartesian components along the ground axes; 2 or 3 of them, all of one size within a model.
using Vector = std::vector<Expr>;

/// A coordinate with the symbols of its value and rates. Usable as its value: `L * sin(theta)`.
struct Coordinate {
  std::string name;
  std::optional<Dimension> dimension;  ///< absent: no unit was given
  Expr q, qd, qdd;                     ///< q_i, q̇_i, q̈_i
  Span span;
  operator const Expr&() const { return q; }
};

struct Parameter {
  std::string name;
  Expr symbol;
  double value = 0;  ///< SI
  std::optional<Dimension> dimension;
  Span span;
};

/// How samples become a function of time.
enum class Interpolation {
  kLinear,  ///< straight lines between them
  kSpline,  ///< the cubic spline through them: it has two time derivatives, so constraints and energies may contain it
};

/// u(t): an expression of t and parameters, or samples. A spline is followed by its derivatives u' and u'', inputs too.
struct Input {
  std::string name;
  Expr symbol;
  Expr value;                        ///< null when the input is a table, or a derivative of one
  std::vector<double> time, sample;  ///< used when value is null; empty for derivatives
  std::optional<Dimension> dimension;
  Span span;
  Interpolation interpolation = Interpolation::kLinear;
  Expr rate = {};      ///< the symbol of its time derivative; null where it has none
  int derivative = 0;  ///< 1, 2: this is such a time derivative of the input one or two before
  bool table = false;  ///< declared as samples, whatever replaces them
};

struct Body {
  std::string name;
  Expr mass, inertia;  ///< inertia about the centre of mass; null for a point mass
  Vector position;     ///< of the centre of mass
  Expr angle;          ///< null for a point mass
  Span span;
};

struct Point {
  std::string name;
  Vector position;
  Span span;
};

enum class ConstraintForm { kHolonomic, kPfaffian, kCoincide, kDistance };

struct ConstraintRow {
  std::string name;                    ///< "pin", "pin[1]", "pin.x"
  Expr expression;                     ///< h(q,t), or η(q,q̇,t)
  Expr lambda;                         ///< its multiplier's symbol
  std::optional<Dimension> dimension;  ///< of h or η
  Span span;                           ///< the expression as written
};

struct Constraint {
  std::string name;
  ConstraintForm form;
  std::vector<ConstraintRow> rows;
  std::vector<std::string> points;  ///< of coincide and distance
  Span span;
};

/// The five ways of theory §1 but dissipation, which is with the energies.
struct Force {
  enum class Form { kPoint, kTorque, kCoordinate, kPower } form;
  Vector position, vector;  ///< kPoint: r(q,t) and f
  Expr angle, torque;       ///< kTorque: the body's angle and τ
  int coordinate = 0;       ///< kCoordinate
  Expr value;               ///< kCoordinate: the generalized force; kPower: P(q, q̇, t, u)
  Span span;
};

struct Output {
  std::string name;
  Expr expression;
  std::optional<Dimension> dimension;
  Span span;
};

/// left = right, "on the constraint": what a claim assumes.
struct ClaimCondition {
  Expr left, right;
  std::string text;  ///< as written
  Expr parts;        ///< has a value exactly where all of the text has one: x/x = 1 is 1 = 1, but not at 0; may be null
  Span span;
};

/// A formula that someone derived by hand, for audit (analyze/audit.h). Its units are not checked: a wrong one is a
/// finding of the audit, not an error of the model.
struct Claim {
  std::string source;     ///< who says so; may be empty
  MappedText entry;       ///< "B[phi]": what find_entry reads
  Expr value;             ///< claimed; of an equation left − right
  bool equation = false;  ///< written with `=`
  std::string text;       ///< the value as written
  Expr parts;             ///< has a value exactly where all of the text has one; null: where `value` has one
  std::vector<ClaimCondition> given;
  Span span;  ///< of the value
};

/// Initial values in SI by coordinate index. Held ones are kept exactly by assembly; guesses may move.
struct InitialValue {
  int coordinate = 0;
  double value = 0;
  Span span;
};
struct Initial {
  std::vector<InitialValue> position, velocity;              ///< held
  std::vector<InitialValue> position_guess, velocity_guess;  ///< free to move
  double t = 0;
};

struct SimulationSettings {
  std::optional<double> until, rtol, atol, output_step, max_step;
  std::optional<std::string> method, formulation;
  std::map<std::string, Span> places = {};  ///< where each of them is written, by its key in the file
};

class Model {
 public:
  explicit Model(std::string name = {});

  // Building. Each returns the handle that later expressions use; what is wrong is collected in diagnostics().
  Coordinate coordinate(const std::string& name, const std::string& unit = {}, const std::string& latex = {});
  Expr parameter(const std::string& name, double value, const std::string& unit = {});  ///< value in `unit`
  Expr input(const std::string& name);                                                  ///< zero until set_input
  void set_input(const std::string& name, const Expr& value);  ///< an expression of t and parameters
  /// An input that constraints and energies may contain, since it has time derivatives: dot() of it, twice. Zero until
  /// set_samples, or set_input with an expression that has them.
  Expr spline_input(const std::string& name);
  /// Samples of an input, linear between them, or of a spline_input. Times in s, strictly ascending; a spline has two
  /// samples or more.
  void set_samples(const std::string& name, std::vector<double> time, std::vector<double> value);
  void kinetic(const Expr& T);      ///< added to what was given before
  void potential(const Expr& V);    ///< added
  void dissipation(const Expr& R);  ///< added
  void lagrangian(const Expr& L);   ///< alone, without kinetic and potential
  void gravity(const Vector& g);    ///< before bodies
  void body(const std::string& name, const Expr& mass, const Vector& position);
  void body(const std::string& name, const Expr& mass, const Expr& inertia, const Vector& position, const Expr& angle);
  void point(const std::string& name, const Vector& position);
  void spring(const Vector& a, const Vector& b, const Expr& stiffness, const Expr& rest = {});
  void spring(const Coordinate& coordinate, const Expr& stiffness, const Expr& rest = {});
  void damper(const Vector& a, const Vector& b, const Expr& damping);
  void damper(const Coordinate& coordinate, const Expr& damping);
  /// One row is called `name`, several are name[1], name[2], …
  void holonomic(const std::string& name, const std::vector<Expr>& h);
  void pfaffian(const std::string& name, const std::vector<Expr>& eta);
  void coincide(const std::string& name, const Vector& a, const Vector& b);
  void distance(const std::string& name, const Vector& a, const Vector& b, const Expr& value);
  void force(const Vector& position, const Vector& vector);
  void torque(const Expr& angle, const Expr& torque);
  void generalized_force(const Coordinate& coordinate, const Expr& value);
  void power(const Expr& P);
  void output(const std::string& name, const Expr& expression);

  /// Total time derivative of an expression of coordinates and t (velocities become accelerations).
  Expr dot(const Expr& expression) const;
  /// The rates of what changes with time alone: t and inputs that have them.
  std::unordered_map<SymbolId, Expr> time_rates() const;
  /// Why `symbol` may not be used in an expression of this role; nothing when it may. `name`: as written.
  std::optional<Diagnostic> refuse(Role role, SymbolId symbol, std::string_view name, const Span& span) const;
  Expr lambda(const std::string& row) const;  ///< the multiplier of a row that was added already, or null
  Expr constant(const Rational& value) const { return graph->constant(value); }

  int coordinate_index(const std::string& name) const;  ///< -1: there is none
  /// All at once: their velocities share one sweep, so a chain of N bodies costs O(N). Position, mass, angle as in
  /// body().
  void add_bodies(std::vector<Body> several);
  /// What an expression of the model's symbols has as dimension; nothing when a unit is missing or terms disagree.
  std::optional<Dimension> dimension_of(const Expr& expression) const;
  /// Components of the vectors given so far: 0 (none yet), 2 or 3.
  int space() const { return space_; }
  std::vector<const ConstraintRow*> rows() const;  ///< of all constraints, in order
  const Diagnostics& diagnostics() const { return diagnostics_; }
  Diagnostics& diagnostics() { return diagnostics_; }

  // What was stated. Read freely; written by the functions above and by modelfile.
  std::shared_ptr<Graph> graph;
  std::string name, description, reference;
  Expr t;
  std::vector<Coordinate> coordinates;
  std::vector<Parameter> parameters;
  std::vector<Input> inputs;
  std::vector<Body> bodies;
  std::vector<Point> points;
  Vector gravity_field;
  Expr T, V, R;                         ///< sums of everything stated; 0 where nothing was
  Expr L;                               ///< null unless given directly
  Span T_span, V_span, R_span, L_span;  ///< of [energy], where written
  std::vector<Constraint> constraints;
  std::vector<Force> forces;
  std::vector<Output> outputs;
  std::vector<Claim> claims;
  Initial initial;
  SimulationSettings simulation;
  bool has_units = false;  ///< some unit was given, so dimensions are checked and λ has a unit
  SourcePtr source;        ///< the model file, if there is one
  Span here;               ///< the place of what is stated next, for its span and for diagnostics

 private:
  bool claim_name(const std::string& name, std::string_view what);
  bool claim_row(const std::string& name);
  bool allows(Role role, std::initializer_list<Expr> expressions);
  bool allows(Role role, const std::vector<Expr>& expressions);
  Input* find_input(const std::string& name);
  InputUse use_of(SymbolId symbol) const;
  std::uint8_t uses_in(const Expr& expression) const;
  bool same_space(const Vector& vector);
  void problem(std::string code, std::string message, std::string help = {});
  void add_constraint(const std::string& name, ConstraintForm form, const std::vector<Expr>& rows,
                      const std::vector<std::string>& row_names, const std::vector<std::string>& points);
  std::optional<Unit> read_unit(const std::string& unit);

  Diagnostics diagnostics_;
  int space_ = 0;
  std::unordered_map<std::string, Span> names_, constraint_names_;
  std::unordered_set<std::string> output_names_;
  std::unordered_map<std::string, int> coordinate_indices_;
  std::unordered_map<std::string, Expr> multipliers_;
  mutable KindMasks kinds_;
  mutable std::vector<std::uint8_t> uses_;    // of inputs, by node: a bit for each InputUse
  std::unordered_map<SymbolId, Expr> rates_;  // q → q̇, q̇ → q̈, t → 1
};

}  // namespace dalembert
