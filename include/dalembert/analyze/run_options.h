// SPDX-License-Identifier: Apache-2.0
// The options that a model states for its run ([simulation] of a model file), and checks of the run.
#pragma once

#include <string>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/terms.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/model/model.h"

namespace dalembert {

inline constexpr double kDefaultUntil = 10;  ///< s: end of a run where the model states none
/// Relative tolerances are at least this and below 1.
inline constexpr double kLeastRtol = 1e-15;
/// Largest number of rows that an output step may lead to; more would fill memory and disk.
inline constexpr double kMostRows = 1e8;

/// The names that a setting takes; empty where it is a number.
std::vector<std::string> choices_of(const Setting& setting);

/// The options of a run of the model: the settings and, where there are none, the defaults of IntegrateOptions. Errors at their places: E0410 a method or
/// formulation that is not known, E0446 a formulation or an end that does not go with the model's contacts, E0403 a tolerance or an output step out of range.
Result<IntegrateOptions> run_options(const SimulationSettings& settings, const Model& model, double start_time);
/// The options of a run by the settings of the model.
Result<IntegrateOptions> run_options(const Model& model);

/// Reports splines (which constraints and energies may contain) without samples for all times between the two: E0506.
Diagnostics missing_samples(const Model& model, const Dynamics& dynamics, double from, double to);
/// Warns of tables whose samples begin after the run or end before it: W0504.
Diagnostics short_tables(const Model& model, double from, double to);
/// Warns of diagonal entries of M that are negative, where the kinetic energy of one coordinate alone is negative: W0104.
Diagnostics negative_inertia(const Model& model, const Dynamics& dynamics, const Terms& terms);
/// Refuses events whose function vanishes identically, which happen never or always: E0283.
Diagnostics idle_events(const Equations& equations);

}  // namespace dalembert
