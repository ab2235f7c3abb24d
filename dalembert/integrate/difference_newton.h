// SPDX-License-Identifier: Apache-2.0
// Private to integrate: s I − J with a dense J from finite differences of the motion. For kernels without derivatives,
// and for velocities that are not q̇.
#pragma once

#include <array>
#include <complex>
#include <memory>
#include <vector>

#include "dalembert/integrate/lu_factors.h"
#include "dalembert/integrate/shifted_solver.h"

namespace dalembert::integration {

class Motion;

class DifferenceNewton final : public ShiftedSolver {
 public:
  /// Largest size of a state for which linearize() works.
  static constexpr int kMost = 1000;

  /// `size` is the size of (q, v). `motion` must outlive this object.
  DifferenceNewton(Motion& motion, int size);

  int size() const override { return size_; }
  bool linearize(double t, const double* y) override;
  bool factor(double s, std::complex<double> z) override;
  void solve(double* x) override { real_->solve(x); }
  void solve(double* real, double* imaginary) override;
  bool linearize_stage(int stage, double t, const double* y, const double* dydt) override;
  bool factor_stages(const std::array<std::array<double, 3>, 3>& a) override;
  void solve_stages(const std::array<double*, 3>& x) override;

 private:
  bool look_at(double t, const double* y, const double* dydt, std::vector<double>& J);

  Motion& motion_;
  const int size_;
  std::vector<double> J_, slope_, shifted_, beside_, x_;  // J_ is stored by columns
  std::array<std::vector<double>, 3> stage_J_;
  std::vector<std::complex<double>> complex_x_;
  std::unique_ptr<LuFactors<double>> real_, stages_;
  std::unique_ptr<LuFactors<std::complex<double>>> complex_;
};

}  // namespace dalembert::integration
