// SPDX-License-Identifier: Apache-2.0
// Equilibria and steady motions of a system, looked for from many starts.
//
// Starts are scrambled over the scale of the coordinates: angles all around, lengths about as far as the start and the
// parameters of the same unit reach; coordinates that nothing depends on stay where they are. What is found more than
// once, or follows from another along a family, is reported once; of a family one member for each verdict. What is not found
// may exist.
#pragma once

#include <functional>
#include <vector>

#include "dalembert/analyze/stability.h"

namespace dalembert {

struct Equilibrium {
  LinearMotion motion;
  Stability stability;
};

struct SearchOptions {
  int starts = 60;
  std::size_t most = 64;  ///< so many are enough
  std::vector<bool> prefer_position = {}, prefer_velocity = {};
  std::function<bool(const State&)> accept = {};  ///< only of those that it accepts; empty: all
  double most_work = 5e9;                         ///< multiplications, about, after which no more starts are tried
  int* tried = nullptr;                           ///< where that ended the search: set to the number of starts tried
};

/// First equilibria, then steady motions; none of systems that depend on time.
std::vector<Equilibrium> find_equilibria(const SteadySystem& system, const Equations& equations, const State& start,
                                         const SearchOptions& options = {});

}  // namespace dalembert
