// SPDX-License-Identifier: Apache-2.0
// Radau IIA of order 5: three stages, implicit, for stiff systems.
//
//   zᵢ = h Σⱼ aᵢⱼ f(t + cⱼh, y + zⱼ),   y₁ = y + z₃                                                            (1)
// Newton's method with one Jacobian J for all stages. T⁻¹A⁻¹T = diag(γ, (α, −β; β, α)) splits it into a real system with
// γ/h I − J and a complex one with (α + iβ)/h I − J                                                          (2)
// Where that does not converge (strong springs and dampers that rotate), each stage gets its own Jacobian, and the three
// stages are solved together.
//   e = (γ/h I − J)⁻¹ (f(t, y) + Σᵢ dᵢ zᵢ/h)                      error estimate of order 3                    (3)
// The method is of order 5: the tolerances of (3) and of Newton's method are 0.1·rtol^(2/3), so that the error of y₁ is
// about what rtol asks for. The continuous extension is the polynomial through (1), plus −γe/(c₁c₂) ∫(θ−c₁)(θ−c₂)(θ−1)dθ,
// so that its slope at the beginning is f(t, y). It has order 4 and damps stiff parts.
// The error that a step adds to y₁, for the verdict, is 4 · 6 h⁶ (1/6 − Σ bᵢcᵢ⁵) y[t₋₂, t₋₁, t₋₁, t₀, t₀, t₁, t₁], the
// divided difference of three steps' ends and their slopes, damped as in (3).
// Source: Hairer & Wanner, Solving Ordinary Differential Equations II, 2nd ed. (1996), IV.5, IV.8.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "dalembert/integrate/one_step_method.h"
#include "dalembert/integrate/shifted_solver.h"

namespace dalembert {

const MethodFacts& radau_facts();

class Radau final : public OneStepMethod {
 public:
  /// For `size` equations, of which the first solver.size() are coupled. The tolerances decide how precisely (1) is
  /// solved. `solver` must outlive this object. f writes `room` numbers, the slope first (0: `size` numbers).
  Radau(ShiftedSolver& solver, int size, double rtol, double atol, int room = 0);

  const MethodFacts& facts() const override { return radau_facts(); }
  double* first_slope() override { return first_.data(); }
  double* last_slope() override { return last_.data(); }

  bool advance(RightHandSide& f, double t, const double* y, double h, double* y1) override;
  double error(const double* y, const double* y1, double h, int count, double rtol, double atol) override;
  bool error_needs_last_slope() const override { return false; }
  int worst_component() const override { return worst_; }
  double component_error(int component, double h) override;
  double largest_slope(int component) const override;
  void add_step_error(const double* y, const double* y1, double h, int count, double* sum) override;
  bool make_dense(RightHandSide& f, double t, const double* y, const double* y1, double h) override;
  void interpolate(double theta, const double* y, double* result, double* slope = nullptr) const override;
  void shift() override;
  void restart() override;
  void carry(double* change) override;

 private:
  enum class Newton { kConverged, kDiverged, kFailed };
  bool prepare(double t, const double* y, double h);
  void predict(double h);
  Newton iterate(RightHandSide& f, double t, const double* y, double h, bool full);
  bool evaluate_stages(RightHandSide& f, double t, const double* y, double h, bool full);
  void simplified_change(double h);
  bool full_change(double h);
  bool integrate_rest(RightHandSide& f, double t, const double* y, double h);
  void solve(double* x, double shift);
  double from_stages(std::size_t i, double h) const;
  void make_difference_weights(double h);
  double difference(double growth, double last, std::size_t i) const;

  ShiftedSolver& solver_;
  const std::size_t size_, coupled_;
  const double rtol_, atol_;
  RightHandSide* f_ = nullptr;  // argument of the last advance()
  double t_ = 0;

  std::vector<double> first_, last_;
  std::array<std::vector<double>, 3> z_, w_, slope_, change_;  // one for each stage; w = T⁻¹z
  std::vector<double> point_, scale_, error_, estimate_, displacement_;
  std::vector<double> start_;                // y at the start of the last advance()
  bool linearized_ = false, fresh_ = false;  // whether J exists; whether it belongs to the start of the step
  double factored_ = 0;                      // the h of the present factors; 0: none
  double contraction_ = 1, faccon_ = 1;      // convergence of Newton's method
  int full_steps_ = 0, full_span_ = 0;       // steps left with Newton's full method; their number next time
  int worst_ = 0;
  bool wary_ = true;  // whether this is the first step, or follows a rejected one

  // Length (0: none) and stages of the previous step.
  double h_before_ = 0;
  std::array<std::vector<double>, 3> z_before_;
  // The starts of the two previous steps: time relative to the start of the present step,
  // state; slope at the later one.
  int known_ = 0;
  double before_ = 0, before2_ = 0;
  std::vector<double> y_before_, y_before2_, slope_before_;
  std::array<double, 7> weights_{};  // weights of y₋₂, y₋₁, h f₋₁, y₀, h f₀, y₁, h f₁
};

}  // namespace dalembert
