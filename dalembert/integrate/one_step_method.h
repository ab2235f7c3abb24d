// SPDX-License-Identifier: Apache-2.0
// One step of a method for y' = f(t, y), and the polynomial that continues it: what every method offers to a run.
//
// The order of calls: first_slope() is filled with f(t, y) by the caller (or by shift() from the last step); advance();
// error(); last_slope() is filled with f(t + h, y₁) once y₁ is final (projected, say); make_dense() and interpolate()
// where points between are wanted; add_step_error(); shift().
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace dalembert {

class RightHandSide {
 public:
  virtual ~RightHandSide() = default;
  /// Returns false where f cannot be evaluated; the step is then tried again, shorter. May write more than the slope,
  /// where the method was made with room for it.
  virtual bool evaluate(double t, const double* y, double* dydt) = 0;
  /// So many numbers of f, the first ones, are numbers of y: f_i = y_(i + copied) for i < copied (velocities). As long as
  /// a step lasts.
  virtual std::size_t copied() const { return 0; }
};

/// What a run must know of a method.
struct MethodFacts {
  std::string_view name;
  bool implicit = false;
  int order = 0;          ///< of y₁
  int error_order = 0;    ///< the error estimate behaves like h^(error_order + 1)
  int dense_order = 0;    ///< of the continuous extension
  std::vector<double> c;  ///< where the stages lie in a step

  double largest_factor = 10, smallest_factor = 0.2;  ///< from one step to the next
  /// The method is stable for h·|eigenvalue| up to about this along the negative axis; infinite: everywhere.
  double stability = 3;
};

/// One method at work on one system. Allocates only in its constructor.
class OneStepMethod {
 public:
  virtual ~OneStepMethod() = default;
  virtual const MethodFacts& facts() const = 0;
  virtual double* first_slope() = 0;
  virtual double* last_slope() = 0;

  /// From (t, y) to t + h: y₁. False when f failed or the equations of the stages could not be solved.
  virtual bool advance(RightHandSide& f, double t, const double* y, double h, double* y1) = 0;
  /// RMS over the first `count` components of the error estimate divided by atol + rtol·max(|y|, |y₁|): the step may be
  /// kept up to 1. Needs last_slope() where error_needs_last_slope().
  virtual double error(const double* y, const double* y1, double h, int count, double rtol, double atol) = 0;
  virtual bool error_needs_last_slope() const = 0;
  /// The component with the largest share in the last error().
  virtual int worst_component() const = 0;
  /// The estimated error of the step in one component, with its sign, judged by itself; it need not be among the
  /// `count` of error().
  virtual double component_error(int component, double h) = 0;
  /// max |f| of a component over the stages.
  virtual double largest_slope(int component) const = 0;
  /// Adds the estimated errors of the first `count` components of y₁, with their signs, to `sum`. Needs last_slope().
  virtual void add_step_error(const double* y, const double* y1, double h, int count, double* sum) = 0;

  /// Prepares interpolate(); may evaluate f. False when f failed.
  virtual bool make_dense(RightHandSide& f, double t, const double* y, const double* y1, double h) = 0;
  /// y(t + θh) at θ in [0, 1], after make_dense(). `slope`, when given, receives the derivative by θ.
  virtual void interpolate(double theta, const double* y, double* result, double* slope = nullptr) const = 0;

  /// What the last step makes of a small change of y: the change of y₁, in place, by the Jacobian at hand. Only of methods
  /// that are implicit.
  virtual void carry(double* /*change*/) {}
  /// The step is kept: the last slope becomes the first one.
  virtual void shift() = 0;
  /// What comes next has nothing to do with the steps before: f has changed.
  virtual void restart() {}
};

}  // namespace dalembert
