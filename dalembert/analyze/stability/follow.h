// SPDX-License-Identifier: Apache-2.0
// Follows eigenvalues as a parameter changes: matches them from one value to the next, and finds where one crosses the imaginary axis.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "dalembert/analyze/linear_motion.h"

namespace dalembert {

/// The eigenvalues at a value of the parameter; those that vanish at every value are exactly 0. No value where there is
/// no solution to linearise about, or to stop.
using SpectrumAt = std::function<std::optional<Spectrum>(double value)>;

/// Orders `next` like `predicted`: the closest pairs are matched first.
Spectrum matched(const Spectrum& predicted, const Spectrum& next);

/// Follows the eigenvalues at `values`, ascending or descending; ends early where there is no spectrum. A crossing between
/// two values is found by bisection and false position (Illinois) to the spacing of doubles, on the branch that is followed.
Followed follow(std::span<const double> values, const SpectrumAt& at);

}  // namespace dalembert
