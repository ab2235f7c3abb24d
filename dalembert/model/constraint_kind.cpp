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

// The row |P − Q| − L of two points at a distance.
std::vector<Expr> distance(const Model& model, const Arguments& arguments) {
  const Vector &a = arguments[0].points[0].position, &b = arguments[0].points[1].position;
  std::vector<Expr> squares;
  for (std::size_t i = 0; i < a.size(); ++i) squares.push_back(square(a[i] - b[i]));
  return {sqrt(model.graph->sum(squares)) - arguments[1].expressions[0]};
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

std::string position_reaction(const Constraint&, const ConstraintRow& row, std::string_view unit) {
  return fmt::format("{} that enforces {} = 0; positive towards increasing {}", unit == "N" ? "force" : "reaction",
                     row.name, row.name);
}

std::string velocity_reaction(const Constraint&, const ConstraintRow& row, std::string_view unit) {
  return fmt::format("{} that enforces {} = 0; positive towards increasing {}",
                     unit == "N" ? "sideways force" : "reaction", row.name, row.name);
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

std::string thrust(const Constraint& constraint, const ConstraintRow& row, std::string_view) {
  return fmt::format("thrust along the line{}: positive pushes apart, the tension is -lambda({})",
                     has_named_points(constraint)
                         ? fmt::format(" between `{}` and `{}`", constraint.points[0], constraint.points[1])
                         : "",
                     row.name);
}

std::string contact(const Constraint& constraint) {
  return constraint.points[0].empty() ? "at the contact" : fmt::format("at `{}`", constraint.points[0]);
}

std::string friction(const Constraint& constraint, const ConstraintRow& row, std::string_view) {
  return fmt::format("force along {} {} that keeps it from slipping", row.name.back(), contact(constraint));
}

std::string side_force(const Constraint& constraint, const ConstraintRow&, std::string_view) {
  return fmt::format("sideways force {} that keeps it from skidding; positive along the direction",
                     contact(constraint));
}

const std::vector<ConstraintKind>& constraint_table() {
  using enum ArgumentType;
  using enum RowNames;
  static const std::vector<ConstraintKind> kinds{
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
      {"no_slip",
       "a point that moves with a frame is at rest",
       true,
       kAxes,
       {{"point", kPoint, "where it is"},
        {"frame", kFrame, "the frame that a no_slip or no_skid point moves with; its own when absent", Role::kGeometry,
         "", nullptr, Measure::kAny, true}},
       "{point = \"P\"}",
       at_rest,
       speed,
       friction},
      {"no_skid",
       "a point that moves with a frame does not move sideways",
       true,
       kNumbers,
       {{"point", kPoint, "where it is"},
        {"direction", kVector, "along which it does not move"},
        {"frame", kFrame, "the frame that a no_slip or no_skid point moves with; its own when absent", Role::kGeometry,
         "", nullptr, Measure::kAny, true}},
       "{point = \"P\", direction = [\"-sin(theta)\", \"cos(theta)\"]}",
       sideways,
       sideways_speed,
       side_force},
  };
  return kinds;
}

}  // namespace

std::span<const ConstraintKind> constraint_kinds() { return constraint_table(); }

const ConstraintKind& constraint_kind(std::string_view key) {
  return *std::ranges::find(constraint_table(), key, &ConstraintKind::key);
}

}  // namespace dalembert
