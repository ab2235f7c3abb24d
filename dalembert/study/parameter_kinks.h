// SPDX-License-Identifier: Apache-2.0
// Where a model has no derivative by a parameter at its value: abs(k - 1) at k = 1, abs(k)^0.3 and sign(k) at k = 0.
//
// What depends on parameters alone is constant along a run, so no condition of the run passes there, and derivatives of the held branches would be numbers
// that no run has nearby.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dalembert/expr/expr.h"
#include "dalembert/integrate/integrate_options.h"
#include "dalembert/study/built_model.h"

namespace dalembert {

class ParameterKinks {
 public:
  explicit ParameterKinks(const BuiltModel& system);
  /// Why nothing is known of the derivatives by this quantity: "`abs(k - 1)` has a kink at k = 1". Empty where no kink, jump or infinite slope was found.
  std::string why_unknown(const Tangent& by) const;

 private:
  enum class Shape { kSmooth, kKink, kJump, kInfinite };
  Shape shape_along(std::size_t part, const Tangent& by) const;
  double value(const Expr& e, const std::vector<double>& parameters) const;
  std::vector<NodeId> at_limits(const std::vector<NodeId>& nodes, const std::vector<char>& fixed) const;
  void add_part(const Expr& e, const std::vector<char>& bent);
  void collect_parts(const std::vector<NodeId>& nodes, const std::vector<char>& fixed, const std::vector<char>& bent);

  Equations equations_;  // on an overlay
  Graph& graph_;
  std::vector<int> parameter_of_;  // of each symbol: the index of the parameter; −1: it is none of the model
  std::vector<double> values_;     // of the parameters
  // The largest parts of parameters alone that have something at its limit; Σ|term| of each.
  std::vector<Expr> parts_, sizes_;
};

}  // namespace dalembert
