// SPDX-License-Identifier: Apache-2.0
// A model at a given state or at its own start, on the constraints.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/dynamics/friction_answer.h"
#include "dalembert/study/built_model.h"
#include "dalembert/study/state_values.h"

namespace dalembert {

struct RelativeCoordinates;

/// Assembles the state of `initial` while its held values and the quasi-velocities of `values` are held.
Assembly assemble_values(const BuiltModel& system, const StateValues& values, const InitialState& initial);

/// A system as it was before its frictions were held in their modes.
struct Unheld {
  BuiltModel system;
  FrictionMode mode;  ///< the mode in which the frictions are held
};

struct SystemAt {
  BuiltModel system;
  State state;                       ///< a state that satisfies the constraints
  std::vector<bool> held_q, held_v;  ///< coordinates and velocities that the user or the model gave
  bool given = false;                ///< the state is given, not the model's own start
  std::vector<bool> left_out = {};   ///< coordinates that are not states (SteadySystem::left_out)
  std::vector<bool> follows = {};    ///< velocities that follow from the others (SteadySystem::follows)
  /// If set: coordinates in which further motions are steady (find_relative_coordinates), not applied to this system
  /// yet.
  std::shared_ptr<const RelativeCoordinates> relative = {};
  std::vector<std::string> lost_outputs = {};    ///< outputs that need left-out coordinates
  std::vector<std::string> velocity_units = {};  ///< by velocity: its unit; filled by closed_system() only
  /// The system before its frictions were held; null if none are held (friction_at.h).
  std::shared_ptr<const Unheld> unheld = {};
};

/// The system in the quasi-velocities that the model states, if their equations do not depend on the coordinates. It
/// has no constraints, all coordinates are `left_out`, and outputs that need them are lost. Nothing if the equations
/// depend on coordinates.
std::optional<SystemAt> closed_system(const SystemAt& given);
/// The system with its constraints eliminated, without the coordinates that drop out by this (closed_equations.h).
/// Nothing if no more coordinates drop out than before the elimination.
std::optional<SystemAt> relative_system(const SystemAt& given);

/// The system in the coordinates of `relative`, without those that drop out.
SystemAt without_what_drops_out(const SystemAt& given);

/// The system at the state that `values` give, or at the model's start if null. Errors: E0301, E0302, E0303 or E0321 if
/// no consistent state was found, E0406 if contradictory velocities are given, E0506 if a spline has no samples.
Result<SystemAt> system_at(BuiltModel system, const StateValues* values = nullptr);

}  // namespace dalembert
