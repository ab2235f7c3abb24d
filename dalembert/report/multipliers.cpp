// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/equations_text.h"

#include <fmt/format.h>

#include "dalembert/model/constraint_kind.h"
#include "dalembert/report/line_of_action.h"

namespace dalembert {

std::vector<MultiplierMeaning> explain_multipliers(const Equations& equations) {
  std::vector<MultiplierMeaning> meanings;
  for (const Constraint& constraint : equations.model->constraints) {
    for (const ConstraintRow& row : constraint.rows) {
      const int j = static_cast<int>(meanings.size());
      MultiplierMeaning meaning{row.name, {}, {}, {}};
      if (const auto dimension = lambda_dimension(*equations.model, constraint, row))
        meaning.unit = unit_name(*dimension, Measure::kForce);
      meaning.words = constraint.kind->multiplier(constraint, row, meaning.unit);
      const bool plain = meaning.unit == "N" && constraint.points.empty() && !constraint.unilateral;
      if (const auto line = plain ? find_line_of_action(equations, j) : std::nullopt)
        meaning.words = fmt::format("{} along the line between {} and {}: positive {}, the {} is -lambda({})",
                                    line->pushes ? "thrust" : "tension", line->from, line->to,
                                    line->pushes ? "pushes apart" : "pulls together",
                                    line->pushes ? "tension" : "thrust", row.name);
      for (std::size_t k = 0; k < equations.W.value.size(); ++k)
        if (equations.W.row[k] == j) meaning.force.emplace_back(equations.W.col[k], equations.W.value[k]);
      meanings.push_back(std::move(meaning));
    }
  }
  return meanings;
}

}  // namespace dalembert
