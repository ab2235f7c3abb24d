// SPDX-License-Identifier: Apache-2.0
// Private to integrate: names in messages, and constants that its files share.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dalembert/base/numeric.h"
#include "dalembert/dynamics/message_names.h"

namespace dalembert::integration {

// A residual below this many units of round-off does not indicate an error.
constexpr double kNoise = 100;

/// A time in a message: "at t = 0.5 s".
std::string when(double t);

}  // namespace dalembert::integration
