// SPDX-License-Identifier: Apache-2.0
// The model as the user states it: coordinates, energies or bodies, forces, constraints. A Model is built step by step, by a model file or
// in C++, and is not changed afterwards. `derive` computes its equations.
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
#include <variant>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/base/units.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/expr.h"
#include "dalembert/expr/visit.h"
#include "dalembert/model/geometry.h"
#include "dalembert/model/statements.h"

namespace dalembert {

// What kinds of constraints and forces there are, and what expressions may contain: constraint_kind.h, force_kind.h, roles.h.
struct ArgumentDescription;
struct ConstraintKind;
struct ForceKind;
enum class Role;
enum class InputUse;
/// The kind with that key, which must exist.
const ConstraintKind& constraint_kind(std::string_view key);
/// The kind with that key and an argument of that key, which must exist.
const ConstraintKind& constraint_kind(std::string_view key, std::string_view argument);
const ForceKind& force_kind(std::string_view key);

/// A coordinate with the symbols of its value and rates. It converts to its value: `L * sin(theta)`.
struct Coordinate {
  std::string name;
  std::optional<Dimension> dimension;  ///< absent if no unit was given
  Expr q, qd, qdd;                     ///< the symbols q_i, q̇_i, q̈_i
  Span span;
  operator const Expr&() const { return q; }
};

struct Parameter {
  std::string name;
  Expr symbol;
  double value = 0;  ///< in SI
  std::optional<Dimension> dimension;
  Span span;
  std::string meaning = {};  ///< a description in words; may be empty
  bool plain = false;        ///< stated as a number without a unit: one without dimension is no angle
  std::string unit =
      {};  ///< the unit in which a model file states it, as it is written there: "mm"; empty if it has none
};

/// How samples are interpolated in time.
enum class Interpolation {
  kLinear,  ///< straight lines between samples
  kSpline,  ///< the cubic spline through samples, whose two time derivatives let constraints and energies contain it
};

/// An input u(t): an expression of t and parameters, or samples. A spline is followed in the list by its derivatives u' and u'', which are inputs too.
struct Input {
  std::string name;
  Expr symbol;
  Expr value;                        ///< null when the input is a table, or a derivative of one
  std::vector<double> time, sample;  ///< used when value is null; empty for derivatives
  std::optional<Dimension> dimension;
  Span span;
  Interpolation interpolation = Interpolation::kLinear;
  Expr rate = {};      ///< the symbol of the input's time derivative; null if it has none
  int derivative = 0;  ///< 1 or 2: this input is that time derivative of the input 1 or 2 places before
  bool table = false;  ///< declared as samples, even if an expression replaced them
};

/// A velocity of the user's choice, v = Y(q,t) q̇ + y₀(q,t) (theory §4).
struct QuasiVelocity {
  std::string name;
  Expr v, vdot;     ///< the symbols of the velocity and of its rate
  Expr definition;  ///< an expression of q̇, q, t
  std::optional<Dimension> dimension;
  Span span;
};

/// Four consecutive coordinates that are the attitude of a frame as a unit quaternion. Its velocities of the motion are not the rates of
/// these coordinates, but the components of the frame's angular velocity relative to its parent, along the frame's axes.
struct FrameQuaternion {
  std::string frame;
  int first = 0;              ///< index of the first of the four coordinates
  std::array<Expr, 3> omega;  ///< symbols, which the equations replace by symbols of their own
  Span span;
};

/// The meaning of one velocity of the motion: the rate of a coordinate, or a component of a frame's angular velocity.
struct VelocityPlace {
  int coordinate = 0;   ///< index of the coordinate; for a quaternion, of its first coordinate
  int quaternion = -1;  ///< index of the quaternion; -1: the rate of a coordinate
  int axis = 0;
};

/// A coordinate that follows a function of time. A drive enforces it with the generalized force `actuation` (theory §6).
struct Prescribed {
  int coordinate = 0;
  Expr value;      ///< the function f(t)
  Expr actuation;  ///< symbol of the drive's force: a multiplier named "actuation(alpha)"
  Span span;
};

/// Coulomb friction |f| ≤ μ|N| that opposes a sliding speed; its generalized force is −f ∂velocity/∂q̇ (theory §8). The friction of a
/// contact in space is two of these in turn, for the two directions in its plane: |f| is then the length of both forces together.
struct Friction {
  std::string name;     ///< in a plane: "floor[1]", "floor[2]"
  bool second = false;  ///< the second direction of the friction before it
  Expr normal;          ///< the normal force N, linear in λ
  Expr velocity;        ///< the sliding speed v_s, affine in q̇
  Expr coefficient, static_coefficient, viscous;
  Expr force;  ///< symbol of f: a multiplier named "friction(corner)"
  Span span;
  Span normal_span, velocity_span;           ///< where the expressions are written
  std::optional<Dimension> force_dimension;  ///< dimension of f: W/[velocity]
};

/// An event of a run: the instant at which `when` passes 0. All its settings take effect at once, and their expressions read the state before it.
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
  bool stop = false;  ///< the run ends at this event
  std::vector<Setting> set;
  Span span, when_span;
};

/// The description of an event for Model::event.
struct EventDescription {
  Expr when;
  Event::Direction direction = Event::Direction::kAny;
  Expr where = {};
  bool stop = false;
  std::vector<std::pair<std::string, Component>> set = {};  ///< by "x", "x'", "top.omega.x"
  Span when_span = {}, where_span = {};                     ///< where a file states `when` and `where`
};

/// The description of a friction for Model::friction.
struct FrictionDescription {
  Component normal;  ///< normal force in terms of multipliers: `model.lambda("floor")`
  std::variant<Component, Components>
      velocity;  ///< the sliding speed; two speeds in perpendicular directions: friction in a plane
  Component coefficient;
  std::optional<Component> static_coefficient = {};  ///< by default equal to `coefficient`
  Component viscous = 0;
};

struct ConstraintRow {
  std::string name;                    ///< the row's name: "pin", "pin[1]", "pin.x"
  Expr expression;                     ///< the function h(q,t) or η(q,q̇,t)
  Expr lambda;                         ///< symbol of the row's multiplier
  std::optional<Dimension> dimension;  ///< dimension of h or η
  Span span;                           ///< place of the expression in the file
};

struct Constraint {
  std::string name;
  const ConstraintKind* kind;
  std::vector<ConstraintRow> rows;
  std::vector<std::string> points;  ///< names of the points in the constraint; empty for plain components
  Span span;
  Arguments arguments = {};  ///< as they were given, for drawing
  bool unilateral = false;   ///< h >= 0, with a multiplier λ >= 0 that is 0 where h > 0, instead of h = 0 (theory §8)
  Expr restitution = {};     ///< Newton's coefficient at impacts, in [0, 1]; null: 0
};

/// A force in one of the ways of theory §1, except dissipation, which belongs to the energies.
struct Force {
  const ForceKind* kind;
  std::vector<Contribution> parts;
  Span span;
  Arguments arguments = {};  ///< as they were given, for drawing
};

/// The description of a frame for Model::frame. Defaults: the ground as parent, its origin, no turn.
struct FrameDescription {
  Frame parent = {};
  Components origin = {};  ///< along the parent's axes
  Rotation rotate = {};
  std::vector<Coordinate> quaternion = {};  ///< instead of `rotate`: four consecutive coordinates
};
/// The description of a body for Model::body. It is either fixed in a frame, with its centre of mass at `com` along the frame's axes, or
/// its centre of mass is at `position`; in the plane `angle` then says how it turns.
struct BodyDescription {
  Component mass;
  Inertia inertia = {};  ///< inertia about the centre of mass; omitted: a point mass
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

/// The integral of an expression over the time of a run, from its start on.
struct Integral {
  Expr integrand;
  Expr symbol;  ///< a multiplier with the name "integral(x')", or "integral(#3)" where the integrand is long
  std::optional<Dimension> dimension = {};  ///< of the integral
  int parameter = -1;  ///< of models that compile() has made: index of the parameter that has the integral's value
};

/// An equation left = right that a claim assumes ("on the constraint").
struct ClaimCondition {
  Expr left, right;
  std::string text;  ///< the condition as written
  Expr parts;        ///< has a value exactly where every part of the text has one: for x/x = 1 not at 0; may be null
  Span span;
};

/// A formula that was derived by hand, for `audit` (analyze/audit.h). Its units are not checked: a wrong unit is a finding of the audit, not an error
/// in the model.
struct Claim {
  std::string source;     ///< who states the claim; may be empty
  MappedText entry;       ///< the name of the quantity, as find_entry() reads it: "B[phi]"
  Expr value;             ///< the claimed value; for an equation left − right
  bool equation = false;  ///< whether the claim was written with `=`
  std::string text;       ///< the value as written
  Expr parts;             ///< has a value exactly where every part of the text has one; null: where `value` has one
  std::vector<ClaimCondition> given;
  Span span;  ///< place of the value
  std::vector<Expr> constants =
      {};  ///< symbols in `value` whose values the audit finds, as numbers or formulas of parameters
};

/// An initial value in SI. Assembly keeps held values exactly and may change guesses.
struct InitialValue {
  int coordinate = 0;
  double value = 0;
  Span span;
  Expr formula = {};  ///< the formula of parameters that gives the value; null if the value is a number
};
struct Initial {
  std::vector<InitialValue> position, velocity;              ///< held values
  std::vector<InitialValue> position_guess, velocity_guess;  ///< guesses, which assembly may change
  /// Initial angular velocities of quaternion frames: InitialValue::coordinate is 3·(index of the quaternion) + axis.
  std::vector<InitialValue> angular, angular_guess;
  std::vector<InitialValue> quasi_velocity;  ///< held; `coordinate` is the index of the quasi-velocity
  double t = 0;
};

class Model {
 public:
  explicit Model(std::string name = {});

  // Building. Each function returns the handle that later expressions use; errors are collected in diagnostics().
  Coordinate coordinate(const std::string& name, const std::string& unit = {}, const std::string& latex = {});
  /// `value` is in the unit `unit`.
  Expr parameter(const std::string& name, double value, const std::string& unit = {}, const std::string& latex = {});
  Expr input(const std::string& name);                         ///< an input is zero until set_input() is called
  void set_input(const std::string& name, const Expr& value);  ///< the value must be an expression of t and parameters
  /// An input that constraints and energies may contain, because dot() can differentiate it twice. It is zero until set_samples() is
  /// called, or set_input() with an expression that can be differentiated twice.
  Expr spline_input(const std::string& name);
  /// Samples of an input, which is linear between them, or of a spline_input. Times are in s and strictly ascending; a spline needs at least two samples.
  void set_samples(const std::string& name, std::vector<double> time, std::vector<double> value);
  /// Makes the coordinate follow f(t), an expression of t, parameters and splines. The force for that is an unknown of the equations.
  void prescribe(const Coordinate& coordinate, const Expr& value);
  /// Makes the coordinate follow the cubic spline through samples, as in set_samples().
  void prescribe(const Coordinate& coordinate, std::vector<double> time, std::vector<double> value);
  /// Makes the coordinate follow f(t), and replaces an earlier function if there is one.
  void prescribe_instead(const Coordinate& coordinate, const Expr& value);
  /// The generalized force that makes a prescribed coordinate follow, for outputs; null if the coordinate is not prescribed.
  Expr actuation(const std::string& coordinate) const { return lambda("actuation(" + coordinate + ")"); }
  void kinetic(const Expr& T);      ///< adds to earlier terms of T
  void potential(const Expr& V);    ///< adds to earlier terms of V
  void dissipation(const Expr& R);  ///< adds to earlier terms of R
  void lagrangian(const Expr& L);   ///< instead of kinetic() and potential()
  void gravity(const Components& g);

  // Geometry (geometry.h): `model.frame("rod", {.parent = crank, .origin = {2 * L1, 0}, .rotate = phi})`.
  Frame frame(const std::string& name, const FrameDescription& description);
  Point point(const std::string& name, const Components& position);
  Point point(const std::string& name, const Frame& frame, const Components& at);
  /// The lowest point of the rim of a disk. `axis` is normal to the disk, along the axes of `disk`, whose origin is the centre. Down is
  /// against the third ground axis, or along it if the gravity stated before points that way.
  Point rim(const std::string& name, const Frame& disk, const Components& axis, const Component& radius);
  Body body(const std::string& name, const BodyDescription& description);
  Body body(const std::string& name, const Component& mass, const Components& position);
  Body body(const std::string& name, const Component& mass, const Component& inertia, const Components& position,
            const Expr& angle);

  // Springs and dampers. Where they end is given by Points, Vec2, Vec3 or components, or by a coordinate.
  void spring(const Components& a, const Components& b, const Component& stiffness, const Component& rest = 0);
  void spring(const Coordinate& coordinate, const Component& stiffness, const Component& rest = 0);
  void damper(const Components& a, const Components& b, const Component& damping);
  void damper(const Coordinate& coordinate, const Component& damping);

  // Constraints, of the kinds in constraint_kind.cpp. In formulas `latex` replaces the name in the index of the multipliers: "A" gives
  // \lambda_{A,1}.
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
  /// One-sided: two points that are at most, or at least, at a distance.
  void at_most(const std::string& constraint, const Components& a, const Components& b, const Component& value,
               const std::string& latex = {}) {
    constrain(constraint, constraint_kind("distance", "at_most"), {points_of({a, b}), vector_of({value})}, latex);
  }
  void at_least(const std::string& constraint, const Components& a, const Components& b, const Component& value,
                const std::string& latex = {}) {
    constrain(constraint, constraint_kind("distance", "at_least"), {points_of({a, b}), vector_of({value})}, latex);
  }
  /// One-sided: a ball about `point`, or with the radius 0 the point itself, does not go below the line or plane through `above` with that
  /// normal. `with`: the frame that the ball turns with.
  void contact(const std::string& constraint, const Components& point, const Components& above,
               const Components& normal, const Component& radius = 0, const Frame& with = {},
               const std::string& latex = {}) {
    constrain(constraint, constraint_kind("contact"),
              {points_of({point}), points_of({above}), vector_of(normal), vector_of({radius}), {.frame = with}}, latex);
  }

  /// Without a frame, the point itself is at rest (no_slip), or does not move sideways (no_skid).
  void no_slip(const std::string& constraint, const Components& point, const Frame& with = {},
               const std::string& latex = {}) {
    constrain(constraint, "no_slip", {points_of({point}), {.frame = with}}, latex);
  }
  void no_skid(const std::string& constraint, const Components& point, const Components& direction,
               const Frame& with = {}, const std::string& latex = {}) {
    constrain(constraint, "no_skid", {points_of({point}), vector_of(direction), {.frame = with}}, latex);
  }

  /// Makes a constraint that was stated before one-sided: h >= 0, λ >= 0, h λ = 0 in each of its rows. At an impact ḣ changes
  /// from ḣ⁻ < 0 to −e ḣ⁻, with the coefficient e of numbers and parameters. Errors: E0284 a constraint of velocities, or unknown;
  /// E0285 e outside [0, 1].
  void unilateral(const std::string& constraint, const Component& restitution = 0);
  /// The speeds with which a contact slides, for the velocity of its FrictionDescription: one in the plane, positive to the right of the
  /// normal; two in space, in perpendicular directions. None after an error: E0287 the kind of the constraint does not know them, or the
  /// normal may point in every direction.
  Vector sliding_speed(const std::string& contact);
  /// Of a row of a one-sided constraint, for outputs and events, null if there is none: the gap h; 1 while the contact is closed and 0
  /// while it is open; the impulse of its last impact, 0 before the first, in the unit of λ times s.
  Expr gap(const std::string& row) const { return lambda("gap(" + row + ")"); }
  Expr closed(const std::string& row) const { return lambda("closed(" + row + ")"); }
  Expr impulse(const std::string& row) const { return lambda("impulse(" + row + ")"); }
  /// An energy of the whole system, for outputs and events: T for "kinetic", V for "potential", T + V for "total"; null for any other word.
  /// With a Lagrangian given directly, V = −L(q, 0, t) and T = L + V.
  Expr energy(std::string_view which);
  /// The integral of an expression (of coordinates, velocities, accelerations, multipliers, inputs, t, what contacts do, energies) over the time
  /// of a run, for outputs and events: 0 at its start. The same integrand gives the same symbol. Null after an error: E0288 an integral or a
  /// condition.
  Expr integral(const Expr& integrand);

  // Forces, of the kinds in force_kind.cpp.
  void act(const ForceKind& kind, const Arguments& arguments);
  void force(const Components& position, const Components& vector) {
    act(force_kind("at"), {points_of({position}), vector_of(vector)});
  }
  void torque(const Expr& angle, const Component& torque);
  void torque(const Body& body, const Component& torque);   ///< for bodies in the plane
  void torque(const Body& body, const Components& torque);  ///< for bodies in space; components along the ground axes
  void generalized_force(const Coordinate& coordinate, const Component& value);
  /// Coulomb friction. The constraints whose multipliers are in its normal force must be stated before. Returns its force f, for outputs;
  /// of a friction in a plane the first one, `lambda("friction(floor[2])")` is the second.
  Expr friction(const std::string& friction, const FrictionDescription& description);
  void power(const Expr& P) { act(force_kind("power"), {{.expressions = {P}}}); }
  /// Errors: E0281 what cannot be set, E0282 no condition, E0283 `when` is 0 all the time.
  void event(const std::string& event, const EventDescription& description);
  /// The coordinate or velocity that an event may set by that name; nothing after a report (E0281).
  std::optional<Event::Setting> setting_of(const std::string& event, const std::string& what);
  void output(const std::string& name, const Expr& expression);
  /// A velocity v = Y(q,t) q̇ + y₀(q,t) for equations without multipliers (derive/reduce.h). Their number must be the number of velocities
  /// minus that of independent constraint rows, and they must be independent of each other and of the constraints. Returns the definition,
  /// which may be used wherever velocities may.
  Expr quasi_velocity(const std::string& name, const Expr& definition, const std::string& unit = {},
                      const std::string& latex = {});

  /// The value of an expression of numbers and parameters; NaN if it contains other symbols.
  double value_of(const Expr& constant) const;
  /// The upward direction of the third ground axis: +1, or −1 if the third component of gravity is positive.
  int upward(const Expr& third_of_gravity) const { return value_of(third_of_gravity) > 0 ? -1 : 1; }
  /// Whether four coordinates can be the attitude of that frame: they must be consecutive and belong to no other frame. Reports an error if not.
  bool are_a_quaternion(const std::string& frame, const std::vector<Coordinate>& four);
  /// Makes the four consecutive coordinates from index `first` on the attitude of the frame with that name.
  Quaternion quaternion(const std::string& frame, int first);
  /// All velocities of the motion, in the order of the coordinates.
  std::vector<VelocityPlace> velocity_places() const;
  /// The name of a velocity: "theta'", "top.omega.x".
  std::string velocity_name(const VelocityPlace& place) const;
  /// Sets a body's inertia from 1, 3 or 9 entries; false if an error was reported.
  bool give_inertia(Body& body, const Vector& entries);
  /// Adds a frame that place_frame() returned.
  void add_frame(Frame frame) { frames.push_back(std::move(frame)); }
  /// Total time derivative of an expression of coordinates and t (velocities become accelerations). Not thread-safe.
  Expr dot(const Expr& expression) const;
  /// dot() with cached results of earlier calls, for many expressions that share nodes.
  Expr dot(const Expr& expression, KnownDerivatives& known) const;
  /// The rates of symbols that depend on time only: t, and inputs that have a rate.
  std::unordered_map<SymbolId, Expr> time_rates() const;
  /// Why `symbol` may not be used in an expression of this role; nothing if it may. `name` is the symbol as it is written.
  std::optional<Diagnostic> refuse(Role role, SymbolId symbol, std::string_view name, const Span& span) const;
  Expr lambda(const std::string& row) const;  ///< the multiplier of a row that was added before; null if there is none
  Expr constant(const Rational& value) const { return graph->constant(value); }

  int coordinate_index(const std::string& name) const;  ///< index of the coordinate; -1: there is none
  /// Adds all bodies at once: their velocities are computed in one sweep, so a chain of N bodies costs O(N). Position, mass and angle as in body().
  void add_bodies(std::vector<Body> several);
  /// The dimension of an expression of the model's symbols; nothing if a unit is missing or terms disagree.
  std::optional<Dimension> dimension_of(const Expr& expression) const;
  /// Number of components of the vectors given so far: 0 (none yet), 2 or 3.
  int space() const { return space_; }
  std::vector<const ConstraintRow*> rows() const;  ///< rows of all constraints, in order
  /// Where row r of the kernels is stated: rows of constraints come first, then prescribed coordinates.
  Span row_span(std::size_t r) const;
  std::vector<int> actuated() const;  ///< indices of prescribed coordinates, ascending
  const Diagnostics& diagnostics() const { return diagnostics_; }
  Diagnostics& diagnostics() { return diagnostics_; }

  // The stated model. Anyone may read it; only the functions above and modelfile write it.
  std::shared_ptr<Graph> graph;
  std::string name, description, reference;
  Expr t;
  std::vector<Coordinate> coordinates;
  std::vector<Parameter> parameters;
  std::vector<Input> inputs;
  std::vector<Frame> frames;
  std::vector<FrameQuaternion> quaternions;  ///< quaternions that are attitudes of frames
  std::vector<Body> bodies;
  std::vector<Point> points;
  Vector gravity_field;
  Expr T, V, R;                         ///< sums of all stated terms; 0 if there are none
  Expr L;                               ///< null unless lagrangian() was called
  Span T_span, V_span, R_span, L_span;  ///< places in [energy], where written
  std::vector<Constraint> constraints;
  std::vector<Force> forces;
  std::vector<QuasiVelocity> quasi_velocities;
  std::vector<Prescribed> prescribed;
  std::vector<Friction> frictions;
  std::vector<Event> events;
  std::vector<Connection> connections;  ///< springs and dampers; their energies are in V and R
  Drawing drawing;
  std::vector<Output> definitions;  ///< the named expressions of a model file ([define])
  std::vector<Output> outputs;
  std::vector<Integral> integrals;
  std::vector<Claim> claims;
  Initial initial;
  SimulationSettings simulation;
  StudyStatement study;
  bool has_units = false;  ///< whether some unit was given: dimensions are checked then, and λ has a unit
  SourcePtr source;        ///< the model file, if there is one
  Span here;               ///< the place of the next statement, for its span and for diagnostics

 private:
  bool claim_name(const std::string& name, std::string_view what);
  void make_one_sided(Constraint& constraint);
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
  /// Reports E0275 and returns an empty text if `latex` is not a symbol.
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
  int row_count_ = 0;  // of all constraints: the index of a multiplier is that of its row
  // By the text between the brackets of `lambda(…)`, or a call such as `closed(…)`.
  std::unordered_map<std::string, Expr> multipliers_;
  mutable KindMasks kinds_;
  mutable std::vector<std::uint8_t> uses_;    // by node: kinds of inputs in the expression, a bit for each InputUse
  std::unordered_map<SymbolId, Expr> rates_;  // rates of symbols: q → q̇, q̇ → q̈, t → 1
};

}  // namespace dalembert
