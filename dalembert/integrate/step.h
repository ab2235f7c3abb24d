// SPDX-License-Identifier: Apache-2.0
// Private to integrate: the step at hand.
#pragma once

#include <vector>

#include "dalembert/dynamics/kkt.h"

namespace dalembert::integration {

/// From y at t, on the manifold, to y1 at t1; y = (q, v, w) as Motion has it. Between two steps t and y are where the run is.
struct Step {
  double t = 0, t1 = 0;
  double latest = 0;  ///< it has to end here, if not before
  double length = 0;  ///< t1 − t; of steps that do not end at a time of their own what was asked for
  std::vector<double> y, y1;

  // Of the last try.
  double error = 0;                    ///< in units of what is allowed; the try may be kept up to 1
  double work_error = 0;               ///< J
  KktStatus failure = KktStatus::kOk;  ///< of a stage, of the projection or of the end
  bool projection_failed = false;
  bool near_singular = false;  ///< the motion comes to a singular position (leaps.h)
  bool leaps = false;          ///< it was made over that position, or out of its noise

  // Of its end, which later evaluations do not touch.
  std::vector<double> lambda;
  KktStatus status = KktStatus::kOk;
  int rank = 0;
  double loss = 1, largest_lambda = 0;  ///< of the KKT solve, before branches changed; max |λ|
  bool changed = false;                 ///< branches have changed there

  // What the model's events do at the end (stated_events.h).
  bool jumps = false;  ///< something is set there: the state before, its slope and λ are kept
  bool stops = false;  ///< the run ends there
  std::vector<double> y_before, slope_before;

  double rejected_error = 0;  ///< of the last try that was rejected
  double next_length = 0;     ///< of the next step; 0: as the error allows
  double work_scale = 0;      ///< J: what moves, by which errors of the work are measured

  // For whoever looks at a point of the step: a state, and what is evaluated there. `before`: y1 before its projection.
  std::vector<double> before, out, slope;
};

}  // namespace dalembert::integration
