// SPDX-License-Identifier: Apache-2.0
// Sequential quadratic programming (SLSQP) and, without derivatives, linear models of values (COBYLA) by NLopt, whose library is opened when it is first needed: a
// program starts without it. Source: Powell, 1994.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/base/diagnostic.h"

namespace dalembert::optimizing {

/// Error E0438 if NLopt cannot be used here.
Diagnostics require_nlopt();

/// min f(z) subject to g(z) <= 0, h(z) = 0, lower <= z <= upper.
struct NonlinearProgram {
  std::vector<double> lower, upper;
  std::size_t inequalities = 0, equations = 0;
  /// The value at z, infinite where there is none; the gradient, n numbers, unless the span is empty.
  std::function<double(std::span<const double> z, std::span<double> gradient)> objective;
  /// Values, and rows of the Jacobian unless that is empty. Only called where the objective is finite.
  std::function<void(std::span<const double> z, std::span<double> values, std::span<double> jacobian)> g, h;
  std::function<bool()> keep_on;  ///< looked at after each call of the objective
  bool by_gradients = true;       ///< false: without derivatives; spans for them are empty
  double first_step = 0;          ///< in each unknown, without derivatives
  int max_points = 300;
  double tolerance = 1e-9;  ///< allowed change of z and, relative, of f
};

/// Minimises from z, which becomes the last point. Returns why it ended: "converged", "the limit of points", "round-off", "stopped", or
/// what NLopt says. After require_nlopt().
std::string minimize(const NonlinearProgram& program, std::vector<double>& z);

}  // namespace dalembert::optimizing
