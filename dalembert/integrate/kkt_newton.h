// SPDX-License-Identifier: Apache-2.0
// Private to integrate: solves with s I − J of a constrained system, y = (q, v), using the sparsity of its equations.
//
// J has the blocks (0, I; ∂q̈/∂q, ∂q̈/∂v); the lower two are full. With (r, c) of dynamics/linearization.h,
//   (s I − J)(x, w) = (b, c):   w = s x − b,
//   ⎡ M + r_v/s + r_q/s²   −Wᵀ ⎤ ⎡ x ⎤   ⎡ M(c + s b) + r_v b ⎤
//   ⎣ W + c_v/s + c_q/s²    0  ⎦ ⎣ · ⎦ = ⎣ W(c + s b) + c_v b ⎦ / s²                                          (1)
// is as sparse as the equations of motion. Rows of W that follow from other rows are left out.
// The stages of a step with Jacobians of their own, Σⱼ αᵢⱼ (x, w)ⱼ − Jᵢ (x, w)ᵢ = (b, c)ᵢ, are in the same way
//   wᵢ = Σⱼ αᵢⱼ xⱼ − bᵢ,   M (α²x)ᵢ + r_v (αx)ᵢ + r_q xᵢ − Wᵀ lᵢ = M(c + αb)ᵢ + r_v bᵢ,
//   W (α²x)ᵢ + c_v (αx)ᵢ + c_q xᵢ = W(c + αb)ᵢ + c_v bᵢ                        with M … c_q of stage i          (2)
// Eliminating the velocities from the KKT system of an implicit step gives (1). Source: Hairer & Wanner, Solving ODEs II,
// 2nd ed., VII.7.
#pragma once

#include <array>
#include <complex>
#include <memory>
#include <vector>

#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/linearization.h"
#include "dalembert/integrate/lu_factors.h"
#include "dalembert/integrate/shifted_solver.h"

namespace dalembert::integration {

class Motion;

class KktNewton final : public ShiftedSolver {
 public:
  /// Both arguments must outlive this object. Needs v = q̇ and a kernel with a linearization().
  KktNewton(const Dynamics& dynamics, Motion& motion);
  ~KktNewton() override;

  int size() const override { return 2 * n_; }
  bool linearize(double t, const double* y) override;
  bool factor(double s, std::complex<double> z) override;
  void solve(double* x) override;
  void solve(double* real, double* imaginary) override;
  bool linearize_stage(int stage, double t, const double* y, const double* dydt) override;
  bool factor_stages(const std::array<std::array<double, 3>, 3>& a) override;
  void solve_stages(const std::array<double*, 3>& x) override;

 private:
  // The matrices in (1) at one point.
  struct Point {
    std::vector<double> M, W, derivative;
  };
  // The value `source` of a matrix is added to the entry `slot` in the pattern of (1).
  struct Place {
    int slot = 0, source = 0;
  };
  void make_pattern();
  void make_stages();
  bool look_at(double t, const double* y, const double* dydt, Point& point);
  template <class Number>
  void fill(Number s, std::vector<Number>& values) const;
  template <class Number>
  void right_hand_side(const Point& point, const Number* moved, const Number* b, Number* result) const;

  const Dynamics& dynamics_;
  Motion& motion_;
  const int n_, m_;
  const Linearization& linearization_;
  const Pattern &derivative_, &M_pattern_, &W_pattern_;  // derivative_: of (r, c) by (q, v)
  Point at_;
  std::vector<double> work_, slope_;
  std::vector<char> left_out_;  // for each row of W: 1 if it is left out
  std::vector<int> column_starts_, rows_;
  std::vector<Place> of_M_, of_W_, of_Wt_, of_q_, of_v_;
  std::vector<int> of_diagonal_;  // slots of the entries (n + r, n + r)
  double s_ = 0;
  std::complex<double> z_;
  std::vector<double> values_, x_;
  std::vector<double> moved_, b_;
  std::vector<std::complex<double>> complex_values_, complex_x_, complex_b_, complex_moved_;
  std::unique_ptr<LuFactors<double>> real_;
  std::unique_ptr<LuFactors<std::complex<double>>> complex_;

  // Memory of (2), allocated on first use.
  struct Stages {
    std::array<Point, 3> at;
    std::vector<int> starts;  // start of each column
    std::vector<int> rows;
    std::array<std::array<std::vector<int>, 3>, 3> slot;  // block (i, k): slot of each entry of (1)
    std::array<std::array<double, 3>, 3> a{}, a2{};
    std::vector<double> values, x;
    std::unique_ptr<LuFactors<double>> factors;
  };
  std::unique_ptr<Stages> stages_;
};

}  // namespace dalembert::integration
