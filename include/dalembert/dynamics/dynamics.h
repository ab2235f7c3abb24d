// SPDX-License-Identifier: Apache-2.0
// A system ready to be evaluated: a kernel with parameter values and inputs bound to it.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "dalembert/dynamics/kernel.h"

namespace dalembert {

class Contacts;
class Events;
struct Bounds;
class CubicSpline;
class Switching;

/// Time, coordinates (nq) and velocities (nv): a point of the constrained system, on the manifold or not.
struct State {
  double t = 0;
  std::vector<double> q, v;
};

/// A state with its accelerations, multipliers and inputs: nq, nv, nv, m and inputs numbers.
struct MotionPoint {
  double t = 0;
  std::vector<double> q, v, vdot, lambda, u;
};

/// An input given as samples: linear between samples, constant before the first and after the last one.
struct TableInput {
  int input = 0;                    ///< index of the input
  std::vector<double> time, value;  ///< time strictly increasing
};

/// An input given as samples, interpolated by a cubic spline. Its first two time derivatives are inputs of their own.
/// All three are NaN outside the samples.
struct SplineInput {
  std::array<int, 3> input{};  ///< indices of the inputs for value, rate and second derivative
  std::shared_ptr<const CubicSpline> spline;
  int highest = 2;  ///< the highest derivative (0, 1, 2) that accelerations depend on
};

/// A time at which an input is not smooth: the slope of a table changes, or the third derivative of a spline.
struct Kink {
  double time = 0;
  /// Change of the input if the sample were left out, relative to the range of the input, at most 1; scaled down for
  /// splines.
  double size = 0;
};

class Dynamics {
 public:
  /// `switching` tells where the kernel is not smooth; null when it is smooth everywhere, or when nothing is known.
  Dynamics(std::shared_ptr<const Kernel> kernel, Names names, std::vector<double> parameters,
           std::vector<TableInput> tables = {}, std::shared_ptr<const Switching> switching = {},
           std::vector<SplineInput> splines = {}, std::shared_ptr<const Events> events = {},
           std::shared_ptr<const Contacts> contacts = {});

  const Layout& layout() const { return *layout_; }
  const Kernel& kernel() const { return *kernel_; }
  const std::shared_ptr<const Kernel>& shared_kernel() const { return kernel_; }
  const Names& names() const { return names_; }
  std::span<const double> parameters() const { return parameters_; }
  /// Result of Kernel::prepare() for parameters().
  const double* prepared() const { return prepared_.data(); }
  bool has_tables() const { return !tables_.empty() || !splines_.empty(); }  ///< whether an input is given as samples
  std::span<const SplineInput> splines() const { return splines_; }
  const Switching* switching() const { return switching_.get(); }
  const Events* events() const { return events_.get(); }        ///< null where it has none
  const Contacts* contacts() const { return contacts_.get(); }  ///< null where it has none
  /// The same system with each branch of its functions fixed as `levels` says (see Switching::held).
  Dynamics hold_branches(std::span<const double> levels) const;
  int nq() const { return layout().nq; }
  int nv() const { return layout().nv; }
  int m() const { return layout().m; }

  /// The same kernel with other parameter values: layout().parameters numbers, or fewer, whose rest stays as it is.
  Dynamics with_parameters(std::vector<double> parameters) const;
  /// Replaces the parameters from index `first` on by these values.
  void set_parameters(std::size_t first, std::span<const double> values);
  /// The system with these contacts closed and the others open; one entry for each of contacts().
  Dynamics with_contacts(std::span<const char> closed) const;
  Dynamics with_all_contacts_closed() const;
  void set_contacts(std::span<const char> closed);
  bool is_closed(std::size_t contact) const;
  /// Whether a row acts: all do, but those of open contacts.
  bool acts(int row) const;
  int idle_rows() const;  ///< number of rows that do not act

  /// Computes the inputs u(t): the kernel evaluates those that are expressions, then tables and splines fill in theirs.
  void inputs(double t, double* work, double* u) const;
  /// Only the inputs given as samples: their values at t, and bounds on them over an interval of time.
  void table_inputs(double t, double* u) const;
  void table_bounds(Bounds t, Bounds* u) const;
  /// Whether no input depends on time.
  bool has_constant_inputs() const { return layout().inputs == 0 || (layout().constant_inputs && !has_tables()); }
  /// The kinks of all tables and splines strictly between two times, in the order of travel from `from` to `to`.
  /// A sample on the straight line through its neighbours (for a spline: on the same cubic), up to round-off, is
  /// no kink. O(samples); allocates.
  std::vector<Kink> find_kinks(double from, double to) const;

 private:
  std::shared_ptr<const Kernel> kernel_;
  const Layout* layout_;  // layout of kernel_
  Names names_;
  std::vector<double> parameters_, prepared_;
  std::vector<TableInput> tables_;
  std::vector<SplineInput> splines_;
  std::shared_ptr<const Switching> switching_;
  std::shared_ptr<const Events> events_;
  std::shared_ptr<const Contacts> contacts_;
};

}  // namespace dalembert
