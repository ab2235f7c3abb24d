// SPDX-License-Identifier: Apache-2.0
// Private to integrate: the runs that integrate() makes one after the other, as an object, so that the runs of several of them
// can be made step by step together.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "dalembert/integrate/cross_check.h"

namespace dalembert::integration {

class Integration {
 public:
  /// `spare`: parts of the runs of another Integration before, which are left there again; null: none. All arguments but the start must outlive this object.
  Integration(const Dynamics& dynamics, State start, const IntegrateOptions& options, SpareParts* spare = nullptr);

  /// The run to be made now: it has begun, and is to be stepped until it ends. Null: there is no other one.
  Run* run() { return run_; }
  /// The present run has ended, or could not begin: there may be another one.
  void next();
  /// What integrate() returns, when there is no run any more.
  std::unique_ptr<Trajectory> take();

 private:
  bool needs_second();
  void begin(Run& run);

  const Dynamics& dynamics_;
  const State start_;
  const IntegrateOptions& options_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::optional<SpareParts> own_;
  SpareParts& spare_;
  std::optional<Run> first_;
  std::optional<CrossCheck> check_;
  Run* run_ = nullptr;
  std::unique_ptr<Trajectory> path_;
};

}  // namespace dalembert::integration
