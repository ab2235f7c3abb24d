// SPDX-License-Identifier: Apache-2.0
// Which combinations of unknowns the data tell apart.
//
// Let J be the derivatives of all values by the unknowns, each value divided by its standard deviation, and s_k the size of unknown k. A direction d
// changes x_k by s_k d_k. With the columns J_k s_k scaled to length 1, the singular values of J tell how much the values change along
// orthogonal directions. A direction counts as not determined where its singular value is below ten times the noise of the derivatives, which
// is the change of J (Frobenius norm, after the same scaling) between runs at two tolerances, or below 1e-8 of the largest one: a perturbation of that
// size could make it 0 (Golub & Van Loan, Matrix Computations, 4th ed., §8.6.1, Weyl's inequality).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "dalembert/study/fit.h"
#include "dalembert/study/fit/unknowns.h"

namespace dalembert::fitting {

/// Singular values below this times the largest one count as 0.
inline constexpr double kLeastRatio = 1e-8;

/// Derivatives of weighted values, [value][unknown], at the tolerances of the fit and at tighter ones.
struct NoisyJacobian {
  std::vector<double> at, tighter;
  std::size_t rows = 0, unknowns = 0;
};

/// The directions that `J` does not determine, and its other singular directions, for the unknowns in `chosen` alone.
struct Directions {
  std::vector<std::size_t> chosen;
  std::vector<double> lengths;   ///< of each chosen column J_k s_k, before it is scaled
  std::vector<bool> dead;        ///< by chosen unknown: nothing depends on it
  std::vector<double> singular;  ///< of the columns that are not dead, descending
  std::vector<double> V;         ///< [column that is not dead][singular value]
  std::size_t rank = 0;          ///< number of determined directions
  double noise = 0;              ///< of the scaled columns
};
/// `size`: the length of the vector of all weighted values.
Directions find_directions(const NoisyJacobian& J, const std::vector<double>& s, std::vector<std::size_t> chosen,
                           double size);

/// Combinations that the data do not determine, in words. `values` computes all weighted values at x, or nothing where it cannot; it is used to
/// confirm over a finite distance what derivatives say at a point.
std::vector<Fit::Combination> describe_undetermined(
    const Directions& directions, const std::vector<Unknown>& unknowns, const std::vector<double>& x,
    const std::vector<double>& s, double size,
    const std::function<std::vector<double>(const std::vector<double>& x)>& values);

}  // namespace dalembert::fitting
