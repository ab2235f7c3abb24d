// SPDX-License-Identifier: Apache-2.0
// What may be asked of a run (integrate.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "dalembert/integrate/method.h"
#include "dalembert/integrate/trajectory.h"

namespace dalembert {

/// What the steps of explicit methods are made of. Radau and motion along a condition's limit take the first.
enum class Formulation {
  kIndex1,   ///< (q, v): accelerations and multipliers from the KKT system
  kReduced,  ///< (q, w): velocities that the constraints leave free, without multipliers (theory §4)
};

/// Where a run is; the spans are valid during the call.
struct RunPoint {
  double t = 0;
  std::span<const double> q, v, qdd, lambda;  ///< nq, nv, nv, m
  std::int64_t steps = 0;                     ///< accepted so far
};

struct IntegrateOptions {
  double until = 1;     ///< s; before start.t: backwards in time
  double rtol = 1e-9;   ///< allowed error in each step, relative to |q_i|, |q̇_i|; 1e-15 <= rtol < 1
  double atol = 1e-12;  ///< and absolute, in the coordinate's unit; > 0
  Method method = Method::kDop853;
  Formulation formulation = Formulation::kIndex1;
  /// Of kReduced: w as the rows of a system of the same coordinates (compile_quasi_velocities()); null: those velocities
  /// that are best conditioned, picked anew along the way.
  std::shared_ptr<const Dynamics> quasi_velocities = {};
  /// Tries, accepted or not. Of the corners of tables, the max_steps / 10 sharpest end a step; a warning says when
  /// there were more.
  std::int64_t max_steps = 1'000'000;
  double initial_step = 0;  ///< s; 0: chosen
  double max_step = 0;      ///< s; 0: no bound
  /// false: steps end at start.t + k·initial_step, whatever the error, and at the corners of tables.
  bool adaptive = true;
  double output_step = 0;  ///< s between output rows from start.t on, and one at the end; 0: every accepted step
  std::vector<double> output_times = {};  ///< these instead, in the order of integration; start and end are not added
  bool power_balance = true;   ///< integrate the power of non-conservative systems along (one more kernel call a stage)
  bool error_estimate = true;  ///< name the error of the final state: one more evaluation every few steps
  /// Name it by the difference to a second run at a hundredth of the tolerances, for the end alone, where the run was
  /// little work. (Also false, such a run is made where the estimate says that no digit is left, before the verdict says
  /// so.) Trajectory::evaluations are those of the first run.
  bool second_run = false;
  /// Always by a second run, at a tenth of the tolerances, and look at every row.
  bool cross_check = false;
  bool find_peaks = false;  ///< Trajectory::peaks: some more evaluations in steps where an extreme may lie
  /// Residuals of the start, relative to the size of the row's terms or to 1, above which it is refused.
  double start_tolerance = 1e-8;
  /// Called every `progress_every` tries; false stops the run. Must not throw.
  std::function<bool(const RunPoint&)> progress = {};
  /// Called just before `progress`, with every row so far: a run can be written while it runs. Must not throw.
  std::function<void(const Trajectory&)> recorded = {};
  /// Called after that, for runs of more rows than memory should hold: true says that the rows are done with, and all
  /// but the first and the last are forgotten (Trajectory::forgotten). Not with cross_check. Must not throw.
  std::function<bool(const Trajectory&)> take_rows = {};
  int progress_every = 100;
};

}  // namespace dalembert
