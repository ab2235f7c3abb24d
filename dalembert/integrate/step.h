// SPDX-License-Identifier: Apache-2.0
// Private to integrate: the present step of a run.
#pragma once

#include <cstdint>
#include <vector>

#include "dalembert/dynamics/kkt.h"

namespace dalembert::integration {

/// A step from y at t, on the manifold, to y1 at t1, with y = (q, v, w) as in Motion. Between two steps, t and y
/// are the present state of the run.
struct Step {
  double t = 0, t1 = 0;
  double latest = 0;  ///< latest time at which the step must end
  double length = 0;  ///< t1 − t; the requested length, if t1 is not a prescribed time
  std::vector<double> y, y1;

  std::int64_t tries = 0;  ///< number of steps that were tried in the run so far

  // Results of the last try.
  double error = 0;                    ///< error relative to the allowed one; the try may be kept if it is at most 1
  double work_error = 0;               ///< error of the work in the step, J
  KktStatus failure = KktStatus::kOk;  ///< status of the stage, the projection or the end that failed
  bool projection_failed = false;
  bool near_singular = false;  ///< the motion reaches a singular position ahead (leaps.h)
  bool leaps = false;          ///< the step leaps over a singular position, or out of its noise

  // Results at the end of the step, which later evaluations do not overwrite.
  std::vector<double> lambda;
  KktStatus status = KktStatus::kOk;
  int rank = 0;
  double loss = 1, largest_lambda = 0;  ///< loss of the KKT solve before branches changed; max |λ|
  bool changed = false;                 ///< branches have changed at the end
  bool ends_at_change = false;          ///< before they have: something changes at the end

  // What events of the model do at the end of the step (stated_events.h).
  bool jumps = false;                          ///< whether the state is set there
  bool stops = false;                          ///< whether the run ends there
  std::vector<double> y_before, slope_before;  ///< if jumps or stops: y1 and its slope before events set the state

  double rejected_error = 0;  ///< error of the last rejected try
  double next_length = 0;     ///< prescribed length of the next step; 0: as the error allows
  double work_scale = 0;      ///< energy that errors of the work are compared with, J

  // Scratch memory for a point of the step: state `out`, slope there. `before`: y1 before its projection by the run
  // itself.
  std::vector<double> before, out, slope;
};

}  // namespace dalembert::integration
