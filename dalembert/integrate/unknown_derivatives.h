// SPDX-License-Identifier: Apache-2.0
// The warnings of a verdict that say that derivatives along the run are unknown: how they begin, for those who write and those who look for them.
#pragma once

#include <string_view>

namespace dalembert::integration {

inline constexpr std::string_view kOfDerivatives = "the derivatives";

inline bool says_unknown_derivatives(std::string_view warning) { return warning.starts_with(kOfDerivatives); }

}  // namespace dalembert::integration
