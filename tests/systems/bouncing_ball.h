// SPDX-License-Identifier: Apache-2.0
// A ball that falls from 1 m at rest and keeps 0.8 of its speed at each bounce, in closed form.
#pragma once

#include <cmath>

namespace dalembert {

struct BallState {
  double y = 0, v = 0;
};

/// The ball after `bounces` of them, at a time t between the last of these and the next one; g: field strength.
inline BallState ball_after(int bounces, double t, double g) {
  double speed = std::sqrt(2 * g), at = speed / g;
  for (int k = 1; k < bounces; ++k) {
    speed *= 0.8;
    at += 2 * speed / g;
  }
  speed *= 0.8;
  const double flown = t - at;
  return {speed * flown - g * flown * flown / 2, speed - g * flown};
}

}  // namespace dalembert
