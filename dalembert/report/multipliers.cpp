// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/multipliers.h"

#include <fmt/format.h>

namespace dalembert {
namespace {

std::string words_for(const Constraint& constraint, const ConstraintRow& row, const std::string& unit) {
  const bool named = constraint.points.size() == 2;
  switch (constraint.form) {
    case ConstraintForm::kCoincide: {
      const char axis = row.name.back();
      if (!named)
        return fmt::format("force of the pin along {} on the first point; the second feels the opposite", axis);
      return fmt::format("force of the pin along {} on `{}`; `{}` feels the opposite", axis, constraint.points[0],
                         constraint.points[1]);
    }
    case ConstraintForm::kDistance:
      return fmt::format("thrust along the line{}: positive pushes apart, the tension is -lambda({})",
                         named ? fmt::format(" between `{}` and `{}`", constraint.points[0], constraint.points[1]) : "",
                         row.name);
    case ConstraintForm::kPfaffian:
      return fmt::format("{} that enforces {} = 0; positive towards increasing {}",
                         unit == "N" ? "sideways force" : "reaction", row.name, row.name);
    case ConstraintForm::kHolonomic:
      return fmt::format("{} that keeps {} = 0; positive pushes towards larger {}", unit == "N" ? "force" : "reaction",
                         row.name, row.name);
  }
  return {};
}

}  // namespace

std::vector<MultiplierMeaning> explain_multipliers(const Equations& equations) {
  std::vector<MultiplierMeaning> meanings;
  for (const Constraint& constraint : equations.model->constraints) {
    for (const ConstraintRow& row : constraint.rows) {
      const int j = static_cast<int>(meanings.size());
      MultiplierMeaning meaning{row.name, {}, {}, {}};
      if (const auto dimension = lambda_dimension(*equations.model, row, constraint.form))
        meaning.unit = unit_name(*dimension, Measure::kForce);
      meaning.words = words_for(constraint, row, meaning.unit);
      for (std::size_t k = 0; k < equations.W.value.size(); ++k)
        if (equations.W.row[k] == j) meaning.force.emplace_back(equations.W.col[k], equations.W.value[k]);
      meanings.push_back(std::move(meaning));
    }
  }
  return meanings;
}

}  // namespace dalembert
