// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/friction_at.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

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
