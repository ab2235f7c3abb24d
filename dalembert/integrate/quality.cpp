// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/quality.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/dynamics/numbers.h"
#include "dalembert/integrate/final_error.h"
#include "dalembert/integrate/names.h"

namespace dalembert::integration {
namespace {

// A warning is given if the independence of the rows of W falls below this.
constexpr double kNearlySingular = 1e-5;
// The energy may drift by rtol times the larger of kFewSteps and kOfManySteps · steps, since error control allows about
// rtol in each step. In long runs this limit is 3 to 30 times the drift that Dormand–Prince has been seen to leave. The
// limit is at least kLeastDrift and at most kMostDrift: a drift of more than a per cent is never accurate.
constexpr double kFewSteps = 100, kOfManySteps = 0.1, kMostDrift = 0.01, kLeastDrift = 1e-12;
// Round-off of an energy that is a difference of large numbers, in units of eps times these numbers: this for each
// evaluation, plus the square root of the number of steps for the random walk of the state's round-off.
constexpr double kEvaluationRoundoff = 8;
// A warning is given if atol alone controls the error of a coordinate (atol > rtol·|q|), and exceeds this fraction of
// the coordinate's motion.
constexpr double kCoarse = 1e-4;
// A velocity below this fraction of the one that would have all kinetic energy of the run is round-off, 1e4 units of it; below atol, this one is error.
constexpr double kRestOfEnergy = 2.3e-12, kErrorOfEnergy = 1e-9;

// Safety factor on the sum of the steps' error estimates of the work.
constexpr double kWorkAllowance = 2;

}  // namespace

Quality::Quality(const Dynamics& dynamics, const IntegrateOptions& options, Workspace& workspace, bool with_power)
    : dynamics_(dynamics),
      options_(options),
      workspace_(workspace),
      nq_(dynamics.nq()),
      nv_(dynamics.nv()),
      ny_(nq_ + nv_),
      m_(dynamics.m()),
      with_power_(with_power),
      conserved_(index(dynamics.layout().conserved)),
      conserved_start_(conserved_.size()),
      conserved_drift_(conserved_.size()),
      conserved_largest_(conserved_.size()),
      ambiguous_(index(m_), false) {}

void Quality::note_rank(double t) {
  const int rank = workspace_.kkt.rank();
  min_rank_ = started_ ? std::min(min_rank_, rank) : rank;
  if (rank < m_) {
    for (int r = 0; r < m_; ++r)
      if (!workspace_.kkt.lambda_unique(r)) ambiguous_[index(r)] = true;
  } else if (workspace_.kkt.independence() < least_independence_) {
    least_independence_ = workspace_.kkt.independence();
    least_independent_at_ = t;
  }
}

void Quality::note_jump(double t, const double* before, const double* after) {
  std::vector<double> conserved(conserved_.size());
  const double energy = dalembert::energy(dynamics_, t, before, before + nq_, workspace_, conserved.data()).total;
  for (std::size_t i = 0; i < conserved.size(); ++i) conserved_start_[i] -= conserved[i];
  const double given = dalembert::energy(dynamics_, t, after, after + nq_, workspace_, conserved.data()).total - energy;
  for (std::size_t i = 0; i < conserved.size(); ++i) conserved_start_[i] += conserved[i];
  energy_start_ += given;
  given_by_events_ += given;
}

bool Quality::check(double t, const double* y, bool measured) {
  const Layout& layout = dynamics_.layout();
  const double *q = y, *v = y + nq_;
  if (!measured) {
    evaluate_position(dynamics_, t, q, workspace_);
    evaluate_velocity(dynamics_, t, q, workspace_);
    measure_rows(dynamics_, q, v, workspace_);
  }
  bool finite = true;
  const double norm_q = norm(q, nq_), norm_v = norm(v, nv_);
  for (std::size_t k = 0; k < layout.holonomic.size(); ++k) {
    const double value = std::abs(workspace_.h[k]);
    const int row = layout.holonomic[k];
    finite = finite && std::isfinite(value);
    largest_position_ = std::max(largest_position_, value);
    const Workspace::RowSize& size = workspace_.row_sizes[index(row)];
    const double allowed =
        options_.atol + options_.rtol * size.position + kNoise * kEps * std::sqrt(size.squared) * norm_q;
    residual_excess_ = std::max(residual_excess_, value / allowed);
  }
  for (int r = 0; r < m_; ++r) {
    const double value = std::abs(workspace_.residual[index(r)]);
    const Workspace::RowSize& size = workspace_.row_sizes[index(r)];
    finite = finite && std::isfinite(value);
    largest_velocity_ = std::max(largest_velocity_, value);
    // W depends on q, so it carries the round-off of q.
    const double roundoff = kEps * (std::sqrt(size.squared) * norm_v + std::abs(workspace_.a[index(r)])) * (1 + norm_q);
    residual_excess_ =
        std::max(residual_excess_, value / (options_.atol + options_.rtol * size.velocity + kNoise * roundoff));
  }

  energy_ = dalembert::energy(dynamics_, t, q, v, workspace_, conserved_.data());
  if (!started_) {
    energy_start_ = energy_.total;
    lowest_potential_ = highest_potential_ = energy_.potential;
    conserved_start_ = conserved_;
  }
  const double change = energy_.total - energy_start_, work = with_power_ ? y[ny_] : 0;
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
  started_ = started_ || finite;
  return finite;
}

// Velocities so small that the kinetic energy does not know are round-off of forces that balance, as the rotation of what is pulled at its middle.
// Their motion is none.
void Quality::leave_out_still(double t, const double* y, std::vector<double>& motion) {
  if (!started_ || !(largest_kinetic_ > 0) || motion.size() != index(nq_ + nv_)) return;
  evaluate_mass(dynamics_, t, y, y + nq_, workspace_);
  const Pattern& M = dynamics_.layout().M;
  for (std::size_t e = 0; e < M.row.size(); ++e) {
    if (M.row[e] != M.col[e]) continue;
    double& size = motion[index(nq_ + M.row[e])];
    const double part = size <= options_.atol ? kErrorOfEnergy : kRestOfEnergy;
    if (workspace_.M[e] * size * size <= 2 * part * part * largest_kinetic_) size = 0;
  }
}

void Quality::judge(const ErrorGrowth& growth, double t, const double* y, double seconds, Trajectory& path) {
  Verdict& verdict = path.verdict;
  // Rows and ranks in the verdict are those of the constraints. Prescribed coordinates are no constraints, and their
  // rows are independent of the constraints' rows.
  const int actuated = dynamics_.names().actuated;
  verdict.rows = started_ ? m_ - actuated : 0;
  verdict.min_rank = min_rank_ < 0 ? min_rank_ : std::max(0, min_rank_ - actuated);
  verdict.residual_excess = residual_excess_;
  verdict.max_position_residual = largest_position_;
  verdict.max_velocity_residual = largest_velocity_;
  verdict.motion = motion_sizes(growth, options_.atol);
  leave_out_still(t, y, verdict.motion);
  if (!(residual_excess_ <= 10)) verdict.reasons.push_back("a constraint is violated by more than the tolerance");
  judge_energy(growth, t, y, path);
  verdict.error = error_by_growth(
      dynamics_.names(), growth, verdict.motion, seconds,
      verdict.conservative ? verdict.energy_drift : std::max(0.0, verdict.power_balance_error - verdict.work_error));
  warn_of_atol(growth, verdict);
  verdict.holds = path.status == RunStatus::kOk && started_ && verdict.reasons.empty();

  const Names& names = dynamics_.names();
  std::vector<std::string> rows;
  for (int r = 0; r < m_; ++r)
    if (ambiguous_[index(r)])
      rows.push_back(r < m_ - names.actuated ? name_of(names.rows, r, "row") : names.row(index(r)));
  if (!rows.empty())
    verdict.warnings.push_back(
        fmt::format("lambda of {} {} not unique: the constraints are redundant there (rank {} of {}){}",
                    join_words(rows), rows.size() == 1 ? "is" : "are", verdict.min_rank, m_ - actuated,
                    started_ ? "; the least-norm values are given" : ""));
  if (least_independence_ < kNearlySingular)
    verdict.warnings.push_back(
        fmt::format("nearly singular configuration {}: a constraint row is within {} of following from the others "
                    "(sine of the angle between "
                    "them), so lambda is badly determined there",
                    when(least_independent_at_), to_text(least_independence_, 2)));
  if (moved_at_start_ > 1e3 * options_.atol)
    verdict.warnings.push_back(
        fmt::format("the start was off the constraints and was moved by up to {}", to_text(moved_at_start_, 3)));
}

// Judges the energy and the other conserved quantities. The energy is compared with the changes of T and V, since a
// constant in V says nothing about an error.
void Quality::judge_energy(const ErrorGrowth& growth, double t, const double* y, Trajectory& path) {
  Verdict& verdict = path.verdict;
  const Names& names = dynamics_.names();
  // Quantities are conserved only with the inputs that the model states.
  const bool as_stated = workspace_.held_inputs.empty();
  verdict.conservative = dynamics_.layout().conservative && as_stated;
  const double steps = static_cast<double>(path.steps);
  const double roundoff = kEps * (kEvaluationRoundoff + std::sqrt(steps)) * largest_energy_;
  const double moving = std::max(largest_kinetic_, started_ ? highest_potential_ - lowest_potential_ : 0);
  verdict.energy_scale = moving > roundoff ? moving : largest_energy_;
  const double scale = std::max(verdict.energy_scale, std::numeric_limits<double>::min());
  verdict.energy_drift = energy_deviation_ / scale;
  verdict.power_balance_error = with_power_ || verdict.conservative ? balance_deviation_ / scale : 0;
  verdict.energy_roundoff = roundoff / scale;
  verdict.work_error = with_power_ ? kWorkAllowance * work_error_ / scale : 0;

  const auto limit_at = [&](double tolerance) {
    return std::clamp(tolerance * std::max(kFewSteps, kOfManySteps * steps), kLeastDrift, kMostDrift);
  };
  verdict.drift_limit = limit_at(options_.rtol);
  const double drift = verdict.conservative ? verdict.energy_drift : verdict.power_balance_error;
  const double open = verdict.energy_roundoff + verdict.work_error;
  // The effect of atol is computed only if rtol alone does not explain the drift.
  if (drift > verdict.drift_limit + open)
    verdict.drift_limit = limit_at(options_.rtol + atol_share(scale, growth, t, y));
  if (drift > verdict.drift_limit + open)
    verdict.reasons.push_back(verdict.conservative ? "the energy is not conserved"
                                                   : "the energy does not balance with the work of the forces");
  if (verdict.conservative) verdict.conserved.push_back({"energy", verdict.energy_drift});
  for (std::size_t i = 0; as_stated && i < conserved_.size(); ++i) {
    const std::string name = name_of(names.conserved, static_cast<int>(i), "quantity");
    double size = std::max(conserved_largest_[i], options_.atol / options_.rtol);
    // A small momentum may be a difference of larger terms; then their size counts.
    if (conserved_drift_[i] > verdict.drift_limit * size) size = std::max(size, momentum_size(i, growth, t, y));
    verdict.conserved.push_back({name, conserved_drift_[i] / size});
    if (!(verdict.conserved.back().drift <= verdict.drift_limit))
      verdict.reasons.push_back(fmt::format("`{}` is not conserved", name));
  }
  if (open > verdict.drift_limit && verdict.energy_scale > roundoff)
    verdict.warnings.push_back(
        verdict.energy_roundoff > verdict.work_error
            ? fmt::format("the energy is known only to {} J, {} of the energy that moves, because of the round-off of "
                          "energies of {} J; a smaller drift cannot be seen",
                          to_text(roundoff, 2), to_text(verdict.energy_roundoff, 2), to_text(largest_energy_, 2))
            : fmt::format("the work of the forces changes faster than the motion: it is known to {} of the energy that "
                          "moves; a smaller imbalance cannot be seen",
                          to_text(verdict.work_error, 2)));
}

// The error that atol allows in a step, relative to the motion, in the mass metric. Coordinate i alone has the energy
// `scale` at the speed √(2·scale/M_ii). The width of the motion is the largest range·√M_ii.
double Quality::atol_share(double scale, const ErrorGrowth& growth, double t, const double* y) {
  if (!started_ || nv_ == 0) return 0;
  evaluate_mass(dynamics_, t, y, y + nq_, workspace_);
  const Pattern& pattern = dynamics_.layout().M;
  double heaviest = 0, widest = 0;
  for (std::size_t k = 0; k < workspace_.M.size(); ++k) {
    if (pattern.row[k] != pattern.col[k] || !(workspace_.M[k] > 0)) continue;
    heaviest = std::max(heaviest, workspace_.M[k]);
    const double range = growth.over_moved(growth.range(), pattern.row[k]);
    widest = std::max(widest, range * range * workspace_.M[k]);
  }
  const double of_speed = options_.atol * std::sqrt(heaviest / (2 * scale));
  const double of_place = widest > 0 ? options_.atol * std::sqrt(heaviest / widest) : 0;
  const double share = std::sqrt(static_cast<double>(nv_)) * std::max(of_speed, of_place);
  return std::isfinite(share) ? share : 0;
}

// The size of the terms of a momentum c·v: Σ |c_i| max |v_i|. For p[q_i] it is at least √(2 M_ii T), a bound on that
// momentum (Cauchy).
double Quality::momentum_size(std::size_t which, const ErrorGrowth& growth, double t, const double* y) {
  if (!started_) return 0;
  std::vector<double> v(y + nq_, y + ny_), momenta(conserved_.size());
  const auto momentum = [&] {
    dalembert::energy(dynamics_, t, y, v.data(), workspace_, momenta.data());
    return momenta[which];
  };
  const double here = momentum();
  double size = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double largest = growth.size()[index(nq_) + i], kept = v[i];
    if (!(largest > 0)) continue;
    v[i] += largest;
    size += std::abs(momentum() - here);
    v[i] = kept;
  }
  const std::string name = name_of(dynamics_.names().conserved, static_cast<int>(which), "quantity");
  const std::vector<std::string>& coordinates = dynamics_.names().of_motion();
  const auto found = std::ranges::find_if(coordinates, [&](const std::string& q) { return name == "p[" + q + "]"; });
  if (found == coordinates.end()) return size;
  const auto i = static_cast<int>(found - coordinates.begin());
  evaluate_mass(dynamics_, t, y, y + nq_, workspace_);
  const Pattern& pattern = dynamics_.layout().M;
  for (std::size_t k = 0; k < workspace_.M.size(); ++k)
    if (pattern.row[k] == i && pattern.col[k] == i)
      size = std::max(size, std::sqrt(2 * std::abs(workspace_.M[k]) * largest_kinetic_));
  return size;
}

// Error control uses atol + rtol·|q|. If a coordinate moves by little more than atol, rtol has no effect on it.
void Quality::warn_of_atol(const ErrorGrowth& growth, Verdict& verdict) const {
  if (!growth.enabled() || verdict.motion.empty()) return;
  for (int i = 0; i < nq_; ++i) {
    const double motion = verdict.motion[index(i)];
    const bool rules = options_.atol > options_.rtol * growth.size()[index(i)];
    if (!(motion > 0) || !rules || options_.atol <= kCoarse * motion) continue;
    const std::string name = name_of(dynamics_.names().coordinates, i, "coordinate");
    const std::string unit = index(i) < dynamics_.names().coordinate_units.size()
                                 ? dynamics_.names().coordinate_units[index(i)]
                                 : std::string();
    verdict.warnings.push_back(
        fmt::format("atol, not rtol, controls the error of `{}`: it moves by {}{}{}, and errors of {} are allowed in "
                    "each step whatever rtol is; give an atol "
                    "of about {}",
                    name, to_text(motion, 2), unit.empty() || unit == "1" ? "" : " ", unit == "1" ? "" : unit,
                    to_text(options_.atol, 2), to_text(options_.rtol * 1e-3 * motion, 1)));
    return;
  }
}

}  // namespace dalembert::integration
