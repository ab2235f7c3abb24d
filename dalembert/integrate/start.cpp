// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/run.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/integrate/step_size.h"

namespace dalembert::integration {

bool Run::begin() {
  if (!start()) return false;
  next_length_ = options_.initial_step > 0 ? options_.initial_step : first_step();
  begin_passages();
  return true;
}

bool Run::start() {
  look_for_code();
  const Names& names = dynamics_.names();
  if (!(options_.rtol >= 1e-15 && options_.rtol < 1) || !(options_.atol > 0))
    return fail(fmt::format("tolerances must satisfy 1e-15 <= rtol < 1 and atol > 0, not rtol = {}, atol = {}",
                            options_.rtol, options_.atol));
  if (!std::isfinite(options_.until)) return fail("the end time is not finite");
  if (!options_.adaptive && !(options_.initial_step > 0)) return fail("fixed steps need initial_step > 0");
  for (double y : y_)
    if (!std::isfinite(y)) return fail(fmt::format("the initial state is not finite {}", when(t_)));
  for (const SplineInput& input : dynamics_.splines()) {
    if (input.spline->contains(t_) && input.spline->contains(options_.until)) continue;
    return fail(
        fmt::format("the samples of `{}` are from {} to {} s, the run from {} to {} s: a spline has no values outside "
                    "of its samples",
                    name_of(names.inputs, input.input[0], "input"), to_text(input.spline->begin(), 8),
                    to_text(input.spline->end(), 8), to_text(t_, 8), to_text(options_.until, 8)));
  }
  double last = t_;
  for (double t : options_.output_times) {
    if (!(direction_ * (t - last) >= 0) || !(direction_ * (options_.until - t) >= 0))
      return fail(fmt::format("output times must run from start to end in order; {} does not", to_text(t, 8)));
    last = t;
  }

  look_at_branches();
  // The start must be consistent: it is not this function's to repair beyond the last digits.
  Workspace& workspace = motion_.workspace;
  evaluate_position(dynamics_, t_, y_.data(), workspace);
  evaluate_velocity_residual(dynamics_, t_, y_.data(), y_.data() + nq_, workspace);
  const double* v = y_.data() + nq_;
  for (int r = 0, k = 0; r < m_; ++r) {
    if (index(k) < path_.holonomic.size() && path_.holonomic[index(k)] == r) {
      const double h = workspace.h[index(k)];
      const double terms = position_magnitude(dynamics_, workspace, index(k++), y_.data());
      if (!(std::abs(h) <= options_.start_tolerance * std::max(1.0, terms)))
        return fail(fmt::format("the start violates position constraint `{}` by {} {}: assemble it first",
                                name_of(names.rows, r, "row"), to_text(std::abs(h), 4), when(t_)));
    }
    const double rate = workspace.residual[index(r)];
    if (!(std::abs(rate) <= options_.start_tolerance * std::max(1.0, workspace.W_rows.magnitude(r, workspace.W, v))))
      return fail(fmt::format("the start violates velocity constraint `{}` by {} {}: assemble it first",
                              name_of(names.rows, r, "row"), to_text(std::abs(rate), 4), when(t_)));
  }
  if (!schedule_.too_many().empty())
    return fail(schedule_.too_many() + ": a run ends a step at each; end it earlier, or state a mean value");
  before_ = y_;
  if (!project_state(t_, y_.data()))
    return fail(failure_ == KktStatus::kTooLarge
                    ? fmt::format("{} {}", why_step_failed(0), when(t_))
                    : fmt::format("the start cannot be brought onto the constraints {}", when(t_)));
  for (std::size_t i = 0; i < index(ny_); ++i) quality_.note_moved(std::abs(y_[i] - before_[i]));

  if (!choose_branches() || !evaluate_on_manifold(t_, y_.data(), method_->first_slope())) {
    failure_ = motion_.status;
    return fail(frictions_.problem.empty() ? fmt::format("{} {}", why_step_failed(0), when(t_)) : frictions_.problem);
  }
  if (workspace.friction) friction().meet_forces(frictions_.largest_force);
  quality_.note_rank(t_);
  note_step_end();
  independence_.begin(t_, y_.data(), y_.data() + nq_);
  if (motion_.status == KktStatus::kInconsistent)
    return fail(
        fmt::format("redundant constraints contradict each other {}: no acceleration satisfies all rows "
                    "(left over: {})",
                    when(t_), to_text(workspace.kkt.residual(), 3)));
  note_passage_start();
  if (!check(t_, y_.data())) return fail(fmt::format("the energy or a residual is not finite {}", when(t_)));
  if (ends_.left_out() > 0)
    path_.verdict.warnings.push_back(fmt::format(
        "the input tables have too many corners for a step to end at each: {} do, {} smaller ones are left to "
        "the error control",
        ends_.kept(), ends_.left_out()));

  if (!schedule_.given_up().empty())
    path_.verdict.warnings.push_back(
        fmt::format("{} changes too often to be searched for narrow features before the run: what is shorter than a "
                    "step may be missed; max_step bounds the steps",
                    join_words(schedule_.given_up(), "`", "and")));

  // An output list need not contain the start.
  recorder_.reserve();
  if (options_.output_times.empty() || options_.output_times.front() == t_) {
    record(t_, y_.data(), method_->first_slope() + nq_, motion_.lambda().data(), workspace.kkt.rank(), workspace.loss);
    if (!options_.output_times.empty()) recorder_.advance();
  }
  std::copy(motion_.lambda().begin(), motion_.lambda().end(), lambda_.begin());
  if (options_.find_peaks) {
    const std::size_t multipliers = path_.lambda.size() + path_.friction.size();
    peaks_ = std::make_unique<PeakSearch>(multipliers + path_.outputs.size(), multipliers);
    peaks_->begin(t_, values_with_peaks(t_, y_.data(), method_->first_slope() + nq_, lambda_.data()));
  }
  keep_rows();
  use_rows(t_, y_.data());
  growth_.start(t_, y_.data());
  return true;
}

// Hairer, Nørsett & Wanner, II.4: a step that makes an explicit Euler step and its change of slope small.
double Run::first_step() {
  const std::size_t count = index(ny_);
  const double* f0 = method_->first_slope();
  const auto scale = [&](std::size_t i) { return options_.atol + options_.rtol * std::abs(y_[i]); };
  double d0 = 0, d1 = 0, d2 = 0;
  for (std::size_t i = 0; i < count; ++i) {
    d0 += std::pow(y_[i] / scale(i), 2);
    d1 += std::pow(f0[i] / scale(i), 2);
  }
  const double root = std::sqrt(std::max<double>(1, ny_));
  d0 = std::sqrt(d0) / root;
  d1 = std::sqrt(d1) / root;
  const double span = std::abs(options_.until - t_);
  double h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
  h = std::min(h, span);
  for (std::size_t i = 0; i < index(size_); ++i) y1_[i] = y_[i] + direction_ * h * f0[i];
  if (motion_.evaluate(t_ + direction_ * h, y1_.data(), slope_.data())) {
    for (std::size_t i = 0; i < count; ++i) d2 += std::pow((slope_[i] - f0[i]) / scale(i), 2);
    d2 = std::sqrt(d2) / root / h;
  }
  const double steepest = std::max(d1, d2);
  const double h1 =
      steepest <= 1e-15 ? std::max(1e-6, h * 1e-3) : rough_power(0.01 / steepest, 1.0 / method_->facts().order);
  return std::min({100 * h, h1, span});
}

}  // namespace dalembert::integration
