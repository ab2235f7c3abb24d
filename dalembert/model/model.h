// SPDX-License-Identifier: Apache-2.0
// What the user states: coordinates, energies or bodies, forces, constraints. A Model is built step by step (by a model
// file or by C++) and is not changed afterwards; `derive` makes equations of it.
#pragma once

#include <array>
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
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/expr.h"
#include "dalembert/expr/kinds.h"
#include "dalembert/model/constraint_kind.h"
#include "dalembert/model/drawing.h"
#include "dalembert/model/force_kind.h"
#include "dalembert/model/geometry.h"
#include "dalembert/model/roles.h"

namespace dalembert {

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
  std::string meaning = {};  ///< what it is, in words; may be empty
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

/// A velocity of the user's choice, v = Y(q,t) q̇ + y₀(q,t) (theory §4).
struct QuasiVelocity {
  std::string name;
  Expr v, vdot;     ///< its symbols, and that of its rate
  Expr definition;  ///< in q̇, q, t
  std::optional<Dimension> dimension;
  Span span;
};

/// Four neighbouring coordinates that are the attitude of a frame as a unit quaternion. Its rates are the frame's angular
/// velocity against its parent, along the frame's axes: velocities of the motion instead of the coordinates' own.
struct FrameQuaternion {
  std::string frame;
  int first = 0;              ///< of the four coordinates
  std::array<Expr, 3> omega;  ///< symbols, which the equations replace by their own
  Span span;
};

/// A velocity of the motion, in its order: the rate of a coordinate, or a component of a frame's angular velocity.
struct VelocityPlace {
  int coordinate = 0;   ///< of the quaternion the first one
  int quaternion = -1;  ///< which; -1: the rate of a coordinate
  int axis = 0;
};

/// A coordinate that follows a function of time: something drives it, with the generalized force `actuation` (theory §6).
struct Prescribed {
  int coordinate = 0;
  Expr value;      ///< f(t)
  Expr actuation;  ///< symbol of the force that it takes: a multiplier named "actuation(alpha)"
  Span span;
};

/// Coulomb friction |f| ≤ μ|N| against a sliding speed; its generalized force is −f ∂velocity/∂q̇ (theory §8).
struct Friction {
  std::string name;
  Expr normal;    ///< N, linear in λ
  Expr velocity;  ///< v_s, affine in q̇
  Expr coefficient, static_coefficient, viscous;
  Expr force;  ///< symbol of f: a multiplier named "friction(corner)"
  Span span;
  Span normal_span, velocity_span;           ///< where they are written
  std::optional<Dimension> force_dimension;  ///< of f: W/[velocity]
};

/// An instant of a run: where `when` passes 0. What it sets, it sets at once, by expressions of the state before.
struct Event {
  enum class Direction { kAny, kUp, kDown };
  /// A coordinate (its place in Model::coordinates) or a velocity (its place in Model::velocity_places()).
  struct Setting {
    bool velocity = false;
    int place = 0;
    Expr value;
    Span span;
  };

  std::string name;
  Expr when;  ///< of coordinates, velocities, accelerations, multipliers, inputs, t
  Direction direction = Direction::kAny;
  Expr where;         ///< a condition; null: always
  bool stop = false;  ///< the run ends there
  std::vector<Setting> set;
  Span span, when_span;
};

/// How Model::event is told what it makes.
struct EventDescription {
  Expr when;
  Event::Direction direction = Event::Direction::kAny;
  Expr where = {};
  bool stop = false;
  std::vector<std::pair<std::string, Component>> set = {};  ///< by "x", "x'", "top.omega.x"
};

/// How Model::friction is told what it makes.
struct FrictionDescription {
  Component normal;    ///< from multipliers: `model.lambda("floor")`
  Component velocity;  ///< the sliding speed
  Component coefficient;
  std::optional<Component> static_coefficient = {};  ///< the same
  Component viscous = 0;
};

struct ConstraintRow {
  std::string name;                    ///< "pin", "pin[1]", "pin.x"
  Expr expression;                     ///< h(q,t), or η(q,q̇,t)
  Expr lambda;                         ///< its multiplier's symbol
  std::optional<Dimension> dimension;  ///< of h or η
  Span span;                           ///< the expression as written
};

struct Constraint {
  std::string name;
  const ConstraintKind* kind;
  std::vector<ConstraintRow> rows;
  std::vector<std::string> points;  ///< names of the points it is stated with; empty for plain components
  Span span;
  Arguments arguments = {};  ///< as they were given, for whoever draws it
};

/// The five ways of theory §1 but dissipation, which is with the energies.
struct Force {
  const ForceKind* kind;
  std::vector<Contribution> parts;
  Span span;
  Arguments arguments = {};  ///< as they were given, for whoever draws it
};

/// How Model::frame and Model::body are told what they make; what is left out is the ground, its origin, no turn.
struct FrameDescription {
  Frame parent = {};
  Components origin = {};  ///< along the parent's axes
  Rotation rotate = {};
  std::vector<Coordinate> quaternion = {};  ///< instead: four neighbouring coordinates
};
/// Either fixed in a frame, at `com` along its axes, or with its centre of mass at `position`, in the plane with `angle`.
struct BodyDescription {
  Component mass;
  Inertia inertia = {};  ///< about the centre of mass; left out: a point mass
  std::optional<Frame> frame = {};
  Components com = {};
  Components position = {};
  Expr angle = {};
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
  /// Of angular velocities of quaternion frames: InitialValue::coordinate is 3·(which quaternion) + axis.
  std::vector<InitialValue> angular, angular_guess;
  std::vector<InitialValue> quasi_velocity;  ///< held; `coordinate` counts quasi-velocities
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
  /// Value in `unit`.
  Expr parameter(const std::string& name, double value, const std::string& unit = {}, const std::string& latex = {});
  Expr input(const std::string& name);                         ///< zero until set_input
  void set_input(const std::string& name, const Expr& value);  ///< an expression of t and parameters
  /// An input that constraints and energies may contain, since it has time derivatives: dot() of it, twice. Zero until
  /// set_samples, or set_input with an expression that has them.
  Expr spline_input(const std::string& name);
  /// Samples of an input, linear between them, or of a spline_input. Times in s, strictly ascending; a spline has two
  /// samples or more.
  void set_samples(const std::string& name, std::vector<double> time, std::vector<double> value);
  /// The coordinate follows f(t), an expression of t, parameters and splines; the force that it takes is unknown.
  void prescribe(const Coordinate& coordinate, const Expr& value);
  /// The cubic spline through samples, as set_samples().
  void prescribe(const Coordinate& coordinate, std::vector<double> time, std::vector<double> value);
  /// In place of what the coordinate followed before, if it did.
  void prescribe_instead(const Coordinate& coordinate, const Expr& value);
  /// The generalized force that makes a prescribed coordinate follow, for outputs; null where it is not prescribed.
  Expr actuation(const std::string& coordinate) const { return lambda("actuation(" + coordinate + ")"); }
  void kinetic(const Expr& T);      ///< added to what was given before
  void potential(const Expr& V);    ///< added
  void dissipation(const Expr& R);  ///< added
  void lagrangian(const Expr& L);   ///< alone, without kinetic and potential
  void gravity(const Components& g);

  // Where things are (geometry.h): `model.frame("rod", {.parent = crank, .origin = {2 * L1, 0}, .rotate = phi})`.
  Frame frame(const std::string& name, const FrameDescription& description);
  Point point(const std::string& name, const Components& position);
  Point point(const std::string& name, const Frame& frame, const Components& at);
  /// The lowest point of the rim of a disk: `axis` is normal to it, along the axes of `disk`, whose origin is its middle.
  /// Low is against the third ground axis, or along it where gravity, stated before, points that way.
  Point rim(const std::string& name, const Frame& disk, const Components& axis, const Component& radius);
  Body body(const std::string& name, const BodyDescription& description);
  Body body(const std::string& name, const Component& mass, const Components& position);
  Body body(const std::string& name, const Component& mass, const Component& inertia, const Components& position,
            const Expr& angle);

  // Points here are points, Vec2, Vec3 or components.
  void spring(const Components& a, const Components& b, const Component& stiffness, const Component& rest = 0);
  void spring(const Coordinate& coordinate, const Component& stiffness, const Component& rest = 0);
  void damper(const Components& a, const Components& b, const Component& damping);
  void damper(const Coordinate& coordinate, const Component& damping);

  // Constraints, of the kinds in constraint_kind.cpp. `latex` is what formulas write for the name, as the index of its
  // multipliers: "A" makes \lambda_{A,1}.
  void constrain(const std::string& constraint, const ConstraintKind& kind, const Arguments& arguments,
                 const std::string& latex = {});
  void holonomic(const std::string& constraint, const std::vector<Expr>& h, const std::string& latex = {}) {
    constrain(constraint, constraint_kind("holonomic"), {{.expressions = h}}, latex);
  }
  void pfaffian(const std::string& constraint, const std::vector<Expr>& eta, const std::string& latex = {}) {
    constrain(constraint, constraint_kind("pfaffian"), {{.expressions = eta}}, latex);
  }
  void coincide(const std::string& constraint, const Components& a, const Components& b,
                const std::string& latex = {}) {
    constrain(constraint, "coincide", {points_of({a, b})}, latex);
  }
  void distance(const std::string& constraint, const Components& a, const Components& b, const Component& value,
                const std::string& latex = {}) {
    constrain(constraint, "distance", {points_of({a, b}), vector_of({value})}, latex);
  }

  /// Without a frame: the point itself is at rest, or does not move sideways.
  void no_slip(const std::string& constraint, const Components& point, const Frame& with = {},
               const std::string& latex = {}) {
    constrain(constraint, "no_slip", {points_of({point}), {.frame = with}}, latex);
  }
  void no_skid(const std::string& constraint, const Components& point, const Components& direction,
               const Frame& with = {}, const std::string& latex = {}) {
    constrain(constraint, "no_skid", {points_of({point}), vector_of(direction), {.frame = with}}, latex);
  }

  // Forces, of the kinds in force_kind.cpp.
  void act(const ForceKind& kind, const Arguments& arguments);
  void force(const Components& position, const Components& vector) {
    act(force_kind("at"), {points_of({position}), vector_of(vector)});
  }
  void torque(const Expr& angle, const Component& torque);
  void torque(const Body& body, const Component& torque);   ///< in the plane
  void torque(const Body& body, const Components& torque);  ///< in space, along the ground axes
  void generalized_force(const Coordinate& coordinate, const Component& value);
  /// Coulomb friction; the constraints that its normal force is made of come first. Returns its force f, for outputs.
  Expr friction(const std::string& friction, const FrictionDescription& description);
  void power(const Expr& P) { act(force_kind("power"), {{.expressions = {P}}}); }
  /// Errors: E0281 what cannot be set, E0282 no condition, E0283 `when` is 0 all the time.
  void event(const std::string& event, const EventDescription& description);
  void output(const std::string& name, const Expr& expression);
  /// A velocity v = Y(q,t) q̇ + y₀(q,t) for the equations without multipliers (derive/reduce.h): as many as velocities less
  /// independent constraint rows, independent of each other and of the constraints. Returns the definition, which may
  /// stand where velocities may.
  Expr quasi_velocity(const std::string& name, const Expr& definition, const std::string& unit = {},
                      const std::string& latex = {});

  /// The value of numbers and parameters; NaN where other symbols are in it.
  double value_of(const Expr& constant) const;
  /// +1; −1 where the third component of gravity is positive.
  int upward(const Expr& third_of_gravity) const { return value_of(third_of_gravity) > 0 ? -1 : 1; }
  /// Whether four coordinates can be the attitude of that frame: they follow each other, and are no other frame's. Says
  /// what is wrong.
  bool are_a_quaternion(const std::string& frame, const std::vector<Coordinate>& four);
  /// The attitude that four neighbouring coordinates from `first` on are, for the frame of that name.
  Quaternion quaternion(const std::string& frame, int first);
  /// All velocities of the motion, in the order of the coordinates.
  std::vector<VelocityPlace> velocity_places() const;
  /// "theta'", "top.omega.x".
  std::string velocity_name(const VelocityPlace& place) const;
  /// Sets a body's inertia from 1, 3 or 9 entries; false after a report.
  bool give_inertia(Body& body, const Vector& entries);
  /// Adds a frame that was placed by place_frame.
  void add_frame(Frame frame) { frames.push_back(std::move(frame)); }
  /// Total time derivative of an expression of coordinates and t (velocities become accelerations). For one thread.
  Expr dot(const Expr& expression) const;
  /// The same, with what earlier calls found: for many expressions that are made of each other.
  Expr dot(const Expr& expression, KnownDerivatives& known) const;
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
  /// Where row r of the kernels is stated: of the constraints, then of the prescribed coordinates.
  Span row_span(std::size_t r) const;
  std::vector<int> actuated() const;  ///< prescribed coordinates, ascending
  const Diagnostics& diagnostics() const { return diagnostics_; }
  Diagnostics& diagnostics() { return diagnostics_; }

  // What was stated. Read freely; written by the functions above and by modelfile.
  std::shared_ptr<Graph> graph;
  std::string name, description, reference;
  Expr t;
  std::vector<Coordinate> coordinates;
  std::vector<Parameter> parameters;
  std::vector<Input> inputs;
  std::vector<Frame> frames;
  std::vector<FrameQuaternion> quaternions;  ///< of frames
  std::vector<Body> bodies;
  std::vector<Point> points;
  Vector gravity_field;
  Expr T, V, R;                         ///< sums of everything stated; 0 where nothing was
  Expr L;                               ///< null unless given directly
  Span T_span, V_span, R_span, L_span;  ///< of [energy], where written
  std::vector<Constraint> constraints;
  std::vector<Force> forces;
  std::vector<QuasiVelocity> quasi_velocities;
  std::vector<Prescribed> prescribed;
  std::vector<Friction> frictions;
  std::vector<Event> events;
  std::vector<Connection> connections;  ///< springs and dampers; their energies are in V and R
  Drawing drawing;
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
  bool is_sound(std::string_view what, const Expr& expression);
  bool allows(Role role, std::initializer_list<Expr> expressions);
  bool allows(Role role, const std::vector<Expr>& expressions);
  bool takes(Role role, const std::vector<Expr>& expressions);
  Input* find_input(const std::string& name);
  bool are_samples(const std::string& of, const std::vector<double>& time, const std::vector<double>& value,
                   bool spline);
  bool may_prescribe(const Coordinate& coordinate, bool again);
  Expr add_input(const std::string& name);
  Expr add_spline(const std::string& name);
  InputUse use_of(SymbolId symbol) const;
  std::uint8_t uses_in(const Expr& expression) const;
  bool same_space(const Vector& vector);
  void problem(std::string code, std::string message, std::string help = {});
  /// What an event sets by that name, or nothing after a report.
  std::optional<Event::Setting> setting_of(const std::string& event, const std::string& what);
  /// E0275 and nothing where it is no symbol.
  std::string symbol_latex(const std::string& latex);
  void constrain(const std::string& constraint, std::string_view kind, const Arguments& arguments,
                 const std::string& latex) {
    constrain(constraint, constraint_kind(kind), arguments, latex);
  }
  Argument points_of(std::initializer_list<Components> points);
  Argument vector_of(const Components& components);
  bool fits(const ArgumentDescription& description, const Argument& argument);
  bool moves_rigidly(const Body& body);
  bool agree(const Rotation& rotation);
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
