// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/friction_at.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "dalembert/analyze/stability/static_friction.h"
#include "dalembert/base/numeric.h"
#include "dalembert/compile/compile.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/project.h"

namespace dalembert {

SystemAt hold_frictions(const SystemAt& given, const FrictionMode& mode) {
  SystemAt held = given;
  held.unheld = std::make_shared<const Unheld>(Unheld{given.system, mode});
  replace_equations(held.system, hold_frictions(given.system.equations, mode));
  return held;
}

Result<SystemAt> hold_frictions(SystemAt given) {
  if (given.system.equations.frictions.empty()) return given;
  const Result<FrictionMode> mode = find_friction_mode(given.system.dynamics, given.state);
  if (!mode) return mode.diagnostics();
  SystemAt held = hold_frictions(given, *mode);
  // Set the speed of sticking frictions to exactly 0.
  project(held.system.dynamics, held.state);
  return held;
}

std::string breaks_mode(const Dynamics& dynamics, const FrictionMode& mode, const State& state) {
  const Result<FrictionMode> there = find_friction_mode(dynamics, state);
  if (!there) return there.diagnostics().front().message;
  for (std::size_t j = 0; j < mode.size(); ++j) {
    const std::string& name = dynamics.names().frictions[j];
    const FrictionState does = (*there)[j];
    if (does.direction != mode[j].direction)
      return fmt::format("there the friction `{}` {}, while the search assumed that it {}", name, to_text(does),
                         to_text(mode[j]));
    // For a sticking friction the sign of its normal force does not matter.
    if (does.direction != 0 && does.load != mode[j].load)
      return fmt::format("there the normal force of the friction `{}` has the other sign", name);
  }
  return {};
}

void judge_static_friction(const SystemAt& held, const LinearMotion& motion, Stability& stability,
                           std::span<const double> parameters) {
  if (!held.unheld || motion.kind == MotionKind::kState) return;
  const Dynamics& dynamics = held.unheld->system.dynamics;
  // Closed contacts are rows of the system that are named as before they were held.
  std::vector<std::size_t> pressing;
  if (held.contacts) {
    const Equations& contacts = held.contacts->system.equations;
    const std::vector<std::string>& rows = dynamics.names().rows;
    for (const UnilateralRow& contact : contacts.unilateral) {
      const auto row = std::ranges::find(rows, contacts.rows[as_size(contact.row)]);
      if (row != rows.end()) pressing.push_back(as_size(row - rows.begin()));
    }
  }
  const FrictionMode& mode = held.unheld->mode;
  if (parameters.empty())
    judge_static_friction(dynamics, mode, motion.at, pressing, stability);
  else
    judge_static_friction(dynamics.with_parameters({parameters.begin(), parameters.end()}), mode, motion.at, pressing,
                          stability);
}

Json frictions_json(const Unheld& unheld, const State& state) {
  const KktSolution solution = solve_kkt(unheld.system.dynamics, state);
  const std::vector<std::string>& names = unheld.system.dynamics.names().frictions;
  Json frictions = Json::object();
  for (std::size_t j = 0; j < names.size(); ++j)
    frictions.append(names[j], {{"state", unheld.mode[j].direction == 0 ? "sticks" : "slides"},
                                {"direction", unheld.mode[j].direction},
                                {"force", j < solution.friction.size() ? solution.friction[j] : std::nan("")}});
  return frictions;
}

std::vector<std::string> list_frictions(const Unheld& unheld) {
  std::vector<std::string> list;
  const std::vector<std::string>& names = unheld.system.dynamics.names().frictions;
  for (std::size_t j = 0; j < names.size(); ++j)
    list.push_back(fmt::format("{} {}", names[j], to_text(unheld.mode[j])));
  return list;
}

}  // namespace dalembert
