// SPDX-License-Identifier: Apache-2.0
// What an implicit method asks of y' = f(t, y): solving with s I − J, J = ∂f/∂y, and with the equations of three stages
// that have a Jacobian each.
#pragma once

#include <array>
#include <complex>

namespace dalembert {

class ShiftedSolver {
 public:
  virtual ~ShiftedSolver() = default;
  /// Components that J couples. Those after them are integrals of these: their columns of J are 0, and their rows are
  /// taken for 0.
  virtual int size() const = 0;
  /// J at (t, y). False when it cannot be evaluated.
  virtual bool linearize(double t, const double* y) = 0;
  /// Factors s I − J and z I − J. False when one is singular.
  virtual bool factor(double s, std::complex<double> z) = 0;
  /// (s I − J) x = b, in place.
  virtual void solve(double* x) = 0;
  /// (z I − J) x = b, in place: real and imaginary parts.
  virtual void solve(double* real, double* imaginary) = 0;

  /// The Jacobian of one stage, at the point where f was evaluated last: `dydt`.
  virtual bool linearize_stage(int stage, double t, const double* y, const double* dydt) = 0;
  /// Factors Σⱼ aᵢⱼ xⱼ − Jᵢ xᵢ = bᵢ.
  virtual bool factor_stages(const std::array<std::array<double, 3>, 3>& a) = 0;
  /// Solves it, in place.
  virtual void solve_stages(const std::array<double*, 3>& x) = 0;
};

}  // namespace dalembert
