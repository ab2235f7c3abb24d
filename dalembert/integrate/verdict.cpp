// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/run.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/integrate/final_error.h"

namespace dalembert::integration {
namespace {

// Rows of W nearer to dependence than this are worth a warning.
constexpr double kNearlySingular = 1e-5;
// Error control allows about rtol in each step. 100 of them may come together anywhere; over long runs a tenth of all
// has been seen to be 3 to 30 times what Dormand–Prince leaves. More than a per cent is never an accurate energy.
constexpr double kFewSteps = 100, kOfManySteps = 0.1, kMostDrift = 0.01, kLeastDrift = 1e-12;
// An energy that is a difference of large numbers: units of their round-off in each evaluation, and the random walk of
// the state's own round-off.
constexpr double kEvaluationRoundoff = 8;
// atol decides about a coordinate where it is larger than rtol·|q|; that matters where it is more than this of the
// motion.
constexpr double kCoarse = 1e-4;

// Σ over the steps of their error estimates counts this many times: they are estimates.
constexpr double kWorkAllowance = 2;

}  // namespace

void Run::judge() {
  // What was reached is kept, also when the run broke off between output rows.
  const bool broken_off = started_ && path_.status != RunStatus::kOk;
  if (broken_off && (path_.time.empty() || path_.time.back() != t_) &&
      evaluate_on_manifold(t_, y_.data(), slope_.data()))
    record(t_, y_.data(), slope_.data() + n_, motion_.lambda().data(), motion_.workspace.kkt.rank());

  Verdict& verdict = path_.verdict;
  verdict.rows = m_;
  verdict.min_rank = min_rank_;
  verdict.residual_excess = residual_excess_;
  if (started_ && growth_.pending()) growth_.advance(t_, y_.data(), method_->first_slope() + n_);
  motion_.evaluations += growth_.evaluations();
  dynamics_.kernel().note_calls(motion_.evaluations - told_, 0);
  verdict.motion = motion_sizes(dynamics_.names(), growth_, options_.atol);
  if (!(residual_excess_ <= 10)) verdict.reasons.push_back("a constraint is left by more than the tolerance");
  judge_energy();
  verdict.error = error_by_growth(
      dynamics_.names(), growth_, options_.atol, std::abs(t_ - started_at_),
      verdict.conservative ? verdict.energy_drift : std::max(0.0, verdict.power_balance_error - verdict.work_error));
  warn_of_atol();
  verdict.holds = path_.status == RunStatus::kOk && started_ && verdict.reasons.empty();

  const Names& names = dynamics_.names();
  std::vector<std::string> rows;
  for (int r = 0; r < m_; ++r)
    if (ambiguous_[index(r)]) rows.push_back(name_of(names.rows, r, "row"));
  if (!rows.empty())
    verdict.warnings.push_back(
        fmt::format("lambda of {} {} not unique: the constraints are redundant there (rank {} of {}); the least-norm "
                    "values are given",
                    join_words(rows), rows.size() == 1 ? "is" : "are", min_rank_, m_));
  if (least_independence_ < kNearlySingular)
    verdict.warnings.push_back(
        fmt::format("nearly singular configuration {}: a constraint row is within {} of following from the others "
                    "(sine of the angle between "
                    "them), so lambda is badly determined there",
                    when(least_independent_at_), to_text(least_independence_, 2)));
  if (leaps_.passed > 0) verdict.warnings.push_back(describe_singular_positions());
  if (moved_at_start_ > 1e3 * options_.atol)
    verdict.warnings.push_back(
        fmt::format("the start was off the constraints and was moved by up to {}", to_text(moved_at_start_, 3)));
}

// The energy and what else is conserved, relative to what moves: a constant in V says nothing about an error.
void Run::judge_energy() {
  Verdict& verdict = path_.verdict;
  const Names& names = dynamics_.names();
  // What is conserved is so with the inputs that the model states.
  const bool as_stated = motion_.workspace.held_inputs.empty();
  verdict.conservative = dynamics_.layout().conservative && as_stated;
  const double steps = static_cast<double>(path_.steps);
  const double roundoff = kEps * (kEvaluationRoundoff + std::sqrt(steps)) * largest_energy_;
  verdict.energy_scale = std::max({largest_kinetic_, started_ ? highest_potential_ - lowest_potential_ : 0, roundoff});
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
  // atol's share is asked for where rtol alone does not explain the drift.
  if (drift > verdict.drift_limit + open) verdict.drift_limit = limit_at(options_.rtol + atol_share(scale));
  if (drift > verdict.drift_limit + open)
    verdict.reasons.push_back(verdict.conservative ? "the energy is not kept"
                                                   : "the energy does not balance with the work of the forces");
  if (verdict.conservative) verdict.conserved.push_back({"energy", verdict.energy_drift});
  for (std::size_t i = 0; as_stated && i < conserved_.size(); ++i) {
    const std::string name = name_of(names.conserved, static_cast<int>(i), "quantity");
    double size = std::max(conserved_largest_[i], options_.atol / options_.rtol);
    // A momentum that happens to be small is a difference of larger ones.
    if (conserved_drift_[i] > verdict.drift_limit * size) size = std::max(size, momentum_size(name));
    verdict.conserved.push_back({name, conserved_drift_[i] / size});
    if (!(verdict.conserved.back().drift <= verdict.drift_limit))
      verdict.reasons.push_back(fmt::format("`{}` is not conserved", name));
  }
  if (open > verdict.drift_limit && verdict.energy_scale > roundoff)
    verdict.warnings.push_back(
        verdict.energy_roundoff > verdict.work_error
            ? fmt::format("the energy is told to {} J only, which is {} of what moves: the round-off of energies of {} "
                          "J; a smaller drift cannot be seen",
                          to_text(roundoff, 2), to_text(verdict.energy_roundoff, 2), to_text(largest_energy_, 2))
            : fmt::format("the work of the forces changes faster than the motion: it is known to {} of the energy that "
                          "moves; a smaller imbalance cannot be seen",
                          to_text(verdict.work_error, 2)));
}

// What atol allows in a step relative to the motion, in the metric of the masses: coordinate i alone has the energy
// `scale` at the speed √(2·scale/M_ii), and the widest motion of all is as wide as range·√M_ii says.
double Run::atol_share(double scale) {
  if (!started_ || n_ == 0) return 0;
  Workspace& workspace = motion_.workspace;
  evaluate_mass(dynamics_, t_, y_.data(), y_.data() + n_, workspace);
  const Pattern& pattern = dynamics_.layout().M;
  double heaviest = 0, widest = 0;
  for (std::size_t k = 0; k < workspace.M.size(); ++k) {
    if (pattern.row[k] != pattern.col[k] || !(workspace.M[k] > 0)) continue;
    heaviest = std::max(heaviest, workspace.M[k]);
    const double range = growth_.range()[index(pattern.row[k])];
    widest = std::max(widest, range * range * workspace.M[k]);
  }
  const double of_speed = options_.atol * std::sqrt(heaviest / (2 * scale));
  const double of_place = widest > 0 ? options_.atol * std::sqrt(heaviest / widest) : 0;
  const double share = std::sqrt(static_cast<double>(n_)) * std::max(of_speed, of_place);
  return std::isfinite(share) ? share : 0;
}

// Of the momentum p[q_i]: at most √(2 M_ii T) (Cauchy). 0 for other quantities.
double Run::momentum_size(const std::string& name) {
  const std::vector<std::string>& coordinates = dynamics_.names().coordinates;
  Workspace& workspace = motion_.workspace;
  if (!started_ || !name.starts_with("p[") || !name.ends_with("]")) return 0;
  const auto found = std::find(coordinates.begin(), coordinates.end(), name.substr(2, name.size() - 3));
  if (found == coordinates.end()) return 0;
  const int i = static_cast<int>(found - coordinates.begin());
  evaluate_mass(dynamics_, t_, y_.data(), y_.data() + n_, workspace);
  const Pattern& pattern = dynamics_.layout().M;
  for (std::size_t k = 0; k < workspace.M.size(); ++k)
    if (pattern.row[k] == i && pattern.col[k] == i) return std::sqrt(2 * std::abs(workspace.M[k]) * largest_kinetic_);
  return 0;
}

// Error control looks at atol + rtol·|q|: where the whole motion is not much more than atol, rtol says nothing.
void Run::warn_of_atol() {
  if (!growth_.enabled() || path_.verdict.motion.empty()) return;
  for (int i = 0; i < n_; ++i) {
    const double motion = path_.verdict.motion[index(i)];
    const bool rules = options_.atol > options_.rtol * growth_.size()[index(i)];
    if (!(motion > 0) || !rules || options_.atol <= kCoarse * motion) continue;
    const std::string name = name_of(dynamics_.names().coordinates, i, "coordinate");
    const std::string unit = index(i) < dynamics_.names().coordinate_units.size()
                                 ? dynamics_.names().coordinate_units[index(i)]
                                 : std::string();
    path_.verdict.warnings.push_back(fmt::format(
        "atol rules `{}`: it moves by {}{}{}, and errors of {} are allowed in each step whatever rtol is; give an atol "
        "of about {}",
        name, to_text(motion, 2), unit.empty() || unit == "1" ? "" : " ", unit == "1" ? "" : unit,
        to_text(options_.atol, 2), to_text(options_.rtol * 1e-3 * motion, 1)));
    return;
  }
}

}  // namespace dalembert::integration
