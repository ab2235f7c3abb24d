// SPDX-License-Identifier: Apache-2.0
// Periodic motions: states that a motion comes back to, smooth, switching, sticking or striking, with their multipliers (theory §8).
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/integrate/integrate_options.h"
#include "dalembert/store/json_value.h"
#include "dalembert/study/built_model.h"

namespace dalembert {

struct CycleRequest {
  std::optional<double> period = {};  ///< s; without it the period is found, unless the equations depend on time
  std::string section = {};           ///< an event of the model: the state right after it comes back; empty: none
  int turns = 1;                      ///< number of returns after which the motion repeats itself
  IntegrateOptions run = {};          ///< options of its runs; tolerances are at most 1e-12
};

struct Cycle {
  bool found = false;
  std::string reason;  ///< why none was found; empty if it was
  double period = 0;   ///< s
  State state;         ///< where the motion begins and ends; without `found` the state with the smallest residual
  double residual =
      0;  ///< largest difference between end and start, relative to the motion of each coordinate and velocity
  /// Eigenvalues of the derivative of the return map, on the states that the constraints allow, without those in `free`.
  std::vector<std::complex<double>> multipliers;
  struct Free {
    std::complex<double> multiplier;
    std::string
        because;  ///< "time", "energy", the name of a momentum; or "symmetry: x", a coordinate on which nothing depends
  };
  std::vector<Free> free;  ///< directions in which every neighbour repeats itself as well: not judged
  double uncertainty = 0;  ///< of the multipliers: their difference from those at larger tolerances
  /// Whether neighbours come closer: all multipliers are inside the unit circle; false: one is outside; nothing: one is on it, up to
  /// the uncertainty, or there are none.
  std::optional<bool> stable;
  Trajectory run;  ///< one period
};

/// Finds a periodic motion near `start`, which satisfies the constraints, by Newton's method for the return map. Where the motion from
/// `start` does not come near it again, or Newton's method fails there, from the state at the end of a run to request.run.until. Errors:
/// E0413 if the equations depend on time and no period is given; E0102 if there is no such event; E0904 if the derivative of a turn would take too long.
Result<Cycle> find_cycle(const BuiltModel& system, const State& start, const CycleRequest& request);

Json cycle_json(const BuiltModel& system, const Cycle& cycle);

}  // namespace dalembert
