// SPDX-License-Identifier: Apache-2.0
// Private to integrate: s I − J with a dense J from finite differences of a right-hand side. For kernels without derivatives, for
// velocities that are not q̇, and for reduced states.
#pragma once

#include <array>
#include <complex>
#include <memory>
#include <vector>

#include "dalembert/integrate/lu_factors.h"
#include "dalembert/integrate/one_step_method.h"
#include "dalembert/integrate/shifted_solver.h"

namespace dalembert::integration {

class DifferenceNewton final : public ShiftedSolver {
 public:
  /// Largest size of a state for which linearize() works.
  static constexpr int kMost = 1000;

  /// J is of the first `size` of the `whole` entries of y, those that are coupled. `f`, which writes `room` numbers, must outlive this object.
  DifferenceNewton(RightHandSide& f, int size, int whole, int room);

  int size() const override { return size_; }
  int largest_size() const override { return kMost; }
  bool linearize(double t, const double* y) override;
  bool factor(double s, std::complex<double> z) override;
  void solve(double* x) override { real_->solve(x); }
  void solve(double* real, double* imaginary) override;
  bool linearize_stage(int stage, double t, const double* y, const double* dydt) override;
  bool factor_stages(const std::array<std::array<double, 3>, 3>& a) override;
  void solve_stages(const std::array<double*, 3>& x) override;

 private:
  bool look_at(double t, const double* y, const double* dydt, std::vector<double>& J);

  RightHandSide& f_;
  const int size_;
  std::vector<double> J_, slope_, shifted_, beside_, x_;  // J_ is stored by columns
  std::array<std::vector<double>, 3> stage_J_;
  std::vector<std::complex<double>> complex_x_;
  std::unique_ptr<LuFactors<double>> real_, stages_;
  std::unique_ptr<LuFactors<std::complex<double>>> complex_;
};

}  // namespace dalembert::integration
