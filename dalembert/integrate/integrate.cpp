// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/integrate.h"

#include <chrono>
#include <string>
#include <utility>

#include "dalembert/integrate/cross_check.h"
#include "dalembert/integrate/final_error.h"
#include "dalembert/integrate/run.h"

namespace dalembert {

Trajectory integrate(const Dynamics& dynamics, const State& start, const IntegrateOptions& options) {
  if (std::string reason = integration::why_no_start(dynamics, start); !reason.empty()) {
    Trajectory path;
    path.status = RunStatus::kFailed;
    path.reason = std::move(reason);
    return path;
  }
  const auto begin = std::chrono::steady_clock::now();
  Trajectory path = integration::run_once(dynamics, start, options);
  // The estimate may be far too large: before a verdict says that no digit is left, a second run decides.
  const FinalError& error = path.verdict.error;
  const bool doubtful = error.relative > integration::kDigitsLost,
             sharper = options.second_run && error.estimated && integration::was_little_work(dynamics, path);
  if (path.status == RunStatus::kOk && path.size() > 0 && (options.cross_check || doubtful || sharper))
    integration::cross_check(dynamics, start, options, path);
  if (path.status == RunStatus::kOk) integration::judge_error(path.verdict);
  path.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return path;
}

}  // namespace dalembert
