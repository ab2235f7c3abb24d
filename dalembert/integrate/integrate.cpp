// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/integrate.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/integrate/final_error.h"
#include "dalembert/integrate/run.h"

namespace dalembert {
namespace integration {
namespace {

// Of the steps allowed, corners of tables may use up one in so many.
constexpr std::int64_t kStepsPerKink = 10;
// Kinks below this times rtol are none.
constexpr double kNoKink = 0.01;

StepEnds step_ends(const Dynamics& dynamics, const Schedule& schedule, double start, const IntegrateOptions& options) {
  double fixed = 0;
  if (!options.adaptive)
    fixed = options.max_step > 0 ? std::min(options.initial_step, options.max_step) : options.initial_step;
  std::vector<Kink> kinks = dynamics.find_kinks(start, options.until);
  // Corners that change u by far less than the tolerance, as those of a smooth curve in many samples, disturb no step.
  if (options.adaptive) std::erase_if(kinks, [&](const Kink& kink) { return kink.size < kNoKink * options.rtol; });
  // Every step ends where a branch changes.
  for (const Schedule::Switch& change : schedule.switches())
    kinks.push_back({change.time, std::numeric_limits<double>::infinity()});
  const double direction = options.until < start ? -1 : 1;
  std::sort(kinks.begin(), kinks.end(),
            [&](const Kink& a, const Kink& b) { return direction * (a.time - b.time) < 0; });
  const auto most = schedule.switches().size() +
                    static_cast<std::size_t>(std::max<std::int64_t>(options.max_steps, 0) / kStepsPerKink);
  return StepEnds(start, options.until, fixed, std::move(kinks), most);
}

bool has_guards(const Dynamics& dynamics) {
  if (dynamics.layout().frictions > 0) return true;
  return dynamics.switching() != nullptr && !dynamics.switching()->guards.empty();
}

}  // namespace

std::string name_of(const std::vector<std::string>& names, int i, const char* kind) {
  return index(i) < names.size() ? names[index(i)] : fmt::format("{} {}", kind, i + 1);
}

Run::Run(const Dynamics& dynamics, const State& start, const IntegrateOptions& options, bool inputs_may_be_held)
    : schedule_(dynamics, start.t, options.until),
      branches_(has_guards(dynamics) ? std::make_unique<Branches>(dynamics, schedule_) : nullptr),
      dynamics_(branches_ ? branches_->held() : dynamics),
      options_(options),
      nq_(dynamics.nq()),
      nv_(dynamics.nv()),
      ny_(nq_ + nv_),
      m_(dynamics.m()),
      with_power_(options.power_balance &&
                  (!dynamics.layout().conservative || (inputs_may_be_held && dynamics.layout().inputs > 0))),
      motion_(dynamics_, with_power_),
      size_(motion_.size()),
      independence_(dynamics_, motion_.workspace),
      explicit_(explicit_tableau(options.method), size_, motion_.room()),
      method_(&explicit_),
      t_(start.t),
      stop_(options.until),
      started_at_(start.t),
      direction_(options.until < start.t ? -1 : 1),
      ends_(step_ends(dynamics, schedule_, start.t, options)),
      y_(index(size_)),
      y1_(index(size_)),
      before_(index(size_)),
      out_(index(size_)),
      slope_(index(motion_.room())),
      lambda_(index(dynamics.layout().multipliers())),
      growth_(dynamics_, motion_.workspace, options.atol, options.error_estimate || options.cross_check),
      quality_(dynamics_, options, motion_.workspace, with_power_),
      recorder_(dynamics_, options, motion_.workspace, start.t, path_) {
  independent_.reserve(index(m_));
  for (std::vector<double>* x : {&passages_.multipliers, &passages_.earlier}) x->resize(index(m_));
  if (branches_) {
    for (std::vector<double>* x : {&guard_before_, &rate_before_, &guard_between_, &rate_between_, &room_between_})
      x->resize(branches_->count());
    near_.reserve(branches_->count());
    begin_frictions();
  }
  std::copy(start.q.begin(), start.q.end(), y_.begin());
  std::copy(start.v.begin(), start.v.end(), y_.begin() + nq_);
}

std::string why_no_start(const Dynamics& dynamics, const State& start) {
  const auto nq = index(dynamics.nq()), nv = index(dynamics.nv());
  if (start.q.size() == nq && start.v.size() == nv) return {};
  return fmt::format("the initial state has {} positions and {} velocities, the system {} coordinates{}",
                     start.q.size(), start.v.size(), nq, nq == nv ? "" : fmt::format(" and {} velocities", nv));
}

std::string when(double t) { return fmt::format("at t = {} s", to_text(t, 8)); }

}  // namespace integration

Trajectory integrate(const Dynamics& dynamics, const State& start, const IntegrateOptions& options) {
  if (std::string reason = integration::why_no_start(dynamics, start); !reason.empty()) {
    Trajectory path;
    path.status = RunStatus::kFailed;
    path.reason = std::move(reason);
    return path;
  }
  const auto begin = std::chrono::steady_clock::now();
  integration::Run run(dynamics, start, options);
  if (run.begin()) run.loop();
  Trajectory path = run.finish();
  // The estimate may be far too large: before a verdict says that no digit is left, a second run decides.
  const FinalError& error = path.verdict.error;
  const bool doubtful = error.relative > integration::kDigitsLost,
             sharper = options.second_run && error.made && integration::was_little_work(dynamics, path.evaluations);
  if (path.status == RunStatus::kOk && path.size() > 0 && (options.cross_check || doubtful || sharper))
    integration::cross_check(dynamics, start, options, path);
  if (path.status == RunStatus::kOk) integration::judge_error(path.verdict);
  path.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return path;
}

}  // namespace dalembert
