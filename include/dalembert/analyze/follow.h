// SPDX-License-Identifier: Apache-2.0
// Follows eigenvalues as a parameter changes: matches them from one value to the next, and finds where one crosses the imaginary axis.
#pragma once

#include <complex>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace dalembert {

using Spectrum = std::vector<std::complex<double>>;

/// The eigenvalues at a value of the parameter; those that vanish at every value are exactly 0. No value where there is
/// no solution to linearise about, or to stop.
using SpectrumAt = std::function<std::optional<Spectrum>(double value)>;

struct CriticalValue {
  double value = 0;
  std::complex<double> eigenvalue;  ///< the eigenvalue on the axis; of a pair the one with Im > 0
  bool to_unstable = false;         ///< the system becomes unstable here, in the order of the values
};

struct Followed {
  std::vector<double> value;
  std::vector<Spectrum> spectrum;       ///< eigenvalues at each value; entry k follows one eigenvalue
  std::vector<CriticalValue> critical;  ///< crossings of the imaginary axis, in the order of the values
};

/// Orders `next` like `predicted`: the closest pairs are matched first.
Spectrum matched(const Spectrum& predicted, const Spectrum& next);

/// Follows the eigenvalues at `values`, ascending or descending; ends early where there is no spectrum. A crossing between
/// two values is found by bisection and false position (Illinois) to the spacing of doubles, on the branch that is followed.
Followed follow(std::span<const double> values, const SpectrumAt& at);

}  // namespace dalembert
