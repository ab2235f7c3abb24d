// SPDX-License-Identifier: Apache-2.0
// Explicit Runge–Kutta steps with an embedded error estimate and a continuous extension, for y' = f(t, y).
//
//   kᵢ = f(t + cᵢh, y + h Σⱼ aᵢⱼ kⱼ),   y₁ = y + h Σᵢ bᵢ kᵢ                                                  (1)
//   k_s = f(t + h, y₁)                     is the next step's first stage
//   y(t + θh) = y + θ(F₀ + (1−θ)(F₁ + θ(F₂ + (1−θ)(F₃ + …)))),   F₀ = Δy, F₁ = hk₀ − Δy, F₂ = 2Δy − h(k₀ + k_s),
//   F₃₊ᵣ = h Σᵢ dᵣᵢ kᵢ                                                                                      (2)
// Source: Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I, 2nd ed. (1993), II.4-II.6.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "dalembert/integrate/weighted_sum.h"

namespace dalembert {

/// Coefficients of a method. Stages 0 … stages−1 make y₁, stage `stages` is f(t + h, y₁), the rest serve (2) only.
struct Tableau {
  std::string_view name;
  int order = 0;        ///< of y₁
  int error_order = 0;  ///< the error estimate behaves like h^(error_order + 1)
  int dense_order = 0;  ///< of (2)
  int stages = 0, all_stages = 0;
  std::vector<double> c;               ///< all_stages
  std::vector<std::vector<double>> a;  ///< row i: i entries
  std::vector<double> b;               ///< stages
  std::vector<double> e;               ///< stages + 1: error estimate h Σ eᵢ kᵢ
  std::vector<double> e_low;           ///< a second estimate of lower order that tempers the first; empty: none
  std::vector<std::vector<double>> d;  ///< rows of F₃, F₄, …; all_stages each

  // Step control: h_new = h · safety · err^(0.75·beta − 1/(error_order+1)) · err_old^beta, within the factors.
  double beta = 0, largest_factor = 10, smallest_factor = 0.2;
  /// The method is stable for h·|eigenvalue| up to about this along the negative axis.
  double stability = 3;
};

/// Dormand–Prince 8(5,3), 12 stages, continuous extension of order 7 (3 more stages). Source: the code
/// dop853 (Hairer, Nørsett & Wanner, II.5).
const Tableau& dormand_prince_853();
/// Dormand–Prince 5(4), 6 stages, continuous extension of order 4. II.5, table 5.2; code dopri5.
const Tableau& dormand_prince_54();

class RightHandSide {
 public:
  virtual ~RightHandSide() = default;
  /// Returns false where f cannot be evaluated; the step is then tried again, shorter.
  virtual bool evaluate(double t, const double* y, double* dydt) = 0;
};

/// Takes out of an error what is known to vanish.
class ErrorFilter {
 public:
  virtual ~ErrorFilter() = default;
  virtual void apply(double* error) = 0;
};

/// One method at work on a system of `size` equations. Allocates only in the constructor.
class RungeKutta {
 public:
  RungeKutta(const Tableau& tableau, int size);

  const Tableau& tableau() const { return *tableau_; }
  /// Stage 0; filled by the caller (or by shift() from the last step) before advance().
  double* first_stage() { return stage(0); }
  /// Stage s = f(t + h, y₁), filled by the caller once y₁ is final.
  double* last_stage() { return stage(tableau_->stages); }

  /// (1): stages 1 … s−1 and y₁ into `y1`. False when f failed.
  bool advance(RightHandSide& f, double t, const double* y, double h, double* y1);
  /// RMS over the first `count` components of the error estimate divided by atol + rtol·max(|y|, |y₁|).
  /// Needs last_stage() where tableau().e weighs it.
  /// `filter`, when given, is applied to the estimate and to the one that tempers it (both divided by h, vectors of
  /// `size` entries) before they are measured.
  double error(const double* y, const double* y1, double h, int count, double rtol, double atol,
               ErrorFilter* filter = nullptr) const;
  bool error_needs_last_stage() const { return tableau_->e.back() != 0; }
  /// The estimate behind the last error(), with its sign, of the first `count` components: added to `sum`.
  void add_step_error(double h, int count, double* sum) const;
  /// The same of one component, judged by itself; it need not be among the `count` of error().
  double component_error(int component, double h) const;
  /// Of the integral of a quantity over a step of length 1, whose values at the start and at the stages are values[i ·
  /// stride].
  double quadrature_error(const double* values, std::size_t stride) const;
  /// max |kᵢ| of a component over the stages that made y₁.
  double largest_slope(int component) const;
  /// The component with the largest share in the last error().
  int worst_component() const { return worst_; }

  /// Prepares (2); evaluates the extra stages. False when f failed.
  bool make_dense(RightHandSide& f, double t, const double* y, const double* y1, double h);
  /// (2) at θ in [0, 1], after make_dense().
  /// `slope`, when given, receives the derivative by θ.
  void interpolate(double theta, const double* y, double* result, double* slope = nullptr) const;

  /// The last stage becomes the first one.
  void shift();
  /// Estimate of h·|dominant eigenvalue| from the last two stages before y₁ (II.4 of Hairer & Wanner, Solving ODEs II,
  /// IV.2).
  double stiffness(const double* y1, double h) const;

 private:
  double* stage(int i) { return stages_.data() + static_cast<std::size_t>(i) * stride_; }
  const double* stage(int i) const { return stages_.data() + static_cast<std::size_t>(i) * stride_; }

  // base + h Σ weight · stage
  void weigh(const integration::Weights& weights, const double* base, double h, double* result) const {
    add_up_(weights.data(), weights.size(), stages_.data(), base, stride_, h, result);
  }

  const Tableau* tableau_;
  std::size_t size_, stride_;  // stride: size, rounded up to whole groups
  integration::WeightedSum* add_up_;
  std::vector<double> stages_;  // all_stages × stride
  std::vector<double> start_;   // y, stride numbers
  std::vector<double> point_;   // argument of the stage being evaluated, stride numbers
  std::vector<double> dense_;   // F₀, F₁, …, stride numbers each
  std::vector<integration::Weights> a_, d_;
  integration::Weights b_, e_, e_low_;
  mutable std::vector<double> high_, low_;  // error estimates, stride numbers
  mutable int worst_ = 0;
  mutable double damping_ = 1;  // of high_ in the last error()
};

}  // namespace dalembert
