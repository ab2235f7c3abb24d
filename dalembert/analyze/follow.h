// SPDX-License-Identifier: Apache-2.0
// Eigenvalues as a parameter changes: which is which from one value to the next, and where one crosses the imaginary
// axis.
#pragma once

#include <complex>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace dalembert {

using Spectrum = std::vector<std::complex<double>>;

/// The eigenvalues at a value of the parameter, exactly 0 where they are so at every value; nothing where there is no solution to linearise about, or to stop.
using SpectrumAt = std::function<std::optional<Spectrum>(double value)>;

struct CriticalValue {
  double value = 0;
  std::complex<double> eigenvalue;  ///< there: on the axis, of a pair the one above
  bool to_unstable = false;         ///< in the order of the values
};

struct Followed {
  std::vector<double> value;
  std::vector<Spectrum> spectrum;       ///< column k follows one eigenvalue
  std::vector<CriticalValue> critical;  ///< in the order of the values
};

/// `next` in the order in which each is nearest to where `predicted` says that it should be: the closest pairs first.
Spectrum matched(const Spectrum& predicted, const Spectrum& next);

/// At `values`, ascending or descending; ends early where there is no spectrum. A crossing between two of them is found
/// by bisection and false position (Illinois) to the spacing of doubles, the branch followed all the way.
Followed follow(std::span<const double> values, const SpectrumAt& at);

}  // namespace dalembert
