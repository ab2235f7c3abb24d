// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/run.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/dynamics/numbers.h"
#include "dalembert/dynamics/project.h"

namespace dalembert::integration {
namespace {

// Error of the work in a step, in units of rtol times the energy that moves: the motion's own errors are as large.
constexpr double kWorkTolerance = 10;
// It decides about a step where it is larger than that of the motion and than this; far below what step control aims at.
constexpr double kDecides = 0.01;
// Evaluations before machine code is asked for, if there is none.
constexpr std::int64_t kFirstLook = 16;
// Tries that the work may ask for beyond as many as the motion does.
constexpr std::int64_t kStepsForWork = 1000;

}  // namespace

// To the end, or where nothing leads on.
bool Run::loop() {
  while (!at_end())
    if (!step()) return false;
  return true;
}

// One accepted step, as long as its error allows, but not beyond `stop_`.
bool Run::step() {
  for (;; ++tries_) {
    if (!may_go_on()) return false;
    if (motion_.evaluations >= next_look_) look_for_code();
    choose_method();

    double& h = next_length_;
    if (options_.max_step > 0) h = std::min(h, options_.max_step);
    if (options_.adaptive) h = std::min(h, schedule_.longest_step(t_));
    const bool stops = direction_ * (ends_.next() - stop_) > 0;
    const double end = stops ? stop_ : ends_.next(), left = std::abs(end - t_);
    const double smallest = 16 * kEps * std::max(std::abs(t_), std::abs(options_.until) * 1e-8);
    const bool ends_here = !options_.adaptive || h >= left * (1 - 1e-12);
    // Fixed steps keep their own size in `h`, for the check below.
    if (h < smallest && !(options_.adaptive && ends_here)) {
      const std::string dead_end = describe_dead_end();
      return fail(dead_end.empty() ? fmt::format("the step size became too small {}: {}", when(t_), why_step_failed(h))
                                   : dead_end);
    }
    // What the error would have allowed, had the step not to end here.
    const double allowed_step = h;
    const bool cut = ends_here || 2 * h > left;
    if (ends_here)
      h = left;
    else if (cut)
      h = left / 2;  // the last two steps share what is left, so that none is tiny

    double step = direction_ * h;
    double t1 = ends_here ? end : t_ + step;
    double error = 0;
    forget_place();
    bool made = try_step(t1, step, error);
    if (options_.adaptive && should_leap(made, step, error)) made = leap(t1, step, error, made);
    Guarded guarded = Guarded::kClear;
    if (made && branches_) {
      guarded = end_at_guard(t1, step, error);
      made = guarded != Guarded::kFailed;
      if (guarded == Guarded::kStuck && !frictions_.problem.empty()) return fail(frictions_.problem);
      if (guarded == Guarded::kStuck)
        return fail(fmt::format("conditions change again and again {}: no branch can be kept", when(t_)));
      if (guarded == Guarded::kAgain) {
        h = allowed_step;
        continue;
      }
    }
    if (!made) {
      ++path_.rejected;
      measured_ = false;
      last_error_ = error;
      if (!options_.adaptive)
        return fail(fmt::format("the step could not be made {}: {}", when(t_), why_step_failed(h)));
      const bool judged = failure_ == KktStatus::kOk && !projection_failed_ && std::isfinite(error);
      h *= control_.after_rejection(method_->facts(), error, judged);
      continue;
    }
    ++tries_;
    const bool at_corner = t1 == ends_.next() && ends_.next_is_corner();
    if (t1 == ends_.next()) ends_.advance();
    if (!accept_step(t1, step, error)) return false;
    if (at_corner || guarded == Guarded::kCrossed) {
      method_->restart();
      if (peaks_) peaks_->bend();
    }
    if (guarded == Guarded::kCrossed) {
      h = allowed_step;
      control_.restart();
      return true;
    }
    h = std::abs(step);
    if (!options_.adaptive) {
      h = allowed_step;
      return true;
    }
    h *= control_.after_step(method_->facts(), h, error, cut ? std::max(h, allowed_step) : h);
    // A step that a corner made short says little about how long the next may be: not less than was allowed before it.
    if (ends_here && control_.grows_most()) h = std::max(h, allowed_step);
    if (leaps_.next > 0) h = std::exchange(leaps_.next, 0.0);
    return true;
  }
}

void Run::stop() {
  path_.status = RunStatus::kStopped;
  path_.reason = fmt::format("stopped {}", when(t_));
}

bool Run::hold_input(int input, double value) {
  if (growth_.pending()) growth_.advance(t_, y_.data(), qdd());
  auto& held = motion_.workspace.held_inputs;
  const auto known = std::find_if(held.begin(), held.end(), [&](const auto& entry) { return entry.first == input; });
  if (known != held.end())
    known->second = value;
  else
    held.emplace_back(input, value);
  evaluate_constant_inputs(dynamics_, motion_.workspace);
  method_->restart();
  const bool evaluated = branches_ ? settle_branches(t_, y_.data(), method_->first_slope())
                                   : evaluate_on_manifold(t_, y_.data(), method_->first_slope());
  if (!evaluated) return fail(fmt::format("the equations cannot be evaluated with the new inputs {}", when(t_)));
  std::copy(motion_.lambda().begin(), motion_.lambda().end(), lambda_.begin());
  if (peaks_) peaks_->begin(t_, values_with_peaks(t_, y_.data(), qdd(), lambda_.data()));
  return true;
}

// False when the caller of integrate() or max_steps ends the run.
bool Run::may_go_on() {
  if ((options_.progress || options_.recorded || options_.take_rows) && ++since_progress_ >= options_.progress_every) {
    since_progress_ = 0;
    if (options_.recorded) options_.recorded(path_);
    if (options_.take_rows && !options_.cross_check && options_.take_rows(path_)) path_.forget_rows();
    if (options_.progress && !options_.progress(t_)) {
      stop();
      return false;
    }
  }
  if (tries_ >= options_.max_steps)
    return fail(fmt::format("the limit of {} steps was reached {} of {} s", options_.max_steps, when(t_),
                            to_text(options_.until, 8)));
  return true;
}

// Whether the kernel has machine code by now; it makes some where that is worth while for what is left of the run.
void Run::look_for_code() {
  const double gone = std::abs(t_ - started_at_), left = std::abs(options_.until - t_);
  const std::int64_t made = motion_.evaluations;
  dynamics_.kernel().note_calls(made - told_, gone > 0 ? static_cast<double>(made) * left / gone : 0);
  told_ = made;
  next_look_ = std::max<std::int64_t>(kFirstLook, 2 * made);
  motion_.workspace.find_code(dynamics_.kernel());
}

// From t_, y_ to t1, y1_ on the manifold, with the slope there. False when that is impossible (see failure_ and
// projection_failed_) or when the error, in units of what is allowed, exceeds 1.
bool Run::try_step(double t1, double step, double& error) {
  failure_ = KktStatus::kOk;
  projection_failed_ = false;
  error = 0;
  if (motion_.sliding()) {
    motion_.shares.clear();
    if (!motion_.evaluate(t_, y_.data(), slope_.data())) {
      failure_ = motion_.status;
      return false;
    }
  }
  motion_.status = KktStatus::kOk;
  if (!method_->advance(motion_, t_, y_.data(), step, y1_.data())) {
    failure_ = motion_.status;
    // Where every stage could be evaluated, their equations could not be solved.
    if (failure_ == KktStatus::kOk || failure_ == KktStatus::kInconsistent) {
      failure_ = KktStatus::kOk;
      error = std::numeric_limits<double>::infinity();
    }
    return false;
  }
  const auto embedded_error = [&] {
    return method_->error(y_.data(), y1_.data(), step, ny_, options_.rtol, options_.atol);
  };
  // Fixed steps are not judged by their errors, but these count in the verdict.
  if (!method_->error_needs_last_slope()) {
    const double embedded = embedded_error(), of_work = with_power_ ? work_step_error(step, embedded) : 0;
    if (options_.adaptive) error = std::max({embedded, of_work, share_error()});
  }
  if (std::isnan(error)) failure_ = KktStatus::kNotFinite;
  if (!(error <= 1)) return false;

  before_ = y1_;
  if (!project_state(t1, y1_.data())) {
    projection_failed_ = true;
    return false;
  }
  if (!evaluate_end(t1)) return false;
  if (method_->error_needs_last_slope()) {
    const double embedded = embedded_error(), of_work = with_power_ ? work_step_error(step, embedded) : 0;
    if (options_.adaptive) error = std::max({embedded, of_work, share_error()});
  }
  if (options_.adaptive) error = std::sqrt(error * error + std::pow(displacement_error(), 2));
  return error <= 1;
}

// The error that the step adds to the work, in units of what is allowed: a share of the energy that moves. The work is
// for the verdict alone and must not cost more than the motion: steps are made for it while they are not many more than
// those made for the motion, then its error is only counted.
double Run::work_step_error(double step, double of_motion) {
  last_work_error_ = std::abs(method_->component_error(ny_, step));
  const double allowed = kWorkTolerance * options_.rtol * quality_.work_scale();
  const double error = allowed > 0 ? last_work_error_ / allowed : 0;
  const bool decides = error > std::max(of_motion, kDecides);
  if (!decides) {
    ++steps_for_motion_;
    return error;
  }
  if (options_.adaptive && steps_for_work_ <= kStepsForWork + steps_for_motion_) {
    ++steps_for_work_;
    return error;
  }
  // Too fast for these steps, and for their estimates: the power may have any phase.
  if (error > 1) last_work_error_ = std::max(last_work_error_, std::abs(step) * method_->largest_slope(ny_));
  return 0;
}

// Takes over what try_step() made: checks and records it, and the output rows before it.
bool Run::accept_step(double t1, double step, double error) {
  ++path_.steps;
  path_.step_lengths.add(t_, t1);
  if (motion_.workspace.friction) friction().meet_forces(frictions_.largest_force);
  quality_.add_work_error(last_work_error_);
  // λ and rank of this point are kept aside: output points before it use the same workspace.
  KktStatus status = KktStatus::kOk;
  int rank = 0;
  const auto keep = [&] {
    quality_.note_rank(t1);
    status = motion_.status;
    rank = motion_.workspace.kkt.rank();
    std::copy(motion_.lambda().begin(), motion_.lambda().end(), lambda_.begin());
    keep_rows();
  };
  keep();
  note_step_end();
  const bool may_have_passed_one = may_have_passed(t1);
  const bool recorded = record_between(t1, step);
  if (recorded && may_have_passed_one) look_for_passages(t1, error);
  motion_.on_manifold = false;
  if (!recorded) return false;
  if (branches_) {
    bool changed = false;
    const bool passed = pass_guards(t1, changed);
    if (!passed && !frictions_.problem.empty()) {
      // The motion ends at the state that has no motion, or no single one.
      t_ = t1;
      std::swap(y_, y1_);
      return fail(frictions_.problem);
    }
    if (!passed)
      return fail(fmt::format("the equations cannot be evaluated beyond the condition that changes {}", when(t1)));
    if (changed) {
      keep();
      if (peaks_) peaks_->begin(t1, values_with_peaks(t1, y1_.data(), method_->last_slope() + nq_, lambda_.data()));
    }
  }
  const bool every_step = recorder_.every_step();
  const bool at_output = !every_step && recorder_.next() == t1;
  const bool at_end = options_.output_times.empty() && t1 == options_.until;
  const bool finite = every_step || at_output || at_end
                          ? record(t1, y1_.data(), method_->last_slope() + nq_, lambda_.data(), rank, leaps_.loss)
                          : check(t1, y1_.data());
  if (at_output) recorder_.advance();
  watch_stiffness(std::abs(step));

  t_ = t1;
  std::swap(y_, y1_);
  use_rows(t_, y_.data());
  if (growth_.enabled() && !leaps_.leaping)
    method_->add_step_error(y1_.data(), y_.data(), step, ny_, growth_.step_errors());
  if (leaps_.leaping)
    for (std::size_t i = 0; i < index(ny_); ++i)
      growth_.step_errors()[i] += error * (options_.atol + options_.rtol * std::abs(y_[i]));
  if (is_implicit() && growth_.enabled()) growth_.carry(t_, y_.data(), implicit_->method);
  method_->shift();
  if (!is_implicit() && growth_.due()) growth_.advance(t_, y_.data(), method_->first_slope() + nq_);
  if (!finite) return fail(fmt::format("the energy or a residual is not finite {}", when(t_)));
  if (status == KktStatus::kInconsistent)
    return fail(
        fmt::format("redundant constraints contradict each other {}: no acceleration satisfies all rows", when(t_)));
  if (const std::string singular = describe_singular_drive(); !singular.empty()) return fail(singular);
  return true;
}

// The slope at a point of the manifold. There all rows count: the rank and the least-norm λ are decided afresh.
bool Run::evaluate_on_manifold(double t, const double* y, double* slope) {
  motion_.workspace.basis.all = true;
  bool evaluated = motion_.evaluate(t, y, slope);
  motion_.workspace.basis.all = !deficient_;
  if (evaluated && !all_finite(slope, index(size_))) {
    motion_.status = KktStatus::kNotFinite;
    evaluated = false;
  }
  if (motion_.workspace.friction) frictions_.largest_force = friction().largest_force();
  return evaluated;
}

// At the end of a step.
bool Run::evaluate_end(double t1) {
  const bool evaluated = evaluate_on_manifold(t1, y1_.data(), method_->last_slope());
  if (!evaluated) failure_ = motion_.status;
  return evaluated;
}

// Positions and velocities back onto the manifold. False when the residuals stay far above what the tolerance allows.
bool Run::project_state(double t, double* y) {
  const Projection projection = project(dynamics_, t, y, y + nq_, motion_.workspace);
  if (projection.status == KktStatus::kTooLarge) failure_ = projection.status;
  if (!projection.ok) return false;
  measured_ = projection.measured;
  // In units of round-off of the rows' terms: anything between arithmetic and tolerance is judged later, in check().
  const double allowed = (options_.rtol + 1e3 * kEps) / kEps;
  // Corrections of the last digits say nothing about the error of the step.
  position_corrected_ = projection.position_roundoff_before > kNoise;
  velocity_corrected_ = projection.velocity_roundoff_before > kNoise;
  return projection.position_roundoff <= allowed || projection.position_residual <= options_.atol;
}

// The displacement y₁ − before_ in the norm of the error control.
double Run::displacement_error() const {
  double sum = 0;
  const auto add = [&](std::size_t begin, std::size_t count) {
    const double *y0 = y_.data() + begin, *y1 = y1_.data() + begin, *before = before_.data() + begin;
    // No component can be put back more precisely than the largest one that it is tied to.
    double most = 0;
    for (std::size_t i = 0; i < count; ++i) most = std::max(most, std::abs(y1[i]));
    const double floor = options_.atol + 64 * kEps * most;
    for (std::size_t i = 0; i < count; ++i) {
      const double ratio = (y1[i] - before[i]) / (floor + options_.rtol * std::max(std::abs(y0[i]), std::abs(y1[i])));
      sum += ratio * ratio;
    }
  };
  if (position_corrected_) add(0, index(nq_));
  if (velocity_corrected_) add(index(nq_), index(nv_));
  return sum == 0 ? 0 : std::sqrt(sum / ny_);
}

// After a KKT solve at a point of the manifold: which rows are independent there.
void Run::keep_rows() {
  if (motion_.workspace.kkt.rank() == m_ && independent_.size() == index(m_)) return;
  independent_.clear();
  for (int k = 0; k < motion_.workspace.kkt.rank(); ++k)
    independent_.push_back(motion_.workspace.kkt.independent_row(k));
  std::sort(independent_.begin(), independent_.end());
}

// The step that starts here is made with those rows alone (see RowBasis); `t`, `y` is the point they belong to.
void Run::use_rows(double t, const double* y) {
  Workspace& workspace = motion_.workspace;
  deficient_ = static_cast<int>(independent_.size()) < m_;
  workspace.basis.set_all();
  workspace.position_basis.set_all();
  if (!deficient_) return;
  workspace.basis.set(independent_);
  if (dynamics_.layout().holonomic.empty()) return;
  find_position_basis(dynamics_, t, y, y + nq_, workspace);
}

std::string Run::why_step_failed(double h) const {
  const Names& names = dynamics_.names();
  if (reduced_ != nullptr && reduced_->lost_velocities()) return why_velocities_are_lost();
  if (failure_ == KktStatus::kSingular && motion_.workspace.friction)
    return "the friction leaves no finite forces (a paradox of Painlevé), or the mass matrix is singular on the "
           "motions that the constraints allow";
  if (failure_ == KktStatus::kSingular) return "the mass matrix is singular on the motions that the constraints allow";
  if (failure_ == KktStatus::kNotFinite) return "the equations of motion are not finite";
  if (failure_ == KktStatus::kTooLarge) return std::string(to_text(failure_));
  if (std::isinf(last_error_)) return "the equations of the stages cannot be solved";
  if (projection_failed_) return "the state cannot be brought back onto the constraints";
  const int worst = method_->worst_component();
  const std::string name =
      worst < nq_ ? name_of(names.coordinates, worst, "coordinate") : names.velocity(index(worst - nq_));
  return fmt::format("the error of `{}` stays above the tolerance (step {} s, error {} times what is allowed)", name,
                     to_text(h, 3), to_text(last_error_, 3));
}

std::string Run::why_velocities_are_lost() const {
  const Names& names = dynamics_.names();
  std::string state;
  for (int i = 0; i < nq_; ++i)
    state += fmt::format("{}{} = {}", i > 0 ? ", " : "", name_of(names.coordinates, i, "coordinate"),
                         to_text(y_[index(i)], 6));
  return fmt::format("the quasi-velocities {} no longer determine the velocities, near {}",
                     options_.quasi_velocities ? join_words(options_.quasi_velocities->names().rows) : "picked", state);
}

}  // namespace dalembert::integration
