// SPDX-License-Identifier: Apache-2.0
// Compares two models: the equations of one are checked as claims about the other (audit.h).
#pragma once

#include <string>
#include <vector>

#include "dalembert/analyze/audit.h"

namespace dalembert {

struct ModelComparison {
  /// True where both have the same coordinates and rows: the equations of motion and the rows of the constraints were
  /// compared term by term. Otherwise the accelerations of the coordinates that both have, and the multipliers of the
  /// rows that both have, were compared on states that satisfy the constraints of both.
  bool equations = false;
  /// True where the first model makes the claims about the second, because the second has more coordinates.
  bool swapped = false;
  std::vector<std::string> without;     ///< names of the coordinates that only one of the two has
  std::vector<std::string> as_numbers;  ///< parameters that only the claiming model has; their values are used
  AuditReport report;
};

/// Checks the equations of `other` as claims about `equations`, or the other way round where only `other` has all coordinates
/// of both. Symbols with the same name are the same. Errors: E0243 the models cannot be compared, with the reason; E0231 the
/// motion of the claiming model has no closed form; E0241, E0242 a constraint cannot be used as a condition.
Result<ModelComparison> compare_models(const Equations& equations, const Equations& other,
                                       Notation notation = Notation::kText);

}  // namespace dalembert
