// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "dalembert/dynamics/numbers.h"
#include "dalembert/integrate/run.h"

namespace dalembert::integration {
bool Run::check(double t, const double* y) { return quality_.check(t, y, std::exchange(measured_, false)); }

// A row of the output; checks it as well.
bool Run::record(double t, const double* y, const double* qdd, const double* lambda, int rank) {
  const bool finite = check(t, y);
  recorder_.add({t, y, y + nq_, qdd, lambda, with_power_ ? y[ny_] : 0.0, rank}, quality_.energy(),
                quality_.conserved());
  return finite;
}

// Output rows inside the step from t_ to t1, by the continuous extension.
bool Run::record_between(double t1, double h) {
  bool dense = false;
  for (double t = recorder_.next(); direction_ * (t - t1) < 0; t = recorder_.next()) {
    if (!dense) {
      if (!method_->make_dense(motion_, t_, y_.data(), y1_.data(), h))
        return fail(fmt::format("the equations cannot be evaluated for output {}", when(t)));
      dense = true;
    }
    method_->interpolate((t - t_) / h, y_.data(), out_.data());
    const bool projected = project_state(t, out_.data());
    const double correction = largest_magnitude(motion_.workspace.dv);
    if (!projected || !evaluate_on_manifold(t, out_.data(), slope_.data()))
      return fail(fmt::format("the state cannot be brought onto the constraints {}", when(t)));
    quality_.note_rank(t);
    // Next to a singular position a row may be as precise as it can be and yet not lie on the manifold to the
    // tolerance.
    const double excess = quality_.residual_excess();
    const bool replaced = leaps_.near && replace_noise(t, h, correction);
    if (!record(t, out_.data(), slope_.data() + nq_, motion_.lambda().data(), motion_.workspace.kkt.rank()))
      return fail(fmt::format("the energy or a residual is not finite {}", when(t)));
    if (replaced) quality_.put_back_excess(excess);
    recorder_.advance();
  }
  return true;
}

// What was reached is kept, also when the run broke off between output rows.
Trajectory Run::finish() {
  const bool started = quality_.started(), broken_off = started && path_.status != RunStatus::kOk;
  if (broken_off && (path_.time.empty() || path_.time.back() != t_) &&
      evaluate_on_manifold(t_, y_.data(), slope_.data()))
    record(t_, y_.data(), slope_.data() + nq_, motion_.lambda().data(), motion_.workspace.kkt.rank());
  if (started && growth_.pending()) growth_.advance(t_, y_.data(), qdd());
  motion_.evaluations += growth_.evaluations();
  dynamics_.kernel().note_calls(motion_.evaluations - told_, 0);
  quality_.judge(growth_, t_, y_.data(), std::abs(t_ - started_at_), path_);
  if (leaps_.passed > 0) path_.verdict.warnings.push_back(describe_singular_positions());
  path_.evaluations = motion_.evaluations;
  path_.method = to_text(options_.method);
  if (options_.adaptive) path_.rtol = options_.rtol, path_.atol = options_.atol;
  return std::move(path_);
}

}  // namespace dalembert::integration
