// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/run.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dalembert/base/text.h"

namespace dalembert::integration {
namespace {

// Number of evaluations after which the run first asks the kernel for machine code.
constexpr std::int64_t kFirstLook = 16;
// The square of a larger number may not be finite.
constexpr double kLargestToSquare = 1e150;

std::unique_ptr<Branches> make_branches(const Dynamics& dynamics, const Schedule& schedule) {
  return may_switch(dynamics) ? std::make_unique<Branches>(dynamics, schedule) : nullptr;
}

}  // namespace

Run::Run(const Dynamics& dynamics, const State& start, const IntegrateOptions& options, SpareParts& spare,
         RunFor purpose, bool inputs_may_be_held, const AdjointRest* rest)
    : owned_path_(spare.trajectory(purpose)),
      path_(*owned_path_),
      schedule_(dynamics, start.t, options),
      branches_(make_branches(dynamics, schedule_)),
      options_(options),
      maker_(branches_ ? branches_->held() : dynamics, start, options,
             options.power_balance &&
                 (!dynamics.layout().conservative || (inputs_may_be_held && dynamics.layout().inputs > 0)),
             spare),
      pace_(maker_, schedule_),
      independence_(maker_.dynamics, maker_.motion.workspace),
      purpose_(branches_ ? RunFor::kVerdict : purpose),
      judge_(maker_, path_, purpose_),
      leaps_(maker_, path_, independence_),
      passages_(maker_, path_, independence_, judge_, purpose_),
      integrals_(dynamics.layout().integrals > 0 ? std::make_unique<Integrals>(maker_, path_) : nullptr),
      guards_(branches_ ? std::make_unique<Guards>(maker_, path_, schedule_, *branches_, integrals_.get()) : nullptr),
      rows_(maker_, path_, judge_, leaps_, integrals_.get(), purpose_),
      tangents_(options.tangents.empty() ? nullptr
                                         : std::make_unique<Tangents>(maker_, path_, guards_.get(), branches_.get(),
                                                                      integrals_.get(), purpose, rest)),
      stiffness_(maker_, path_),
      dead_ends_(maker_, path_, independence_),
      started_at_(start.t) {
  observers_.add(judge_);
  observers_.add(leaps_);
  if (guards_) observers_.add(*guards_);        // after leaps_, which may replace the step
  if (integrals_) observers_.add(*integrals_);  // before those who read them within a step
  observers_.add(rows_);
  if (tangents_) observers_.add(*tangents_);  // after rows_, whose rows it completes
  observers_.add(passages_);
  observers_.add(stiffness_);
  observers_.add(dead_ends_);
}

void find_earlier_gradients(const Dynamics& dynamics, const State& start, const IntegrateOptions& options,
                            std::optional<AdjointRest> rest, Trajectory& path) {
  if (!rest) return;
  IntegrateOptions again = options;
  again.error_estimate = again.second_run = again.cross_check = again.find_peaks = again.power_balance = false;
  again.recorded = {};
  again.take_rows = {};
  again.output_step = 0;
  SpareParts spare;
  while (rest) {
    again.until = rest->t;
    again.output_times = {rest->t};
    Trajectory part;
    {
      const AdjointRest later = *std::move(rest);
      Run run(dynamics, start, again, spare, RunFor::kStates, false, &later);
      if (run.begin()) run.loop();
      part = std::move(*run.finish());
      rest = run.rest_of_gradients();
    }
    path.gradients = std::move(part.gradients);
    if (part.status == RunStatus::kStopped) {
      path.status = part.status;
      path.reason = part.reason;
    } else if (part.status != RunStatus::kOk) {
      path.verdict.warnings.push_back(
          fmt::format("the gradients are unknown: a part of the run could not be made again: {}", part.reason));
    }
    for (std::string& warning : part.verdict.warnings)
      if (!rest && std::ranges::find(path.verdict.warnings, warning) == path.verdict.warnings.end())
        path.verdict.warnings.push_back(std::move(warning));
  }
}

bool Run::fail(std::string reason) {
  path_.status = RunStatus::kFailed;
  path_.reason = std::move(reason);
  return false;
}

bool Run::loop() {
  while (!at_end())
    if (!step()) return false;
  return true;
}

bool Run::step() {
  for (;;) {
    if (!begin_try()) return false;
    const Made made = end_try(maker_.try_step(maker_.step.t1, maker_.step.length));
    if (made != Made::kAgain) return made == Made::kAccepted;
  }
}

bool Run::begin_try() {
  if (!may_go_on()) return false;
  if (maker_.motion.evaluations >= next_look_) look_for_code();
  maker_.choose_method(stiffness_.found());
  if (!pace_.choose()) {
    if (std::string dead_end = dead_ends_.describe(); !dead_end.empty()) return fail(std::move(dead_end));
    const bool none_was_tried = path_.rejected == 0 && path_.steps == 0;
    return fail(fmt::format("the step size became too small {}: {}", when(maker_.step.t),
                            none_was_tried
                                ? fmt::format("steps of {} s are too short beside an end at {} s{}",
                                              to_text(pace_.length(), 3), to_text(options_.until, 6), huge_input())
                                : maker_.why_failed(pace_.length())));
  }
  maker_.begin_tries();
  if (guards_) guards_->aim();
  return true;
}

// An input whose numbers are too large for the first step: a sentence about it, or nothing.
std::string Run::huge_input() {
  Workspace& workspace = maker_.motion.workspace;
  const double t = maker_.step.t, ahead = 1e-6 * (options_.until - t);
  evaluate_inputs(maker_.dynamics, t, workspace);
  const std::vector<double> here(workspace.u.begin(), workspace.u.end());
  evaluate_inputs(maker_.dynamics, t + ahead, workspace);
  const std::vector<double> later(workspace.u.begin(), workspace.u.end());
  evaluate_inputs(maker_.dynamics, t, workspace);
  const std::vector<std::string>& names = maker_.dynamics.names().inputs;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double rate = (later[i] - here[i]) / ahead;
    if (std::abs(here[i]) <= kLargestToSquare && std::abs(rate) <= kLargestToSquare) continue;
    return fmt::format(
        ", and the input `{}` is {} there and changes by {} in a second: squares of such numbers are not finite",
        names[i], to_text(here[i], 3), to_text(rate, 3));
  }
  return {};
}

Run::Made Run::end_try(bool made) {
  const Step& step = maker_.step;
  const Tried tried = observers_.after_try(made ? Tried::kMade : Tried::kRejected);
  if (tried == Tried::kOver) return Made::kOver;
  ++tries_;
  if (tried == Tried::kAgain) {
    pace_.again();
    return Made::kAgain;
  }
  if (tried == Tried::kRejected) {
    ++path_.rejected;
    maker_.reject();
    if (!options_.adaptive) {
      fail(fmt::format("the step could not be made {}: {}", when(step.t), maker_.why_failed(pace_.length())));
      return Made::kOver;
    }
    pace_.reject();
    return Made::kAgain;
  }
  const bool at_corner = pace_.reach_end();
  if (!accept()) return Made::kOver;
  if (at_corner || tried == Tried::kCut) {
    maker_.method().restart();
    rows_.bend_peaks();
  }
  pace_.accept(tried == Tried::kCut);
  return Made::kAccepted;
}

// Accepts the step: checks and records its end, and the output rows within it.
bool Run::accept() {
  Step& step = maker_.step;
  ++path_.steps;
  path_.step_lengths.add(step.t, step.t1);
  maker_.keep_end();
  observers_.note_end();
  const bool looked = observers_.look_within();
  maker_.motion.on_manifold = false;
  if (!looked || !observers_.change()) return false;
  if (step.changed) maker_.keep_end();
  const bool arrived = observers_.arrive();
  maker_.move_on();
  if (!arrived) return false;
  if (step.status == KktStatus::kInconsistent)
    return fail(fmt::format("redundant constraints contradict each other {}: no acceleration satisfies all rows",
                            when(step.t)));
  return observers_.move_on();
}

void Run::stop() {
  path_.status = RunStatus::kStopped;
  path_.reason = fmt::format("stopped {}", when(maker_.step.t));
}

bool Run::hold_input(int input, double value) {
  Step& step = maker_.step;
  if (maker_.growth.pending()) maker_.growth.advance(step.t, step.y.data(), maker_.qdd());
  auto& held = maker_.motion.workspace.held_inputs;
  const auto known = std::find_if(held.begin(), held.end(), [&](const auto& entry) { return entry.first == input; });
  if (known != held.end())
    known->second = value;
  else
    held.emplace_back(input, value);
  if (guards_)
    guards_->evaluate_inputs_anew();
  else
    evaluate_constant_inputs(maker_.dynamics, maker_.motion.workspace);
  maker_.method().restart();
  double* slope = maker_.method().first_slope();
  const bool evaluated =
      guards_ ? guards_->settle(step.t, step.y.data(), slope) : maker_.manifold.evaluate(step.t, step.y.data(), slope);
  if (!evaluated) return fail(fmt::format("the equations cannot be evaluated with the new inputs {}", when(step.t)));
  const auto lambda = maker_.motion.lambda();
  std::copy(lambda.begin(), lambda.end(), step.lambda.begin());
  // An input that is held from the start on counts in the first row as well.
  if (path_.steps == 0 && path_.size() == 1 && options_.output_times.empty()) {
    path_.drop_last_row();
    rows_.begin();
  } else {
    rows_.begin_peaks(step.t, step.y.data(), maker_.qdd());
  }
  return true;
}

// Calls the callbacks of the options. False when one of them, or max_steps, ends the run.
bool Run::may_go_on() {
  if ((options_.progress || options_.recorded || options_.take_rows) && ++since_progress_ >= options_.progress_every) {
    since_progress_ = 0;
    if (options_.recorded) options_.recorded(path_);
    if (options_.take_rows && !options_.cross_check && options_.take_rows(path_)) path_.forget_rows();
    if (options_.progress && !options_.progress(maker_.point(path_.steps))) {
      stop();
      return false;
    }
  }
  if (tries_ >= options_.max_steps)
    return fail(fmt::format("the limit of {} steps was reached {} of {} s", options_.max_steps, when(maker_.step.t),
                            to_text(options_.until, 8)));
  return true;
}

// Asks the kernel for machine code. The kernel compiles where that saves time in the rest of the run.
void Run::look_for_code() {
  const Kernel& kernel = maker_.dynamics.kernel();
  const double gone = std::abs(maker_.step.t - started_at_), left = std::abs(options_.until - maker_.step.t);
  const std::int64_t made = maker_.motion.evaluations;
  kernel.note_calls(made - told_, gone > 0 ? static_cast<double>(made) * left / gone : 0);
  told_ = made;
  next_look_ = std::max<std::int64_t>(kFirstLook, 2 * made);
  maker_.motion.workspace.find_code(kernel);
}

// Completes the trajectory. The last point is kept also when the run broke off between output rows.
std::unique_ptr<Trajectory> Run::finish() {
  const Step& step = maker_.step;
  ErrorGrowth& growth = maker_.growth;
  std::int64_t& evaluations = maker_.motion.evaluations;
  const bool judged = purpose_ == RunFor::kVerdict, started = judged ? judge_.quality.started() : path_.size() > 0;
  rows_.finish(started && path_.status != RunStatus::kOk);
  if (guards_) guards_->finish();
  if (integrals_ && started) integrals_->finish();
  if (tangents_ && started) rest_of_gradients_ = tangents_->finish();
  if (judged && started && growth.pending()) growth.advance(step.t, step.y.data(), maker_.qdd());
  // Record this before note_calls(), which may compile code that this run no longer uses.
  path_.computed_by = maker_.dynamics.kernel().computed_by();
  evaluations += growth.evaluations();
  maker_.dynamics.kernel().note_calls(evaluations - told_, 0);
  if (judged) judge_.quality.judge(growth, step.t, step.y.data(), std::abs(step.t - started_at_), path_);
  passages_.finish();
  path_.evaluations = evaluations;
  path_.method = to_text(options_.method);
  if (options_.adaptive) path_.rtol = options_.rtol, path_.atol = options_.atol;
  return std::move(owned_path_);
}

}  // namespace dalembert::integration
