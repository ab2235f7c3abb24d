// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/integrate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/dynamics/kernel.h"
#include "dalembert/dynamics/switching.h"
#include "dalembert/integrate/final_error.h"
#include "dalembert/integrate/run.h"

namespace dalembert {

struct Stepper::Parts {
  Parts(const Dynamics& system, const State& start, IntegrateOptions given)
      : dynamics(system), options(std::move(given)) {
    failed.reason = integration::why_no_start(dynamics, start);
    if (!failed.reason.empty()) {
      failed.status = RunStatus::kFailed;
      return;
    }
    run = std::make_unique<integration::Run>(dynamics, start, options, spare, integration::RunFor::kVerdict, true);
    run->begin();
  }
  const Trajectory& path() const { return run != nullptr ? run->path() : failed; }
  RunPoint point() const { return run != nullptr ? run->maker().point(path().steps) : RunPoint(); }
  bool may_step() const { return run != nullptr && path().status == RunStatus::kOk && !run->at_end(); }

  Dynamics dynamics;
  IntegrateOptions options;
  Trajectory failed;  // result if there is no run
  integration::SpareParts spare;
  std::unique_ptr<integration::Run> run;
  std::string why_not;
  // Whether the caller has seen the state, and has set an input to another value after that: a feedback, perhaps.
  bool seen = false, answered = false;
  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
};

Stepper::Stepper(const Dynamics& dynamics, const State& start, IntegrateOptions options)
    : parts_(std::make_unique<Parts>(dynamics, start, std::move(options))) {}
Stepper::Stepper(Stepper&&) noexcept = default;
Stepper& Stepper::operator=(Stepper&&) noexcept = default;
Stepper::~Stepper() = default;

bool Stepper::step() { return parts_->may_step() && parts_->run->step(); }

bool Stepper::step_to(double t) {
  if (parts_->run == nullptr) return false;
  const double until = parts_->options.until, direction = until < time() ? -1 : 1;
  const auto before = [&](double a, double b) { return direction * (b - a) > 0; };
  if (before(until, t) || before(t, time())) return false;
  parts_->run->stop_at(t);
  while (before(time(), t))
    if (!step()) break;
  parts_->run->stop_at(until);
  return time() == t && status() == RunStatus::kOk;
}

double Stepper::round_to_row(double t) const { return parts_->run == nullptr ? t : parts_->run->round_to_row(t); }

bool Stepper::hold_input(std::string_view name, double value) {
  Parts& parts = *parts_;
  const auto refuse = [&](std::string why) {
    parts.why_not = std::move(why);
    return false;
  };
  if (parts.run == nullptr || status() != RunStatus::kOk) return refuse("the run has ended");
  const std::vector<std::string>& names = parts.dynamics.names().inputs;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    return refuse(names.empty() ? fmt::format("the system has no inputs, so there is no `{}`", name)
                                : fmt::format("there is no input `{}`; known: {}", name, join_words(names)));
  const auto input = static_cast<int>(found - names.begin());
  if (!std::isfinite(value)) return refuse(fmt::format("the value for `{}` is not finite", name));
  for (const SplineInput& spline : parts.dynamics.splines())
    if (std::find(spline.input.begin(), spline.input.end(), input) != spline.input.end())
      return refuse(fmt::format("`{}` is a spline, whose rates the equations need: it cannot be held", name));
  if (const Switching* switching = parts.dynamics.switching())
    for (const TimeFunction& function : switching->functions)
      if (function.reads_inputs && function.acts)
        return refuse(
            fmt::format("`{}` depends on inputs and was searched for changes before the run: inputs cannot be held",
                        function.text));
  parts.why_not.clear();
  if (parts.seen && inputs()[as_size(input)] != value) parts.answered = true;
  if (parts.run->hold_input(input, value)) return true;
  return refuse(reason());
}

const std::string& Stepper::why_not() const { return parts_->why_not; }
RunStatus Stepper::status() const { return parts_->path().status; }
const std::string& Stepper::reason() const { return parts_->path().reason; }
bool Stepper::at_end() const { return parts_->run != nullptr && parts_->run->at_end(); }
RunPoint Stepper::point() const {
  parts_->seen = true;
  return parts_->point();
}
double Stepper::time() const { return parts_->point().t; }
std::span<const double> Stepper::q() const { return point().q; }
std::span<const double> Stepper::v() const { return point().v; }
std::span<const double> Stepper::qdd() const { return point().qdd; }
std::span<const double> Stepper::lambda() const { return point().lambda; }
std::span<const double> Stepper::inputs() const {
  if (parts_->run == nullptr) return {};
  return parts_->run->maker().motion.workspace.u;
}
State Stepper::state() const { return {time(), {q().begin(), q().end()}, {v().begin(), v().end()}}; }

Trajectory Stepper::finish() {
  if (parts_->run == nullptr) return parts_->failed;
  if (status() == RunStatus::kOk && !at_end()) parts_->run->stop();
  Trajectory path = std::move(*parts_->run->finish());
  if (parts_->answered && path.verdict.error.estimated) {
    // The estimate follows neighbouring motions under the same inputs. Inputs that answer the motion would differ there.
    path.verdict.error = {};
    path.verdict.warnings.emplace_back(
        "no error of the end is named: inputs were set after the state was read, and how a feedback answers an "
        "error is not known");
  }
  if (path.status == RunStatus::kOk) integration::judge_error(path.verdict);
  path.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - parts_->begun).count();
  parts_->failed.status = path.status;
  parts_->failed.reason = path.reason;
  parts_->run.reset();
  return path;
}

}  // namespace dalembert
