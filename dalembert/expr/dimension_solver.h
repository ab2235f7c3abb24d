// SPDX-License-Identifier: Apache-2.0
// Dimensions that are not known yet: a parameter without a unit has one all the same, and the formulas it stands in
// tell which. Every unknown is a vector u_k of seven exponents; products add such vectors, powers scale them, sums
// equate them. So what a file says about its units is a linear system, solved by elimination as the equations come.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/base/units.h"

namespace dalembert {

/// known · Π u_k^c_k.
struct DimensionTerm {
  Dimension known;
  std::vector<std::pair<std::uint32_t, double>> unknown;  ///< (k, c_k), ascending in k, no c_k is 0

  DimensionTerm() = default;
  DimensionTerm(const Dimension& dimension) : known(dimension) {}
  DimensionTerm power(double exponent) const;
  friend DimensionTerm operator*(const DimensionTerm& a, const DimensionTerm& b);
  friend DimensionTerm operator/(const DimensionTerm& a, const DimensionTerm& b);
};

class DimensionSolver {
 public:
  /// A solver that is off agrees to everything and knows nothing: for models without any unit.
  explicit DimensionSolver(bool on = true) : on_(on) {}
  bool on() const { return on_; }

  DimensionTerm fresh();
  /// The term with every solved unknown replaced.
  DimensionTerm resolve(const DimensionTerm& term) const;
  /// States a = b. False, and nothing is changed, when that contradicts what was stated before.
  bool equate(const DimensionTerm& a, const DimensionTerm& b);
  /// The dimension where it is determined.
  std::optional<Dimension> value(const DimensionTerm& term) const;

 private:
  bool on_;
  std::vector<std::optional<DimensionTerm>> solution_;  // of unknown k, in terms of unknowns that are not solved
};

/// For messages: "`kg*m`", "a pure number (rad)", "`m` times an unknown unit".
std::string describe(const DimensionTerm& term, Measure measure = Measure::kAny);

}  // namespace dalembert
