// SPDX-License-Identifier: Apache-2.0
// Private to integrate: the rows of a trajectory, and the times at which they are wanted.
#pragma once

#include <cstddef>
#include <vector>

#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/integrate/integrate_options.h"

namespace dalembert::integration {

class Recorder {
 public:
  /// All must outlive this.
  Recorder(const Dynamics& dynamics, const IntegrateOptions& options, Workspace& workspace, double start,
           Trajectory& path);

  /// A point of the manifold whose residuals the workspace holds.
  struct Point {
    double t = 0;
    const double *q = nullptr, *v = nullptr, *qdd = nullptr, *lambda = nullptr;
    double work = 0;
    int rank = 0;
  };
  void add(const Point& at, const Energy& energy, const std::vector<double>& conserved);
  /// The outputs there. Inputs must have been evaluated for this time.
  const std::vector<double>& outputs(const Point& at);
  /// Where the number of rows is known, their memory is taken at once.
  void reserve();

  bool every_step() const { return options_.output_times.empty() && !(options_.output_step > 0); }
  /// The next time that is asked for, or infinity (in the direction of travel) when every step (or nothing more) is.
  double next() const;
  void advance() { ++next_; }

 private:
  const Dynamics& dynamics_;
  const IntegrateOptions& options_;
  Workspace& workspace_;
  const double start_, direction_;
  Trajectory& path_;
  std::vector<double> outputs_;
  std::size_t next_ = 0;
};

}  // namespace dalembert::integration
