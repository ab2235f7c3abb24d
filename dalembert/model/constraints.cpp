// SPDX-License-Identifier: Apache-2.0
// Model: constraints and forces.
#include <algorithm>

#include <fmt/format.h>

#include "dalembert/model/argument_description.h"
#include "dalembert/model/constraint_kind.h"
#include "dalembert/model/force_kind.h"
#include "dalembert/model/limit_words.h"
#include "dalembert/model/model.h"
#include "dalembert/model/roles.h"

namespace dalembert {
namespace {

std::string row_name(const std::string& name, RowNames names, std::size_t row, std::size_t count) {
  if (names == RowNames::kAxes) return fmt::format("{}.{}", name, "xyz"[row]);
  return count == 1 ? name : fmt::format("{}[{}]", name, row + 1);
}

// The multiplier's LaTeX: \lambda_{A,1} for the row pin[1], if `pin` has the LaTeX "A".
std::string multiplier_latex(const std::string& latex, const std::string& row) {
  if (latex.empty()) return {};
  const std::size_t index = row.find_first_of("[.");
  std::string below = index == std::string::npos ? "" : "," + row.substr(index + 1);
  std::erase(below, ']');
  return "\\lambda_{" + latex + below + "}";
}

}  // namespace

bool Model::claim_row(const std::string& constraint) {
  if (constraint.empty()) {
    problem("E0011", "the constraint has no name");
    return false;
  }
  const auto [place, is_new] = constraint_names_.emplace(constraint, here);
  if (is_new) return true;
  problem("E0008", fmt::format("the constraint `{}` is defined twice", constraint));
  if (place->second) diagnostics_.back().secondary.push_back({place->second, "first here"});
  return false;
}

Argument Model::points_of(std::initializer_list<Components> several) {
  Argument argument;
  for (const Components& one : several) argument.points.push_back({one.point(), one.in(*graph), here, one.disk()});
  return argument;
}

Argument Model::vector_of(const Components& components) {
  Argument argument;
  argument.expressions = components.in(*graph);
  return argument;
}

// Checks the sizes of vectors and what expressions depend on. The contents of a kind's rows are checked once the rows are computed.
bool Model::fits(const ArgumentDescription& wanted, const Argument& argument) {
  for (const Point& point : argument.points)
    if (!same_space(point.position) || !takes(Role::kGeometry, point.position)) return false;
  switch (wanted.type) {
    case ArgumentType::kVector:
      return same_space(argument.expressions) && takes(wanted.role, argument.expressions);
    case ArgumentType::kExpression:
    case ArgumentType::kMoment:
      return takes(wanted.role, argument.expressions);
    case ArgumentType::kBody:
      return allows(Role::kGeometry, {argument.body.angle});
    default:
      for (const Expr& expression : argument.expressions)
        if (!is_sound(subject_of(wanted.role), expression)) return false;
      return true;
  }
}

void Model::constrain(const std::string& constraint, const ConstraintKind& kind, const Arguments& arguments,
                      const std::string& given_latex) {
  if (!claim_row(constraint)) return;
  const std::string latex = symbol_latex(given_latex);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (!fits(kind.arguments[i], arguments[i])) return;
  const std::vector<Expr> rows = kind.rows(*this, arguments);  // allows() skips rows that are null
  if (rows.empty()) return problem("E0223", fmt::format("the constraint `{}` has no expression", constraint));
  if (!allows(kind.velocity ? Role::kPfaffian : Role::kHolonomic, rows)) return;
  Constraint made{constraint, &kind, {}, {}, here};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i]) continue;
    const std::string row = row_name(constraint, kind.row_names, i, rows.size());
    // A constraint without moving quantities is either empty or cannot hold.
    if (!kinds_.contains(rows[i], SymbolKind::kCoordinate) && !kinds_.contains(rows[i], SymbolKind::kVelocity))
      return problem(
          "E0223", fmt::format("the constraint `{}` contains no coordinate", row),
          "it is always or never satisfied: leave it out, or correct what makes it 0, such as a direction of length 0");
    if (kind.velocity && !kinds_.contains(rows[i], SymbolKind::kVelocity))
      return problem("E0289", fmt::format("the constraint of velocities `{}` contains no velocity", row),
                     "it restricts positions: write `holonomic = …`");
    made.rows.push_back({row, rows[i], {}, std::nullopt, here});
  }
  for (ConstraintRow& row : made.rows) {
    row.lambda =
        graph->add_symbol({row.name, SymbolKind::kMultiplier, row_count_++, multiplier_latex(latex, row.name)});
    multipliers_.emplace(row.name, row.lambda);
    // A model file knows dimensions better than the graph does, and fills them in later.
    if (!here) row.dimension = dimension_of(row.expression);
  }
  for (const Argument& argument : arguments)
    for (const Point& point : argument.points) made.points.push_back(point.name);
  made.arguments = arguments;
  constraints.push_back(std::move(made));
  if (kind.unilateral) make_one_sided(constraints.back());
}

void Model::make_one_sided(Constraint& constraint) {
  if (constraint.unilateral) return;
  constraint.unilateral = true;
  for (const ConstraintRow& row : constraint.rows) {
    multipliers_.emplace("gap(" + row.name + ")", row.expression);
    for (const std::string& name : {"closed(" + row.name + ")", "impulse(" + row.name + ")"})
      multipliers_.emplace(
          name, graph->add_symbol({name, SymbolKind::kMultiplier, static_cast<int>(multipliers_.size()), {}}));
  }
}

void Model::unilateral(const std::string& constraint, const Component& restitution) {
  const auto made = std::ranges::find(constraints, constraint, &Constraint::name);
  if (made == constraints.end()) {
    if (!constraint_names_.contains(constraint))
      problem("E0284", fmt::format("there is no constraint `{}`", constraint));
    return;
  }
  if (made->kind->velocity)
    return problem(
        "E0284", fmt::format("`{}` is a constraint of velocities, which cannot be one-sided", constraint),
        "a contact is stated by its gap, a function of the coordinates: `holonomic = \"y - r\"`; a one-way clutch "
        "is a friction and a force, as in the model `one-way-clutch`");
  const Expr e = restitution.in(*graph);
  if (!takes(Role::kRestitution, {e})) return;
  if (std::string why = refuse_restitution(constraint, value_of(e)); !why.empty())
    return problem("E0285", std::move(why));
  make_one_sided(*made);
  if (!e.is_zero()) made->restitution = e;
}

Vector Model::sliding_speed(const std::string& contact) {
  const auto made = std::ranges::find(constraints, contact, &Constraint::name);
  if (made == constraints.end()) {
    problem("E0287", fmt::format("there is no contact `{}`", contact));
    return {};
  }
  const std::string help = fmt::format(
      "state a `[[friction]]` with `normal = \"lambda({})\"` and the sliding speed as its `velocity`", contact);
  if (made->kind->sliding_speed == nullptr) {
    problem("E0287", fmt::format("`{}` is not stated as a contact, so its sliding speed is not known", contact), help);
    return {};
  }
  Vector speed = made->kind->sliding_speed(*this, made->arguments);
  if (speed.empty())
    problem("E0287",
            fmt::format("the normal of `{}` may point in every direction, so no two directions in its plane are known",
                        contact),
            fmt::format("state a `[[friction]]` with `normal = \"lambda({})\"` and the sliding speeds along two "
                        "perpendicular directions in the plane as its `velocity`",
                        contact));
  return speed;
}

void Model::act(const ForceKind& kind, const Arguments& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (!fits(kind.arguments[i], arguments[i])) return;
  forces.push_back({&kind, kind.contributions(arguments), here, arguments});
}

void Model::torque(const Expr& angle, const Component& torque) {
  if (!takes(Role::kGeometry, {angle})) return;
  Argument on;
  on.body.angle = angle;
  act(force_kind("body"), {on, vector_of({torque})});
}

Expr Model::friction(const std::string& friction, const FrictionDescription& law) {
  if (friction.empty()) {
    problem("E0011", "the friction has no name");
    return {};
  }
  const auto is_taken = [&](const std::string& name) { return multipliers_.contains("friction(" + name + ")"); };
  if (is_taken(friction) || is_taken(friction + "[1]")) {
    problem("E0008", fmt::format("the friction `{}` is defined twice", friction));
    return {};
  }
  const auto in = [&](const Component& component) { return component.in(*graph); };
  const auto* along = std::get_if<Components>(&law.velocity);
  const Vector speeds = along != nullptr ? along->in(*graph) : Vector{in(std::get<Component>(law.velocity))};
  if (speeds.empty() || speeds.size() > 2) {
    problem("E0271", fmt::format("the friction `{}` has {} sliding speeds", friction, speeds.size()),
            "state one, or two in perpendicular directions");
    return {};
  }
  Friction made{friction, false, in(law.normal), {},   in(law.coefficient), {}, in(law.viscous),
                {},       here,  here,           here, std::nullopt};
  made.static_coefficient = law.static_coefficient ? in(*law.static_coefficient) : made.coefficient;
  if (!takes(Role::kNormalForce, {made.normal}) || !takes(Role::kPfaffian, speeds) ||
      !takes(Role::kForce, {made.coefficient, made.static_coefficient, made.viscous}))
    return {};
  for (const Expr& speed : speeds)
    if (!kinds_.contains(speed, SymbolKind::kVelocity) && !kinds_.contains(speed, SymbolKind::kQuasiVelocity)) {
      problem("E0271", fmt::format("the sliding speed of the friction `{}` contains no velocity", friction));
      return {};
    }
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    if (speeds.size() == 2) made.name = fmt::format("{}[{}]", friction, i + 1);
    made.second = i == 1;
    made.velocity = speeds[i];
    const std::string symbol = "friction(" + made.name + ")";
    // The index is provisional: the final one, after those of all rows, is known when the equations are derived.
    made.force = graph->add_symbol({symbol, SymbolKind::kMultiplier, static_cast<int>(multipliers_.size()), {}});
    multipliers_.emplace(symbol, made.force);
    if (!here)
      if (const auto speed = dimension_of(made.velocity)) made.force_dimension = Dimension::power_unit() / *speed;
    frictions.push_back(made);
  }
  return frictions[frictions.size() - speeds.size()].force;
}

bool Model::moves_rigidly(const Body& body) {
  if (body.angle || !body.frame.rotation.empty()) return true;
  problem("E0224", fmt::format("the body `{}` has no angle for a torque to act on", body.name),
          "give it `angle` and `inertia`");
  return false;
}

void Model::torque(const Body& body, const Component& torque) {
  if (!moves_rigidly(body)) return;
  if (!body.angle) return problem("E0216", "a torque in space has three components");
  act(force_kind("body"), {{.body = body}, vector_of({torque})});
}

void Model::torque(const Body& body, const Components& torque) {
  const Argument vector = vector_of(torque);
  if (!moves_rigidly(body) || !same_space(vector.expressions)) return;
  if (body.angle) return problem("E0216", "a torque in the plane is one expression");
  act(force_kind("body"), {{.body = body}, vector});
}

void Model::generalized_force(const Coordinate& coordinate, const Component& value) {
  if (coordinate_index(coordinate.name) < 0)
    return problem("E0102", fmt::format("unknown coordinate `{}`", coordinate.name));
  act(force_kind("coordinate"), {{.name = coordinate.name, .expressions = {coordinate.q}}, vector_of({value})});
}

}  // namespace dalembert
