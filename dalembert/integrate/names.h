// SPDX-License-Identifier: Apache-2.0
// Private to integrate: what messages call things, and small numbers that all its files share.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dalembert/base/numeric.h"
#include "dalembert/dynamics/message_names.h"

namespace dalembert::integration {

// Residuals below this many units of round-off are no sign of an error.
constexpr double kNoise = 100;

/// "at t = 0.5 s".
std::string when(double t);

}  // namespace dalembert::integration
