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

// A row of the output; checks it as well. `loss`: of the KKT solve that λ comes from.
bool Run::record(double t, const double* y, const double* qdd, const double* lambda, int rank, double loss) {
  const bool finite = check(t, y);
  // A run goes on with what the kernel says; a reader is told λ to its digits.
  if (loss > kLosesDigits && rank == m_ && !deficient_ && !motion_.sliding()) {
    refined_.assign(lambda, lambda + lambda_.size());
    out_qdd_.assign(qdd, qdd + nv_);
    refine_kkt(dynamics_, t, y, y + nq_, motion_.workspace, out_qdd_.data(), refined_.data());
    lambda = refined_.data();
  }
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
    if (!record(t, out_.data(), slope_.data() + nq_, motion_.lambda().data(), motion_.workspace.kkt.rank(),
                motion_.workspace.loss))
      return fail(fmt::format("the energy or a residual is not finite {}", when(t)));
    if (replaced) quality_.put_back_excess(excess);
    recorder_.advance();
  }
  if (peaks_) look_for_peaks(t1, h, dense);
  return true;
}

const std::vector<double>& Run::values_with_peaks(double t, const double* y, const double* qdd, const double* lambda) {
  peak_values_.assign(lambda, lambda + path_.lambda.size() + path_.friction.size());
  if (path_.outputs.empty()) return peak_values_;
  evaluate_inputs(dynamics_, t, motion_.workspace);
  const std::vector<double>& outputs = recorder_.outputs({t, y, y + nq_, qdd, lambda});
  peak_values_.insert(peak_values_.end(), outputs.begin(), outputs.end());
  return peak_values_;
}

// By Hermite's polynomials of the state, beside the manifold.
std::vector<double> Run::values_about_middle(double h) {
  const double *f0 = method_->first_slope(), *f1 = method_->last_slope();
  for (std::size_t i = 0; i < index(ny_); ++i) out_[i] = (y_[i] + y1_[i]) / 2 + h / 8 * (f0[i] - f1[i]);
  if (dynamics_.layout().v_is_qdot)
    for (std::size_t i = 0, k = index(nq_); i < index(nq_); ++i, ++k) {
      out_[i] = (y_[i] + y1_[i]) / 2 + 5 * h / 32 * (f0[i] - f1[i]) + h * h / 64 * (f0[k] + f1[k]);
      out_[k] = 1.875 * (y1_[i] - y_[i]) / h - 0.4375 * (f0[i] + f1[i]) + h / 32 * (f1[k] - f0[k]);
    }
  measured_ = false;
  const double t = t_ + h / 2;
  if (!motion_.evaluate(t, out_.data(), slope_.data())) return {};
  return values_with_peaks(t, out_.data(), slope_.data() + nq_, motion_.lambda().data());
}

// In the step from t_ to t1, whose end is evaluated. `dense`: the continuous extension is made.
void Run::look_for_peaks(double t1, double h, bool dense) {
  const std::vector<double> end = values_with_peaks(t1, y1_.data(), method_->last_slope() + nq_, lambda_.data());
  // Next to a singular position multipliers between the ends are what round-off makes of them.
  if (leaps_.near || leaps_.leaping) return peaks_->begin(t1, end);
  const std::vector<double> middle = values_about_middle(h);
  peaks_->step(t1, middle, end, [&](double theta, std::vector<double>& values) {
    dense = dense || method_->make_dense(motion_, t_, y_.data(), y1_.data(), h);
    if (!dense) return false;
    const double t = t_ + theta * h;
    method_->interpolate(theta, y_.data(), out_.data());
    if (!project_state(t, out_.data()) || !evaluate_on_manifold(t, out_.data(), slope_.data())) return false;
    values = values_with_peaks(t, out_.data(), slope_.data() + nq_, motion_.lambda().data());
    return true;
  });
}

// What was reached is kept, also when the run broke off between output rows.
Trajectory Run::finish() {
  const bool started = quality_.started(), broken_off = started && path_.status != RunStatus::kOk;
  if (broken_off && (path_.time.empty() || path_.time.back() != t_) &&
      evaluate_on_manifold(t_, y_.data(), slope_.data()))
    record(t_, y_.data(), slope_.data() + nq_, motion_.lambda().data(), motion_.workspace.kkt.rank(),
           motion_.workspace.loss);
  if (started && growth_.pending()) growth_.advance(t_, y_.data(), qdd());
  // Code that is made from here on is for other runs.
  path_.computed_by = dynamics_.kernel().computed_by();
  motion_.evaluations += growth_.evaluations();
  dynamics_.kernel().note_calls(motion_.evaluations - told_, 0);
  quality_.judge(growth_, t_, y_.data(), std::abs(t_ - started_at_), path_);
  if (passages_.passed > 0) path_.verdict.warnings.push_back(describe_singular_positions());
  if (peaks_) path_.peaks = peaks_->found();
  path_.evaluations = motion_.evaluations;
  path_.method = to_text(options_.method);
  if (options_.adaptive) path_.rtol = options_.rtol, path_.atol = options_.atol;
  return std::move(path_);
}

}  // namespace dalembert::integration
