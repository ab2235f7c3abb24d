// SPDX-License-Identifier: Apache-2.0
// Whether two models say the same of the motion, and where not: what the one says is held against the other as claims
// are (audit.h).
#pragma once

#include <string>
#include <vector>

#include "dalembert/analyze/audit.h"

namespace dalembert {

struct ModelComparison {
  /// What was compared: with the same coordinates and rows the equations of motion and the rows of the constraints, term
  /// by term; else the accelerations of the coordinates that both have, and the multipliers of rows that both have, on
  /// states that keep the constraints of both.
  bool equations = false;
  /// Whether the claims are those of the first model about the second, which has more coordinates.
  bool swapped = false;
  std::vector<std::string> without;     ///< coordinates that only one of the two has
  std::vector<std::string> as_numbers;  ///< parameters that only the claiming one has, taken with their values
  AuditReport report;
};

/// Holds what `other` says against `equations`, or the other way round where only `other` has all coordinates of both.
/// Symbols are the same where their names are. Errors: E0243 nothing can be compared, and why; E0231 the motion of the
/// claiming model has no closed form; E0241, E0242 a constraint cannot be put in.
Result<ModelComparison> compare_models(const Equations& equations, const Equations& other,
                                       Notation notation = Notation::kText);

}  // namespace dalembert
