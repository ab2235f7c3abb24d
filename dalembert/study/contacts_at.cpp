// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/contacts_at.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "dalembert/base/text.h"
#include "dalembert/derive/contact_mode.h"
#include "dalembert/dynamics/contact_problem.h"

namespace dalembert {

Result<BuiltModel> hold_contacts_at(const BuiltModel& system, const State& state) {
  if (system.equations.unilateral.empty()) return system;
  const ContactDecision decision = decide_contacts(system.dynamics, state);
  if (decision.status != ContactStatus::kOk) {
    if (decision.status == ContactStatus::kParadox)
      return error("E0324", describe(decision.answer, system.dynamics.names(), system.dynamics.m()));
    const bool none = decision.status == ContactStatus::kNone;
    Diagnostic problem =
        error("E0324", describe(decision.status,
                                none ? system.dynamics.names().row(static_cast<std::size_t>(decision.violated)) : "",
                                "at this state"));
    if (none)
      problem.primary = {system.model->row_span(static_cast<std::size_t>(decision.violated)), "pressed below 0"};
    return problem;
  }
  std::vector<std::string> closed;
  for (std::size_t c = 0; c < decision.closed.size(); ++c)
    if (decision.closed[c] != 0)
      closed.push_back(system.equations.rows[static_cast<std::size_t>(system.equations.unilateral[c].row)]);
  BuiltModel held = system;
  held.warnings.push_back(warning(
      "W0316", fmt::format("contacts are held as they are at this state, {}: motions that open or close one are not "
                           "examined",
                           closed.empty() ? "all open" : join_words(closed, "`", "and") + " closed")));
  replace_equations(held, hold_contacts(system.equations, decision.closed), {.machine_code = false});
  return held;
}

}  // namespace dalembert
