// SPDX-License-Identifier: Apache-2.0
// The interface of a one-step method for y' = f(t, y) with its continuous extension.
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
  /// Computes f(t, y). False where f cannot be evaluated; the step is then tried again, shorter. May write more than
  /// the slope if the method was constructed with room for it.
  virtual bool evaluate(double t, const double* y, double* dydt) = 0;
  /// Number of leading entries of f that are copies of entries of y: f_i = y_(i + copied) for i < copied (velocities).
  /// Constant during a step.
  virtual std::size_t copied() const { return 0; }
};

/// Properties of a method that a run needs.
struct MethodFacts {
  std::string_view name;
  bool implicit = false;
  int order = 0;          ///< order of y₁
  int error_order = 0;    ///< the error estimate behaves like h^(error_order + 1)
  int dense_order = 0;    ///< order of the continuous extension
  std::vector<double> c;  ///< nodes of the stages, as fractions of the step

  /// Limits on the ratio of a step's length to that of the step before.
  double largest_factor = 10, smallest_factor = 0.2;
  /// The method is stable for h·|eigenvalue| up to about this along the negative real axis; infinite: for all h.
  double stability = 3;
};

/// A method that steps one system. Allocates only in its constructor.
class OneStepMethod {
 public:
  virtual ~OneStepMethod() = default;
  virtual const MethodFacts& facts() const = 0;
  virtual double* first_slope() = 0;
  virtual double* last_slope() = 0;

  /// Steps from (t, y) to t + h and writes y₁. False when f failed or the equations of the stages could not be solved.
  virtual bool advance(RightHandSide& f, double t, const double* y, double h, double* y1) = 0;
  /// RMS over the first `count` components of the error estimate divided by atol + rtol·max(|y|, |y₁|): the step may be
  /// kept if it is at most 1. Needs last_slope() where error_needs_last_slope().
  virtual double error(const double* y, const double* y1, double h, int count, double rtol, double atol) = 0;
  virtual bool error_needs_last_slope() const = 0;
  /// The component that contributes most to the last error().
  virtual int worst_component() const = 0;
  /// The estimated error of the step in one component alone, with its sign. The component need not
  /// be among the `count` of error().
  virtual double component_error(int component, double h) = 0;
  /// max |f_i| of component i over the stages.
  virtual double largest_slope(int component) const = 0;
  /// Adds the estimated errors of the first `count` components of y₁, with their signs, to `sum`. Needs last_slope().
  virtual void add_step_error(const double* y, const double* y1, double h, int count, double* sum) = 0;

  /// Prepares interpolate(); may evaluate f. False when f failed.
  virtual bool make_dense(RightHandSide& f, double t, const double* y, const double* y1, double h) = 0;
  /// y(t + θh) at θ in [0, 1], after make_dense(). `slope`, if not null, receives the derivative with respect to θ.
  virtual void interpolate(double theta, const double* y, double* result, double* slope = nullptr) const = 0;

  /// Keeps the continuous extension of the step from y, after make_dense(), for interpolate_kept() in later steps. False: this method cannot.
  virtual bool keep_dense(const double* /*y*/, std::vector<double>& /*kept*/) const { return false; }
  virtual void interpolate_kept(const std::vector<double>& /*kept*/, double /*theta*/, double* /*result*/) const {}

  /// Around looks within a step that must leave no trace in later steps: set_aside() keeps, and put_back() restores, what make_dense() and
  /// interpolate() change besides the extension itself.
  virtual void set_aside() {}
  virtual void put_back() {}

  /// Propagates a small change of y over the last step: replaces it by the resulting change of y₁, with the present
  /// Jacobian. Implicit methods only.
  virtual void carry(double* /*change*/) {}
  /// The step is kept: the last slope becomes the first one.
  virtual void shift() = 0;
  /// Forgets the steps so far, because f has changed.
  virtual void restart() {}
};

}  // namespace dalembert
