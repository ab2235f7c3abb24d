// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/integrate.h"

#include <string>
#include <utility>

#include "dalembert/integrate/final_error.h"
#include "dalembert/integrate/integration.h"

namespace dalembert {
namespace integration {

Integration::Integration(const Dynamics& dynamics, State start, const IntegrateOptions& options, SpareParts* spare)
    : dynamics_(dynamics),
      start_(std::move(start)),
      options_(options),
      spare_(spare != nullptr ? *spare : own_.emplace()) {
  if (std::string reason = why_no_start(dynamics, start_); !reason.empty()) {
    path_ = std::make_unique<Trajectory>();
    path_->reason = std::move(reason);
    path_->status = RunStatus::kFailed;
    return;
  }
  begin(first_.emplace(dynamics, start_, options, spare_));
}

// A run that cannot begin ends at once.
void Integration::begin(Run& run) {
  run_ = &run;
  if (!run.begin()) next();
}

void Integration::next() {
  run_ = nullptr;
  if (check_) {
    if (check_->next()) return begin(check_->run());
    check_->judge(*path_);
  } else {
    path_ = first_->finish();
    const std::optional<AdjointRest> rest = first_->rest_of_gradients();
    first_.reset();
    find_earlier_gradients(dynamics_, start_, options_, rest, *path_);
    if (needs_second()) return begin(check_.emplace(dynamics_, start_, options_, *path_, spare_).run());
  }
  if (path_->status == RunStatus::kOk) judge_error(path_->verdict);
}

// The estimate may be far too large: before a verdict says that no digit is left, a second run decides.
bool Integration::needs_second() {
  const FinalError& error = path_->verdict.error;
  const bool doubtful = error.relative > kDigitsLost,
             sharper = options_.second_run && error.estimated && was_little_work(dynamics_, *path_);
  return path_->status == RunStatus::kOk && path_->size() > 0 && (options_.cross_check || doubtful || sharper);
}

std::unique_ptr<Trajectory> Integration::take() {
  path_->wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  return std::move(path_);
}

}  // namespace integration

Trajectory integrate(const Dynamics& dynamics, const State& start, const IntegrateOptions& options) {
  integration::Integration all(dynamics, start, options);
  for (; all.run() != nullptr; all.next()) all.run()->loop();
  return std::move(*all.take());
}

}  // namespace dalembert
