// SPDX-License-Identifier: Apache-2.0
#include "dalembert/model/constraint_kind.h"

#include <algorithm>

#include <fmt/format.h>

#include "dalembert/model/model.h"

namespace dalembert {
namespace {

// --- rows

std::vector<Expr> as_given(const Model&, const Arguments& arguments) { return arguments[0].expressions; }

// P − Q.
std::vector<Expr> coincidence(const Model&, const Arguments& arguments) {
  const Vector &a = arguments[0].points[0].position, &b = arguments[0].points[1].position;
  std::vector<Expr> rows;
  for (std::size_t i = 0; i < a.size(); ++i) rows.push_back(a[i] - b[i]);
  return rows;
}

// |P − Q| − L.
std::vector<Expr> distance(const Model& model, const Arguments& arguments) {
  const Vector &a = arguments[0].points[0].position, &b = arguments[0].points[1].position;
  std::vector<Expr> squares;
  for (std::size_t i = 0; i < a.size(); ++i) squares.push_back(square(a[i] - b[i]));
  return {sqrt(model.graph->sum(squares)) - arguments[1].expressions[0]};
}

// --- units of rows

DimensionTerm own(const Arguments& arguments, std::size_t row) { return arguments[0].dimension[row]; }
DimensionTerm length(const Arguments& arguments, std::size_t) { return arguments[0].dimension[0]; }
DimensionTerm of_points(const Arguments& arguments) { return arguments[0].dimension[0]; }

// --- what multipliers mean

std::string position_reaction(const Constraint&, const ConstraintRow& row, std::string_view unit) {
  return fmt::format("{} that keeps {} = 0; positive pushes towards larger {}", unit == "N" ? "force" : "reaction",
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
    return fmt::format("force of the pin along {} on the first point; the second feels the opposite", axis);
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

const std::vector<ConstraintKind>& table() {
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
  };
  return kinds;
}

}  // namespace

std::span<const ConstraintKind> constraint_kinds() { return table(); }

const ConstraintKind& constraint_kind(std::string_view key) {
  return *std::ranges::find(table(), key, &ConstraintKind::key);
}

}  // namespace dalembert
