// SPDX-License-Identifier: Apache-2.0
// Nonlinear least squares within bounds: the smallest ½ Σ r_i(x)² for lower ≤ x ≤ upper. The work is done by Ceres Solver, which brings thirty shared
// libraries; so it is in a module of its own that is opened when the first problem is solved (docs/decisions/0054). The types here are the
// interface of that module: plain C, without exceptions, because the module may be of another build.
#pragma once

#include "dalembert/base/diagnostic.h"

namespace dalembert::fitting {

struct LeastSquares {
  int residuals = 0, unknowns = 0;
  double* x = nullptr;                              ///< [unknowns]: the start, within the bounds; then the solution
  const double *lower = nullptr, *upper = nullptr;  ///< [unknowns]; −∞ and ∞: no bound
  void* context = nullptr;                          ///< given to the functions
  /// Writes the residuals at x and, unless `jacobian` is null, their derivatives [residuals × unknowns], row by row. Returns 0 if there are none at
  /// this x: it is not taken then.
  int (*evaluate)(void* context, const double* x, double* residuals, double* jacobian) = nullptr;
  /// Called after each iteration. Returns 0 to stop.
  int (*iterated)(void* context, int iteration, double cost) = nullptr;
  int most_iterations = 0;
  /// Relative: the search ends when a step changes neither the cost nor the unknowns by more than these. Unknowns should be of size 1.
  double cost_tolerance = 0, step_tolerance = 0;
};

enum class LeastSquaresEnd : int { kConverged, kIterations, kStopped, kFailed };

struct LeastSquaresOutcome {
  LeastSquaresEnd end = LeastSquaresEnd::kFailed;
  int iterations = 0;
  char message[512] = {};
};

/// The module has this function under this name; the number grows when the interface changes.
using SolveLeastSquares = void (*)(const LeastSquares* problem, LeastSquaresOutcome* outcome);
inline constexpr const char* kSolveLeastSquares = "dalembert_solve_least_squares_1";

/// The function of the module, which is opened by the first call. Thread-safe. Error: E0433 if there is no module.
Result<SolveLeastSquares> find_least_squares();

}  // namespace dalembert::fitting
