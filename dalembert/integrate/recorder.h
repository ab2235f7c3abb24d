// SPDX-License-Identifier: Apache-2.0
// Private to integrate: records the rows of a trajectory, and knows the output times.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/integrate/integrals.h"
#include "dalembert/integrate/integrate_options.h"
#include "dalembert/integrate/run_for.h"

namespace dalembert::integration {

class Recorder {
 public:
  /// All arguments must outlive this object. A run for its states records nothing else of its rows.
  Recorder(const Dynamics& dynamics, const IntegrateOptions& options, Workspace& workspace, double start,
           Trajectory& path, RunFor purpose);
  /// A trajectory for a Recorder, as new, which takes over the memory of another one. The names, where it has some, are those of the other one until the
  /// Recorder sets them.
  static Trajectory empty_in_memory_of(Trajectory&& used, RunFor purpose);

  /// A point of the manifold to be recorded. The workspace must hold its residuals.
  struct Point {
    double t = 0;
    const double *q = nullptr, *v = nullptr, *qdd = nullptr, *lambda = nullptr;
    double work = 0;
    int rank = 0;
  };
  void add(const Point& at, const Energy& energy, const std::vector<double>& conserved);
  /// Computes the outputs at a point. The inputs must have been evaluated for this time.
  const std::vector<double>& outputs(const Point& at);
  /// Outputs read these integrals.
  void read(Integrals& integrals) { integrals_ = &integrals; }
  /// Allocates the memory of all rows, if their number is known.
  void reserve();

  bool every_step() const { return options_.output_times.empty() && !(options_.output_step > 0); }
  /// The next output time. Infinity (in the direction of travel) if every step is
  /// recorded, or no further output is due.
  double next() const { return time_of(next_); }
  /// The time of a row or of the end, where it is t up to the round-off of multiples; else t.
  double round_to_row(double t) const;
  void advance() { ++next_; }

 private:
  double time_of(std::size_t row) const;

  const Dynamics& dynamics_;
  const IntegrateOptions& options_;
  Workspace& workspace_;
  const double start_, direction_;
  Trajectory& path_;
  const RunFor purpose_;
  void find_gaps(const Point& at);

  Integrals* integrals_ = nullptr;
  std::vector<double> outputs_, gaps_;
  // The system with all contacts closed, which has the gaps of open ones too, and its memory; empty without contacts.
  std::optional<Dynamics> closed_;
  std::optional<Workspace> closed_workspace_;
  std::size_t next_ = 0;
};

}  // namespace dalembert::integration
