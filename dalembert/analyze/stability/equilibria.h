// SPDX-License-Identifier: Apache-2.0
// Searches for equilibria and steady motions of a system from many starts.
//
// The starts are spread over the range of the coordinates: angles all around, lengths about as far as the given start and
// the parameters of the same unit. Cyclic coordinates stay where they are. A solution that is found again, or that follows
// from another along a family, is reported once; a family has one member for each verdict. The search may miss solutions.
#pragma once

#include <functional>
#include <vector>

#include "dalembert/analyze/linear_motion.h"
#include "dalembert/analyze/stability/steady_system.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

struct SearchOptions {
  int starts = 60;
  std::size_t most = 64;  ///< the search ends when it has found this many
  std::vector<bool> prefer_position = {}, prefer_velocity = {};
  std::function<bool(const State&)> accept = {};  ///< solutions that it refuses are left out; empty: all count
  double most_work = 5e9;                         ///< limit of work in multiplications; then no more starts are tried
  int* tried = nullptr;                           ///< set to the number of starts tried if most_work ends the search
};

/// Equilibria come first, then steady motions. The list is empty for systems that depend on time.
std::vector<Equilibrium> find_equilibria(const SteadySystem& system, const Equations& equations, const State& start,
                                         const SearchOptions& options = {});

}  // namespace dalembert
