// SPDX-License-Identifier: Apache-2.0
// Constraints and forces.
#include <array>

#include <fmt/format.h>

#include "dalembert/expr/visit.h"
#include "dalembert/model/model.h"

namespace dalembert {
namespace {

std::vector<std::string> numbered(const std::string& name, std::size_t count) {
  if (count == 1) return {name};
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= count; ++i) names.push_back(fmt::format("{}[{}]", name, i));
  return names;
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

void Model::add_constraint(const std::string& constraint, ConstraintForm form, const std::vector<Expr>& rows,
                           const std::vector<std::string>& row_names, const std::vector<std::string>& between) {
  const Role role = form == ConstraintForm::kPfaffian ? Role::kPfaffian : Role::kHolonomic;
  if (!claim_row(constraint)) return;
  if (rows.empty()) return problem("E0223", fmt::format("the constraint `{}` has no expression", constraint));
  if (!allows(role, rows)) return;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // A constraint in which nothing moves is either empty or cannot hold.
    if (!kinds_.contains(rows[i], SymbolKind::kCoordinate) && !kinds_.contains(rows[i], SymbolKind::kVelocity))
      return problem("E0223", fmt::format("the constraint `{}` contains no coordinate", row_names[i]));
  }
  Constraint made{constraint, form, {}, between, here};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Expr lambda =
        graph->add_symbol({row_names[i], SymbolKind::kMultiplier, static_cast<int>(multipliers_.size()), {}});
    multipliers_.emplace(row_names[i], lambda);
    // A model file knows dimensions better than the graph does, and fills them in.
    made.rows.push_back({row_names[i], rows[i], lambda, here ? std::nullopt : dimension_of(rows[i]), here});
  }
  constraints.push_back(std::move(made));
}

void Model::holonomic(const std::string& constraint, const std::vector<Expr>& h) {
  add_constraint(constraint, ConstraintForm::kHolonomic, h, numbered(constraint, h.size()), {});
}

void Model::pfaffian(const std::string& constraint, const std::vector<Expr>& eta) {
  add_constraint(constraint, ConstraintForm::kPfaffian, eta, numbered(constraint, eta.size()), {});
}

void Model::coincide(const std::string& constraint, const Vector& a, const Vector& b) {
  if (!same_space(a) || !same_space(b)) return;
  std::vector<Expr> rows;
  std::vector<std::string> row_names;
  for (std::size_t i = 0; i < a.size(); ++i) {
    rows.push_back(a[i] - b[i]);
    row_names.push_back(fmt::format("{}.{}", constraint, "xyz"[i]));
  }
  add_constraint(constraint, ConstraintForm::kCoincide, rows, row_names, {});
}

void Model::distance(const std::string& constraint, const Vector& a, const Vector& b, const Expr& value) {
  if (!same_space(a) || !same_space(b)) return;
  std::vector<Expr> squares;
  for (std::size_t i = 0; i < a.size(); ++i) squares.push_back(square(a[i] - b[i]));
  add_constraint(constraint, ConstraintForm::kDistance, {sqrt(graph->sum(squares)) - value}, {constraint}, {});
}

void Model::force(const Vector& position, const Vector& vector) {
  if (!same_space(position) || !same_space(vector) || !allows(Role::kGeometry, position) ||
      !allows(Role::kForce, vector))
    return;
  forces.push_back({Force::Form::kPoint, position, vector, {}, {}, 0, {}, here});
}

void Model::torque(const Expr& angle, const Expr& torque) {
  if (!allows(Role::kGeometry, {angle}) || !allows(Role::kForce, {torque})) return;
  forces.push_back({Force::Form::kTorque, {}, {}, angle, torque, 0, {}, here});
}

void Model::generalized_force(const Coordinate& coordinate, const Expr& value) {
  const int index = coordinate_index(coordinate.name);
  if (index < 0) return problem("E0102", fmt::format("unknown coordinate `{}`", coordinate.name));
  if (allows(Role::kForce, {value})) forces.push_back({Force::Form::kCoordinate, {}, {}, {}, {}, index, value, here});
}

void Model::power(const Expr& P) {
  if (allows(Role::kForce, {P})) forces.push_back({Force::Form::kPower, {}, {}, {}, {}, 0, P, here});
}

}  // namespace dalembert
