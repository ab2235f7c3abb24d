// SPDX-License-Identifier: Apache-2.0
// Dimensions that are not stated. A parameter without a unit still has a dimension, and the formulas in which it occurs determine it. Every
// unknown dimension is a vector u_k of seven exponents; products add such vectors, powers scale them, sums equate them. So the units in a
// file form a linear system, which is solved by elimination as the equations come.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/base/units.h"

namespace dalembert {

class DimensionSolver {
 public:
  /// A solver that is off accepts every equation and knows no dimension: for models without any unit.
  explicit DimensionSolver(bool on = true) : on_(on) {}
  bool on() const { return on_; }

  DimensionTerm fresh();
  /// The term with every solved unknown replaced.
  DimensionTerm resolve(const DimensionTerm& term) const;
  /// States a = b. Returns false, and changes nothing, if this contradicts earlier equations.
  bool equate(const DimensionTerm& a, const DimensionTerm& b);
  /// The dimension of `term`, if it is determined.
  std::optional<Dimension> value(const DimensionTerm& term) const;

 private:
  bool on_;
  std::vector<std::optional<DimensionTerm>> solution_;  // solution_[k]: unknown k in terms of unsolved unknowns
};

/// The dimension as messages write it: "`kg*m`", "a dimensionless number (rad)", "`m` times an unknown unit".
std::string describe(const DimensionTerm& term, Measure measure = Measure::kAny);

}  // namespace dalembert
