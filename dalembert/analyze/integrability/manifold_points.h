// SPDX-License-Identifier: Apache-2.0
// Private to analyze: positions beside a state that satisfy its holonomic rows, with a bound on how far they are off.
//
// Newton's method takes only rows that are independent at the state, so it converges where other rows follow from these
// on the manifold alone. Of a residual r at the end, ‖J⁺‖ r is how far off the position is, to first order.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "dalembert/analyze/integrability/bounded_number.h"
#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/dynamics.h"

namespace dalembert {

class ManifoldPoints {
 public:
  using Values = std::unordered_map<SymbolId, BoundedNumber>;

  /// `known`: values of parameters. The positions satisfy those holonomic rows that are independent at `state`.
  ManifoldPoints(const Equations& equations, Values known, State state);

  /// The values at a position that is about `shift` from the state; no value where none is found.
  std::optional<Values> beside(double shift, int seed) const;
  /// Whether the holonomic rows that Newton's method leaves out may hold at such values.
  bool all_rows_may_hold(const Values& values) const;

  /// A number in [0, 1) for coordinate i, different for each seed.
  static double spread(int seed, std::size_t i);

 private:
  struct Residuals;
  std::optional<Residuals> residuals(const State& at, const std::vector<int>& rows) const;
  Values values_of(const State& at, double off) const;
  std::vector<BoundedNumber> polynomial(const Values& values, int row, bool& found) const;

  const Equations& eq_;
  Values known_;
  State state_;
  std::unordered_map<SymbolId, int> variables_;
  std::vector<int> kept_;
};

}  // namespace dalembert
