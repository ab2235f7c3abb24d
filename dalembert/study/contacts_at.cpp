// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/contacts_at.h"

#include <fmt/format.h>

#include <utility>

#include "dalembert/derive/contact_mode.h"
#include "dalembert/dynamics/contact_problem.h"

namespace dalembert {

Result<BuiltModel> hold_contacts_at(const BuiltModel& system, const State& state) {
  if (system.equations.unilateral.empty()) return system;
  const ContactDecision decision = decide_contacts(system.dynamics, state);
  if (decision.status != ContactStatus::kOk) {
    const bool none = decision.status == ContactStatus::kNone;
    if (decision.status == ContactStatus::kParadox)
      return error("E0324", describe(decision.answer, system.dynamics.names(), system.dynamics.m()));
    Diagnostic problem =
        error("E0324",
              none ? fmt::format("no motion keeps the contact `{}` and the other constraints at this state",
                                 system.dynamics.names().row(static_cast<std::size_t>(decision.violated)))
              : decision.status == ContactStatus::kTooLarge
                  ? "the contacts cannot be decided at this state: they couple too many velocities for a dense matrix"
                  : "the contacts cannot be decided at this state: a motion that the constraints allow has no inertia");
    if (none)
      problem.primary = {system.model->row_span(static_cast<std::size_t>(decision.violated)), "pressed below 0"};
    return problem;
  }
  BuiltModel held = system;
  held.equations = hold_contacts(system.equations, decision.closed);
  held.model = held.equations.model;
  held.dynamics = compile(held.equations, {.machine_code = false});
  return held;
}

}  // namespace dalembert
