// SPDX-License-Identifier: Apache-2.0
#include "dalembert/model/constraint_kind.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <unordered_map>

#include <fmt/format.h>

#include "dalembert/expr/visit.h"
#include "dalembert/model/model.h"

namespace dalembert {
namespace {

// --- rows

std::vector<Expr> as_given(const Model&, const Arguments& arguments) { return arguments[0].expressions; }

// The rows P − Q of two points that coincide.
std::vector<Expr> coincidence(const Model&, const Arguments& arguments) {
  const Vector &a = arguments[0].points[0].position, &b = arguments[0].points[1].position;
  std::vector<Expr> rows;
  for (std::size_t i = 0; i < a.size(); ++i) rows.push_back(a[i] - b[i]);
  return rows;
}

// The distance |P − Q| of two points.
Expr length_between(const Model& model, const Arguments& arguments) {
  const Vector &a = arguments[0].points[0].position, &b = arguments[0].points[1].position;
  std::vector<Expr> squares;
  for (std::size_t i = 0; i < a.size(); ++i) squares.push_back(square(a[i] - b[i]));
  return sqrt(model.graph->sum(squares));
}

// The row |P − Q| − L of two points at a distance, or at least at that distance.
std::vector<Expr> distance(const Model& model, const Arguments& arguments) {
  return {length_between(model, arguments) - arguments[1].expressions[0]};
}

// The row L − |P − Q| of two points at most at a distance.
std::vector<Expr> slack(const Model& model, const Arguments& arguments) {
  return {arguments[1].expressions[0] - length_between(model, arguments)};
}

// The velocity of the material at a point that moves with a frame, ȯ + ω × (P − o); if the frame is empty, the velocity of the point.
Vector material_velocity(const Model& model, const Vector& at, const Frame& frame) {
  const auto rate = [&](const Expr& e) { return model.dot(e); };
  const Vector& moving = frame.origin.empty() ? at : frame.origin;
  Vector v;
  for (const Expr& component : moving) v.push_back(rate(component));
  const Vector w = angular_velocity(frame, rate);
  if (w.empty()) return v;
  Vector r;
  for (std::size_t i = 0; i < at.size(); ++i) r.push_back(at[i] - frame.origin[i]);
  if (w.size() == 1) return {v[0] - w[0] * r[1], v[1] + w[0] * r[0]};
  for (std::size_t i = 0; i < v.size(); ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    v[i] = v[i] + w[j] * r[k];
    v[i] = v[i] - w[k] * r[j];
  }
  return v;
}

// The velocity of the material at a point. The material moves with the frame if one is given, else with the disk on whose rim the point is;
// otherwise it is the point itself.
Vector material_velocity(const Model& model, const Point& point, const Argument& frame) {
  const bool named = !frame.frame.name.empty() || !frame.frame.origin.empty();
  return material_velocity(model, point.position, named || !point.disk ? frame.frame : *point.disk);
}

// Whether an expression is 0 wherever it has a value, tested at eight random points: the value must be within the round-off of terms of size 1.
// An expression that is not identically 0 would pass only if it were that small at all eight points by chance.
bool vanishes(const Expr& row) {
  if (row.is_zero()) return true;
  std::minstd_rand random(20260101);
  std::uniform_real_distribution<double> uniform(0.3, 1.3);
  constexpr double kRoundOff = 1e-12;
  const std::vector<SymbolId> symbols = symbols_in(std::array{row});
  for (int point = 0; point < 8; ++point) {
    std::unordered_map<SymbolId, double> at;
    for (const SymbolId id : symbols) at[id] = uniform(random);
    if (!(std::abs(evaluate(row, [&](SymbolId id) { return at[id]; })) < kRoundOff)) return false;
  }
  return true;
}

// The rows of a point at rest. Rows that vanish identically are left out, such as the row along the normal of a wheel on the ground.
std::vector<Expr> at_rest(const Model& model, const Arguments& arguments) {
  std::vector<Expr> rows = material_velocity(model, arguments[0].points[0], arguments[1]);
  if (std::ranges::all_of(rows, &Expr::is_zero)) return rows;
  for (Expr& row : rows)
    if (vanishes(row)) row = {};
  return rows;
}

// |n|: 1 itself where n is a unit vector.
Expr length_of(const Model& model, const Vector& n) {
  std::vector<Expr> squares;
  for (const Expr& component : n) squares.push_back(square(component));
  const Expr size = model.graph->sum(squares);
  return vanishes(size - 1) ? model.graph->constant(1) : sqrt(size);
}

// The gap (P − O)·n/|n| − r between a ball of radius r about P, or the point P itself, and the plane (in the plane: the line) through O
// with the normal n.
std::vector<Expr> gap(const Model& model, const Arguments& arguments) {
  const Vector &P = arguments[0].points[0].position, &O = arguments[1].points[0].position,
               &n = arguments[2].expressions;
  std::vector<Expr> parts;
  for (std::size_t i = 0; i < P.size(); ++i) parts.push_back((P[i] - O[i]) * n[i]);
  const Expr height = model.graph->sum(parts) / length_of(model, n);
  return {arguments[3].expressions.empty() ? height : height - arguments[3].expressions[0]};
}

Expr dot(const Model& model, const Vector& a, const Vector& b) {
  std::vector<Expr> parts;
  for (std::size_t i = 0; i < a.size(); ++i) parts.push_back(a[i] * b[i]);
  return model.graph->sum(parts);
}

// Two perpendicular unit vectors in the plane with the normal n, whose length is `size`. If a component of n is 0 everywhere, that axis of the
// ground is the first. Otherwise the first is perpendicular to n and to the axis that is least parallel to n, which is known for a normal of
// numbers and parameters. Empty for other normals: whatever axis is chosen, they might become parallel to it.
std::vector<Vector> directions_across(const Model& model, const Vector& n, const Expr& size) {
  const Expr zero = model.graph->constant(0), one = model.graph->constant(1);
  for (std::size_t i = 0; i < n.size(); ++i) {
    if (!vanishes(n[i])) continue;
    Vector axis(n.size(), zero);
    axis[i] = one;
    Vector other = cross(n, axis);
    for (Expr& component : other) component = component / size;
    return {axis, other};
  }
  std::size_t least = 0;
  for (std::size_t i = 0; i < n.size(); ++i) {
    if (!std::isfinite(model.value_of(n[i]))) return {};
    if (std::abs(model.value_of(n[i])) < std::abs(model.value_of(n[least]))) least = i;
  }
  Vector axis(n.size(), zero);
  axis[least] = one;
  Vector first = cross(n, axis), second = cross(n, first);
  const Expr length = length_of(model, first);
  for (Expr& component : first) component = component / length;
  for (Expr& component : second) component = component / (length * size);
  return {first, second};
}

// The speeds in space, along directions_across(). The plane moves with O and turns as its normal does, but not about it.
Vector sliding_speeds_in_space(const Model& model, const Vector& v, const Vector& c, const Vector& O, const Vector& n,
                               const Expr& size) {
  Vector rate;
  for (const Expr& component : n) rate.push_back(model.dot(component));
  Vector turns = cross(n, rate), arm, relative;
  for (std::size_t i = 0; i < n.size(); ++i) {
    turns[i] = turns[i] / square(size);
    arm.push_back(c[i] - O[i]);
  }
  const Vector turning = cross(turns, arm);
  for (std::size_t i = 0; i < n.size(); ++i) relative.push_back(v[i] - model.dot(O[i]) - turning[i]);
  Vector speeds;
  for (const Vector& along : directions_across(model, n, size)) speeds.push_back(dot(model, relative, along));
  return speeds;
}

// The speed of the material that touches the line, along the line to the right of its normal, less that of the line itself. The material is at
// c = P − r n/|n| and moves with the frame of the ball or point, without one with P; the line moves with O and turns with its normal.
Vector sliding_speed(const Model& model, const Arguments& arguments) {
  const Vector &P = arguments[0].points[0].position, &O = arguments[1].points[0].position,
               &n = arguments[2].expressions;
  const Expr size = length_of(model, n);
  Vector c = P;
  if (!arguments[3].expressions.empty())
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = c[i] - arguments[3].expressions[0] * n[i] / size;
  const Frame& frame = arguments[4].frame;
  const Vector v = material_velocity(model, frame.origin.empty() ? P : c, frame);
  if (n.size() == 3) return sliding_speeds_in_space(model, v, c, O, n, size);
  const Expr turns = (n[0] * model.dot(n[1]) - n[1] * model.dot(n[0])) / square(size);
  const Expr x = v[0] - model.dot(O[0]) + turns * (c[1] - O[1]), y = v[1] - model.dot(O[1]) - turns * (c[0] - O[0]);
  return {(x * n[1] - y * n[0]) / size};
}

std::vector<Expr> sideways(const Model& model, const Arguments& arguments) {
  const Vector v = material_velocity(model, arguments[0].points[0], arguments[2]);
  std::vector<Expr> parts;
  for (std::size_t i = 0; i < v.size(); ++i) parts.push_back(v[i] * arguments[1].expressions[i]);
  return {model.graph->sum(parts)};
}

// --- units of rows

DimensionTerm own(const Arguments& arguments, std::size_t row) { return arguments[0].dimension[row]; }
DimensionTerm length(const Arguments& arguments, std::size_t) { return arguments[0].dimension[0]; }
DimensionTerm speed(const Arguments& arguments, std::size_t) {
  return arguments[0].dimension[0] / DimensionTerm(Dimension::time());
}
DimensionTerm sideways_speed(const Arguments& arguments, std::size_t row) {
  return speed(arguments, row) * arguments[1].dimension[0];
}
DimensionTerm of_points(const Arguments& arguments) { return arguments[0].dimension[0]; }

// --- meaning of multipliers

std::string position_reaction(const Constraint& constraint, const ConstraintRow& row, std::string_view unit) {
  if (constraint.unilateral)
    return fmt::format("{} that keeps {} >= 0; never negative, 0 while {} > 0", unit == "N" ? "force" : "reaction",
                       row.name, row.name);
  return fmt::format("{} that enforces {} = 0; positive towards increasing {}", unit == "N" ? "force" : "reaction",
                     row.name, row.name);
}

std::string velocity_reaction(const Constraint&, const ConstraintRow& row, std::string_view unit) {
  return fmt::format("{} that enforces {} = 0; positive towards increasing {}", unit == "N" ? "force" : "reaction",
                     row.name, row.name);
}

bool has_named_points(const Constraint& constraint) {
  return constraint.points.size() == 2 && !constraint.points[0].empty() && !constraint.points[1].empty();
}

std::string pin_force(const Constraint& constraint, const ConstraintRow& row, std::string_view) {
  const char axis = row.name.back();
  if (!has_named_points(constraint))
    return fmt::format("force of the pin along {} on {}; the second feels the opposite", axis,
                       constraint.points.empty() || constraint.points[0].empty()
                           ? "the first point"
                           : fmt::format("`{}`", constraint.points[0]));
  return fmt::format("force of the pin along {} on `{}`; `{}` feels the opposite", axis, constraint.points[0],
                     constraint.points[1]);
}

// " between `P` and `Q`"; nothing where they have no names.
std::string between_points(const Constraint& constraint) {
  return has_named_points(constraint)
             ? fmt::format(" between `{}` and `{}`", constraint.points[0], constraint.points[1])
             : "";
}

std::string thrust(const Constraint& constraint, const ConstraintRow& row, std::string_view) {
  return fmt::format("thrust along the line{}: positive pushes apart, the tension is -lambda({})",
                     between_points(constraint), row.name);
}

std::string tension(const Constraint& constraint, const ConstraintRow&, std::string_view) {
  return fmt::format("tension{}, never negative; 0 while it is slack", between_points(constraint));
}

std::string pressure(const Constraint& constraint, const ConstraintRow&, std::string_view) {
  return fmt::format("force{} that pushes apart, never negative; 0 while they do not touch",
                     between_points(constraint));
}

std::string support(const Constraint& constraint, const ConstraintRow&, std::string_view) {
  return fmt::format("normal force on {}, never negative; 0 while the contact is open",
                     constraint.points[0].empty() ? "the point" : fmt::format("`{}`", constraint.points[0]));
}

std::string contact(const Constraint& constraint) {
  return constraint.points[0].empty() ? "at the contact" : fmt::format("at `{}`", constraint.points[0]);
}

std::string friction(const Constraint& constraint, const ConstraintRow& row, std::string_view) {
  return fmt::format("force along {} {} that keeps it from slipping", row.name.back(), contact(constraint));
}

std::string side_force(const Constraint& constraint, const ConstraintRow&, std::string_view) {
  return fmt::format("force {} along its `direction`, that keeps it from skidding", contact(constraint));
}

// The argument of the kinds whose point is fixed in a frame.
ArgumentDescription frame_that_moves_with() {
  return {"frame",
          ArgumentType::kFrame,
          "the frame that moves with the point of a no_slip, no_skid or contact; its own when absent",
          Role::kGeometry,
          "",
          nullptr,
          Measure::kAny,
          true};
}

std::vector<ConstraintKind> two_sided_kinds() {
  using enum ArgumentType;
  using enum RowNames;
  return {
      {"holonomic",
       "h(q, t) = 0",
       false,
       kNumbers,
       {{"", kExpressions, "h", Role::kHolonomic}},
       {},
       as_given,
       own,
       position_reaction},
      {"pfaffian",
       "affine in the velocities, = 0",
       true,
       kNumbers,
       {{"", kExpressions, "η", Role::kPfaffian}},
       {},
       as_given,
       own,
       velocity_reaction},
      {"coincide",
       "two points that are one",
       false,
       kAxes,
       {{"", kPoints, "the points"}},
       {},
       coincidence,
       length,
       pin_force},
      {"distance",
       "two points at a distance",
       false,
       kNumbers,
       {{"between", kPoints, "two points"},
        {"value", kExpression, "their distance", Role::kElement, "a distance", of_points}},
       "{between = [\"P\", \"Q\"], value = \"L\"}",
       distance,
       length,
       thrust},
  };
}

std::vector<ConstraintKind> one_sided_kinds() {
  using enum ArgumentType;
  using enum RowNames;
  const ArgumentDescription moving_frame = frame_that_moves_with();
  return {
      {"distance",
       "two points at most at a distance, as by a rope",
       false,
       kNumbers,
       {{"between", kPoints, "two points"},
        {"at_most", kExpression, "their largest distance: a rope", Role::kElement, "a distance", of_points}},
       "{between = [\"P\", \"Q\"], at_most = \"L\"}",
       slack,
       length,
       tension,
       true},
      {"distance",
       "two points at least at a distance, as the centres of two balls",
       false,
       kNumbers,
       {{"between", kPoints, "two points"},
        {"at_least", kExpression, "their smallest distance: two balls", Role::kElement, "a distance", of_points}},
       "{between = [\"P\", \"Q\"], at_least = \"R1 + R2\"}",
       distance,
       length,
       pressure,
       true},
      {"contact",
       "a point or a ball that does not go below a line or plane",
       false,
       kNumbers,
       {{"point", kPoint, "the point, or the middle of the ball"},
        {"above", kPoint, "a point of the line or plane"},
        {"normal", kVector, "normal to it, towards the free side"},
        {"radius", kExpression, "the ball's radius; 0 when absent", Role::kElement, "a radius", of_points,
         Measure::kAny, false, true},
        moving_frame},
       "{point = \"P\", above = \"O\", normal = [\"-sin(alpha)\", \"cos(alpha)\"], radius = \"r\"}",
       gap,
       length,
       support,
       true,
       sliding_speed},
  };
}

std::vector<ConstraintKind> velocity_kinds() {
  using enum ArgumentType;
  using enum RowNames;
  const ArgumentDescription moving_frame = frame_that_moves_with();
  return {
      {"no_slip",
       "a point that moves with a frame is at rest",
       true,
       kAxes,
       {{"point", kPoint, "where it is"}, moving_frame},
       "{point = \"P\"}",
       at_rest,
       speed,
       friction},
      {"no_skid",
       "a point that moves with a frame does not move sideways",
       true,
       kNumbers,
       {{"point", kPoint, "where it is"}, {"direction", kVector, "along which it does not move"}, moving_frame},
       "{point = \"P\", direction = [\"-sin(theta)\", \"cos(theta)\"]}",
       sideways,
       sideways_speed,
       side_force},
  };
}

const std::vector<ConstraintKind>& constraint_table() {
  static const std::vector<ConstraintKind> table = [] {
    std::vector<ConstraintKind> kinds;
    for (const auto& group : {two_sided_kinds(), one_sided_kinds(), velocity_kinds()})
      kinds.insert(kinds.end(), group.begin(), group.end());
    return kinds;
  }();
  return table;
}

}  // namespace

std::span<const ConstraintKind> constraint_kinds() { return constraint_table(); }

const ConstraintKind& constraint_kind(std::string_view key) {
  return *std::ranges::find(constraint_table(), key, &ConstraintKind::key);
}

const ConstraintKind& constraint_kind(std::string_view key, std::string_view argument) {
  return *std::ranges::find_if(constraint_table(), [&](const ConstraintKind& kind) {
    return kind.key == key &&
           std::ranges::find(kind.arguments, argument, &ArgumentDescription::key) != kind.arguments.end();
  });
}

}  // namespace dalembert
