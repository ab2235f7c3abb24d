// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dalembert {

/// The interval [low, high] of values that a quantity can take; an end is infinite where no bound is known.
struct Bounds {
  double low = 0, high = 0;
};

}  // namespace dalembert
