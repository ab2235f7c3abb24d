// SPDX-License-Identifier: Apache-2.0
// All local extremes of an output along a run, with their derivatives, by two runs with tangents and rates of outputs: one has some rows in each step, the other
// rows about each extreme that the rates of the first one show.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dalembert/integrate/integrate_options.h"

namespace dalembert {

struct LocalExtreme {
  double t = 0, value = 0;
  std::vector<double> by;  ///< derivatives of the value by the quantities of the tangents
};

/// Which extremes of which output.
struct Sought {
  std::size_t output = 0;
  bool greatest = true;
};

/// Asks the first run for its rows. `plain`: the run with a row at each step.
void ask_fine_rows(const Trajectory& plain, IntegrateOptions& options);
/// Asks the second run for what it needs. `steps`: the first run.
void ask_local_extremes(const Trajectory& steps, std::span<const Sought> sought, IntegrateOptions& options);

/// The extremes in the order of time; at the ends of the run and on both sides of a jump as well. Those with unknown derivatives are left out. Two extremes of one
/// kind between two neighbouring rows of the first run are not told apart.
std::vector<LocalExtreme> local_extremes(const Trajectory& steps, const Trajectory& second, const Sought& sought);

}  // namespace dalembert
