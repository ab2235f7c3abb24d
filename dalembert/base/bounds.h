// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dalembert {

/// All values between two numbers; infinite where nothing is known.
struct Bounds {
  double low = 0, high = 0;
};

}  // namespace dalembert
