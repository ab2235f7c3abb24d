// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/run.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <fmt/format.h>

namespace dalembert::integration {
namespace {

double norm(const double* x, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

double largest(const std::vector<double>& x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

}  // namespace

// After a KKT solve at a point of the manifold: the rank found there bounds the rank off the manifold nearby.
void Run::note_rank(double t) {
  Workspace& workspace = motion_.workspace;
  const int rank = workspace.kkt.rank();
  min_rank_ = started_ ? std::min(min_rank_, rank) : rank;
  if (rank < m_) {
    for (int r = 0; r < m_; ++r)
      if (!workspace.kkt.lambda_unique(r)) ambiguous_[index(r)] = true;
  } else if (workspace.kkt.independence() < least_independence_) {
    least_independence_ = workspace.kkt.independence();
    least_independent_at_ = t;
  }
}

// Residuals, energy and conserved quantities of a point; false when something is not finite.
bool Run::check(double t, const double* y) {
  Workspace& workspace = motion_.workspace;
  const Layout& layout = dynamics_.layout();
  const double *q = y, *v = y + n_;
  Verdict& verdict = path_.verdict;
  if (!measured_) {
    evaluate_position(dynamics_, t, q, workspace);
    evaluate_velocity_residual(dynamics_, t, q, v, workspace);
  }
  measured_ = false;
  independence_.note_rows();
  bool finite = true;
  const double norm_q = norm(q, n_), norm_v = norm(v, n_);
  for (std::size_t k = 0; k < layout.holonomic.size(); ++k) {
    const double value = std::abs(workspace.h[k]);
    const int row = layout.holonomic[k];
    finite = finite && std::isfinite(value);
    verdict.max_position_residual = std::max(verdict.max_position_residual, value);
    const double allowed = options_.atol + options_.rtol * position_magnitude(workspace, row, q) +
                           kNoise * kEps * workspace.W_rows.norm(row, workspace.W) * norm_q;
    residual_excess_ = std::max(residual_excess_, value / allowed);
  }
  for (int r = 0; r < m_; ++r) {
    const double value = std::abs(workspace.residual[index(r)]);
    const double terms = velocity_magnitude(workspace, r, v);
    finite = finite && std::isfinite(value);
    verdict.max_velocity_residual = std::max(verdict.max_velocity_residual, value);
    // W itself carries the round-off of q.
    const double roundoff =
        kEps * (workspace.W_rows.norm(r, workspace.W) * norm_v + std::abs(workspace.a[index(r)])) * (1 + norm_q);
    residual_excess_ = std::max(residual_excess_, value / (options_.atol + options_.rtol * terms + kNoise * roundoff));
  }

  energy_ = energy(dynamics_, t, q, v, workspace, conserved_.data());
  if (!started_) {
    energy_start_ = energy_.total;
    lowest_potential_ = highest_potential_ = energy_.potential;
    conserved_start_ = conserved_;
  }
  const double change = energy_.total - energy_start_, work = with_power_ ? y[2 * n_] : 0;
  finite = finite && std::isfinite(change);
  energy_deviation_ = std::max(energy_deviation_, std::abs(change));
  balance_deviation_ = std::max(balance_deviation_, std::abs(change - work));
  largest_kinetic_ = std::max(largest_kinetic_, std::abs(energy_.kinetic));
  lowest_potential_ = std::min(lowest_potential_, energy_.potential);
  highest_potential_ = std::max(highest_potential_, energy_.potential);
  largest_energy_ = std::max({largest_energy_, largest_kinetic_, std::abs(energy_.potential), std::abs(energy_.total)});
  work_scale_ = std::max({largest_kinetic_, highest_potential_ - lowest_potential_, std::abs(work)});
  for (std::size_t i = 0; i < conserved_.size(); ++i) {
    conserved_drift_[i] = std::max(conserved_drift_[i], std::abs(conserved_[i] - conserved_start_[i]));
    conserved_largest_[i] = std::max(conserved_largest_[i], std::abs(conserved_[i]));
  }
  return finite;
}

// A row of the output; checks it as well.
bool Run::record(double t, const double* y, const double* qdd, const double* lambda, int rank) {
  Workspace& workspace = motion_.workspace;
  const Layout& layout = dynamics_.layout();
  const bool finite = check(t, y);
  path_.time.push_back(t);
  for (int i = 0; i < n_; ++i) {
    path_.q[index(i)].push_back(y[i]);
    path_.v[index(i)].push_back(y[n_ + i]);
    path_.a[index(i)].push_back(qdd[i]);
  }
  for (std::size_t r = 0; r < index(m_); ++r) {
    path_.lambda[r].push_back(lambda[r]);
    path_.residual[r].push_back(workspace.residual[r]);
  }
  for (std::size_t k = 0; k < layout.holonomic.size(); ++k)
    path_.residual[index(layout.holonomic[k])].back() = workspace.h[k];
  path_.kinetic.push_back(energy_.kinetic);
  path_.potential.push_back(energy_.potential);
  path_.total.push_back(energy_.total);
  path_.work.push_back(with_power_ ? y[2 * n_] : 0.0);
  for (std::size_t i = 0; i < conserved_.size(); ++i) path_.conserved[i].push_back(conserved_[i]);
  for (std::size_t i = 0; i < index(layout.inputs); ++i) path_.u[i].push_back(workspace.u[i]);
  path_.rank.push_back(rank);
  if (layout.outputs > 0) {
    KernelArguments in = kernel_arguments(dynamics_, t, y, y + n_, workspace);
    in.qdd = qdd;
    in.lambda = lambda;
    dynamics_.kernel().call(KernelFunction::kOutputs, in, outputs_.data());
    for (std::size_t i = 0; i < outputs_.size(); ++i) path_.outputs[i].push_back(outputs_[i]);
  }
  return finite;
}

// The next requested output time, or infinity when every accepted step (or nothing more) is asked for.
double Run::next_output() const {
  if (!options_.output_times.empty())
    return next_time_ < options_.output_times.size() ? options_.output_times[next_time_]
                                                     : direction_ * std::numeric_limits<double>::infinity();
  if (options_.output_step > 0) {
    // Counted, not summed up; the last one is drawn to the end of the run when it is there but for round-off.
    const double t = path_.time.front() + direction_ * options_.output_step * static_cast<double>(next_time_ + 1);
    return std::abs(t - options_.until) <= 1e-6 * options_.output_step ? options_.until : t;
  }
  return direction_ * std::numeric_limits<double>::infinity();
}

// Output rows inside the step from t_ to t1, by the continuous extension.
bool Run::record_between(double t1, double h) {
  bool dense = false;
  for (double t = next_output(); direction_ * (t - t1) < 0; t = next_output()) {
    if (!dense) {
      if (!method_->make_dense(motion_, t_, y_.data(), y1_.data(), h))
        return fail(fmt::format("the equations cannot be evaluated for output {}", when(t)));
      dense = true;
    }
    method_->interpolate((t - t_) / h, y_.data(), out_.data());
    const bool projected = project_state(t, out_.data());
    const double correction = largest(motion_.workspace.dv);
    if (!projected || !evaluate_on_manifold(t, out_.data(), slope_.data()))
      return fail(fmt::format("the state cannot be brought onto the constraints {}", when(t)));
    note_rank(t);
    // Next to a singular position a row may be as precise as it can be and yet not lie on the manifold to the
    // tolerance.
    const double excess = residual_excess_;
    const bool replaced = leaps_.near && replace_noise(t, h, correction);
    if (!record(t, out_.data(), slope_.data() + n_, motion_.lambda().data(), motion_.workspace.kkt.rank()))
      return fail(fmt::format("the energy or a residual is not finite {}", when(t)));
    if (replaced) residual_excess_ = excess;
    ++next_time_;
  }
  return true;
}

}  // namespace dalembert::integration
