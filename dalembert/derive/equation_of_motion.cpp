// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/equation_of_motion.h"

#include <algorithm>
#include <vector>

#include "dalembert/derive/kinematic.h"

namespace dalembert {

Expr equation_of_motion(const Equations& eq, int i) {
  const auto at = static_cast<std::size_t>(i);
  std::vector<Graph::Term> terms{{eq.B[at], 1}, {eq.G[at], 1}, {eq.whole_force(i), -1}};
  for (std::size_t k = 0; k < eq.M.value.size(); ++k)
    if (eq.M.row[k] == i)
      terms.push_back({eq.M.value[k] * eq.accelerations()[static_cast<std::size_t>(eq.M.col[k])], 1});
  for (std::size_t k = 0; k < eq.W.value.size(); ++k)
    if (eq.W.col[k] == i) terms.push_back({eq.W.value[k] * eq.lambda[static_cast<std::size_t>(eq.W.row[k])], -1});
  if (const Expr actuation = actuation_of(eq, i)) terms.push_back({actuation, -1});
  return eq.graph->sum(terms);
}

Expr actuation_of(const Equations& eq, int i) {
  if (eq.actuated > 0) return {};
  const std::vector<int> velocities = actuated_velocities(eq);
  const auto found = std::ranges::find(velocities, i);
  if (found == velocities.end()) return {};
  return eq.graph->adopt(eq.model->prescribed[static_cast<std::size_t>(found - velocities.begin())].actuation);
}

}  // namespace dalembert
