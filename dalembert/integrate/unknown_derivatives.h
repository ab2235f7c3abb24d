// SPDX-License-Identifier: Apache-2.0
// The warnings of a verdict that say that derivatives along the run are unknown, or known on one side alone: how they begin, for those who write and those who look for them.
#pragma once

#include <string_view>

namespace dalembert::integration {

inline constexpr std::string_view kOfDerivatives = "the derivatives";

inline bool says_unknown_derivatives(std::string_view warning) { return warning.starts_with(kOfDerivatives); }

/// Whether it says what derivatives by some quantities are those of, or may be: of one side, of one order, of starts that stay on a contact.
inline bool says_whose_derivatives(std::string_view warning) { return warning.starts_with("derivatives "); }

}  // namespace dalembert::integration
