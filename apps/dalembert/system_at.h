// SPDX-License-Identifier: Apache-2.0
// A model at the state that `--at` names, or at its start: on the constraints.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/dalembert/arguments.h"
#include "apps/dalembert/state_file.h"
#include "apps/dalembert/system.h"
#include "dalembert/analyze/relative.h"
#include "dalembert/dynamics/friction.h"

namespace dalembert::app {

/// MODEL with what --set and the file of --at say of parameters and inputs.
struct GivenState {
  System system;
  StateFile file;                   ///< empty without --at
  bool given = false;               ///< --at was there
  std::vector<Override> overrides;  ///< of --set and of the file
  ModelSource source;
};
/// The file is asked first for its parameters and inputs, which belong to the model; t, q and qd are left to the caller.
GivenState read_given_state(const Arguments& arguments);

/// The state that the file names, brought onto the constraints with what `initial` holds and the file's quasi-velocities
/// held.
Assembly assemble_file(const System& system, const StateFile& file, const InitialState& initial);

/// A system as it is, beside one whose frictions are held.
struct Unheld {
  System system;
  FrictionMode mode;  ///< what they are held at
};

struct SystemAt {
  System system;
  State state;                       ///< consistent
  std::vector<bool> held_q, held_v;  ///< by the file or the model: what the user thinks in
  std::vector<Override> overrides;   ///< of --set and of the file
  ModelSource source;
  bool given = false;               ///< --at was there
  std::vector<bool> left_out = {};  ///< see SteadySystem
  std::vector<bool> follows = {};   ///< see SteadySystem
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

/// Throws Failure: what eval says of a file that cannot be read, E0301 and E0302 where no consistent state was found.
SystemAt build_system_at(const Arguments& arguments);

}  // namespace dalembert::app
