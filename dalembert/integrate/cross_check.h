// SPDX-License-Identifier: Apache-2.0
// Private to integrate: estimates the error of the final state, which a verdict names, by a second run.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "dalembert/integrate/integrate_options.h"
#include "dalembert/integrate/run.h"

namespace dalembert::integration {

/// Whether a run took so little work that a second run, some tenths of a second, may be made unasked.
bool was_little_work(const Dynamics& dynamics, const Trajectory& path);

/// The factor on the tolerances of a second run that nobody asked for.
double factor_of_second_run(double rtol);

/// Gradient::error of a gradient, from that of a run with smaller tolerances.
double error_of_gradient(const Dynamics& dynamics, std::span<const Tangent> tangents, const Gradient& one,
                         const Gradient& second);

/// Repeats a run with a hundredth of the tolerances, or a tenth where options.cross_check is set (half the step where
/// it is fixed; the other method where no smaller tolerance is allowed). Takes the differences as the error of `path`.
/// Near a singular position the last bits decide whether steps with tolerances near round-off reach the end. The verdict must not depend on that, so
/// a second tolerance is tried if the first fails.
class CrossCheck {
 public:
  /// `path` is the first run, which has rows. All arguments but `path` must outlive this object.
  CrossCheck(const Dynamics& dynamics, const State& start, const IntegrateOptions& options, const Trajectory& path,
             SpareParts& spare);
  ~CrossCheck();

  /// The run to be made now, from Run::begin() on.
  Run& run() { return *run_; }
  /// That run has ended. False if there is no other one to be made.
  bool next();
  /// False when the second run did not reach its end. Then `path` stays as it is, except for a warning if the second run
  /// was asked for or needed.
  bool judge(Trajectory& path) const;

 private:
  void make_run();

  const Dynamics& dynamics_;
  const State& start_;
  const IntegrateOptions& options_;
  SpareParts& spare_;
  IntegrateOptions again_;
  std::vector<double> tighter_{1};  // factors on the tolerances, in the order in which they are tried
  std::size_t tried_ = 0;
  const bool unasked_;
  std::unique_ptr<Run> run_;
  std::unique_ptr<Trajectory> second_;
};

}  // namespace dalembert::integration
