// SPDX-License-Identifier: Apache-2.0
// A model at a state that was given, or at its start: on the constraints.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/analyze/relative.h"
#include "dalembert/dynamics/friction.h"
#include "dalembert/study/built_model.h"
#include "dalembert/study/state_values.h"

namespace dalembert {

/// The state of `initial`, brought onto the constraints with what it holds and the quasi-velocities of `values` held.
Assembly assemble_values(const BuiltModel& system, const StateValues& values, const InitialState& initial);

/// A system as it is, beside one whose frictions are held.
struct Unheld {
  BuiltModel system;
  FrictionMode mode;  ///< what they are held at
};

struct SystemAt {
  BuiltModel system;
  State state;                       ///< consistent
  std::vector<bool> held_q, held_v;  ///< by what was given or by the model: what the user thinks in
  bool given = false;                ///< it is not the model's own start
  std::vector<bool> left_out = {};   ///< see SteadySystem
  std::vector<bool> follows = {};    ///< see SteadySystem
  /// Coordinates in which more motions are steady (find_relative_coordinates), where these are not used.
  std::optional<RelativeCoordinates> relative = {};
  std::vector<std::string> lost_outputs = {};    ///< see ClosedEquations
  std::vector<std::string> velocity_units = {};  ///< of the velocities, where some are left out
  std::shared_ptr<const Unheld> unheld = {};     ///< where frictions are held (friction_at.h)
};

/// The same in the quasi-velocities that the model states, where their equations stand alone: no constraints, all
/// coordinates `left_out`, and the outputs that do not need them. Nothing where they do not.
std::optional<SystemAt> closed_system(const SystemAt& given);
/// The same without what drops out where the constraints are eliminated (closed_equations.h); nothing where nothing more
/// does than with them.
std::optional<SystemAt> relative_system(const SystemAt& given);

/// What is steady of it, with the relative equilibria besides.
class SteadyAt {
 public:
  /// `dynamics` of the same system, with other parameters.
  SteadyAt(const SystemAt& given, const Dynamics& dynamics, const EquationDerivatives& derivatives);
  SteadyAt(const SteadyAt&) = delete;
  SteadyAt& operator=(const SteadyAt&) = delete;
  const SteadySystem& operator*() const { return steady_; }
  /// Null where nothing more drops out.
  const SteadySystem* relative() const { return steady_.relative; }

 private:
  SteadySystem relative_, steady_;
};

/// In the coordinates of `relative`.
SystemAt without_what_drops_out(const SystemAt& given);

/// At the state that `values` say, or at the model's start where there are none. Errors: E0301, E0302, E0303 or E0321 where
/// no consistent state was found, E0406 where velocities are said twice and differ, E0506 where a spline has no samples.
Result<SystemAt> system_at(BuiltModel system, const StateValues* values = nullptr);

}  // namespace dalembert
