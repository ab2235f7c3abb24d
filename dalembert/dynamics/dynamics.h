// SPDX-License-Identifier: Apache-2.0
// A system ready to be evaluated: a kernel with parameter values and inputs bound to it.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "dalembert/dynamics/cubic_spline.h"
#include "dalembert/dynamics/kernel.h"
#include "dalembert/dynamics/switching.h"

namespace dalembert {

class Events;

/// Time, coordinates (nq) and velocities (nv): a point of the constrained system, on the manifold or not.
struct State {
  double t = 0;
  std::vector<double> q, v;
};

/// An input given as samples: linear between them; outside them the first or last value holds.
struct TableInput {
  int input = 0;                    ///< index
  std::vector<double> time, value;  ///< time strictly increasing
};

/// An input given as samples that are read as a cubic spline, with its time derivatives as inputs of their own. It has
/// no values outside of its samples: NaN.
struct SplineInput {
  std::array<int, 3> input{};  ///< indices: the value, its rate, its second derivative
  std::shared_ptr<const CubicSpline> spline;
  int highest = 2;  ///< the highest derivative (0, 1, 2) that accelerations depend on
};

/// A time at which an input is not smooth: the slope of a table changes, or the third derivative of a spline.
struct Kink {
  double time = 0;
  double size = 0;  ///< how much u would change if the sample were left out, relative to the span of u; <= 1. Of
                    ///< splines a part of that
};

class Dynamics {
 public:
  /// `switching`: where the kernel is not smooth; null when it is everywhere, or nothing is known of it.
  Dynamics(std::shared_ptr<const Kernel> kernel, Names names, std::vector<double> parameters,
           std::vector<TableInput> tables = {}, std::shared_ptr<const Switching> switching = {},
           std::vector<SplineInput> splines = {}, std::shared_ptr<const Events> events = {});

  const Layout& layout() const { return *layout_; }
  const Kernel& kernel() const { return *kernel_; }
  const std::shared_ptr<const Kernel>& shared_kernel() const { return kernel_; }
  const Names& names() const { return names_; }
  std::span<const double> parameters() const { return parameters_; }
  const double* prepared() const { return prepared_.data(); }                ///< Kernel::prepare() of them
  bool has_tables() const { return !tables_.empty() || !splines_.empty(); }  ///< inputs given as samples
  std::span<const SplineInput> splines() const { return splines_; }
  const Switching* switching() const { return switching_.get(); }
  const Events* events() const { return events_.get(); }  ///< null where it has none
  /// The same system with the branches held that `levels` choose (see Switching::held).
  Dynamics hold_branches(std::span<const double> levels) const;
  int nq() const { return layout().nq; }
  int nv() const { return layout().nv; }
  int m() const { return layout().m; }

  /// The same kernel with other parameter values (size: layout().parameters).
  Dynamics with_parameters(std::vector<double> parameters) const;

  /// Inputs u(t): expressions by the kernel, then tables over them.
  void inputs(double t, double* work, double* u) const;
  /// The tables alone, and bounds on them over an interval of time.
  void table_inputs(double t, double* u) const;
  void table_bounds(Bounds t, Bounds* u) const;
  /// Whether they are the same at all times.
  bool has_constant_inputs() const { return layout().inputs == 0 || (layout().constant_inputs && !has_tables()); }
  /// The kinks of all tables and splines strictly between two times, on the way from `from` to `to`; samples on a
  /// straight line, of splines on a cubic, are none (up to round-off). O(samples), allocates.
  std::vector<Kink> find_kinks(double from, double to) const;

 private:
  std::shared_ptr<const Kernel> kernel_;
  const Layout* layout_;  // the kernel's
  Names names_;
  std::vector<double> parameters_, prepared_;
  std::vector<TableInput> tables_;
  std::vector<SplineInput> splines_;
  std::shared_ptr<const Switching> switching_;
  std::shared_ptr<const Events> events_;
};

}  // namespace dalembert
