// SPDX-License-Identifier: Apache-2.0
// Explicit Runge–Kutta steps with an embedded error estimate and a continuous extension, for y' = f(t, y).
//
//   kᵢ = f(t + cᵢh, y + h Σⱼ aᵢⱼ kⱼ),   y₁ = y + h Σᵢ bᵢ kᵢ                                                  (1)
//   k_s = f(t + h, y₁)                     is the next step's first stage
//   y(t + θh) = y + θ(F₀ + (1−θ)(F₁ + θ(F₂ + (1−θ)(F₃ + …)))),   F₀ = Δy, F₁ = hk₀ − Δy, F₂ = 2Δy − h(k₀ + k_s),
//   F₃₊ᵣ = h Σᵢ dᵣᵢ kᵢ                                                                                      (2)
// Source: Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I, 2nd ed. (1993), II.4-II.6.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "dalembert/integrate/one_step_method.h"
#include "dalembert/integrate/weighted_sum.h"

namespace dalembert {

/// Coefficients of a method. Stages 0 … stages−1 give y₁, stage `stages` is f(t + h, y₁), the others serve (2) only.
struct Tableau : MethodFacts {
  int stages = 0, all_stages = 0;      ///< all_stages: number of entries of c
  std::vector<std::vector<double>> a;  ///< row i: i entries
  std::vector<double> b;               ///< `stages` entries
  std::vector<double> e;               ///< `stages` + 1 entries: error estimate h Σ eᵢ kᵢ
  std::vector<double> e_low;           ///< a second estimate of lower order that damps the first; empty: none
  std::vector<std::vector<double>> d;  ///< coefficients dᵣᵢ of F₃, F₄, … in (2); all_stages entries in each row
};

/// The weights of a tableau's sums; stage i begins at i · stride.
class TableauWeights {
 public:
  TableauWeights(const Tableau& tableau, std::size_t stride);
  std::span<const integration::Weight> a(std::size_t i) const { return rows_[i]; }
  std::span<const integration::Weight> d(std::size_t r) const { return rows_[d_ + r]; }
  std::span<const integration::Weight> b() const { return rows_[last_]; }
  std::span<const integration::Weight> e() const { return rows_[last_ + 1]; }
  std::span<const integration::Weight> e_low() const { return rows_[last_ + 2]; }

 private:
  std::size_t d_, last_;  // rows of d, and of b
  integration::WeightRows rows_;
};

/// Removes from an error estimate a part that is known to vanish later.
class ErrorFilter {
 public:
  virtual ~ErrorFilter() = default;
  virtual void apply(double* error) = 0;
};

/// Has the stages of the steps that it made last, for several methods. It brings one of them those of its own where they are asked for, which is seldom.
class StagesOfLanes {
 public:
  /// Writes `size` numbers of each stage i ≥ 1 to stages + i · stride, and of the argument of the last one to `point`.
  virtual void bring(std::size_t lane, std::size_t size, double* stages, std::size_t stride, double* point) const = 0;

 protected:
  ~StagesOfLanes() = default;
};

namespace integration {
class LaneSteps;
}

class RungeKutta final : public OneStepMethod {
 public:
  /// For `size` equations; f writes `room` numbers, the slope first (0: `size` numbers).
  RungeKutta(const Tableau& tableau, int size, int room = 0);
  RungeKutta(const RungeKutta&) = delete;
  RungeKutta(RungeKutta&&) noexcept = default;
  /// Whether the constructor with these arguments would make it so.
  bool is_of(const Tableau& tableau, int size, int room) const;
  /// Forgets all steps, as the constructor leaves it.
  void renew();

  const MethodFacts& facts() const override { return *tableau_; }
  const Tableau& tableau() const { return *tableau_; }
  double* first_slope() override { return stage(0); }
  double* last_slope() override { return stage(tableau_->stages); }

  /// Computes the step (1): the slopes of stages 1 … s−1, and y₁ into `y1`.
  bool advance(RightHandSide& f, double t, const double* y, double h, double* y1) override;
  double error(const double* y, const double* y1, double h, int count, double rtol, double atol) override {
    return error(y, y1, h, count, rtol, atol, nullptr);
  }
  /// `filter`, if not null, is applied to the estimate and to the one that damps it (both divided by h, vectors of
  /// `size` entries) before their norms are taken.
  double error(const double* y, const double* y1, double h, int count, double rtol, double atol, ErrorFilter* filter);
  bool error_needs_last_slope() const override { return error_needs_last_slope_; }
  int worst_component() const override;
  double component_error(int component, double h) override;
  double largest_slope(int component) const override;
  void add_step_error(const double* y, const double* y1, double h, int count, double* sum) override;
  /// The error estimate of the integral of a quantity over a step of length 1, whose values at the start and at the
  /// stages are values[i · stride].
  double quadrature_error(const double* values, std::size_t stride) const;

  bool make_dense(RightHandSide& f, double t, const double* y, const double* y1, double h) override;
  /// Evaluates the continuous extension (2).
  void interpolate(double theta, const double* y, double* result, double* slope = nullptr) const override;
  bool keep_dense(const double* y, std::vector<double>& kept) const override;
  void interpolate_kept(const std::vector<double>& kept, double theta, double* result) const override;

  void shift() override;
  /// Estimate of h·|dominant eigenvalue| from the last two stages before y₁ (Hairer & Wanner, Solving ODEs II, IV.2).
  double stiffness(const double* y1, double h) const;

 private:
  std::size_t rows_of_dense() const { return 3 + tableau_->d.size(); }
  friend class integration::LaneSteps;  // fills in what advance() and error() leave

  // Brings the stages here if the last step was made in lanes.
  void own_stages() const;

  double* stage(int i) { return stages_ + static_cast<std::size_t>(i) * stride_; }
  const double* stage(int i) const { return stages_ + static_cast<std::size_t>(i) * stride_; }

  // Σ weight · stage; with a base, base + h Σ weight · stage.
  integration::Sum sum_of(std::span<const integration::Weight> weights, const double* base = nullptr,
                          double h = 1) const {
    return {.weights = weights.data(),
            .count = weights.size(),
            .stages = stages_,
            .base = base,
            .h = h,
            .first = copied_,
            .size = size_};
  }

  const Tableau* tableau_;
  bool error_needs_last_slope_;
  std::size_t size_, extent_, stride_;  // size and room, rounded up to whole groups of numbers
  std::size_t copied_ = 0;              // RightHandSide::copied() of the last step
  integration::WeightedSum* add_up_;
  integration::ErrorSum* sum_errors_;
  TableauWeights weights_;
  std::vector<double> memory_;  // what the following point to, extent_ numbers each where nothing else is said
  double* stages_;              // slopes of the stages: all_stages × stride_ numbers
  double* dense_;               // F₀, F₁, … of (2): (3 + d) × extent_ numbers
  double* start_;               // y at the start of the step
  double* point_;               // argument of the stage being evaluated
  double* within_;              // argument of a stage of the extension; stiffness() reads point_
  double *high_, *low_;         // the two error estimates
  double damping_ = 1;          // factor on high_ in the last error()
  // Arguments of the last error().
  integration::ErrorTerms judged_;
  // Of a step that was made in lanes: who has its stages until they are brought, and the norms of its error estimates in high_ and low_.
  mutable const StagesOfLanes* stages_of_ = nullptr;
  std::size_t lane_ = 0;
  std::optional<integration::ErrorNorm> norms_;
};

}  // namespace dalembert
