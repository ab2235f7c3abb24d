// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/contacts_at.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/base/text.h"
#include "dalembert/derive/contact_mode.h"
#include "dalembert/dynamics/contact_problem.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/dynamics/terms.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {

Result<BuiltModel> hold_contacts_at(const BuiltModel& system, const State& state) {
  if (system.equations.unilateral.empty()) return system;
  const ContactDecision decision = decide_contacts(system.dynamics, state);
  // A motion without inertia has no accelerations whatever the contacts do, and that is told with its name.
  const bool undecided = decision.status == ContactStatus::kSingular;
  if (decision.status != ContactStatus::kOk && !undecided) {
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
      "W0316",
      undecided ? describe(decision.status, "", "at this state") + ": they are taken as open"
                : fmt::format("contacts are held as they are at this state, {}: motions that open or close one are not "
                              "examined",
                              closed.empty() ? "all open" : join_words(closed, "`", "and") + " closed")));
  replace_equations(held, hold_contacts(system.equations, decision.closed), {.machine_code = false});
  return held;
}

namespace {

constexpr double kGapTolerance = 1e-8;   // what Newton's method may leave
constexpr double kPullTolerance = 1e-8;  // of the largest force

bool nearly_equal(const std::vector<double>& a, const std::vector<double>& b) {
  double size = 0, difference = 0;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    size = std::max(size, std::abs(a[i]));
    difference = std::max(difference, std::abs(a[i] - b[i]));
  }
  return difference <= 1e-9 * size;
}

// Whether a turn of one coordinate, forward or back, changes nothing in the held system and leaves no gap below 0.
bool is_free_after_a_turn(const UnheldContacts& contacts, const State& state) {
  const Dynamics& dynamics = contacts.system.dynamics;
  // Compared beside the state: at an equilibrium forces are round-off.
  State beside = state;
  for (std::size_t i = 0; i < beside.q.size(); ++i) beside.q[i] += 0.7 + 0.1 * std::sin(static_cast<double>(i));
  const Terms here = evaluate_terms(contacts.held.dynamics, beside);
  for (std::size_t i = 0; i < state.q.size(); ++i)
    for (const double turn : {-2 * std::numbers::pi, 2 * std::numbers::pi}) {
      State turned = state;
      turned.q[i] += turn;
      if (find_penetration(dynamics, turned, kGapTolerance).row >= 0) continue;
      turned = beside;
      turned.q[i] += turn;
      const Terms there = evaluate_terms(contacts.held.dynamics, turned);
      if (nearly_equal(here.M, there.M) && nearly_equal(here.B, there.B) && nearly_equal(here.G, there.G) &&
          nearly_equal(here.F, there.F) && nearly_equal(here.W, there.W))
        return true;
    }
  return false;
}

double largest_force(const Terms& terms) {
  double largest = 0;
  for (const std::vector<double>* forces : {&terms.B, &terms.G, &terms.F})
    for (const double force : *forces) largest = std::max(largest, std::abs(force));
  return largest;
}

}  // namespace

std::string breaks_contacts(const SystemAt& given, const State& state, bool up_to_turns) {
  if (given.contacts == nullptr) return {};
  const auto& [system, held] = *given.contacts;
  State whole = state;
  if (!given.velocity_units.empty()) {  // closed_system(): the velocities are quasi-velocities
    Workspace workspace(given.system.dynamics);
    whole.v.assign(state.q.size(), 0.0);
    find_qdot(given.system.dynamics, state.t, state.q.data(), state.v.data(), workspace, whole.v.data());
  }
  if (whole.v.size() != static_cast<std::size_t>(held.dynamics.nv())) return {};
  const auto name_of = [&](int row) { return system.dynamics.names().row(static_cast<std::size_t>(row)); };
  const Penetration open = find_penetration(system.dynamics, whole, kGapTolerance);
  if (open.row >= 0 && !(up_to_turns && is_free_after_a_turn(*given.contacts, whole)))
    return fmt::format("there the contact `{}` has a gap of {}", name_of(open.row), to_text(open.gap, 4));
  const Dynamics& dynamics = given.unheld ? given.system.dynamics : held.dynamics;
  const Terms terms = evaluate_terms(dynamics, whole);
  if (!terms.has_motion()) return {};
  const double pull = kPullTolerance * largest_force(terms);
  const std::vector<std::string>& rows = dynamics.names().rows;
  for (const UnilateralRow& contact : system.equations.unilateral) {
    const std::string& name = system.equations.rows[static_cast<std::size_t>(contact.row)];
    const auto row = static_cast<std::size_t>(std::ranges::find(rows, name) - rows.begin());
    if (row == rows.size() || !terms.solution.lambda_unique[row]) continue;
    const double lambda = terms.solution.lambda[row];
    if (lambda < -pull)
      return fmt::format("there the closed contact `{}` would pull, with a multiplier of {}", name_of(contact.row),
                         to_text(lambda, 4));
  }
  return {};
}

}  // namespace dalembert
