// SPDX-License-Identifier: Apache-2.0
// Linear algebra of return maps: columns that span displacements of a state, and multipliers.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "dalembert/analyze/stability/matrix.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/integrate/trajectory.h"

namespace dalembert {

/// The eigenvalues of a square matrix, the largest first, of a complex pair that with the positive imaginary part.
std::vector<std::complex<double>> multipliers_of(const Matrix& map);

/// The largest distance of a value from its partner among as many others. Values on the unit circle have no order of their own, so each takes the
/// nearest one that is left.
double largest_change(const std::vector<std::complex<double>>& values, std::vector<std::complex<double>> others);

/// How far values that lie together at the unit circle, where that decides, may be from the true ones where the map has the error `error`, if they are scattered by more than `alone`, the
/// uncertainty of each: those of a Jordan block of k rows are wrong by the k-th root of the error. 0 where no values lie together.
/// Source: Golub & Van Loan, Matrix Computations, 4th ed., 7.2.3.
double uncertainty_of_clusters(const std::vector<std::complex<double>>& values, double error, double alone);

/// The largest magnitude.
double largest_of(const std::vector<double>& values);

/// The sum of |a_ij|, which is no less than any norm of the map; and of the difference of two.
double sum_of_magnitudes(const Matrix& map);
double sum_of_differences(Matrix map, const Matrix& other);

/// 1 / the motion of each coordinate and velocity along the run, kept from 0 by what else moves; 0 for the coordinates that are ignored.
std::vector<double> weights_of_motion(const Trajectory& run, const std::vector<bool>& ignored);

/// Replaces the columns, by which a run was differentiated, by the derivatives of its last row. False where these are unknown.
bool take_last_derivatives(const Trajectory& run, std::vector<std::vector<double>>& columns);

/// Adds the part of `column` that is orthogonal to the orthonormal `columns`, as a unit vector, in the metric Σ w_i² a_i b_i.
void add_orthonormal(std::vector<std::vector<double>>& columns, std::vector<double> column,
                     const std::vector<double>& weight);

/// Columns of the tangent space below this fraction of the largest depend on the others.
inline constexpr double kDependentColumn = 1e-5;

/// Replaces the columns, which span displacements of the state, by those that keep the sliding speed 0 of each friction that sticks at it: at neighbouring
/// states it sticks as well. Returns the number of directions that are left out.
std::size_t leave_out_sticking(const Dynamics& held, const State& at, std::vector<std::vector<double>>& columns);

}  // namespace dalembert
