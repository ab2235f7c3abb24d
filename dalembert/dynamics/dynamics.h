// SPDX-License-Identifier: Apache-2.0
// A system ready to be evaluated: a kernel with parameter values and inputs bound to it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "dalembert/dynamics/kernel.h"
#include "dalembert/dynamics/switching.h"

namespace dalembert {

/// Time, positions and velocities: a point of the constrained system (on the manifold or not). Sizes n.
struct State {
  double t = 0;
  std::vector<double> q, v;
};

/// An input given as samples: linear between them; outside them the first or last value holds.
struct TableInput {
  int input = 0;                    ///< index
  std::vector<double> time, value;  ///< time strictly increasing
};

/// A time at which the slope of a table changes: u is continuous there, its rate is not.
struct Kink {
  double time = 0;
  double size = 0;  ///< how much u would change if the sample were left out, relative to the table's span; <= 1
};

class Dynamics {
 public:
  /// `switching`: where the kernel is not smooth; null when it is everywhere, or nothing is known of it.
  Dynamics(std::shared_ptr<const Kernel> kernel, Names names, std::vector<double> parameters,
           std::vector<TableInput> tables = {}, std::shared_ptr<const Switching> switching = {});

  const Layout& layout() const { return *layout_; }
  const Kernel& kernel() const { return *kernel_; }
  const std::shared_ptr<const Kernel>& shared_kernel() const { return kernel_; }
  const Names& names() const { return names_; }
  std::span<const double> parameters() const { return parameters_; }
  const double* prepared() const { return prepared_.data(); }  ///< Kernel::prepare() of them
  bool has_tables() const { return !tables_.empty(); }         ///< inputs given as samples
  const Switching* switching() const { return switching_.get(); }
  /// The same system with the branches held that `levels` choose (see Switching::held).
  Dynamics hold_branches(std::span<const double> levels) const;
  int n() const { return layout().n; }
  int m() const { return layout().m; }

  /// The same kernel with other parameter values (size: layout().parameters).
  Dynamics with_parameters(std::vector<double> parameters) const;

  /// Inputs u(t): expressions by the kernel, then tables over them.
  void inputs(double t, double* work, double* u) const;
  /// The tables alone, and bounds on them over an interval of time.
  void table_inputs(double t, double* u) const;
  void table_bounds(Bounds t, Bounds* u) const;
  /// Whether they are the same at all times.
  bool has_constant_inputs() const { return layout().inputs == 0 || (layout().constant_inputs && tables_.empty()); }
  /// The kinks of all tables strictly between two times, on the way from `from` to `to`; samples on a straight line
  /// (up to round-off) are none. O(samples), allocates.
  std::vector<Kink> find_kinks(double from, double to) const;

 private:
  std::shared_ptr<const Kernel> kernel_;
  const Layout* layout_;  // the kernel's
  Names names_;
  std::vector<double> parameters_, prepared_;
  std::vector<TableInput> tables_;
  std::shared_ptr<const Switching> switching_;
};

}  // namespace dalembert
