// SPDX-License-Identifier: Apache-2.0
// What a model asks of a run of its own ([simulation] of a model file), and what is wrong or doubtful about the run.
#pragma once

#include "dalembert/base/diagnostic.h"
#include "dalembert/dynamics/terms.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/model/model.h"

namespace dalembert {

inline constexpr double kDefaultUntil = 10;  ///< s, where a model does not say
/// Relative tolerances are from here on and below 1.
inline constexpr double kLeastRtol = 1e-15;
/// Rows that an output step may ask for; they would fill memory and disk.
inline constexpr double kMostRows = 1e8;

/// The settings where there are some, else what IntegrateOptions begins with. Errors at their places: E0410 a method or
/// formulation that is not known, E0403 a tolerance or an output step out of range.
Result<IntegrateOptions> run_options(const SimulationSettings& settings, double start_time);
/// Those of the model.
Result<IntegrateOptions> run_options(const Model& model);

/// E0506 where a spline that constraints and energies may contain has no samples between two times.
Diagnostics missing_samples(const Model& model, const Dynamics& dynamics, double from, double to);
/// W0504 where the samples of a table end before the run does.
Diagnostics short_tables(const Model& model, double from, double to);
/// W0104 where the kinetic energy of one coordinate alone is negative.
Diagnostics negative_inertia(const Model& model, const Dynamics& dynamics, const Terms& terms);

}  // namespace dalembert
