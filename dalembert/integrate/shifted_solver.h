// SPDX-License-Identifier: Apache-2.0
// The linear algebra of implicit methods for y' = f(t, y): solves with s I − J, J = ∂f/∂y, and solves for
// three stages with a Jacobian each.
#pragma once

#include <array>
#include <complex>
#include <limits>

namespace dalembert {

class ShiftedSolver {
 public:
  virtual ~ShiftedSolver() = default;
  /// Number of components that J couples, the first ones. The others are integrals of these: their columns of J are 0,
  /// and their rows are taken as 0.
  virtual int size() const = 0;
  /// linearize() fails for a larger size.
  virtual int largest_size() const { return std::numeric_limits<int>::max(); }
  /// Evaluates J at (t, y). False when that fails.
  virtual bool linearize(double t, const double* y) = 0;
  /// Factors s I − J and z I − J. False when one is singular.
  virtual bool factor(double s, std::complex<double> z) = 0;
  /// Solves (s I − J) x = b, in place.
  virtual void solve(double* x) = 0;
  /// Solves (z I − J) x = b, in place, with real and imaginary parts.
  virtual void solve(double* real, double* imaginary) = 0;

  /// Evaluates the Jacobian of one stage, at the point where f was evaluated last; `dydt` is the value of f there.
  virtual bool linearize_stage(int stage, double t, const double* y, const double* dydt) = 0;
  /// Factors the matrix of Σⱼ aᵢⱼ xⱼ − Jᵢ xᵢ = bᵢ. False when it is singular.
  virtual bool factor_stages(const std::array<std::array<double, 3>, 3>& a) = 0;
  /// Solves the equations of factor_stages(), in place: x holds b on entry.
  virtual void solve_stages(const std::array<double*, 3>& x) = 0;
};

}  // namespace dalembert
